import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { hashPassword } from './passwords.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false' })
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

const guess = (userName: string, from: string) =>
  platform.app.inject({
    method: 'POST',
    url: '/api/account/login',
    headers: { 'x-forwarded-for': from },
    payload: { userName, password: 'guess' },
  })

test('P7.8 P8.24 guessing is slowed down per account, from wherever and by name or address', async () => {
  await anAccount(platform.db, { userName: 'Victim', email: 'victim@example.org', passwordHash: await hashPassword('aaaaaa') })
  const codes: number[] = []
  for (let i = 0; i < 12; i++) codes.push((await guess(i % 2 ? 'victim@example.org' : 'VICTIM', `10.0.0.${i}`)).statusCode)
  expect(codes).toEqual([...Array(10).fill(401), 429, 429])
  const refused = await guess('victim', '10.0.0.99')
  expect(refused.json()).toMatchObject({ status: 429, code: 'request.too_many', data: { retryAfter: expect.any(Number) } })
  const seconds = refused.headers['retry-after']
  expect(Number(seconds)).toBeGreaterThan(0)
  expect(refused.json().title).toBe(`Too many requests, try again in ${seconds} seconds`)
  // An unknown name is treated alike, so that the limit tells nobody who exists.
  const unknown: number[] = []
  for (let i = 0; i < 11; i++) unknown.push((await guess('Ghost', `10.0.1.${i}`)).statusCode)
  expect(unknown).toEqual([...Array(10).fill(401), 429])
})

test('P7.8 a hall behind one address signs in at once; beyond that it is slowed down, and others go on', async () => {
  const ask = (i: number) => guess(`nobody${i}`, '10.1.1.1')
  const codes = (await Promise.all(Array.from({ length: 105 }, (_, i) => ask(i)))).map(({ statusCode }) => statusCode)
  expect(codes.filter((code) => code === 429)).toHaveLength(5)
  expect((await guess('nobody', '10.1.1.2')).statusCode).toBe(401)
})

test('P8.24 who is signed in is counted alone: neighbours at the same address go on, and another address does not help', async () => {
  const admins = await Promise.all([1, 2].map(async () => platform.as(await anAccount(platform.db, { role: 'Admin' }))))
  const [one, two] = admins as [(typeof admins)[0], (typeof admins)[0]]
  const ask = async (caller: typeof one, from: string) =>
    (await caller.post('/api/admin/mails/test', { recipient: 'a@example.org' }, { 'x-forwarded-for': from })).status
  const statuses: number[] = []
  for (let i = 0; i < 21; i++) statuses.push(await ask(one, '10.2.2.2'))
  expect(statuses).toEqual([...Array(20).fill(400), 429])
  expect(await ask(two, '10.2.2.2')).toBe(400)
  expect(await ask(one, '10.2.2.3')).toBe(429)
})

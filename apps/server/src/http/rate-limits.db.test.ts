import { afterAll, beforeAll, expect, test } from 'vitest'
import { aScene, type Scene } from '../../test/builders/scene.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false' })
  scene = await aScene(platform)
})
afterAll(() => platform.stop())

const times = <T>(count: number, make: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => make(i)))
const counted = (statuses: number[]) => [
  statuses.filter((status) => status !== 429).length,
  statuses.filter((status) => status === 429).length,
]

test('P8.24 the Register limit is per address: 20, then 429 with the seconds to wait', async () => {
  const ask = (from: string) =>
    platform.app.inject({
      method: 'POST',
      url: '/api/account/recovery',
      headers: { 'x-forwarded-for': from },
      payload: { email: 'a@example.org' },
    })
  const answers = await times(25, () => ask('10.9.0.1'))
  expect(counted(answers.map(({ statusCode }) => statusCode))).toEqual([20, 5])
  const refused = answers.find(({ statusCode }) => statusCode === 429)
  expect(refused?.json()).toMatchObject({ status: 429, code: 'request.too_many' })
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(150)
  expect((await ask('10.9.0.2')).statusCode).toBe(400)
})

test('P7.73 P8.24 the Submit limit is per account: one account at the limit does not block another', async () => {
  const { game, challenge, containerChallenge } = scene
  const flooder = await scene.as('accepted')
  const other = await scene.as('suspended')
  const submit = `/api/game/${game}/challenges/${challenge}`
  const statuses = (await times(110, () => flooder.post(submit, { flag: 'flag{wrong}' }))).map(({ status }) => status)
  expect(counted(statuses)).toEqual([100, 10])
  expect((await other.post(submit, { flag: 'flag{wrong}' })).status).toBe(400)
  const start = `/api/game/${game}/container/${containerChallenge}`
  expect(counted((await times(125, () => flooder.post(start))).map(({ status }) => status))).toEqual([120, 5])
  expect((await other.post(start)).status).toBe(400)
})

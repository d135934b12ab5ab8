import { setTimeout as sleep } from 'node:timers/promises'
import { hash as argon2 } from '@node-rs/argon2'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { type Answer, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { hashPassword, hashQueue } from './passwords.ts'

// On a busy machine an answer of the database may take longer than the limit, and the node would count alone.
vi.mock('./common-sign-in-limits.ts', async (original) => {
  const { openCommonSignInLimits } = await original<typeof import('./common-sign-in-limits.ts')>()
  const open: typeof openCommonSignInLimits = (db, options) => openCommonSignInLimits(db, { ...options, answersWithin: 10_000 })
  return { openCommonSignInLimits: open }
})

let platform: TestPlatform
let hash: string
beforeAll(async () => {
  platform = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false' })
  await anAccount(platform.db, { role: 'Admin' })
  // Cheap: the tests below compare it hundreds of times.
  hash = await argon2('aaaaaa', { memoryCost: 8, timeCost: 1 })
})
afterAll(() => platform.stop())

let count = 0
const someone = async (passwordHash = hash) => {
  const userName = `Someone${++count}`
  const id = await anAccount(platform.db, { userName, email: `${userName}@example.org`, passwordHash })
  return { id, userName }
}
let lastAddress = 0
/** Unique in this file. */
const anAddress = () => `10.${50 + (lastAddress >> 8)}.7.${lastAddress++ & 255}`

const login = (userName: string, password: string, from: string, cookie = '') =>
  platform.anyone.post('/api/account/login', { userName, password }, { 'x-forwarded-for': from, ...(cookie && { cookie }) })
const guess = (userName: string, from: string, cookie = '') => login(userName, 'guess', from, cookie)
/**
 * No token is refilled between the first answer and the last one: a token every six seconds is less than a busy machine may take. One call at a time:
 * their updates lock all buckets, and a sign-in that waits for 200 ms is counted by the node alone, also for the next test.
 */
const statusesOf = async (times: number, ask: () => Promise<Answer>) => {
  const now = async () => (await sql<{ now: Date }>`select clock_timestamp() as now`.execute(platform.db)).rows[0]?.now as Date
  const statuses = [(await ask()).status]
  let before = await now()
  while (statuses.length < times) {
    statuses.push((await ask()).status)
    const after = await now()
    const passed = (after.getTime() - before.getTime()) / 1000
    await sql`update sign_in_buckets set full_at = full_at + make_interval(secs => ${passed})`.execute(platform.db)
    before = after
  }
  return statuses
}
const [right, wrong, refused] = [200, 401, 429]
const cookiesOf = ({ headers }: Answer) => [headers['set-cookie'] ?? []].flat().map((one) => String(one))
const cookieOf = (answer: Answer, name: string) =>
  cookiesOf(answer)
    .find((one) => one.startsWith(`${name}=`))
    ?.split(';')[0] ?? ''

test('P7.8 many users sign in behind one address: sessions count by account, and wrong guesses still count for the address', async () => {
  const from = anAddress()
  const people = await Promise.all(Array.from({ length: 40 }, () => someone()))
  // The 151st request of a minute that counted for the address would wait.
  for (let i = 0; i < 160; i++) expect((await login(people[i % 40]?.userName ?? '', 'aaaaaa', from)).status).toBe(right)
  const visit = () => platform.anyone.get('/api/config', { 'x-forwarded-for': from })
  expect(await statusesOf(145, visit)).toEqual(Array(145).fill(200))
  expect(await statusesOf(5, () => guess('Nobody at all', from))).toEqual(Array(5).fill(wrong))
  const late = visit()
  expect(await Promise.race([late.then(() => 'answered'), sleep(300, 'waits')])).toBe('waits')
})

test('P7.8 behind the address of an event site a right password passes after many wrong guesses of others; elsewhere it does not', async () => {
  const hall = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false', VEXIL_HALL_NETWORKS: '203.0.113.7/32' })
  try {
    await anAccount(hall.db, { role: 'Admin' })
    await anAccount(hall.db, { userName: 'Owner', passwordHash: hash })
    const { signIns } = hall.limits
    for (const network of ['203.0.113.7', '203.0.113.8'])
      for (let i = 0; i < 500; i++) await signIns.reserve({ account: `name ${i}`, network, device: null })
    // No token is refilled between the guesses and the sign-in.
    await sql`update sign_in_buckets set full_at = full_at + interval '1 hour'`.execute(hall.db)
    const status = async (from: string) => {
      const body = { userName: 'Owner', password: 'aaaaaa' }
      return (await hall.anyone.post('/api/account/login', body, { 'x-forwarded-for': from })).status
    }
    expect([await status('203.0.113.7'), await status('203.0.113.8')]).toEqual([right, refused])
  } finally {
    await hall.stop()
  }
})

test('without limits wrong guesses are refused as such, however many', async () => {
  const unlimited = await startTestPlatform({ DISABLE_RATE_LIMIT: 'true' })
  try {
    await anAccount(unlimited.db, { role: 'Admin' })
    const guess = () => unlimited.anyone.post('/api/account/login', { userName: 'Missing', password: 'guess' })
    expect(await statusesOf(12, guess)).toEqual(Array(12).fill(wrong))
  } finally {
    await unlimited.stop()
  }
})

describe('wrong passwords', () => {
  test('P7.8 P8.24 are limited for account and address, by any form of the name and by e-mail address', async () => {
    const { userName } = await someone()
    const from = anAddress()
    const forms = [userName, ` ${userName.toUpperCase()} `, `${userName}@example.org`]
    let i = 0
    expect(await statusesOf(12, () => guess(forms[i++ % 3] as string, from))).toEqual([
      ...Array(10).fill(wrong),
      refused,
      refused,
    ])
    const answer = await guess(userName, from)
    expect(answer.error).toMatchObject({ status: 429, code: 'request.too_many', data: { retryAfter: expect.any(Number) } })
    const seconds = Number(answer.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(6)
    expect(answer.error.title).toBe(`Too many requests, try again in ${seconds} seconds`)
    // The right one is not even compared, or it could still be found.
    expect((await login(userName, 'aaaaaa', from)).status).toBe(refused)
  })

  test('P7.8 of an unknown name have the same limit, also by any form of it, so that the limit does not reveal accounts', async () => {
    const from = anAddress()
    let i = 0
    const statuses = await statusesOf(11, () => guess(++i % 2 === 0 ? 'Ghost' : 'gHOST', from))
    expect(statuses).toEqual([...Array(10).fill(wrong), refused])
  })

  test('P7.8 from one address lock out neither the owner after eleven, nor that address from other accounts', async () => {
    const [owner, neighbour] = [await someone(), await someone()]
    const from = anAddress()
    await statusesOf(11, () => guess(owner.userName, from))
    expect((await login(owner.userName, 'aaaaaa', anAddress())).status).toBe(right)
    expect((await login(neighbour.userName, 'aaaaaa', from)).status).toBe(right)
  })

  test('P7.8 from a whole IPv6 /64 count as one address; the next network is separate', async () => {
    const { userName } = await someone()
    let i = 0
    const statuses = await statusesOf(11, () => guess(userName, `2001:db8:5:6::${(++i).toString(16)}`))
    expect(statuses).toEqual([...Array(10).fill(wrong), refused])
    expect((await guess(userName, '2001:db8:5:6:ffff::1')).status).toBe(refused)
    expect((await guess(userName, '2001:db8:5:7::1')).status).toBe(wrong)
  })

  test('P7.8 from an IPv4 address and its IPv6-mapped form count together', async () => {
    const { userName } = await someone()
    const from = anAddress()
    await statusesOf(10, () => guess(userName, `::ffff:${from}`))
    expect((await guess(userName, from)).status).toBe(refused)
  })

  test('P7.8 sent a hundred at once: ten are compared', async () => {
    const { userName } = await someone()
    const from = anAddress()
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: 100 }, () => guess(userName, from)))
    const refilled = Math.ceil((performance.now() - startedAt) / 6000)
    const compared = answers.filter(({ status }) => status === wrong).length
    expect(compared).toBeGreaterThanOrEqual(10)
    expect(compared).toBeLessThanOrEqual(10 + refilled)
    expect(answers.filter(({ status }) => status === refused)).toHaveLength(100 - compared)
  })

  test('P7.8 from ten addresses on one account never refuse the owner at an eleventh', async () => {
    const { userName } = await someone()
    const addresses = Array.from({ length: 10 }, anAddress)
    for (let i = 0; i < 8; i++) await Promise.all(addresses.map((from) => guess(userName, from)))
    expect((await login(userName, 'aaaaaa', anAddress())).status).toBe(right)
  })
})

describe('right passwords', () => {
  test('P7.8 use no limit: signing in for each call locks nothing', async () => {
    const bot = await someone()
    const from = anAddress()
    expect(new Set(await statusesOf(30, () => login(bot.userName, 'aaaaaa', from)))).toEqual(new Set([right]))
    const together = await Promise.all(Array.from({ length: 30 }, () => login(bot.userName, 'aaaaaa', from)))
    expect(new Set(together.map(({ status }) => status))).toEqual(new Set([right]))
    expect(await statusesOf(11, () => guess(bot.userName, from))).toEqual([...Array(10).fill(wrong), refused])
  })

  test('P7.8 of a banned account are not counted as wrong guesses', async () => {
    const { id, userName } = await someone()
    await platform.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', id).execute()
    const from = anAddress()
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(userName, 'aaaaaa', from)))
    expect(new Set(answers.map(({ error }) => error.code))).toEqual(new Set(['account.banned']))
  })
})

describe('a browser that signed in before', () => {
  test('P7.8 is accepted while its address is limited, also after logging out', async () => {
    const { userName } = await someone()
    const from = anAddress()
    const first = await login(userName, 'aaaaaa', from)
    const device = cookieOf(first, 'vexil_device')
    expect(cookiesOf(first).find((one) => one.startsWith('vexil_device='))).toMatch(
      /^vexil_device=[\w-]{22}\.\d+\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const out = await platform.anyone.post('/api/account/logout', undefined, { cookie: cookieOf(first, 'vexil_session') })
    expect(cookieOf(out, 'vexil_device')).toBe('')
    await statusesOf(11, () => guess(userName, from))
    expect((await login(userName, 'aaaaaa', from)).status).toBe(refused)
    const again = await login(userName, 'aaaaaa', from, device)
    expect(again.status).toBe(right)
    // The number of the device does not change, and its counts stay.
    expect(cookieOf(again, 'vexil_device').split('.')[0]).toBe(device.split('.')[0])
  })

  test('P7.8 may guess wrong ten times from any address, without locking out others', async () => {
    const { userName } = await someone()
    const device = cookieOf(await login(userName, 'aaaaaa', anAddress()), 'vexil_device')
    expect(await statusesOf(11, () => guess(userName, anAddress(), device))).toEqual([...Array(10).fill(wrong), refused])
    expect((await login(userName, 'aaaaaa', anAddress())).status).toBe(right)
  })

  test('P7.8 is only recognised for its own account, with this platform’s signature, for half a year', async () => {
    const [me, other] = [await someone(), await someone()]
    const device = cookieOf(await login(me.userName, 'aaaaaa', anAddress()), 'vexil_device')
    const [number, expires, signature] = device.split('=')[1]!.split('.') as [string, string, string]
    expect(Number(expires) - Date.now()).toBeGreaterThan(179 * 86_400_000)
    const from = anAddress()
    await statusesOf(11, () => guess(me.userName, from))
    await statusesOf(11, () => guess(other.userName, from))
    expect((await login(other.userName, 'aaaaaa', from, device)).status).toBe(refused)
    const forged = [
      `${'A'.repeat(22)}.${expires}.${signature}`,
      `${number}.${Number(expires) + 1}.${signature}`,
      `${number}.${expires}.${'A'.repeat(43)}`,
      `${number}.${expires}`,
      '%',
    ]
    for (const value of forged)
      expect((await login(me.userName, 'aaaaaa', from, `vexil_device=${value}`)).status, value).toBe(refused)
    expect((await login(me.userName, 'aaaaaa', from, device)).status).toBe(right)
    vi.setSystemTime(Number(expires) + 1000)
    try {
      await statusesOf(11, () => guess(me.userName, from))
      expect((await login(me.userName, 'aaaaaa', from, device)).status).toBe(refused)
    } finally {
      vi.useRealTimers()
    }
  })

  test('P7.8 P7.7 is no longer recognised after a password change, except the browser that made it', async () => {
    const [me, neighbour] = [await someone(), await someone()]
    const [first, second] = [await login(me.userName, 'aaaaaa', anAddress()), await login(me.userName, 'aaaaaa', anAddress())]
    const ofNeighbour = cookieOf(await login(neighbour.userName, 'aaaaaa', anAddress()), 'vexil_device')
    const body = { old: 'aaaaaa', new: 'bbbbbb' }
    const cookie = `${cookieOf(first, 'vexil_session')}; ${cookieOf(first, 'vexil_device')}`
    const changed = await platform.anyone.put('/api/account/changepassword', body, { cookie })
    expect(changed.status).toBe(200)
    const from = anAddress()
    for (const { userName } of [me, neighbour]) await statusesOf(11, () => guess(userName, from))
    for (const old of [first, second])
      expect((await login(me.userName, 'bbbbbb', from, cookieOf(old, 'vexil_device'))).status).toBe(refused)
    expect((await login(me.userName, 'bbbbbb', from, cookieOf(changed, 'vexil_device'))).status).toBe(right)
    expect((await login(neighbour.userName, 'aaaaaa', from, ofNeighbour)).status).toBe(right)
  })

  test('P7.8 gets no access from its device cookie alone', async () => {
    const { userName } = await someone()
    const device = cookieOf(await login(userName, 'aaaaaa', anAddress()), 'vexil_device')
    expect((await platform.anyone.get('/api/account/profile', { cookie: device })).status).toBe(401)
  })
})

describe('confirming the password', () => {
  const change = (call: Awaited<ReturnType<TestPlatform['as']>>, old: string, from: string) =>
    call.put('/api/account/changepassword', { old, new: 'aaaaaa' }, { 'x-forwarded-for': from })

  test('P7.7 counts only wrong ones, together with those of the login', async () => {
    const { id, userName } = await someone()
    const from = anAddress()
    expect(await statusesOf(5, () => guess(userName, from))).toEqual(Array(5).fill(wrong))
    const me = await platform.as(id)
    expect(await statusesOf(6, () => change(me, 'wrong!', from))).toEqual([...Array(5).fill(400), refused])
    expect((await guess(userName, from)).status).toBe(refused)
    expect((await change(me, 'aaaaaa', from)).status).toBe(refused)
    expect((await change(me, 'aaaaaa', anAddress())).status).toBe(right)
  })

  test('P7.7 a right one uses no limit', async () => {
    const { id } = await someone()
    const from = anAddress()
    for (let i = 0; i < 15; i++) expect((await change(await platform.as(id), 'aaaaaa', from)).status).toBe(right)
  })
})

test('P7.8 P8.24 while a hundred addresses fill the queue with guesses the owner signs in from a new browser', async () => {
  const owner = await someone(await hashPassword('aaaaaa', 'test'))
  const attackers = Array.from({ length: 100 }, anAddress)
  let over = false
  const statuses = new Map<number, number>()
  // Each address keeps four requests open and sends the next one as soon as one is answered.
  const keepGuessing = async (from: string, n: number) => {
    for (let i = 0; !over; i++) {
      const { status } = await guess(n % 2 ? owner.userName : `nobody ${n} ${i}`, from)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // All clients run in this process too; over a network they would be slower.
      if (status !== wrong) await sleep(50)
    }
  }
  const attack = attackers.flatMap((from) => [0, 1, 2, 3].map((n) => keepGuessing(from, n)))
  try {
    for (let round = 0; round < 3; round++) {
      await vi.waitFor(() => expect(hashQueue.length).toBe(256), { timeout: 20_000, interval: 1 })
      const before = statuses.get(wrong) ?? 0
      const { status } = await login(owner.userName, 'aaaaaa', anAddress())
      expect(status).toBe(right)
      // Nearly all of the 256 waiting requests still wait.
      expect((statuses.get(wrong) ?? 0) - before).toBeLessThan(40)
    }
  } finally {
    over = true
    await Promise.all(attack)
  }
  expect(statuses.get(wrong)).toBeGreaterThan(0)
  expect(statuses.get(503)).toBeGreaterThan(0)
})

test('P7.8 many users behind one address sign in at the same instant', async () => {
  const people = await Promise.all(Array.from({ length: 120 }, () => someone()))
  const from = anAddress()
  const answers = await Promise.all(people.map(({ userName }) => login(userName, 'aaaaaa', from)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([right]))
})

test('P8.24 signed-in callers are limited by account: neighbours at the address are unaffected, and changing the address does not help', async () => {
  const admins = await Promise.all([1, 2].map(async () => platform.as(await anAccount(platform.db, { role: 'Admin' }))))
  const [one, two] = admins as [(typeof admins)[0], (typeof admins)[0]]
  const ask = async (caller: typeof one, from: string) =>
    (await caller.post('/api/admin/mails/test', undefined, { 'x-forwarded-for': from })).status
  const statuses: number[] = []
  for (let i = 0; i < 21; i++) statuses.push(await ask(one, '10.2.2.2'))
  expect(statuses).toEqual([...Array(20).fill(400), 429])
  expect(await ask(two, '10.2.2.2')).toBe(400)
  expect(await ask(one, '10.2.2.3')).toBe(429)
})

test('P7.8 a wrong password that the database cannot count is counted by the node, and the log has a warning', async () => {
  const alone = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false' })
  const locking = await alone.database.pool.connect()
  try {
    await anAccount(alone.db, { role: 'Admin', userName: 'Owner', passwordHash: hash })
    await locking.query('begin; lock table sign_in_buckets in access exclusive mode')
    expect((await alone.anyone.post('/api/account/login', { userName: 'Owner', password: 'guess' })).status).toBe(wrong)
    await alone.deps.log.flush()
    const { rows } = await sql<{ level: string; status: string; message: string }>`
      select level, status, message from logs where message like 'Wrong passwords are counted by this node alone%'`.execute(
      alone.db,
    )
    expect(rows).toMatchObject([{ level: 'Warning', status: 'Failed' }])
  } finally {
    await locking.query('rollback')
    locking.release()
    await alone.stop()
  }
})

import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { anAccount, at } from '../../test/builders/game.ts'
import { mustNotWait } from '../../test/must-not-wait.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { cookieName } from '../http/session-cookie.ts'
import { startSession } from './sessions.ts'
import { openVisits } from './visits.ts'

let platform: TestPlatform
let admin: string
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())
afterEach(() => vi.useRealTimers())

const visitOf = (id: string) =>
  platform.db.selectFrom('accounts').select(['lastVisitAt', 'lastIp']).where('id', '=', id).executeTakeFirstOrThrow()
/** Waits without moving the fake timers, which `vi.waitFor` would move. */
async function isWritten(id: string, ip: string): Promise<void> {
  for (const end = Date.now() + 5000; Date.now() < end && (await visitOf(id)).lastIp !== ip; ) await sleep(20)
  expect((await visitOf(id)).lastIp).toBe(ip)
}
/** A write that comes too early is visible after this time. */
const writingMs = 200
const never = { lastVisitAt: new Date(0), lastIp: '0.0.0.0' }

describe('P3.5 a visit', () => {
  test('is collected with its latest address and time, and written at shutdown; other accounts stay unchanged and unlocked', async () => {
    const [id, neighbour] = [await anAccount(platform.db), await anAccount(platform.db)]
    const visits = openVisits(platform.db, () => {})
    visits.seen(id, '10.0.0.7')
    await sleep(5)
    const seenAt = Date.now()
    visits.seen(id, '10.0.0.8')
    expect(await visitOf(id)).toEqual(never)
    await mustNotWait(platform, `select from accounts where id = '${neighbour}' for update`, () => visits.close())
    const { lastIp, lastVisitAt } = await visitOf(id)
    expect(lastIp).toBe('10.0.0.8')
    expect(lastVisitAt.getTime()).toBeGreaterThanOrEqual(seenAt)
    expect(lastVisitAt.getTime()).toBeLessThan(seenAt + 10_000)
    expect(await visitOf(neighbour)).toEqual(never)
  })

  test('is written once, within five seconds', async () => {
    const id = await anAccount(platform.db)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const visits = openVisits(platform.db, () => {})
    visits.seen(id, '10.0.0.7')
    vi.advanceTimersByTime(4999)
    await sleep(writingMs)
    expect(await visitOf(id)).toEqual(never)
    vi.advanceTimersByTime(1)
    await vi.waitFor(async () => expect((await visitOf(id)).lastIp).toBe('10.0.0.7'), 5000)
    await platform.db.updateTable('accounts').set(never).where('id', '=', id).execute()
    vi.advanceTimersByTime(5000)
    await visits.close()
    expect(await visitOf(id)).toEqual(never)
  })

  test('is written within five seconds of the account’s first visit, also for hundreds of accounts', async () => {
    const [early, late] = [await anAccount(platform.db), await anAccount(platform.db)]
    const crowd = Array.from({ length: 700 }, () => randomUUID())
    await sql`insert into accounts (id, user_name, name_key, email, password_hash)
      select id, left(id::text, 8), id::text, id || '@example.org', 'none' from unnest(${crowd}::uuid[]) as c (id)`.execute(
      platform.db,
    )
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const visits = openVisits(platform.db, () => {})
    visits.seen(early, '10.0.0.7')
    vi.advanceTimersByTime(1000)
    for (const id of crowd) visits.seen(id, '10.0.0.6')
    visits.seen(late, '10.0.0.7')
    visits.seen(early, '10.0.0.8')
    vi.advanceTimersByTime(4000)
    await isWritten(early, '10.0.0.8')
    await sleep(writingMs)
    expect(await visitOf(late)).toEqual(never)
    vi.advanceTimersByTime(1000)
    await isWritten(late, '10.0.0.7')
    const written = await platform.db.selectFrom('accounts').select('id').where('lastIp', '=', '10.0.0.6').execute()
    expect(written).toHaveLength(700)
    await visits.close()
  })

  test('uses a timer that keeps no process alive and ends with the platform', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const made = vi.spyOn(globalThis, 'setInterval')
    const visits = openVisits(platform.db, () => {})
    expect(made.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false])
    expect(vi.getTimerCount()).toBe(1)
    await visits.close()
    expect(vi.getTimerCount()).toBe(0)
    made.mockRestore()
  })

  test('does not overwrite a later visit written by another node', async () => {
    const later = { lastVisitAt: at('1h'), lastIp: '10.0.0.9' }
    const id = await anAccount(platform.db, later)
    const visits = openVisits(platform.db, () => {})
    visits.seen(id, '10.0.0.7')
    await visits.close()
    expect(await visitOf(id)).toEqual(later)
  })

  test('that cannot be written is logged, by the timer and at the end, and stops nothing', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const faults: unknown[] = []
    const visits = openVisits(platform.db, (error) => faults.push(error))
    for (const way of ['timer', 'end']) {
      visits.seen('no id', '10.0.0.7')
      if (way === 'timer') vi.advanceTimersByTime(5000)
      else await visits.close()
      await vi.waitFor(() => expect(faults.splice(0)).toMatchObject([{ message: expect.stringContaining('no id') }]), 5000)
    }
  })

  test('is every call with a session, with the address from a trusted proxy; a call without a session is not counted', async () => {
    const one = await startTestPlatform()
    const find = async (id: string) =>
      one.db.selectFrom('accounts').select(['lastVisitAt', 'lastIp']).where('id', '=', id).executeTakeFirstOrThrow()
    try {
      await anAccount(one.db, { role: 'Admin' })
      const [id, over, away] = [await anAccount(one.db), await anAccount(one.db), await anAccount(one.db)]
      const late = await one.as(over)
      await one.as(away)
      await one.db
        .updateTable('sessions')
        .set({ expiresAt: at('-1s') })
        .where('accountId', '=', over)
        .execute()
      const before = Date.now()
      const from = (ip: string) => ({ 'x-forwarded-for': ip })
      await (await one.as(id)).get('/api/account/profile', from('192.0.2.7'))
      await late.get('/api/config', from('192.0.2.8'))
      await one.anyone.get('/api/config', from('192.0.2.9'))
      await one.close()
      const { lastIp, lastVisitAt } = await find(id)
      expect(lastIp).toBe('192.0.2.7')
      expect(Math.abs(lastVisitAt.getTime() - before)).toBeLessThan(10_000)
      expect([await find(over), await find(away)]).toEqual([never, never])
    } finally {
      await one.database.drop()
      rmSync(one.dataDir, { recursive: true })
    }
  })
})

test('a renewed session sends its cookie again, for seven days; a younger session does not, cached or not', async () => {
  const token = await startSession(platform.db, admin)
  const profile = () => platform.anyone.get('/api/account/profile', { cookie: `${cookieName}=${token}` })
  await platform.db
    .updateTable('sessions')
    .set({ expiresAt: at('3d') })
    .execute()
  // A file can be kept by a shared cache, and an archive sends its own headers.
  const headers = { cookie: `${cookieName}=${token}` }
  for (const path of [`/assets/${'0'.repeat(64)}/x`, '/api/game/1/scoreboardsheet'])
    expect((await platform.anyone.get(path, headers)).headers['set-cookie']).toBeUndefined()
  const renewed = await profile()
  expect(String(renewed.headers['set-cookie'])).toBe(`${cookieName}=${token}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax`)
  expect(renewed.status).toBe(200)
  await platform.db
    .updateTable('sessions')
    .set({ expiresAt: at('3d') })
    .execute()
  // The settings are kept by clients, with a validator; not together with a cookie.
  const settings = await platform.anyone.get('/api/config', headers)
  expect(String(settings.headers['set-cookie'])).toContain(token)
  expect(settings.headers['cache-control']).toBe('no-cache, no-store')
  for (let time = 0; time < 3; time++) expect((await profile()).headers['set-cookie']).toBeUndefined()
})

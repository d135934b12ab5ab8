import { once } from 'node:events'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashToken, startSession } from '../src/accounts/sessions.ts'
import { openSweeps } from '../src/sweeps.ts'
import { aFile, anAccount, at } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let admin: string
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_LOG_DAYS: '7' })
  admin = await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

describe('the schedule', () => {
  const failing = () => Promise.reject(new Error('broken'))

  test('a due task is run by one of several nodes, and not again before its time', async () => {
    const done: string[] = []
    const reported: unknown[] = []
    const node = () =>
      openSweeps(
        platform.db,
        [
          { name: 'first', everyMinutes: 60, run: failing },
          { name: 'second', everyMinutes: 60, run: async () => void done.push('second') },
        ],
        (error) => reported.push(error),
      )
    const nodes = [node(), node(), node(), node()]
    await Promise.all(nodes.map((one) => one.run()))
    await nodes[0]!.run()
    expect([done, reported.length]).toEqual([['second'], 1])
    // Also when it is due later than after its interval: the clock was set back since.
    for (const time of ['-1s', '62m'] as const) {
      await platform.db
        .updateTable('sweeps')
        .set({ dueAt: at(time) })
        .where('name', '=', 'second')
        .execute()
      const run = await Promise.all(nodes.map((one) => one.run()))
      expect(run.filter((names) => names.length > 0)).toEqual([['second']])
    }
    expect(done).toEqual(['second', 'second', 'second'])
    const taken = platform.db.transaction().execute(async (tx) => {
      await sql`select from sweeps for update`.execute(tx)
      const run = nodes[0]!.run()
      await vi.waitFor(async () => {
        const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect((await waiting.execute(platform.db)).rows).toHaveLength(1)
      }, 20_000)
      await sql`update sweeps set due_at = clock_timestamp() + interval '60 minutes'`.execute(tx)
      return { run }
    })
    expect(await (await taken).run).toEqual([])
    for (const one of nodes) await one.close()
  })

  test('a close ends the running task, and the next one is not run', async () => {
    const begun: string[] = []
    const untilAborted = async (signal: AbortSignal) => {
      begun.push('long')
      await once(signal, 'abort')
    }
    const next = { name: 'next', everyMinutes: 60, run: async () => void begun.push('next') }
    const node = openSweeps(platform.db, [{ name: 'long', everyMinutes: 60, run: untilAborted }, next], (error) =>
      begun.push(String(error)),
    )
    const run = node.run()
    await expect.poll(() => begun).toEqual(['long'])
    await node.close()
    expect((await run).sort()).toEqual(['long', 'next'])
    expect(begun).toEqual(['long'])
  })
})

describe('the cleanup', () => {
  const { stringify } = JSON
  const uploads = (hash: string) => join(platform.dataDir, 'uploads', hash.slice(0, 2), hash.slice(2, 4))
  /** Stores bytes without a row, with this modification time. */
  const stray = (hash: string, time: Date) => {
    mkdirSync(uploads(hash), { recursive: true })
    writeFileSync(join(uploads(hash), hash), 'bytes')
    utimesSync(join(uploads(hash), hash), time, time)
  }

  test('removes expired sessions and links, old mails and log entries, unreferenced files, and leftovers of aborted uploads, and nothing else', async () => {
    const { db, deps } = platform
    const mail = { kind: 'Test', recipient: 'a@example.org', userName: 'a', language: 'en_US' }
    await db
      .insertInto('mails')
      .values((['-31d', '-29d'] as const).map((time) => ({ ...mail, error: time, createdAt: at(time) })))
      .execute()
    await db
      .insertInto('fileLeases')
      .values((['-61m', '-59m'] as const).map((time) => ({ hash: time, purpose: 'Entering', since: at(time) })))
      .execute()
    const [abandoned, underWay] = ['abandoned', 'under-way'].map((name) => join(platform.dataDir, 'uploads', 'incoming', name))
    for (const [path, time] of [
      [abandoned, '-61m'],
      [underWay, '-59m'],
    ] as const) {
      writeFileSync(path as string, 'half of it')
      utimesSync(path as string, at(time), at(time))
    }
    const [kept, over] = [await startSession(db, admin), await startSession(db, admin)]
    await db
      .updateTable('sessions')
      .set({ expiresAt: at('-1s') })
      .where('tokenHash', '=', hashToken(over))
      .execute()
    await db
      .insertInto('registrationAttempts')
      .values(
        (['-1s', '1h'] as const).map((time) => ({
          tokenHash: Buffer.from(time),
          userName: 'newcomer',
          nameKey: 'newcomer',
          email: 'newcomer@example.org',
          passwordHash: 'none',
          expiresAt: at(time),
        })),
      )
      .execute()
    await db
      .insertInto('mailTokens')
      .values(
        (['-1s', '1h'] as const).map((time) => ({
          hash: Buffer.from(time),
          accountId: admin,
          purpose: 'Reset',
          email: 'a@example.org',
          expiresAt: at(time),
        })),
      )
      .execute()
    await db
      .insertInto('logs')
      .values((['-8d', '-6d'] as const).map((time) => ({ level: 'Error', name: 'System', message: time, time: at(time) })))
      .execute()

    const caller = await platform.as(admin)
    const avatar = (await caller.upload('PUT', '/api/account/avatar', 'file', [{ name: 'a.png', bytes: await aPng() }])).body
    const upload = (await caller.upload('POST', '/api/assets', 'files', [{ name: 'a', bytes: Buffer.from(stringify({})) }]))
      .body[0]
    const lost = await aFile(db)
    await db
      .updateTable('files')
      .set({ uploadedAt: at('-61m') })
      .execute()
    stray(lost, at('-61m'))
    const fresh = await aFile(db, { uploadedAt: at('-59m') })
    const [strayOld, strayNew] = ['a'.repeat(64), 'b'.repeat(64)]
    stray(strayOld, at('-61m'))
    stray(strayNew, at('-59m'))

    const [forgotten, lately] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    await db
      .insertInto('endedSessions')
      .values([
        { number: 1, tokenHash: forgotten, endedAt: at('-11m') },
        { number: 1, tokenHash: lately, endedAt: at('-9m') },
      ])
      .execute()

    await db
      .insertInto('signInBuckets')
      .values([
        { key: Buffer.alloc(32, 1), fullAt: at('-1s') },
        { key: Buffer.alloc(32, 2), fullAt: at('1m') },
      ])
      .execute()

    expect((await platform.sweeps.run()).sort()).toEqual([
      'captures',
      'ended sessions',
      'files',
      'logs',
      'mails',
      'registrations',
      'sessions',
      'sign-in buckets',
    ])
    expect(await db.selectFrom('signInBuckets').select('key').execute()).toEqual([{ key: Buffer.alloc(32, 2) }])

    const ended = await db.selectFrom('endedSessions').select('tokenHash').execute()
    const isEnded = (hash: Buffer) => ended.some(({ tokenHash }) => tokenHash.equals(hash))
    expect([isEnded(forgotten), isEnded(lately)]).toEqual([false, true])
    const sessions = await db.selectFrom('sessions').select('tokenHash').execute()
    const has = (token: string) => sessions.some(({ tokenHash }) => tokenHash.equals(hashToken(token)))
    expect([has(kept), has(over)]).toEqual([true, false])
    expect(await db.selectFrom('mails').select('error').execute()).toEqual([{ error: '-29d' }])
    expect(await db.selectFrom('fileLeases').select('hash').execute()).toEqual([{ hash: '-59m' }])
    expect([existsSync(abandoned as string), existsSync(underWay as string)]).toEqual([false, true])
    const attempts = await db.selectFrom('registrationAttempts').select('tokenHash').execute()
    expect(attempts.map(({ tokenHash }) => String(tokenHash))).toEqual(['1h'])
    expect((await db.selectFrom('mailTokens').select('hash').execute()).map(({ hash }) => String(hash))).toEqual(['1h'])
    expect(
      (await db.selectFrom('logs').select('message').where('level', '=', 'Error').execute()).map(({ message }) => message),
    ).toEqual(['-6d'])
    expect((await platform.anyone.get(avatar)).status).toBe(200)
    expect((await platform.anyone.get(`/assets/${upload.hash}/a`)).status).toBe(200)
    const rows = (await db.selectFrom('files').select('hash').execute()).map(({ hash }) => hash)
    expect([rows.includes(lost), rows.includes(fresh)]).toEqual([false, true])
    expect(await Promise.all([lost, strayOld, strayNew].map((hash) => deps.storage.has(hash)))).toEqual([false, false, true])
  })

  test('without expired sessions the rights of listeners are not checked again', async () => {
    const { db } = platform
    const security = async () => (await db.selectFrom('versions').select('security').executeTakeFirstOrThrow()).security
    await db
      .updateTable('sweeps')
      .set({ dueAt: at('-1s') })
      .execute()
    const before = await security()
    expect(await platform.sweeps.run()).toContain('sessions')
    expect(await security()).toBe(before)
  })
})

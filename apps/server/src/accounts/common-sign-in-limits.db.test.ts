import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { rateLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { anyOf } from '../http/network.ts'
import { openCommonSignInLimits } from './common-sign-in-limits.ts'
import { findWait, forgetBuckets } from './sign-in-buckets.queries.ts'
import { type Guess, openSignInLimits } from './sign-in-limits.ts'

let database: TestDatabase
const further: Database[] = []
beforeAll(async () => {
  database = await freshDatabase({ poolSize: 10 })
  for (let i = 0; i < 2; i++) further.push(await openDatabase({ source: { url: database.url }, poolSize: 10 }))
})
beforeEach(() => sql`truncate sign_in_buckets`.execute(database.db))
afterAll(async () => {
  for (const one of further) await one.close()
  await database.drop()
})

const isHall = anyOf(['10.7.0.0/16'])
const warn = vi.fn<(message: string) => void>()
beforeEach(() => void warn.mockClear())

/** The limits of one node. */
function aNode({ db }: Pick<Database, 'db'> = database, answersWithin = 10_000) {
  const alone = openSignInLimits(false, { isHall })
  return { ...openCommonSignInLimits(db, { isHall, alone, warn, answersWithin }), alone }
}
const threeNodes = () => [database, ...further].map((one) => aNode(one))
type Node = ReturnType<typeof aNode>

const guess = (account = 'ann', network = '10.0.0.1', device: string | null = null): Guess => ({ account, network, device })
const outcome = async (work: () => unknown) => {
  try {
    await work()
    return 'passed'
  } catch (error) {
    const { code, data } = error as { code: string; data: { retryAfter: number } }
    return `${code} ${data.retryAfter}`
  }
}
/** On a busy machine, a second may pass until the last refusal. */
const refused = expect.stringMatching(/^request\.too_many [456]$/)
const take = (node: Node, ...whose: Parameters<typeof guess>) => outcome(() => node.reserve(guess(...whose)))
const passes = (node: Node, ...whose: Parameters<typeof guess>) => outcome(() => node.mustHaveRoom(guess(...whose)))
/** Time passes for all buckets. */
const pass = (seconds: number) =>
  sql`update sign_in_buckets set full_at = full_at - make_interval(secs => ${seconds})`.execute(database.db)
/** Prevents that tokens are refilled. */
const freeze = () => pass(-3600)
const allFull = async () => {
  const { rows } = await sql<{ full: boolean }>`
    select bool_and(full_at <= clock_timestamp()) as full from sign_in_buckets`.execute(database.db)
  return rows[0]?.full
}
const rowCount = async () => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from sign_in_buckets`.execute(database.db)
  return rows[0]?.count
}

describe('several nodes', () => {
  test('P7.8 100 guesses at the same instant on three nodes pass no more than on one, and do not block each other', async () => {
    const nodes = threeNodes()
    // On a busy machine a connection with a lock may not run for longer than the limit.
    await sql`alter function take_sign_in set lock_timeout = '10s'`.execute(database.db)
    for (let round = 0; round < 20; round++) {
      // Two accounts and one address: statements that lock the same rows.
      const names = [`ann ${round}`, `ben ${round}`]
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, i) => take(nodes[i % 3] as Node, names[i % 2], `192.0.2.${round}`)),
      )
      expect(outcomes.filter((one) => one === 'passed')).toHaveLength(2 * rateLimits.login.size)
      for (const one of outcomes) if (one !== 'passed') expect(one).toEqual(refused)
      expect(await take(nodes[0] as Node, 'cem', `192.0.2.${round}`)).toBe('passed')
    }
    expect(warn).not.toHaveBeenCalled()
    await sql`alter function take_sign_in set lock_timeout = '200ms'`.execute(database.db)
  })

  test('what is taken and returned on several nodes at the same instant is all there again', async () => {
    const nodes = threeNodes()
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 9 }, async (_, i) => {
          const [node, one] = [nodes[i % 3] as Node, guess(`name ${i}`, '192.0.2.1')]
          await node.reserve(one)
          await node.refund(one)
        }),
      )
    expect([await allFull(), await rowCount(), warn.mock.calls]).toEqual([true, 19, []])
  })

  test('P7.8 a login counts on all applications of one database', async () => {
    // Cheap, so that no token is refilled during the guesses.
    const passwordHash = await hash('aaaaaa', { memoryCost: 8, timeCost: 1 })
    const owner = await anAccount(database.db, { userName: 'Owner', passwordHash })
    await anAccount(database.db, { role: 'Admin' })
    const dataDir = mkdtempSync(join(tmpdir(), 'vexil-limits-'))
    const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', SECRET_KEY: 'test secret key of 32 characters' })
    const apps: App[] = []
    for (let i = 0; i < 3; i++) apps.push(await buildApp({ config, database, printLine: () => {} }))
    try {
      const login = async (at: number, password: string, from = '192.0.2.9', userName = 'Owner') =>
        (
          await (apps[at % 3] as App).app.inject({
            method: 'POST',
            url: '/api/account/login',
            payload: { userName, password },
            headers: { 'x-forwarded-for': from },
          })
        ).statusCode
      const statuses = await Promise.all(Array.from({ length: 36 }, (_, i) => login(i, 'guess')))
      expect([401, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([10, 26])
      await freeze()
      expect(await Promise.all([0, 1, 2].map((at) => login(at, 'aaaaaa')))).toEqual([429, 429, 429])
      expect(await login(1, 'aaaaaa', '192.0.2.10')).toBe(200)
      expect(await findWait(database.db, [['login', `${owner} from 192.0.2.9`]])).toBeGreaterThan(0)
    } finally {
      for (const one of apps) await one.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

describe('the buckets in the database', () => {
  test('refill as in memory: ten, then one every six seconds, never more than ten', async () => {
    const node = aNode()
    for (let i = 0; i < 10; i++) expect(await take(node)).toBe('passed')
    expect([await take(node), await passes(node), await passes(node, 'ben')]).toEqual([refused, refused, 'passed'])
    await pass(6)
    expect([await take(node), await take(node)]).toEqual(['passed', refused])
    await pass(3600)
    for (let i = 0; i < 10; i++) expect(await take(node)).toBe('passed')
    expect(await take(node)).toEqual(refused)
    // Nothing was counted in memory.
    for (let i = 0; i < 10; i++) node.alone.reserve(guess())
  })

  test('a refused guess takes nothing, and checking for capacity neither', async () => {
    const node = aNode()
    for (let i = 0; i < 10; i++) await node.reserve(guess())
    await freeze()
    const before = await sql`select key, full_at from sign_in_buckets order by key`.execute(database.db)
    for (let i = 0; i < 3; i++) await take(node)
    for (let i = 0; i < 3; i++) await passes(node)
    expect((await sql`select key, full_at from sign_in_buckets order by key`.execute(database.db)).rows).toEqual(before.rows)
  })

  test('of an address refuse all accounts but not known devices; a hall has none', async () => {
    const node = aNode()
    const all = async (network: string) => {
      for (let i = 0; i < 500; i += 50)
        await Promise.all(Array.from({ length: 50 }, (_, at) => node.reserve(guess(`name ${i + at}`, network))))
    }
    await all('192.0.2.1')
    await all('10.7.0.1')
    await freeze()
    expect(await take(node, 'ann', '192.0.2.1')).not.toBe('passed')
    expect([await take(node, 'ann', '10.7.0.1'), await take(node, 'ann', '192.0.2.2')]).toEqual(['passed', 'passed'])
    for (let i = 0; i < 10; i++) expect(await take(node, 'ann', '192.0.2.1', 'laptop')).toBe('passed')
    expect([await take(node, 'ann', '192.0.2.3', 'laptop'), await passes(node, 'ann', '192.0.2.3', 'laptop')]).not.toContain(
      'passed',
    )
    expect(await take(node, 'ann', '192.0.2.1', 'phone')).toBe('passed')
  })

  test('of an account report guesses from everywhere, refuse none, and carry nothing on', async () => {
    const node = aNode()
    for (let i = 0; i < 49; i++) await node.reserve(guess('ann', `10.1.0.${i}`))
    expect(await node.isUnderAttack('ann')).toBe(false)
    for (let i = 49; i < 80; i++) expect(await take(node, 'ann', `10.1.0.${i}`)).toBe('passed')
    expect([await node.isUnderAttack('ann'), await node.isUnderAttack('ben')]).toEqual([true, false])
    await pass(1.2)
    expect(await node.isUnderAttack('ann')).toBe(false)
  })

  test('a right password returns its token', async () => {
    const node = aNode()
    const one = guess()
    await node.reserve(one)
    for (let i = 0; i < 9; i++) await node.reserve(guess())
    expect([await take(node), await passes(node)]).toEqual([refused, refused])
    await node.refund(one)
    expect([await passes(node), await take(node)]).toEqual(['passed', 'passed'])
    expect([await take(node), await passes(node), await passes(node, 'ben')]).toEqual([refused, refused, 'passed'])
  })

  test('names of any length make keys of 32 bytes; full buckets are forgotten and no others', async () => {
    const node = aNode()
    await node.reserve(guess(`name ${'x'.repeat(100_000)}`))
    const { rows } = await sql<{ length: number }>`select distinct length(key) from sign_in_buckets`.execute(database.db)
    expect(rows).toEqual([{ length: 32 }])
    await pass(3600)
    await node.reserve(guess('ben', '192.0.2.1'))
    await sql`update sign_in_buckets set full_at = full_at + interval '1 hour' where full_at > clock_timestamp()`.execute(
      database.db,
    )
    expect(await rowCount()).toBe(6)
    await forgetBuckets(database.db)
    expect(await rowCount()).toBe(3)
  })

  test('rows that a sign-in has locked are left for the next clean-up', async () => {
    const node = aNode()
    await node.reserve(guess('ann', '192.0.2.1'))
    await pass(3600)
    const client = await database.reservedClient({ idleInTransactionMs: 60_000 })
    await client.query('begin')
    await client.query('select 1 from sign_in_buckets order by key limit 1 for update')
    await forgetBuckets(database.db)
    expect(await rowCount()).toBe(1)
    await client.end()
    await forgetBuckets(database.db)
    expect(await rowCount()).toBe(0)
  })

  test('the table is unlogged', async () => {
    const { rows } = await sql<{ kind: string }>`
      select relpersistence as kind from pg_class where relname = 'sign_in_buckets'`.execute(database.db)
    expect(rows).toEqual([{ kind: 'u' }])
  })
})

describe('while the database does not count', () => {
  /** Locks the table until `free`. */
  async function locked() {
    const client = await database.reservedClient({ idleInTransactionMs: 60_000 })
    await client.query('begin; lock table sign_in_buckets in access exclusive mode')
    return {
      free: async () => {
        await client.query('rollback')
        await client.end()
      },
    }
  }

  test('the node counts alone and says so once a minute; when the database counts again, it is used again', async () => {
    const node = aNode()
    const early = guess('early')
    await node.reserve(early)
    const lock = await locked()
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const right = guess()
      await node.reserve(right)
      for (let i = 0; i < 9; i++) expect(await take(node)).toBe('passed')
      expect([await take(node), await passes(node), await passes(node, 'ben')]).toEqual([refused, refused, 'passed'])
      expect(await node.isUnderAttack('ann')).toBe(false)
      await node.refund(right)
      expect([await take(node), await take(node)]).toEqual(['passed', refused])
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^Wrong passwords are counted by this node alone until the database counts them: /)],
      ])
      // It queries the database again, without an answer.
      const errors = vi.spyOn(database.db, 'getExecutor')
      vi.advanceTimersByTime(1_000)
      await take(node)
      await take(node)
      expect(errors).toHaveBeenCalledOnce()
      await new Promise((done) => setTimeout(done, 300))
      expect(warn).toHaveBeenCalledOnce()
      vi.advanceTimersByTime(59_000)
      await take(node)
      await expect.poll(() => warn.mock.calls.length).toBe(2)
    } finally {
      await lock.free()
    }
    // Refills the buckets in memory.
    vi.advanceTimersByTime(1_000)
    await take(node)
    vi.useRealTimers()
    await expect
      .poll(async () => {
        await take(node, 'cem', '192.0.2.5')
        return rowCount()
      })
      .toBeGreaterThan(3)
    // Guesses of the locked time were counted once, in memory.
    for (let i = 0; i < 10; i++) expect(await take(node)).toBe('passed')
  })

  test('a database that answers late does not keep a sign-in, and what it took late is returned', async () => {
    const slow = await openDatabase({ source: { url: database.url }, poolSize: 1 })
    const before = aNode(slow, 200)
    const right = guess('dan')
    await before.reserve(right)
    await sql`truncate sign_in_buckets`.execute(database.db)
    try {
      const [held, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holding = slow.db.connection().execute(() => {
        begun.resolve()
        return held.promise
      })
      await begun.promise
      const node = aNode(slow, 200)
      const one = guess()
      await node.reserve(one)
      await before.refund(right)
      const late = [expect.stringContaining('no answer within 200 ms')]
      expect(warn.mock.calls).toEqual([late, late])
      // The rest of this sign-in does not ask the database.
      expect([await passes(node), await node.isUnderAttack('ann'), await rowCount()]).toEqual(['passed', false, 0])
      const executor = vi.spyOn(slow.db, 'getExecutor')
      held.resolve()
      await holding
      // Tokens also refill over time, so check that the database was asked to return them.
      await expect.poll(() => executor.mock.calls.length).toBe(1)
      await expect.poll(rowCount).toBe(3)
      await expect.poll(allFull).toBe(true)
    } finally {
      await slow.close()
    }
  })

  test('a table that fails is not an error of the sign-in', async () => {
    const [right, before] = [guess(), aNode()]
    await before.reserve(right)
    await sql`alter table sign_in_buckets rename to gone`.execute(database.db)
    try {
      const node = aNode()
      expect([await passes(node), await take(node), await node.isUnderAttack('ann')]).toEqual(['passed', 'passed', false])
      expect(warn).toHaveBeenCalledOnce()
      await before.refund(right)
      expect(warn).toHaveBeenCalledTimes(2)
    } finally {
      await sql`alter table gone rename to sign_in_buckets`.execute(database.db)
    }
  })
})

import { expect, test, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { checkFaults, checkPlatform, type Described, described } from './checks.ts'

const statfs = vi.hoisted(() => vi.fn())
vi.mock('node:fs/promises', async (actual) => ({ ...(await actual<object>()), statfs }))

const gib = 1024 ** 3

interface Given {
  readonly database?: { version?: string; locale?: string; used?: number; most?: number }
  /** Milliseconds by which the clock of the database is ahead. */
  readonly ahead?: number
  readonly free?: number
  readonly has?: boolean
  readonly put?: () => Promise<{ hash: string }>
  readonly mail?: { configured: boolean; check: () => Promise<void> }
  readonly captcha?: { provider: string; acceptsSecret: () => Promise<boolean> }
  readonly isOn?: boolean
  readonly engine?: { kind: string; probe: () => Promise<object> }
  readonly config?: object
  readonly spaceOf?: (folder: string) => object
  /** Hours since the last scheduled backup, minutes since its turn during a game, and why the latest failed; absent: no row. */
  readonly backup?: { problem: string | null; age: number | null; turnAge: number | null; triedAge?: number }
}

/** A healthy platform with one thing changed. */
async function check(given: Given) {
  statfs.mockResolvedValue({ bavail: (given.free ?? 50 * gib) / 4096, blocks: (100 * gib) / 4096, bsize: 4096 })
  if (given.spaceOf) statfs.mockImplementation(async (folder: string) => given.spaceOf?.(folder))
  const deleted: string[] = []
  const database = { version: '18.1', locale: 'C.UTF-8', used: 10, most: 100, ...given.database }
  // Rows for the queries of Kysely: the query of the clock has one column.
  const rowsOf = (query: string) => {
    if (query.includes('from backups')) return given.backup ? [{ triedAge: 0, ...given.backup }] : []
    return query.includes('clock_timestamp') ? [{ now: Date.now() + (given.ahead ?? 0) }] : [database]
  }
  const db = {
    getExecutor: () => ({
      transformQuery: (node: unknown) => node,
      compileQuery: (node: unknown) => node,
      executeQuery: async (query: unknown) => ({
        rows: rowsOf(JSON.stringify(query)),
      }),
    }),
  }
  const storage = {
    put: given.put ?? (async () => ({ hash: 'h' })),
    has: async () => given.has ?? true,
    delete: async (hash: string) => deleted.push(hash),
  }
  const config = {
    dataDir: '/data',
    s3Bucket: null,
    backupDir: null,
    backupMinutes: 60,
    publicUrl: 'http://localhost',
    trustedProxies: ['loopback'],
    captchaProvider: 'None',
    captchaSecret: null,
    containerPorts: 'Default',
    containerCapture: false,
    containerWeb: null,
    containerTls: null,
    ...given.config,
  }
  const checks = (
    await checkPlatform({
      db,
      storage,
      config,
      mailer: given.mail ?? { configured: false },
      captcha: given.captcha ?? { provider: 'None' },
      settings: { get: () => ({ 'AccountPolicy:UseCaptcha': given.isOn ?? false }) },
      engine: given.engine ?? { kind: 'None' },
    } as unknown as Deps)
  ).map((one) => described(one))
  return { deleted, wrong: checks.filter(({ level }) => level !== 'ok'), checks }
}
const only = ({ wrong }: { wrong: readonly Described[] }) => {
  expect(wrong).toHaveLength(1)
  return `${wrong[0]?.level} ${wrong[0]?.name}: ${wrong[0]?.text}`
}

test('a platform that is well has eight checks without a fix, and leaves no file behind', async () => {
  const { checks, deleted } = await check({})
  expect(checks.map(({ name, level, fix }) => [name, level, fix])).toEqual(
    ['database', 'clock', 'disk', 'files', 'mail', 'captcha', 'engine', 'backup'].map((name) => [name, 'ok', null]),
  )
  expect(deleted).toEqual(['h'])
})

test.each(['/data', '/shared'])('of the data folder and the folder of files, the fuller one is reported: %s', async (full) => {
  const room = await check({ config: { filesDir: '/shared' } })
  expect(room.checks[2]).toMatchObject({ level: 'ok' })
  const spaceOf = (folder: string) => ({
    bavail: ((folder === full ? 2 : 50) * gib) / 4096,
    blocks: (100 * gib) / 4096,
    bsize: 4096,
  })
  const { checks } = await check({ config: { filesDir: '/shared' }, spaceOf })
  expect(checks[2]).toMatchObject({ level: 'warning', text: `2.0 GiB of 100.0 free in ${full}` })
})

test('a finding is described in each language, with its values', () => {
  const faults = checkFaults(3)
  expect((['en_US', 'zh_CN', 'ja_JP'] as const).map((language) => described(faults, language).text)).toEqual([
    'Unexpected errors in the last hour: 3',
    '过去一小时的意外错误：3',
    '過去 1 時間の予期しないエラー：3',
  ])
  expect(described(faults)).toMatchObject({ name: 'faults', level: 'warning', fix: 'See the log of the platform' })
  expect(described(checkFaults(0))).toMatchObject({ level: 'ok', fix: null })
})

const away = async () => Promise.reject(new Error('ECONNREFUSED'))
test.each<[Given, string]>([
  [{ database: { used: 91 } }, 'error database: PostgreSQL 18.1, locale C.UTF-8, 91 of 100 connections'],
  [{ database: { locale: 'C' } }, 'warning database: PostgreSQL 18.1, locale C, 10 of 100 connections'],
  [{ database: { locale: 'POSIX' } }, 'warning database: PostgreSQL 18.1, locale POSIX, 10 of 100 connections'],
  [{ ahead: 60_000 }, 'error clock: The clock of the database is'],
  [{ ahead: -60_000 }, 'error clock: The clock of the database is'],
  [{ free: 5 * gib - 4096 }, 'warning disk: 5.0 GiB of 100.0 free in /data'],
  [{ free: gib }, 'warning disk: 1.0 GiB'],
  [{ free: gib - 4096 }, 'error disk: 1.0 GiB'],
  [
    {
      spaceOf: () => {
        throw new Error('EIO')
      },
    },
    'error disk: The check failed: EIO',
  ],
  [{ has: false }, 'error files: A file stored in /data cannot be found'],
  [{ has: false, config: { filesDir: '/shared' } }, 'error files: A file stored in /shared cannot be found'],
  [{ put: away, config: { filesDir: '/shared' } }, 'error files: Cannot store files in /shared: ECONNREFUSED'],
  [{ put: away, config: { s3Bucket: 'b' } }, 'error files: Cannot store files in the bucket b: ECONNREFUSED'],
  [{ mail: { configured: true, check: away } }, 'error mail: The mail server does not accept emails: ECONNREFUSED'],
  [{ isOn: true }, 'warning captcha: Captcha is on, but has no provider'],
  [{ captcha: { provider: 'P', acceptsSecret: async () => false } }, 'error captcha: P does not accept the secret key'],
  [{ captcha: { provider: 'P', acceptsSecret: away } }, 'error captcha: P does not answer: ECONNREFUSED'],
  [{ engine: { kind: 'Docker', probe: away } }, 'error engine: Docker does not answer: ECONNREFUSED'],
  [
    { engine: { kind: 'Docker', probe: async () => ({ version: '28', isolation: 'a chain is missing' }) } },
    'warning engine: Docker 28: a chain is missing',
  ],
  [{ config: { backupDir: '/b' } }, 'warning backup: No scheduled backup was made yet'],
  [
    { backup: { problem: 'disk full', age: 2.4, turnAge: null } },
    'error backup: The scheduled backup failed: disk full (last made 2 h ago)',
  ],
  [
    { backup: { problem: 'disk full', age: null, turnAge: null } },
    'error backup: The scheduled backup failed: disk full (never made)',
  ],
  [
    { backup: { problem: 'x'.repeat(301), age: 1, turnAge: null } },
    `error backup: The scheduled backup failed: ${'x'.repeat(300)} (last made 1 h ago)`,
  ],
  [
    { backup: { problem: 'disk full', age: 0.96, turnAge: null } },
    'error backup: The scheduled backup failed: disk full (last made 1.0 h ago)',
  ],
  [
    { config: { backupDir: '/b' }, backup: { problem: null, age: 50, turnAge: null, triedAge: 50 } },
    'error backup: Scheduled backup last made 50 h ago',
  ],
  [{ backup: { problem: null, age: 26.5, turnAge: null } }, 'error backup: Scheduled backup last made 27 h ago'],
  // Another node makes backups, or has made them until it ended.
  [{ backup: { problem: null, age: 71.9, turnAge: null, triedAge: 71.9 } }, 'error backup: Scheduled backup last made 72 h ago'],
  [
    { config: { backupDir: '/b' }, backup: { problem: null, age: 2.6, turnAge: 151 } },
    'error backup: Scheduled backup last made 3 h ago',
  ],
  [{ config: { publicUrl: 'https://x', trustedProxies: [] } }, 'warning proxy: PUBLIC_URL is https'],
  [{ config: { containerCapture: true } }, 'warning settings: VEXIL_CONTAINER_CAPTURE needs VEXIL_CONTAINER_PORTS=PlatformProxy'],
  [{ config: { containerWeb: {} } }, 'warning settings: VEXIL_CONTAINER_WEB needs'],
  [{ config: { containerTls: {} } }, 'warning settings: VEXIL_CONTAINER_TLS needs'],
  [
    { captcha: { provider: 'P', acceptsSecret: async () => false }, config: { captchaProvider: 'P' } },
    'warning captcha: VEXIL_CAPTCHA_SECRET is not set',
  ],
])('%o is reported with a fix: %s', async (given, expected) => {
  const result = await check(given)
  expect(only(result)).toContain(expected)
  expect(result.wrong[0]?.fix).toBeTruthy()
})

test.each<Given>([
  { database: { used: 90 } },
  { free: 5 * gib },
  { ahead: 1_500 },
  { mail: { configured: true, check: async () => undefined } },
  { captcha: { provider: 'P', acceptsSecret: async () => true } },
  { engine: { kind: 'Docker', probe: async () => ({ version: '28', isolation: 'in place' }) } },
  { backup: { problem: null, age: 25.9, turnAge: null } },
  // No node makes backups any more.
  { backup: { problem: 'disk full', age: 50, turnAge: null, triedAge: 72.1 } },
  { config: { backupDir: '/b' }, backup: { problem: null, age: 20, turnAge: 149 } },
  // The node that makes backups may have a longer schedule.
  { backup: { problem: null, age: 20, turnAge: 151 } },
  { config: { containerCapture: true, containerWeb: {}, containerTls: {}, containerPorts: 'PlatformProxy' } },
])('%o is well', async (given) => {
  expect((await check(given)).wrong).toEqual([])
})

test.each([
  [60_000, 'ahead of'],
  [-60_000, 'behind'],
])('a clock that differs by %i ms is %s this machine', async (ahead, where) => {
  expect(only(await check({ ahead }))).toMatch(new RegExp(`\\d ms ${where} this machine$`))
})

test.each([
  [3_000, 'ok', '2500 ms ahead'],
  [3_001, 'error', '2501 ms ahead'],
])('clocks may differ by two seconds and what half of the query took: at %i ms it is %s', async (inDatabase, level, text) => {
  // Before the query, in the database, and after the answer.
  const times = [0, inDatabase]
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => times.shift() ?? 1_000)
  try {
    expect((await check({})).checks[1]).toMatchObject({ level, text: expect.stringContaining(text) })
  } finally {
    clock.mockRestore()
  }
})

test('a check without an answer is an error after 15 s, beside the others', async () => {
  vi.useFakeTimers()
  try {
    const checking = check({ mail: { configured: true, check: () => new Promise(() => undefined) } })
    await vi.advanceTimersByTimeAsync(15_000)
    expect(only(await checking)).toBe('error mail: No answer within 15 s')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

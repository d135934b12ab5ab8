/** The state of what the platform depends on, each with a fix. */
import { randomBytes } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import type { HealthCheckName, healthLevels } from '@vexil/contract/health'
import { fill, messagesOf } from '@vexil/contract/messages/messages'
import type { Finding, Remedy } from '@vexil/contract/messages/text'
import type { Language } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

export interface Check {
  readonly name: HealthCheckName
  readonly level: (typeof healthLevels)[number]
  readonly finding: Finding
  /** Values of the text. */
  readonly data: Readonly<Record<string, string | number>>
  /** Null when nothing is to be done. */
  readonly remedy: Remedy | null
}

/** A check in words. */
export interface Described extends Pick<Check, 'name' | 'level'> {
  readonly text: string
  /** What to do; null when nothing is to be done. */
  readonly fix: string | null
}

export const described = ({ name, level, finding, data, remedy }: Check, language: Language = 'en_US'): Described => ({
  name,
  level,
  text: fill(messagesOf[language].findings[finding], data),
  fix: remedy && messagesOf[language].remedies[remedy],
})

const withinMs = 15_000
const gib = 1024 ** 3
const reasonMax = 300

/** Bytes that PostgreSQL needs to keep working during a busy game; below the first a warning, below the second an error. */
const diskLimits = { low: 5 * gib, least: gib } as const
/** Milliseconds between the clocks of node and database: times of submissions are of the database. */
const clockLimit = 2_000

const check =
  (level: Check['level']) =>
  (name: HealthCheckName, finding: Finding, remedy: Remedy | null, data: Check['data'] = {}): Check => ({
    ...{ name, level, finding, data, remedy },
  })
const ok = (name: HealthCheckName, finding: Finding, data: Check['data'] = {}) => check('ok')(name, finding, null, data)
const warning = check('warning')
const error = check('error')

const reasonOf = (fault: unknown) => (fault instanceof Error ? fault.message : String(fault)).slice(0, reasonMax)

/** All checks, at the same time. A check that does not end within 15 s, or fails in an unexpected way, is an error with its reason. */
export async function checkPlatform(deps: Deps): Promise<Check[]> {
  const ofSettings = checkSettings(deps)
  const checks: Partial<Record<HealthCheckName, (deps: Deps) => Promise<Check>>> = {
    database: checkDatabase,
    clock: checkClock,
    disk: checkDisk,
    files: checkFiles,
    mail: checkMail,
    // Without a secret key there is nothing to ask the provider.
    ...(!ofSettings.some(({ name }) => name === 'captcha') && { captcha: checkCaptcha }),
    engine: checkEngine,
    backup: checkBackup,
  }
  const results = Object.entries(checks).map(async ([name, check]) =>
    withTimeLimit(check(deps)).catch((fault: unknown) =>
      fault === late
        ? error(name as HealthCheckName, 'noAnswer', 'log', { seconds: withinMs / 1000 })
        : error(name as HealthCheckName, 'checkFailed', 'log', { reason: reasonOf(fault) }),
    ),
  )
  return [...(await Promise.all(results)), ...ofSettings]
}

const late = new Error('late')

async function withTimeLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), withinMs)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

async function checkDatabase({ db }: Pick<Deps, 'db'>): Promise<Check> {
  const { rows } = await sql<{ version: string; locale: string; used: number; most: number }>`
    select current_setting('server_version') as version,
      (select coalesce(to_jsonb(d) ->> 'datlocale', datcollate) from pg_database d where datname = current_database()) as locale,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`.execute(db)
  const data = rows[0]!
  const { locale, used, most } = data
  if (used > most * 0.9) return error('database', 'databaseState', 'connections', data)
  if (locale === 'C' || locale === 'POSIX') return warning('database', 'databaseState', 'locale', data)
  return ok('database', 'databaseState', data)
}

async function checkClock({ db }: Pick<Deps, 'db'>): Promise<Check> {
  const sentAt = Date.now()
  const { rows } = await sql<{ now: number }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db)
  const ended = Date.now()
  // The true difference is within half of the round trip.
  const offset = Math.round(Number(rows[0]!.now) - (sentAt + ended) / 2)
  const finding = offset < 0 ? 'clockBehind' : 'clockAhead'
  const data = { ms: Math.abs(offset) }
  return Math.abs(offset) > clockLimit + (ended - sentAt) / 2
    ? error('clock', finding, 'clock', data)
    : ok('clock', finding, data)
}

async function readDisk(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { folder, free: bavail * bsize, total: blocks * bsize }
}

/** The data folder, or the folder of files if less is free there. */
async function checkDisk({ config }: Pick<Deps, 'config'>): Promise<Check> {
  const disks = await Promise.all([config.dataDir, config.filesDir ?? config.dataDir].map(readDisk))
  const { folder, free, total } = disks.reduce((least, disk) => (disk.free < least.free ? disk : least))
  const data = { free: (free / gib).toFixed(1), total: (total / gib).toFixed(1), folder }
  if (free < diskLimits.least) return error('disk', 'diskSpace', 'disk', data)
  return free < diskLimits.low ? warning('disk', 'diskSpace', 'disk', data) : ok('disk', 'diskSpace', data)
}

/** Stores, reads and deletes bytes that no other file has. */
async function checkFiles({ storage, config }: Pick<Deps, 'storage' | 'config'>): Promise<Check> {
  const bucket = config.s3Bucket
  const inFolder = bucket === null
  const data: Check['data'] = inFolder ? { folder: config.filesDir ?? config.dataDir } : { bucket }
  try {
    const bytes = randomBytes(64)
    const { hash } = await storage.put(bytes, bytes.length)
    const isThere = await storage.has(hash)
    await storage.delete(hash)
    if (isThere) return ok('files', inFolder ? 'filesInFolder' : 'filesInBucket', data)
    return error('files', inFolder ? 'fileLostInFolder' : 'fileLostInBucket', 'samePlace', data)
  } catch (fault) {
    const more = { ...data, reason: reasonOf(fault) }
    return inFolder ? error('files', 'folderRefuses', 'folder', more) : error('files', 'bucketRefuses', 'bucket', more)
  }
}

async function checkMail({ mailer }: Pick<Deps, 'mailer'>): Promise<Check> {
  if (!mailer.configured) return ok('mail', 'mailOff')
  return mailer.check().then(
    () => ok('mail', 'mailAccepts'),
    (fault: unknown) => error('mail', 'mailRefuses', 'mail', { reason: reasonOf(fault) }),
  )
}

async function checkCaptcha({ captcha, settings }: Pick<Deps, 'captcha' | 'settings'>): Promise<Check> {
  const isOn = settings.get()['AccountPolicy:UseCaptcha']
  if (captcha.provider === 'None') {
    return isOn ? warning('captcha', 'captchaWithoutProvider', 'captchaProvider') : ok('captcha', 'captchaOff')
  }
  const { provider } = captcha
  return captcha.acceptsSecret().then(
    (accepted) =>
      accepted ? ok('captcha', 'captchaAccepts', { provider }) : error('captcha', 'captchaRefuses', 'captcha', { provider }),
    (fault: unknown) => error('captcha', 'captchaUnreachable', 'network', { provider, reason: reasonOf(fault) }),
  )
}

async function checkEngine({ engine }: Pick<Deps, 'engine'>): Promise<Check> {
  if (engine.kind === 'None') return ok('engine', 'engineOff')
  const { kind } = engine
  return engine.probe().then(
    ({ version, isolation }) => {
      const data = { kind, version: version ?? '' }
      return isolation === 'in place'
        ? ok('engine', 'engineAnswers', data)
        : warning('engine', 'engineNotIsolated', 'isolation', { ...data, reason: isolation.slice(0, reasonMax) })
    },
    (fault: unknown) => error('engine', 'engineUnreachable', 'engine', { kind, reason: reasonOf(fault) }),
  )
}

export const checkUnknown = (variable: string): Check => warning('settings', 'unknownSetting', 'spelling', { variable })

/** `count`: calls that failed unexpectedly in the last hour. */
export const checkFaults = (count: number): Check =>
  count === 0 ? ok('faults', 'noFaults') : warning('faults', 'faults', 'log', { count })
/**
 * Hours between backups without a running game, and turns of the schedule during one, after which one is missing. `forgetHours`: without any attempt, after
 * which nodes that make none assume that no other node does.
 */
const backupLimits = { hours: 26, turns: 2.5, forgetHours: 72 } as const

interface Backup {
  readonly problem: string | null
  /** Hours since the last attempt, and since the last success. */
  readonly triedAge: number
  readonly age: number | null
  /** Minutes of running games without a backup; null: no game runs. */
  readonly turnAge: number | null
}

/** The last scheduled backup; undefined before the first attempt, and if no node makes any. */
async function findBackup({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Backup | undefined> {
  // A game that began a moment ago has had no turn yet.
  const { rows } = await sql<Backup>`
    select b.problem, extract(epoch from clock_timestamp() - b.tried_at)::float8 / 3600 as tried_age,
      extract(epoch from clock_timestamp() - b.made_at)::float8 / 3600 as age,
      (select extract(epoch from clock_timestamp() - greatest(b.made_at, min(starts_at)))::float8 / 60 from games
        where starts_at <= clock_timestamp() and ends_at > clock_timestamp() having count(*) > 0) as turn_age
    from backups b`.execute(db)
  // Another node may make them; when none does any more, the row is of no interest.
  return rows.find(({ triedAge }) => config.backupDir !== null || triedAge <= backupLimits.forgetHours)
}

function judgeBackup(backup: Backup | undefined, config: Config): Check {
  if (!backup) return config.backupDir === null ? ok('backup', 'backupOff') : warning('backup', 'backupNone', 'backupFirst')
  const { problem, age, turnAge } = backup
  const hours = age === null ? '' : age < 1 ? age.toFixed(1) : Math.round(age)
  if (problem !== null)
    return error('backup', age === null ? 'backupNeverMade' : 'backupFailed', 'backup', { reason: reasonOf(problem), hours })
  // The schedule of another node is not known here.
  const turnsMost = config.backupDir === null ? Infinity : backupLimits.turns * config.backupMinutes
  const isLate = (age ?? Infinity) > backupLimits.hours || (turnAge ?? 0) > turnsMost
  return isLate ? error('backup', 'backupMade', 'backup', { hours }) : ok('backup', 'backupMade', { hours })
}

const checkBackup = async (deps: Pick<Deps, 'db' | 'config'>): Promise<Check> => judgeBackup(await findBackup(deps), deps.config)

/** For the metrics. `failed`: the check is an error; `age`: seconds since the last success, null if there is none. */
export async function measureBackup(
  deps: Pick<Deps, 'db' | 'config'>,
): Promise<{ readonly failed: boolean; readonly age: number | null }> {
  const backup = await findBackup(deps)
  const { age } = backup ?? { age: null }
  return { failed: judgeBackup(backup, deps.config).level === 'error', age: age === null ? null : age * 3600 }
}

/** Settings that contradict each other. */
export function checkSettings({
  config,
  captcha,
}: {
  readonly config: Config
  readonly captcha: Pick<Deps['captcha'], 'provider'>
}): Check[] {
  const isProxied = config.containerPorts === 'PlatformProxy'
  const found: [boolean, Check][] = [
    [
      captcha.provider !== 'None' && config.captchaProvider !== 'None' && config.captchaSecret === null,
      warning('captcha', 'captchaUnchecked', 'captchaSecret'),
    ],
    // The platform does not support HTTPS, so a proxy terminates it.
    [config.publicUrl.startsWith('https:') && config.trustedProxies.length === 0, warning('proxy', 'proxyNotTrusted', 'proxy')],
    [config.containerCapture && !isProxied, warning('settings', 'captureNeedsProxy', 'proxyPorts')],
    [config.containerWeb !== null && !isProxied, warning('settings', 'webNeedsProxy', 'proxyPorts')],
    [config.containerTls !== null && !isProxied, warning('settings', 'tlsNeedsProxy', 'proxyPorts')],
  ]
  return found.filter(([holds]) => holds).map(([, check]) => check)
}

/** The state of what the platform depends on, each with a fix. */
import { randomBytes } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

type CheckName = 'settings' | 'database' | 'clock' | 'disk' | 'files' | 'mail' | 'captcha' | 'engine' | 'proxy' | 'backup'

export interface Check {
  readonly name: CheckName
  readonly level: 'ok' | 'warning' | 'error'
  readonly text: string
  /** What to do; null when nothing is to be done. */
  readonly fix: string | null
}

const withinMs = 15_000
const gib = 1024 ** 3

/** Bytes that PostgreSQL needs to keep working during a busy game; below the first a warning, below the second an error. */
const diskLimits = { low: 5 * gib, least: gib } as const
/** Milliseconds between the clocks of node and database: times of submissions are of the database. */
const clockLimit = 2_000

const ok = (name: CheckName, text: string): Check => ({ name, level: 'ok', text, fix: null })
const warning = (name: CheckName, text: string, fix: string): Check => ({ name, level: 'warning', text, fix })
const error = (name: CheckName, text: string, fix: string): Check => ({ name, level: 'error', text, fix })

/** All checks, at the same time. A check that does not end within 15 s, or fails in an unexpected way, is an error with its reason. */
export async function checkPlatform(deps: Deps): Promise<Check[]> {
  const checks: Partial<Record<CheckName, (deps: Deps) => Promise<Check>>> = {
    database: checkDatabase,
    clock: checkClock,
    disk: checkDisk,
    files: checkFiles,
    mail: checkMail,
    captcha: checkCaptcha,
    engine: checkEngine,
    backup: checkBackup,
  }
  const results = Object.entries(checks).map(async ([name, check]) =>
    withTimeLimit(check(deps)).catch((fault: Error) => error(name as CheckName, fault.message, 'See the log of the platform.')),
  )
  return [...(await Promise.all(results)), ...checkSettings(deps)]
}

async function withTimeLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${withinMs / 1000} s`)), withinMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

async function checkDatabase({ db }: Pick<Deps, 'db'>): Promise<Check> {
  const { rows } = await sql<{ version: string; locale: string; used: number; most: number }>`
    select current_setting('server_version') as version,
      (select coalesce(to_jsonb(d) ->> 'datlocale', datcollate) from pg_database d where datname = current_database()) as locale,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`.execute(db)
  const { version, locale, used, most } = rows[0]!
  const text = `PostgreSQL ${version}, locale ${locale}, ${used} of ${most} connections`
  if (used > most * 0.9)
    return error('database', text, 'Raise max_connections of PostgreSQL, or lower VEXIL_DATABASE_POOL or VEXIL_PROCESSES.')
  if (locale === 'C' || locale === 'POSIX')
    return warning('database', text, 'Create the database with a UTF-8 locale: letter case of names is compared by it.')
  return ok('database', text)
}

async function checkClock({ db }: Pick<Deps, 'db'>): Promise<Check> {
  const begun = Date.now()
  const { rows } = await sql<{ now: number }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db)
  const ended = Date.now()
  // The true difference is within half of the round trip.
  const offset = Math.round(Number(rows[0]!.now) - (begun + ended) / 2)
  const text = `${Math.abs(offset)} ms ${offset < 0 ? 'behind' : 'ahead of'} this machine`
  return Math.abs(offset) > clockLimit + (ended - begun) / 2
    ? error('clock', `The clock of the database is ${text}`, 'Synchronise both machines by NTP (for example chrony).')
    : ok('clock', `The clock of the database is ${text}`)
}

async function checkDisk({ config }: Pick<Deps, 'config'>): Promise<Check> {
  const { bavail, blocks, bsize } = await statfs(config.dataDir)
  const free = bavail * bsize
  const text = `${(free / gib).toFixed(1)} GiB of ${((blocks * bsize) / gib).toFixed(1)} free in ${config.dataDir}`
  const fix = 'Free space, delete captures and unused files, or move DATA_DIR to a larger disk.'
  if (free < diskLimits.least) return error('disk', text, fix)
  return free < diskLimits.low ? warning('disk', text, fix) : ok('disk', text)
}

/** Stores, reads and deletes bytes that no other file has. */
async function checkFiles({ storage, config }: Pick<Deps, 'storage' | 'config'>): Promise<Check> {
  const place = config.s3Bucket === null ? 'the data folder' : `the bucket ${config.s3Bucket}`
  try {
    const bytes = randomBytes(64)
    const { hash } = await storage.put(bytes, bytes.length)
    const isThere = await storage.has(hash)
    await storage.delete(hash)
    if (isThere) return ok('files', `Files are stored in ${place}`)
    return error('files', `A file stored in ${place} cannot be found`, 'Check that all nodes use the same bucket or folder.')
  } catch (fault) {
    const fix =
      config.s3Bucket === null ? 'Check owner and free space of DATA_DIR.' : 'Check the VEXIL_S3_ variables and the keys.'
    return error('files', `Cannot store files in ${place}: ${(fault as Error).message}`, fix)
  }
}

async function checkMail({ mailer }: Pick<Deps, 'mailer'>): Promise<Check> {
  if (!mailer.configured) return ok('mail', 'No mail server: passwords are reset by administrators')
  return mailer.check().then(
    () => ok('mail', 'The mail server accepts the sign-in'),
    ({ message }: Error) =>
      error(
        'mail',
        `The mail server does not accept emails: ${message}`,
        'Correct the mail server in the settings or in VEXIL_MAIL_.',
      ),
  )
}

async function checkCaptcha({ captcha, settings }: Pick<Deps, 'captcha' | 'settings'>): Promise<Check> {
  const isOn = settings.get()['AccountPolicy:UseCaptcha']
  if (captcha.provider === 'None') {
    return isOn
      ? warning('captcha', 'Captcha is on, but has no provider', 'Set a provider in the settings, or turn captcha off.')
      : ok('captcha', 'Off')
  }
  const fix = 'Correct the captcha in the settings or in VEXIL_CAPTCHA_.'
  return captcha.acceptsSecret().then(
    (accepted) =>
      accepted
        ? ok('captcha', `${captcha.provider} accepts the secret key`)
        : error('captcha', `${captcha.provider} does not accept the secret key`, fix),
    ({ message }: Error) =>
      error('captcha', `${captcha.provider} does not answer: ${message}`, 'Check the network of this machine.'),
  )
}

async function checkEngine({ engine }: Pick<Deps, 'engine'>): Promise<Check> {
  if (engine.kind === 'None') return ok('engine', 'None: challenges cannot run containers')
  return engine.probe().then(
    ({ version, isolation }) =>
      isolation === 'in place'
        ? ok('engine', `${engine.kind} ${version}`)
        : warning('engine', `${engine.kind} ${version}: ${isolation}`, 'See docs/operations.md, "Isolation".'),
    ({ message }: Error) =>
      error('engine', `${engine.kind} does not answer: ${message}`, 'Start it, and check its address and permissions.'),
  )
}

/** Hours between backups without a running game, and turns of the schedule during one, after which one is missing. */
const backupLimits = { hours: 26, turns: 2.5 } as const

async function checkBackup({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Check> {
  // A game that began a moment ago has had no turn yet.
  const { rows } = await sql<{ problem: string | null; triedAge: number; age: number | null; turnAge: number | null }>`
    select b.problem, extract(epoch from clock_timestamp() - b.tried_at)::float8 / 3600 as tried_age, extract(epoch from clock_timestamp() - b.made_at)::float8 / 3600 as age,
      (select extract(epoch from clock_timestamp() - greatest(b.made_at, min(starts_at)))::float8 / 60 from games
        where starts_at <= clock_timestamp() and ends_at > clock_timestamp()) as turn_age
    from backups b`.execute(db)
  // Another node may make them; when none does any more, the row is of no interest.
  const backup = rows.find(({ triedAge }) => config.backupDir !== null || triedAge <= backupLimits.hours)
  if (!backup)
    return config.backupDir === null
      ? ok('backup', 'None are scheduled')
      : warning('backup', 'No scheduled backup was made yet', 'Wait a minute, then see the log.')
  const { problem, age, turnAge } = backup
  const last = age === null ? 'never made' : `last made ${age < 1 ? `${Math.round(age * 60)} min` : `${Math.round(age)} h`} ago`
  const fix = 'See the log, and check VEXIL_BACKUP_DIR and its free space.'
  if (problem !== null) return error('backup', `The scheduled backup failed: ${problem} (${last})`, fix)
  const isLate = (age ?? Infinity) > backupLimits.hours || (turnAge ?? 0) > backupLimits.turns * config.backupMinutes
  return isLate ? error('backup', `Scheduled backup ${last}`, fix) : ok('backup', `Scheduled backup ${last}`)
}

/** Settings that contradict each other. */
export function checkSettings({
  config,
  captcha,
}: {
  readonly config: Config
  readonly captcha: Pick<Deps['captcha'], 'provider'>
}): Check[] {
  const needsProxy = (variable: string, effect: string) =>
    warning('settings', `${variable} needs VEXIL_CONTAINER_PORTS=PlatformProxy: ${effect}`, `Set both, or remove ${variable}.`)
  const isProxied = config.containerPorts === 'PlatformProxy'
  const found: [boolean, Check][] = [
    [
      captcha.provider !== 'None' && config.captchaProvider !== 'None' && config.captchaSecret === null,
      warning('captcha', 'VEXIL_CAPTCHA_SECRET is not set: the captcha is not checked', 'Set it.'),
    ],
    // The platform does not support HTTPS, so a proxy terminates it.
    [
      config.publicUrl.startsWith('https:') && config.trustedProxies.length === 0,
      warning(
        'proxy',
        'PUBLIC_URL is https, but TRUSTED_PROXIES is none: all visitors have the address of the proxy',
        'Set TRUSTED_PROXIES to the address of the proxy.',
      ),
    ],
    [config.containerCapture && !isProxied, needsProxy('VEXIL_CONTAINER_CAPTURE', 'no traffic is captured')],
    [
      config.containerWeb !== null && !isProxied,
      needsProxy('VEXIL_CONTAINER_WEB', 'web pages of instances have no host of their own'),
    ],
    [config.containerTls !== null && !isProxied, needsProxy('VEXIL_CONTAINER_TLS', 'instances accept no TLS connections')],
  ]
  return found.filter(([holds]) => holds).map(([, check]) => check)
}

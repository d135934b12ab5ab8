import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { inherited } from '../../test/launch.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { readConfig, settings } from '../config.ts'
import { claimDataFolder } from '../data-folder.ts'
import { startEmbedded } from '../db/embedded.ts'
import { listMigrations } from '../db/migrate.ts'
import { reportNode } from '../health/nodes.queries.ts'
import { withPlatform } from './command-database.ts'
import { readSettings } from './doctor.ts'
import { runCommand } from './run.ts'

let platform: TestPlatform
let printed: string[] = []
let errors: string[] = []
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())
beforeEach(() => {
  printed = []
  errors = []
})

/** Runs a command while the platform runs. */
const run = (args: string[], more: Record<string, string> = {}) =>
  runCommand(args, {
    env: {
      DATABASE_URL: platform.database.url,
      DATA_DIR: platform.dataDir,
      SECRET_KEY: platform.deps.config.secretKey ?? '',
      ...more,
    },
    serve: async () => void printed.push('served'),
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
  })
const runJson = async (args: string[], more?: Record<string, string>) => {
  const code = await run([...args, '--json'], more)
  return { code, json: JSON.parse(printed.join('\n')) as Record<string, unknown> }
}
/** The last log entry of the command; the platform writes its own entries later. */
const logged = async () =>
  (
    await sql<{
      message: string
      name: string
    }>`select message, name from logs where name = 'System' order by id desc limit 1`.execute(platform.db)
  ).rows[0]
const signIn = (userName: string, password: string) =>
  platform.anyone.post('/api/account/login', { userName, password }).then(({ status }) => status)

test('help and version end with 0; unknown commands, options and missing arguments end with 2', async () => {
  expect(await run(['--help'])).toBe(0)
  for (const name of ['serve', 'migrate', 'doctor', 'setup-link', 'reset-password', 'make-admin'])
    expect(printed.join()).toContain(name)
  expect(await run(['--version'])).toBe(0)
  expect(printed.at(-1)).toMatch(/^\d+\.\d+\.\d+/)
  expect(await run(['migrate', '--help'])).toBe(0)
  for (const args of [['nothing'], ['migrate', '--other'], ['reset-password']]) expect(await run(args)).toBe(2)
  expect(errors.join('\n')).toContain("unknown command 'nothing'")
  expect(errors.join('\n')).toContain('Run "vexil help" for all commands.')
  expect(await run(['serve'])).toBe(0)
  expect(printed.at(-1)).toBe('served')
})

test('a wrong setting and a database that does not answer end with 2 and one sentence', async () => {
  expect(await run(['migrate'], { PORT: 'x' })).toBe(2)
  expect(await run(['migrate'], { DATABASE_URL: 'postgres://127.0.0.1:9/none' })).toBe(2)
  expect(errors).toEqual(['PORT must be a whole number from 1 to 65535, not "x".', expect.stringContaining('ECONNREFUSED')])
})

test('nodes lists the nodes of the platform; one that does not report is a problem', async () => {
  expect([await run(['nodes']), printed]).toEqual([0, ['No node runs.']])
  const id = '00000000-0000-4000-8000-000000000001'
  await reportNode(platform.db, { id, version: '1.2.0', url: 'http://10.0.0.5:8080', processes: 2, state: 'Draining' })
  printed = []
  expect([await run(['nodes']), printed]).toEqual([
    0,
    [
      expect.stringMatching(
        /^Draining {2}v1\.2\.0 {2}2 processes {2}started \S+Z {2}seen \S+Z {2}http:\/\/10\.0\.0\.5:8080 {2}0{8}-\S+1$/,
      ),
    ],
  ])
  await sql`update nodes set processes = 1, seen_at = clock_timestamp() - interval '16 seconds'`.execute(platform.db)
  printed = []
  expect([await run(['nodes']), printed]).toEqual([1, [expect.stringMatching(/^LATE {6}v1\.2\.0 {2}1 process {2}started /)]])
  printed = []
  expect(await runJson(['nodes'])).toMatchObject({ code: 1, json: { nodes: [{ id, isLate: true }] } })
  await platform.db.deleteFrom('nodes').execute()
})

test('the program prints to standard output, errors to standard error, and ends with the code of the command', () => {
  const program = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
      encoding: 'utf8',
      env: { ...inherited, PATH: process.env.PATH },
    })
  expect(program('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), stderr: '' })
  expect(program('nothing')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/nothing.*\n$/s) })
})

test('the process of a backup has a low priority, that of another command does not', () => {
  const report = "import { getPriority } from 'node:os'; process.on('exit', () => console.log(getPriority()))"
  const priorityOf = (...args: string[]) => {
    const program = [
      '--import',
      `data:text/javascript,${encodeURIComponent(report)}`,
      join(import.meta.dirname, 'main.ts'),
      ...args,
    ]
    return Number(
      spawnSync(process.execPath, program, { encoding: 'utf8', env: { ...inherited, PATH: process.env.PATH } }).stdout,
    )
  }
  // Both end at once, for lack of an argument.
  expect([priorityOf('backup'), priorityOf('restore')]).toEqual([constants.priority.PRIORITY_BELOW_NORMAL, getPriority()])
})

test('migrate --check lists what is pending and changes nothing; other commands refuse an older schema', async () => {
  expect(await runJson(['migrate', '--check'])).toEqual({ code: 0, json: { pending: [] } })
  const { rows } = await sql<{
    name: string
    hash: string
  }>`delete from migrations where name = (select max(name) from migrations) returning *`.execute(platform.db)
  const [last] = rows
  try {
    printed = []
    expect(await runJson(['migrate', '--check'])).toEqual({ code: 1, json: { pending: [last?.name] } })
    expect(await run(['doctor'])).toBe(2)
    expect(errors).toEqual(['The database has an older schema: run "vexil migrate" first.'])
  } finally {
    await sql`insert into migrations (name, hash) values (${last?.name}, ${last?.hash})`.execute(platform.db)
  }
  printed = []
  expect(await run(['migrate'])).toBe(0)
  expect(printed).toEqual(['The schema is current.'])
})

test('setup-link prints a link that works and replaces the earlier one; with an administrator it refuses', async () => {
  // The password is for the account that a start of the platform creates.
  const withPassword = { ADMIN_PASSWORD: 'aaaaaa' }
  expect([await run(['setup-link'], withPassword), await run(['setup-link'], withPassword), errors]).toEqual([0, 0, []])
  const [first, second] = printed.map((link) => new URL(link).searchParams.get('token'))
  expect(await logged()).toEqual({ name: 'System', message: 'New set-up link created on the command line' })
  const setUp = (token: unknown) =>
    platform.anyone.post('/api/setup', { token, userName: 'Chief', password: 'aaaaaa', email: 'chief@example.org' })
  expect((await setUp(first)).error.code).toBe('setup.token_wrong')
  expect((await setUp(second)).status).toBe(200)
  expect(await run(['setup-link'])).toBe(2)
  expect(errors.at(-1)).toContain('There is an administrator')
})

test('reset-password ends sessions, prints the new password once and logs the reset without it; neighbours are unaffected', async () => {
  const [id, other] = [
    await anAccount(platform.db, { userName: 'Locked', email: 'locked@example.org' }),
    await anAccount(platform.db),
  ]
  const [session, beside]: Caller[] = [await platform.as(id), await platform.as(other)]
  const { code, json } = await runJson(['reset-password', 'LOCKED@example.org'])
  expect([code, json.userName]).toEqual([0, 'Locked'])
  expect(await signIn('Locked', String(json.password))).toBe(200)
  expect((await session?.get('/api/account/profile'))?.status).toBe(401)
  expect((await beside?.get('/api/account/profile'))?.status).toBe(200)
  expect(await logged()).toEqual({ name: 'System', message: 'Reset the password of Locked' })
  expect(await run(['reset-password', 'Missing'])).toBe(2)
  expect(errors).toEqual(['There is no account with the name or email address Missing.'])
})

test('make-admin gives a banned, inactive account the rights of an administrator at once', async () => {
  const id = await anAccount(platform.db, { userName: 'Helper', role: 'Banned', active: false })
  expect(await run(['make-admin', 'helper'])).toBe(0)
  expect(printed).toEqual(['Helper is an administrator.'])
  const caller = await platform.as(id)
  expect((await caller.get('/api/admin/config')).status).toBe(200)
  expect((await logged())?.message).toContain('Changed user Helper: active false => true, role Banned => Admin')
})

test('doctor shows settings without secrets, names unknown ones, and ends with 1 when something is wrong', async () => {
  const { code, json } = await runJson(['doctor'], {
    VEXIL_MIAL_HOST: 'x',
    VEXIL_MAIL_HOST: '127.0.0.1',
    VEXIL_MAIL_PORT: '9',
    VEXIL_MAIL_SENDER: 'a@example.org',
    VEXIL_MAIL_PASSWORD: 'hidden',
  })
  expect(code).toBe(1)
  expect(JSON.stringify(json)).not.toContain('hidden')
  expect(json.settings).toMatchObject({ VEXIL_MAIL_HOST: '127.0.0.1', VEXIL_MAIL_PASSWORD: '(set)' })
  const checks = json.checks as { name: string; level: string; text: string; fix: string | null }[]
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'settings', level: 'warning', text: 'VEXIL_MIAL_HOST is not a setting of this release' }),
  )
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'mail', level: 'error', text: expect.stringContaining('ECONNREFUSED') }),
  )
  expect(checks.filter(({ level }) => level !== 'error').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['database', 'clock', 'files', 'captcha', 'engine']),
  )
  printed = []
  expect(await run(['doctor'], { VEXIL_MIAL_PORT: 'x', VEXIL_MIAL_HOST: 'x', VEXIL_S3_ACCESS_KEY: 'hidden' })).toBe(0)
  expect(printed).toEqual(expect.arrayContaining([`DATA_DIR=${platform.dataDir}`, 'VEXIL_S3_ACCESS_KEY=(set)']))
  const fix = `${' '.repeat(21)}Check its spelling in docs/operations.md, or remove it`
  const unknown = (name: string) => `warning  settings    ${name} is not a setting of this release\n${fix}`
  expect(printed.join('\n')).toContain(`${unknown('VEXIL_MIAL_HOST')}\n${unknown('VEXIL_MIAL_PORT')}\n`)
  expect(printed.join('\n')).toMatch(/^ok {7}database {4}PostgreSQL \d+/m)
})

test('an error of an adapter is printed beside the outcome', async () => {
  const mail = {
    host: 'mail.example.org',
    port: 25,
    user: 'a',
    sender: 'a@example.org',
    senderName: '',
    password: 'of another key',
  }
  await platform.db
    .insertInto('settings')
    .values({ key: 'Services:Mail', value: JSON.stringify(mail) })
    .execute()
  try {
    expect([await run(['nodes']), printed]).toEqual([0, ['No node runs.']])
    expect(errors).toEqual(['The secret stored as Services:Mail cannot be decrypted: enter it again in the settings'])
  } finally {
    await platform.db.deleteFrom('settings').where('key', '=', 'Services:Mail').execute()
  }
})

test('an error of work in the background is printed until the command ends', async () => {
  const env = {
    DATABASE_URL: platform.database.url,
    DATA_DIR: platform.dataDir,
    SECRET_KEY: platform.deps.config.secretKey ?? '',
  }
  const notices: string[] = []
  const context = {
    config: readConfig(env),
    env,
    printNotice: (line: string) => void notices.push(line),
    printProgress: () => {},
  }
  const report = await withPlatform(context, {}, async ({ onError }) => {
    onError(new Error('during the work'))
    return onError
  })
  report(new Error('afterwards'))
  expect(notices).toEqual(['during the work'])
})

test.each([
  ['postgres://vexil:secret@db/vexil', 'postgres://vexil:***@db/vexil'],
  ['postgres://vexil:se@cret@db/vexil', 'postgres://vexil:***@db/vexil'],
  ['postgres://vexil@db/vexil?password=secret&ssl=true', 'postgres://vexil@db/vexil?password=***&ssl=true'],
  ['postgres://vexil@db/vexil?host=/run/postgresql', 'postgres://vexil@db/vexil?host=/run/postgresql'],
])('of %s no password is shown', (url, shown) => {
  const { given, unknown } = readSettings({ DATABASE_URL: url, SECRET_KEY: 'x', HOME: '/root', PORT: ' ' })
  expect([given, unknown]).toEqual([{ DATABASE_URL: shown, SECRET_KEY: '(set)' }, []])
})

test('of secrets, and of nothing else, it is only shown that they are set', () => {
  const { given } = readSettings(Object.fromEntries(Object.values(settings).map(({ variable }) => [variable, 'x'])))
  const hidden = Object.keys(given).filter((variable) => given[variable] !== 'x')
  expect(hidden.sort()).toEqual([
    'ADMIN_PASSWORD',
    'SECRET_KEY',
    'VEXIL_CAPTCHA_SECRET',
    'VEXIL_CAPTCHA_SITE_KEY',
    'VEXIL_CONTAINER_TLS_KEY',
    'VEXIL_MAIL_PASSWORD',
    'VEXIL_REGISTRY_PASSWORD',
    'VEXIL_S3_ACCESS_KEY',
    'VEXIL_S3_SECRET_KEY',
  ])
})

test('with the embedded database a command uses the running one, or starts and stops it; an empty folder stays empty', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-command-'))
  const check = () => run(['migrate', '--check'], { DATABASE_URL: '', DATA_DIR: dataDir })
  try {
    expect(await check()).toBe(2)
    mkdirSync(join(dataDir, 'inside'))
    expect(await run(['migrate', '--check'], { DATABASE_URL: '', DATA_DIR: join(dataDir, 'inside', 'none') })).toBe(2)
    expect(errors.every((line) => line.startsWith('There is no platform in '))).toBe(true)
    rmSync(join(dataDir, 'inside'), { recursive: true })
    const lock = claimDataFolder(dataDir)
    const embedded = await startEmbedded({ dataDir, printLine: () => undefined, durable: false })
    expect(await check()).toBe(1)
    const names = listMigrations().map(({ name }) => name)
    expect(printed).toEqual(names.map((name) => `pending: ${name}`))
    expect(await run(['migrate'], { DATABASE_URL: '', DATA_DIR: dataDir })).toBe(0)
    expect(printed.slice(names.length)).toEqual(names.map((name) => `applied: ${name}`))
    printed = []
    expect(await check()).toBe(0)
    await embedded.stop()
    expect(await check()).toBe(2)
    expect(errors.at(-1)).toContain('The platform is starting or stopping')
    lock.release()
    expect(await check()).toBe(0)
    // Stopped and unlocked again.
    claimDataFolder(dataDir).release()
    expect(existsSync(join(embedded.location, 'pg18', 'postmaster.pid'))).toBe(false)
    expect(printed).toEqual(['The schema is current.', 'The schema is current.'])
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

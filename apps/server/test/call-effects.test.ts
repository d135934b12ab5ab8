/** The effects of each call that writes: those that call-effects.table.ts lists happen, and no others. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { endpoints, type Method } from '@vexil/contract/endpoint'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { releaseLost } from '../src/files/release-file.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import type { OutgoingMail } from '../src/ports/mail/mail.ts'
import { saveSettings, settingDefaults } from '../src/site/settings.ts'
import type { CallName } from './access.table.ts'
import { anAccount } from './builders/game.ts'
import { aScene, type Scene } from './builders/scene.ts'
import { type Case, callEffects, type Effect, isWriting } from './call-effects.table.ts'
import { emptyTables } from './checksum.ts'
import { listenAt } from './hub.ts'
import { openMemoryEngine } from './memory-engine.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { type Change, changesBetween, type Rows, readRows } from './row-changes.ts'
import { askValid, validCalls } from './valid-calls.ts'

// The second message of a change would arrive during a later call.
vi.mock('@vexil/core/limits', async (original) => ({ ...(await original<object>()), settingsRepeatAfter: 3_600_000 }))

type Seen = Readonly<Record<Exclude<keyof Effect, 'later' | 'shown'>, readonly string[]>>
type Listener = Awaited<ReturnType<typeof listenAt>>

const engine = openMemoryEngine()
const mails: OutgoingMail[] = []
/** Events published since the last case began. */
let published: { readonly name: string; readonly values: readonly unknown[] }[] = []
/** Locks taken by the call of the case, and by the work that it began. */
const taken = new AsyncLocalStorage<string[]>()
let platform: TestPlatform
beforeAll(async () => {
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [asked] = given as [string | { text: string }]
    const lock = lockIn(typeof asked === 'string' ? asked : asked.text)
    if (lock) taken.getStore()?.push(lock)
    return query.apply(this, given)
  } as never)
  platform = await startTestPlatform({ VEXIL_MAIL_HOST: 'log', VEXIL_MAIL_SENDER: 'ctf@example.org' }, engine)
  const { bus, mailer } = platform.deps
  const publish = bus.publish.bind(bus)
  bus.publish = (name, event) => {
    published.push({ name, values: Object.values(event) })
    publish(name, event)
  }
  const send = mailer.send.bind(mailer)
  mailer.send = (mail) => {
    mails.push(mail)
    return send(mail)
  }
})
afterAll(() => {
  vi.restoreAllMocks()
  return platform.stop()
})

test('every call that writes has its rows, and every row has its call', () => {
  const writing = endpoints.filter(isWriting).map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(callEffects).sort()).toEqual(writing.sort())
})

// ---- the scene: a game and its people, and another game that nothing may change

interface Stage {
  readonly scene: Scene
  readonly neighbour: Scene
  readonly watcher: string
}
let stage: Stage
let begun = 0

/** A scene for each case; the tables are emptied from time to time, since all their rows are read. */
async function setStage(): Promise<void> {
  const { db, deps, instances } = platform
  await db.deleteFrom('settings').where('key', 'like', 'Services:%').execute()
  await inTransaction(db, (tx) => saveSettings(tx, settingDefaults))
  await deps.settings.reload()
  const isNew = begun++ % 8 === 0
  if (isNew) await emptyTables(db)
  // Otherwise their timers would do it in the middle of a case.
  await releaseLost(deps)
  if (isNew) await instances.sweep()
  const watcher = await anAccount(db, { role: 'Admin', userName: `Watcher${begun}` })
  const neighbour = isNew ? await aScene(platform) : stage.neighbour
  stage = { scene: await aScene(platform), neighbour, watcher }
}

// ---- names instead of numbers

/** Ids, names and hashes of the scene, with their names in the table. */
type Names = Map<string, string>

const named = [
  'game',
  'challenge',
  'flag',
  'containerChallenge',
  'team',
  'participation',
  'submission',
  'notice',
  'post',
  'file',
] as const
/** Columns whose text is in the log. */
const titles = { accounts: 'user_name', teams: 'name', games: 'title', challenges: 'title', posts: 'title' }

function nameScene({ scene, neighbour, watcher }: Stage, rows: Rows): Names {
  const names: Names = new Map([[watcher, 'watcher']])
  const all = (table: string) => [...(rows.get(table)?.values() ?? [])]
  for (const { id, participation_id } of all('containers'))
    names.set(String(id), participation_id === null ? 'test container' : 'instance')
  for (const { hash, name } of all('files')) {
    const old = `old ${String(name).split(/[-.]/, 1)[0]?.toLowerCase()}`
    names.set(String(hash), old).set(String(hash).slice(0, 8), old)
  }
  for (const [whose, of] of [
    ['', scene],
    ['neighbour ', neighbour],
  ] as const) {
    for (const key of named) names.set(String(of[key]), whose + key)
    for (const [person, id] of Object.entries(of.account)) names.set(id, whose + person)
    for (const [person, id] of Object.entries(of.teamOf)) if (id !== of.team) names.set(String(id), `${whose}team of ${person}`)
    names.set(of.file.slice(0, 8), `${whose}file`)
  }
  for (const { id, team_id } of all('participations'))
    if (!names.has(String(id))) names.set(String(id), `participation of ${names.get(String(team_id)) ?? 'another team'}`)
  for (const [table, column] of Object.entries(titles))
    for (const row of all(table)) {
      const name = names.get(String(row.id))
      if (name) names.set(String(row[column]), name)
    }
  return names
}

/** The columns that identify a row in the table; absent: its id. */
const labels: Readonly<Record<string, readonly string[]>> = {
  attachments: ['challenge_id', 'flag_id'],
  cheats: ['participation_id', 'source_id'],
  containers: ['challenge_id', 'participation_id', 'state'],
  ended_sessions: [],
  file_leases: ['purpose'],
  files: ['hash'],
  flags: ['challenge_id'],
  game_events: ['type'],
  image_pulls: ['image'],
  solver_checks: ['challenge_id', 'state'],
  team_flags: ['participation_id', 'challenge_id'],
  installation: [],
  mail_tokens: ['account_id', 'purpose'],
  mails: ['account_id', 'kind', 'state'],
  notices: ['game_id', 'type'],
  participations: ['game_id', 'team_id', 'status'],
  registration_attempts: [],
  registrations: ['participation_id', 'account_id'],
  released_files: [],
  sessions: ['account_id'],
  settings: ['key'],
  setup_tokens: [],
  solve_logs: ['game_id'],
  solves: ['participation_id', 'challenge_id'],
  submissions: ['participation_id', 'challenge_id', 'status'],
  team_members: ['team_id', 'account_id'],
  versions: [],
  writeups: ['participation_id'],
}
/** Rows that are equal in the table become one line with their count. */
function counted(lines: readonly string[]): string[] {
  const numbers = new Map<string, number>()
  for (const line of lines) numbers.set(line, (numbers.get(line) ?? 0) + 1)
  return [...numbers].map(([line, number]) => (number === 1 ? line : `${line} x${number}`)).sort()
}

function rowLines(changes: readonly Change[], names: Names): string[] {
  return counted(
    changes.map(({ kind, table, row, columns }) => {
      const label = labels[table] ?? ['id']
      const values = label.map((column) => names.get(String(row[column])) ?? String(row[column]))
      return `${kind}${table}${label.length > 0 ? `(${values.join(', ')})` : ''}${columns
        .map((column) => `.${column}`)
        .sort()
        .join('')}`
    }),
  )
}

/** Names the ids of inserted rows `new`. */
function nameNew(changes: readonly Change[], names: Names): void {
  for (const { kind, table, row } of changes) {
    if (kind !== '+') continue
    for (const key of [row.id, table === 'files' ? row.hash : null])
      if (key !== null && key !== undefined && !names.has(String(key))) {
        names.set(String(key), 'new')
        if (table === 'files') names.set(String(key).slice(0, 8), 'new')
      }
  }
}

/** Replaces ids, names and hashes in a text by their names in the table. */
const inWords = (text: string, names: Names) =>
  text.replaceAll(/[\w-]+/g, (word) => names.get(word) ?? word).replaceAll(/\b(user)?n\d+/g, '$1fresh')

// ---- what is observed

const filesOf = () =>
  readdirSync(platform.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath.slice(platform.dataDir.length + 1)}/${name}`)

async function views({ scene, neighbour }: Stage) {
  const { anyone } = platform
  const board = async (game: number) =>
    JSON.stringify({ ...(await anyone.get(`/api/game/${game}/scoreboard`)).body, updateTimeUtc: null, requestId: null })
  return {
    list: JSON.stringify((await anyone.get('/api/game')).body),
    board: await board(scene.game),
    'neighbour board': await board(neighbour.game),
  }
}

async function listenAll({ scene, neighbour, watcher }: Stage): Promise<Record<string, Listener>> {
  const { db } = platform
  const cookieOf = async (account: string) => ({ cookie: `${cookieName}=${await startSession(db, account)}` })
  const places = {
    visitor: [`/hub/user?game=${scene.game}`],
    player: [`/hub/user?game=${scene.game}`, scene.account.accepted],
    monitor: [`/hub/monitor?game=${scene.game}`, watcher],
    admin: ['/hub/admin', watcher],
    site: ['/hub/site'],
    'neighbour player': [`/hub/user?game=${neighbour.game}`, neighbour.account.accepted],
    'neighbour monitor': [`/hub/monitor?game=${neighbour.game}`, watcher],
  } as const
  const opened = Object.entries(places).map(
    async ([who, [path, account]]) => [who, await listenAt(platform, path, account ? await cookieOf(account) : {})] as const,
  )
  return Object.fromEntries(await Promise.all(opened))
}

/** Messages of the board depend on what its thread has collected: live.test.ts tests them. */
const ofBoard = ['VexilSolves', 'VexilRoster', 'VexilBoard']

function heardLines(listeners: Record<string, Listener>, names: Names): string[] {
  const lines = Object.entries(listeners).flatMap(([who, { received }]) =>
    received
      .filter(({ target }) => !ofBoard.includes(target))
      .map(({ target, argument }) => {
        const detail =
          argument.what ?? argument.type ?? argument.challengeId ?? (target === 'ReceivedSubmissions' ? argument.status : '')
        return `${who}: ${target} ${names.get(String(detail)) ?? detail}`.trim()
      }),
  )
  return counted(lines.filter((line) => !line.startsWith('admin: ReceivedLog') && !line.endsWith(': Last')))
}

/** The locks of a statement, in words of the table: rows of a table and how, or a name. Locks of functions in the database are not detected. */
function lockIn(text: string): string | null {
  const name = /pg_advisory_xact_lock\(hashtextextended\((?:'(\w+) ')?/.exec(text)
  if (name) return `name of a ${name[1] ?? 'file'}`
  let outer = text
  for (let inner = ''; inner !== outer; outer = inner.replaceAll(/\([^()]*\)/g, ' ')) inner = outer
  const rows = (part: string) => /^.*\bfrom "?(\w+)"?.*\bfor ((?:no key )?update|(?:key )?share)\b/s.exec(part)
  const found = rows(outer) ?? rows(text)
  return found && `${found[1]} for ${found[2]}`
}

// ---- one case

const jobsDone = () =>
  vi.waitFor(async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from graphile_worker._private_jobs`.execute(
      platform.db,
    )
    if (rows[0]?.waiting !== 0) throw new Error('a job waits')
  })

/** Returns when all work that was begun is done: jobs, sweeps, and messages in transit. */
async function settle({ scene, neighbour }: Stage, listeners: Record<string, Listener>): Promise<void> {
  const { deps, instances, live } = platform
  await jobsDone()
  await turn()
  await instances.sweep()
  await deps.log.flush()
  const send = live.send as (to: object, target: string, argument: object) => void
  const games = [scene, neighbour].flatMap(({ game }) => [
    { hub: '/hub/user', game },
    { hub: '/hub/monitor', game },
  ])
  for (const to of [...games, { hub: '/hub/admin' }, { hub: '/hub/site' }]) send(to, 'Last', {})
  await vi.waitFor(() => {
    for (const [who, { received, isOpen }] of Object.entries(listeners))
      if (isOpen() && !received.some(({ target }) => target === 'Last')) throw new Error(`${who} has not heard all`)
  })
}

const mapped = (effect: Effect) =>
  Object.fromEntries(
    Object.entries(effect).map(([kind, items]) => [kind, items === 'none' ? [] : items.split(' | ').sort()]),
  ) as {
    readonly [Kind in keyof Effect]: string[]
  }

async function observe(at: Stage, { by, prepare, ask, status = 200, ...expected }: Case, call: CallName) {
  const { db, deps, instances } = platform
  const world = { ...at, platform, engine, mails }
  const caller = await at.scene.as(by)
  await prepare?.(world)
  if (prepare) {
    // A call may send two mails, of which the case waits for one.
    await jobsDone()
    await turn().then(instances.sweep)
  }
  await deps.log.flush()
  await db.deleteFrom('logs').execute()
  const request = await (ask ?? (validCalls[call] as NonNullable<Case['ask']>))(at.scene, by, world)
  const listeners = await listenAll(at)
  const [before, viewed, files] = [await readRows(db), await views(at), filesOf()]
  const names = nameScene(at, before)
  const isVisited = (account: string) => account !== at.scene.account.other
  const moved = async () => {
    const then = await views(at)
    return Object.keys(then)
      .sort()
      .filter((view) => then[view as keyof typeof then] !== viewed[view as keyof typeof then])
  }
  published = []
  engine.asked.length = 0

  const locks: string[] = []
  const answer = await taken.run(locks, () => askValid(caller, call.split(' ')[0] as Method, request))
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  const atOnce = changesBetween(before, await readRows(db), isVisited)
  nameNew(atOnce, names)
  const answered = rowLines(atOnce, names)

  /** Everything but the views, which are the most expensive. */
  async function see(): Promise<Seen> {
    await deps.log.flush()
    const changes = changesBetween(before, await readRows(db), isVisited)
    nameNew(changes, names)
    const after = filesOf()
    const pathOf = (path: string) => `${path.split('/')[0]} ${inWords(basename(path), names)}`
    const entries = await db.selectFrom('logs').selectAll().orderBy('id').execute()
    return {
      rows: rowLines(changes, names),
      events: published
        .filter(({ name }) => name !== 'log.written')
        .map(({ name, values }) => [name, ...values.map((value) => inWords(String(value), names))].join(' '))
        .sort(),
      log: entries
        .map(({ level, status, name, message }) => [level, status, inWords(`${name}: ${message}`, names)].join(' '))
        .map((line) => line.replace('Information ', ''))
        .sort(),
      received: heardLines(listeners, names),
      locks: counted(locks),
      beside: [
        ...engine.asked.map(({ act, id }) => `engine ${act} ${names.get(id) ?? id}`),
        ...after.filter((path) => !files.includes(path)).map((path) => `+${pathOf(path)}`),
        ...files.filter((path) => !after.includes(path)).map((path) => `-${pathOf(path)}`),
        ...(answer.headers['set-cookie'] ? ['cookie'] : []),
      ].sort(),
    }
  }
  const { rows, later, shown, ...more } = mapped(expected)
  expect(answered).toEqual(expect.arrayContaining(rows))
  const wanted = { ...more, rows: [...rows, ...later].sort() }
  await vi.waitFor(async () => expect(await see()).toEqual(wanted))
  await settle(at, listeners)
  expect(await see()).toEqual(wanted)
  // A name reaches the board a second later.
  await vi.waitFor(async () => expect(await moved()).toEqual(shown))
  const { admin } = listeners
  await vi.waitFor(() => {
    const entries = admin?.isOpen() && admin.received.filter(({ target }) => target === 'ReceivedLog')
    if (entries) expect(entries).toHaveLength(wanted.log.length)
  })
  for (const one of Object.values(listeners)) one.close()
}

const cases = Object.entries(callEffects).flatMap(([call, ones]) =>
  Object.entries(ones).map(([when, one]) => [call as CallName, when, one] as const),
)

test.each(cases)('P7.115 %s, %s', async (call, _when, one) => {
  await setStage()
  await observe(stage, one, call)
})

import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { checksum } from '../../test/checksum.ts'
import { openFakeDocker } from '../../test/docker-api.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import type { DB } from '../db/schema.ts'
import { reportNode } from '../health/nodes.queries.ts'
import { runCommand } from './run.ts'
import type { Difference, Found } from './verify.queries.ts'
import { firstDifference, ownAddress } from './verify-boards.ts'

/** Milliseconds of pauses that are skipped, while `replaced` is a list; not those of timers that end with a signal or keep no process alive. */
const pauses = vi.hoisted(() => ({ replaced: null as number[] | null }))
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  return {
    ...real,
    setTimeout: async (ms: number, ...more: [unknown?, object?]) =>
      pauses.replaced && more.length === 0 ? void pauses.replaced.push(ms) : real.setTimeout(ms, ...more),
  }
})

let platform: TestPlatform
let game: number
let other: number
let challenge: number
let port: number
const teams: { call: Caller; participation: number; id: number }[] = []
/** Settings of the container engine. */
let engine: Record<string, string> = {}
const printed: string[] = []
const errors: string[] = []

const ask = (text: string) => platform.database.pool.query(text)
const oneOf = async (text: string) => Object.values((await ask(text)).rows[0] ?? {})[0]

/** Two games, each with a team that found a flag, sent a wrong one, and copied one; and an uploaded file. */
beforeAll(async () => {
  platform = await startTestPlatform()
  const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  for (const at of [0, 1]) {
    const gameId = await aGame(platform.db)
    const open = await aChallenge(platform.db, gameId)
    const own = await aChallenge(platform.db, gameId, { type: 'DynamicContainer', flags: [] })
    for (const _ of [0, 1]) {
      const team = await aTeam(platform.db)
      const participation = await aParticipation(platform.db, gameId, team)
      await platform.db
        .insertInto('teamFlags')
        .values({ participationId: participation, challengeId: own, flag: `flag{of ${participation}}` })
        .execute()
      teams.push({ call: await platform.as(team.captain), participation, id: team.id })
    }
    const [first, second] = teams.slice(at * 2) as [(typeof teams)[0], (typeof teams)[0]]
    const send = async (team: typeof first, to: number, flag: string) =>
      expect((await team.call.post(`/api/game/${gameId}/challenges/${to}`, { flag })).status).toBe(200)
    await send(first, open, 'flag{wrong}')
    await send(first, open, 'flag{right}')
    await send(first, own, `flag{of ${first.participation}}`)
    await send(second, own, `flag{of ${first.participation}}`)
    await send(second, open, 'flag{right}')
    await send(first, open, 'flag{right}')
    if (at === 0) [game, challenge] = [gameId, open]
    else other = gameId
  }
  await aGame(platform.db, { starts: '1h', ends: '2h' })
  await platform.app.listen({ host: '127.0.0.1', port: 0 })
  port = (platform.app.server.address() as AddressInfo).port
  const files = [{ name: 'a.txt', bytes: Buffer.from('some bytes') }]
  expect((await admin.upload('POST', '/api/assets', 'files', files)).status).toBe(200)
  // A logo that was removed.
  await platform.db.insertInto('settings').values({ key: 'GlobalConfig:LogoHash', value: '' }).execute()
})
afterAll(() => platform.stop())
beforeEach(() => {
  printed.length = errors.length = 0
})

const run = (...args: string[]) =>
  runCommand(['verify', ...args], {
    env: {
      PORT: String(port),
      DATABASE_URL: platform.database.url,
      DATA_DIR: platform.dataDir,
      SECRET_KEY: platform.deps.config.secretKey ?? '',
      ...engine,
    },
    serve: async () => undefined,
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
  })

/** Differences as `table id: found; expected`. */
async function differences(...args: string[]): Promise<{ code: number; found: string[] }> {
  printed.length = 0
  const code = await run(...args, '--json')
  const { found } = JSON.parse(printed.join('\n')) as { found: Found[] }
  const lines = found.flatMap((one) => one.differences)
  const lineOf = ({ table, id, found: value, expected }: Difference) => `${table} ${id}: ${value}; ${expected}`
  return { code, found: lines.map(lineOf).sort() }
}

/** Corrupts the data, verifies, and repairs it. Keys and triggers are disabled for these statements. */
const corrupted = (statements: readonly string[], repairs: readonly string[], ...args: string[]) =>
  whileCorrupted(statements, repairs, () => differences(...args))

async function whileCorrupted<T>(statements: readonly string[], repairs: readonly string[], work: () => Promise<T>): Promise<T> {
  const client = await platform.database.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const statement of statements) await client.query(statement)
    const result = await work()
    for (const statement of repairs) await client.query(statement)
    return result
  } finally {
    await client.query('set session_replication_role = origin')
    client.release()
    expect(await differences('--deep')).toEqual({ code: 0, found: [] })
  }
}

/** Connections to the database other than the one of this query. */
const connections = async () =>
  (
    await sql<{ n: number }>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(platform.db)
  ).rows[0]?.n

test('what was played is verified without a difference, changes nothing, and says how much was checked', async () => {
  const before = await checksum(platform.db)
  expect(await run('--deep')).toBe(0)
  expect(printed.at(-1)).toMatch(/^\d\d+ checks, 0 with differences\.$/)
  expect(errors).toEqual([])
  expect(await checksum(platform.db)).toEqual(before)
})

test('a command closes its connections', async () => {
  const before = (await connections()) as number
  for (let again = 0; again < 3; again++) expect(await run()).toBe(0)
  // The platform may have opened another one in the meantime.
  await expect.poll(connections).toBeLessThan(before + 3)
})

test('a solve that was removed, moved or never happened is reported', async () => {
  const solve = `game_id = ${game} and number = 1`
  const submission = await oneOf(`select submission_id from solves where ${solve}`)
  const copy = `create temporary table kept as select * from solves where ${solve}`
  const restore = [`delete from solves where ${solve}`, 'insert into solves select * from kept', 'drop table kept']
  const removed = await corrupted([copy, `delete from solves where ${solve}`], restore)
  expect(removed).toEqual({
    code: 1,
    found: [
      // The platform still serves the previous board.
      `board ${game} tail.solves.0.0: 1; 2`,
      expect.stringContaining(`board ${game} wire.`),
      expect.stringMatching(/^notices \d+: FirstBlood of .+; a solve before /),
      `submissions ${submission}: no solve; solve of submission ${submission}`,
    ],
  })
  const wrong = await oneOf(`select id from submissions where game_id = ${game} and status = 'WrongAnswer'`)
  const moved = await corrupted([copy, `update solves set submission_id = ${wrong} where ${solve}`], restore)
  expect(moved.found).toEqual([
    expect.stringMatching(new RegExp(`^solves ${game}/1: submission ${wrong} is WrongAnswer .+; Accepted of participation`)),
    `submissions ${submission}: solve of submission ${wrong}; solve of submission ${submission}`,
  ])
  const back = await corrupted([copy, `update solves set shown_at = shown_at - interval '1 hour' where ${solve}`], restore)
  expect(back.found.filter((line) => !line.startsWith('board'))).toEqual([
    expect.stringMatching(new RegExp(`^solves ${game}/1: shown at .+; not before `)),
  ])
  const ahead = await corrupted([copy, `update solves set shown_at = shown_at + interval '1 hour' where ${solve}`], restore)
  const notBoards = ahead.found.filter((line) => !line.startsWith('board'))
  expect(notBoards.map((line) => line.split(':')[0])).toEqual([`solves ${game}/2`, `solves ${game}/3`])
  const columns = 'game_id, participation_id, challenge_id, account_id, answer, status'
  /** The solve is that of an answer that was stored later, and arrived at another time. */
  const replaced = (time: string) =>
    corrupted(
      [
        copy,
        `insert into submissions (${columns}, arrived_at) select ${columns}, ${time} from submissions where id = ${submission}`,
        `update solves set submission_id = (select max(id) from submissions), arrived_at = ${time} where ${solve}`,
      ],
      [
        ...restore,
        'delete from submissions where id = (select max(id) from submissions)',
        `select setval('submissions_number', max(id)) from submissions`,
      ],
    )
  const inTime = await replaced("arrived_at - interval '1 second'")
  expect(inTime.found.filter((line) => !line.startsWith('board'))).toEqual([])
  const { found } = await replaced("arrived_at + interval '1 second'")
  expect(found.filter((line) => line.startsWith('submissions'))).toEqual([
    expect.stringMatching(`^submissions ${submission}: solve of submission \\d+; solve of submission ${submission}$`),
  ])
})

test('a changed status is reported, and only in its game', async () => {
  const submission = await oneOf(`select submission_id from solves where game_id = ${game} and number = 1`)
  const set = (status: string) => [`update submissions set status = '${status}' where id = ${submission}`]
  const statements = [set('WrongAnswer'), set('Accepted')] as const
  expect(await corrupted(...statements, '--game', String(other))).toEqual({ code: 0, found: [] })
  const { code, found } = await corrupted(...statements, '--game', String(game))
  expect([code, found]).toEqual([
    1,
    [
      expect.stringContaining(`submission ${submission} is WrongAnswer`),
      // The team has sent the flag again.
      expect.stringMatching(`^submissions \\d+: solve of submission ${submission}; solve of submission \\d+$`),
    ],
  ])
  const copied = await oneOf(`select submission_id from cheats where game_id = ${game}`)
  const asCopy = (status: string) => [`update submissions set status = '${status}' where id = ${copied}`]
  expect((await corrupted(asCopy('WrongAnswer'), asCopy('CheatDetected'))).found).toEqual([
    expect.stringMatching(new RegExp(`^cheats ${copied}: WrongAnswer of `)),
  ])
  const source = await oneOf(`select source_id from cheats where submission_id = ${copied}`)
  const from = (participation: unknown) => [`update cheats set source_id = ${participation} where submission_id = ${copied}`]
  // Its own flag, and that of a team of the other game.
  for (const other of ['participation_id', teams[2]?.participation])
    expect((await corrupted(from(other), from(source))).found).toEqual([
      expect.stringMatching(`^cheats ${copied}: CheatDetected of .+; CheatDetected of .+ flag of another one of this game$`),
    ])
  const [{ participation: owner }, { participation: copier }] = teams as [(typeof teams)[0], (typeof teams)[0]]
  const flagOf = (team: number, flag: number) =>
    `update team_flags set flag = 'flag{of ${flag}}' where participation_id = ${team}`
  const kept = `create temporary table flags_kept as select * from team_flags where participation_id = ${owner}`
  const judged = await corrupted(
    [flagOf(copier, owner), kept, `delete from team_flags where participation_id = ${owner}`],
    [flagOf(copier, copier), 'insert into team_flags overriding system value select * from flags_kept', 'drop table flags_kept'],
  )
  // The flags of the owner are not known.
  expect(judged).toEqual({ code: 0, found: [`submissions ${copied}: CheatDetected; Accepted`] })
  const wrong = await oneOf(`select id from submissions where game_id = ${game} and status = 'WrongAnswer'`)
  const asCheat = (status: string) => [`update submissions set status = '${status}' where id = ${wrong}`]
  expect((await corrupted(asCheat('CheatDetected'), asCheat('WrongAnswer'))).found).toEqual([
    `submissions ${wrong}: no row of cheats; a row of cheats`,
  ])
})

test('rows of another game, a log without a head, and a game without a log are reported', async () => {
  const submission = await oneOf(`select min(id) from submissions where game_id = ${game} and status = 'WrongAnswer'`)
  const moved = await corrupted(
    [`update submissions set game_id = ${other} where id = ${submission}`],
    [`update submissions set game_id = ${game} where id = ${submission}`],
  )
  expect(moved.found).toEqual([
    `submissions ${submission}: participation of game ${game}, challenge of game ${game}; game ${other}`,
  ])
  const theirs = await oneOf(`select min(id) from challenges where game_id = ${other}`)
  const report = await corrupted(
    [`update submissions set challenge_id = ${theirs} where id = ${submission}`],
    [`update submissions set challenge_id = ${challenge} where id = ${submission}`],
  )
  expect(report.found).toEqual([
    `submissions ${submission}: participation of game ${game}, challenge of game ${other}; game ${game}`,
  ])
  const head = await oneOf(`select head from solve_logs where game_id = ${game}`)
  const behind = await corrupted(
    [`update solve_logs set head = 1 where game_id = ${game}`],
    [`update solve_logs set head = ${head} where game_id = ${game}`],
  )
  expect(behind).toEqual({ code: 1, found: [`solve_logs ${game}: head 1; at least ${head}`] })
  const ahead = await corrupted(
    [`update solve_logs set head = head + 1 where game_id = ${game}`],
    [`update solve_logs set head = head - 1 where game_id = ${game}`],
    ...['--url', 'http://127.0.0.1:9'],
  )
  expect(ahead).toEqual({ code: 0, found: [] })
  const without = await corrupted(
    [
      `create temporary table log as select * from solve_logs where game_id = ${game}`,
      `delete from solve_logs where game_id = ${game}`,
    ],
    ['insert into solve_logs select * from log', 'drop table log'],
  )
  expect(without.found.filter((line) => !line.startsWith('board'))).toEqual([`games ${game}: none; a row of solve_logs`])
})

test('a notice of a blood that was not drawn is reported; one that is missing, or names nothing of the game, is a warning', async () => {
  const [{ title }] = (await ask(`select title from challenges where id = ${challenge}`)).rows
  const [{ name }] = (await ask(`select name from teams where id = ${teams[1]?.id}`)).rows
  for (const team of ['Third', 'Fourth']) {
    const more = await aTeam(platform.db, { name: team })
    await aParticipation(platform.db, game, more)
    const { status } = await (await platform.as(more.captain)).post(`/api/game/${game}/challenges/${challenge}`, {
      flag: 'flag{right}',
    })
    expect(status).toBe(200)
  }
  const notice = (team: string, what: string, time = '2020-01-01') =>
    `insert into notices (game_id, type, values, created_at) values (${game}, 'FirstBlood', array['${team}', '${what}'], '${time}')`
  const deletion = [`delete from notices where created_at in ('2020-01-01', '2999-01-01')`]
  const own = await oneOf(`select title from challenges where game_id = ${game} and type = 'DynamicContainer'`)
  const never = await corrupted([notice(name, String(own), '2999-01-01')], deletion)
  expect([never.code, never.found]).toEqual([1, [expect.stringContaining(`FirstBlood of ${name} for ${own}; a solve before`)]])
  const early = await corrupted([notice(name, title)], deletion)
  expect([early.code, early.found]).toEqual([1, [expect.stringContaining(`FirstBlood of ${name} for ${title}; a solve before`)]])
  const foreign = await corrupted([notice('Strangers', title)], deletion)
  expect([foreign.code, foreign.found]).toEqual([0, [expect.stringContaining('FirstBlood of Strangers')]])
  const remove = [
    `create temporary table bloods as select * from notices
      where game_id = ${game} and values in (array['${name}', '${title}'], array['Third', '${title}'])`,
    `delete from notices where id in (select id from bloods)`,
  ]
  const restore = ['insert into notices overriding system value select * from bloods', 'drop table bloods']
  const missing = await corrupted(remove, restore)
  // The fourth has none.
  const blood = (team: string) => expect.stringMatching(`^solves ${game}/\\d+: no notice; a blood of ${team} for ${title}$`)
  expect([missing.code, missing.found]).toEqual([0, [blood(name), blood('Third')]])
  const [second, third] = [teams[1]?.participation, Number(await oneOf('select max(id) - 1 from participations'))]
  const unlisted = await corrupted(
    [
      ...remove,
      `create temporary table listed as select * from participations where id in (${second}, ${third})`,
      `update participations set status = 'Suspended' where id = ${second}`,
      `update participations set created_at = '2999-01-01' where id = ${third}`,
    ],
    [
      ...restore,
      'update participations p set status = l.status, created_at = l.created_at from listed l where l.id = p.id',
      'drop table listed',
    ],
    ...['--game', String(game)],
  )
  const solves = (lines: readonly string[]) => lines.filter((line) => line.startsWith('solves'))
  expect(solves(unlisted.found)).toEqual([blood('Fourth')])
  const ends = await oneOf(`select ends_at::text from games where id = ${game}`)
  const over = await corrupted(
    [
      ...remove,
      `update games set ends_at = (select arrived_at from solves where participation_id = ${third}) where id = ${game}`,
    ],
    [...restore, `update games set ends_at = '${ends}' where id = ${game}`],
  )
  expect(solves(over.found)).toEqual([blood(name)])
})

test('each check of a game is limited to the game that is named', async () => {
  const own = String(await oneOf(`select title from challenges where game_id = ${game} and type = 'DynamicContainer'`))
  const theirs = await oneOf(`select min(id) from challenges where game_id = ${other}`)
  const last = await oneOf('select max(id) from games')
  const tables = ['submissions', 'solve_logs', 'cheats', 'notices']
  const inGame = `where game_id = ${game}`
  const wrong = `where id = (select min(id) from submissions ${inGame} and status = 'WrongAnswer')`
  const notice = (team: string, title: string) =>
    `insert into notices (game_id, type, values, created_at) values (${game}, 'FirstBlood', array[${team}, '${title}'], now())`
  const statements = [
    ...tables.map((name) => `create temporary table kept_${name} as select * from ${name}`),
    `update submissions set status = 'CheatDetected', challenge_id = ${theirs} ${wrong}`,
    `update submissions set status = 'WrongAnswer' where id in (select submission_id from solves ${inGame})`,
    `update solve_logs set head = 0 ${inGame}`,
    `delete from solve_logs where game_id = ${last}`,
    `update cheats set source_id = participation_id ${inGame}`,
    `delete from notices ${inGame}`,
    ...[notice(`(select name from teams where id = ${teams[1]?.id})`, own), notice("'Strangers'", own)],
  ]
  const repairs = tables.flatMap((name) => [
    `delete from ${name}`,
    `insert into ${name} overriding system value select * from kept_${name}`,
    `drop table kept_${name}`,
  ])
  const [limited, all] = await whileCorrupted(statements, repairs, async () => {
    const inOther = await differences('--game', String(other))
    await differences()
    return [inOther, JSON.parse(printed.join('\n')).found as Found[]] as const
  })
  expect(limited).toEqual({ code: 0, found: [] })
  expect(all.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'a solve belongs to a correct submission',
      'the first correct submission of a team for a challenge is in the solve log',
      'a correct answer is not stored as wrong, and a wrong one not as correct',
      'the head of a solve log is not behind its last number',
      'a game has a solve log',
      'a copied flag was sent by another team',
      'a submission of a copied flag has its entry',
      'rows that name a game belong to participations and challenges of that game',
      'a blood that is announced was drawn',
      'a blood that is announced names a team and a challenge of the game',
      'a blood that was drawn is announced',
    ]),
  )
  // Not at the same time: the platform would draw the board of these times.
  const byAnHour = (sign: string) => [`update solves set shown_at = shown_at ${sign} interval '1 hour' ${inGame}`]
  expect(await corrupted(byAnHour('-'), byAnHour('+'), '--game', String(other))).toEqual({ code: 0, found: [] })
})

test('each check with differences is printed with its number and its rows, errors marked otherwise than warnings', async () => {
  const last = await oneOf(`select last_value from notices_id_seq`)
  await ask(`insert into released_files (hash) values ('${'0'.repeat(64)}'), ('${'1'.repeat(64)}')`)
  await ask(`select setval('notices_id_seq', 1)`)
  try {
    expect(await run()).toBe(1)
    expect(printed).toEqual([
      'DIFFERENT  sequences are not behind the rows of their tables: 1',
      expect.stringMatching(/^ {2}notices \S*notices_id_seq: 1; expected at least \d+$/),
      'warning    no released file waits for the sweep: 1',
      '  released_files all: 2 rows; expected no rows',
      expect.stringMatching(/^\d\d+ checks, 1 with differences\.$/),
    ])
  } finally {
    await ask('delete from released_files')
    await ask(`select setval('notices_id_seq', ${last})`)
  }
})

test('a sequence that was set back, and with --deep an orphan row, are reported', async () => {
  const last = await oneOf('select last_value from submissions_number')
  const restored = [`select setval('submissions_number', ${last})`]
  // The next number is that of a row.
  const sequence = await corrupted([`select setval('submissions_number', ${last}, false)`], restored)
  expect(sequence).toEqual({
    code: 1,
    found: [`submissions submissions_number: ${Number(last) - 1}; at least ${last}`],
  })
  const identity = await oneOf(`select last_value from notices_id_seq`)
  const notices = await corrupted([`select setval('notices_id_seq', 1)`], [`select setval('notices_id_seq', ${identity})`])
  expect(notices.found).toEqual([expect.stringMatching(/^notices \w*\.?notices_id_seq: 1; at least \d+$/)])
  const orphan = [
    `insert into registrations (participation_id, account_id, team_id, game_id) values (99999, gen_random_uuid(), 1, ${game})`,
  ]
  const repair = ['delete from registrations where participation_id = 99999']
  expect((await corrupted(orphan, repair)).found).toEqual([])
  const deep = await corrupted(orphan, repair, '--deep')
  expect(deep.code).toBe(1)
  expect(deep.found).toContainEqual(
    expect.stringMatching(/^registrations 99999\/.+: no row of participations; a row of participations$/),
  )
})

test('with --deep a key that two rows have, which a damaged index does not refuse, is reported', async () => {
  const index = (isReady: boolean) => `update pg_index set indisready = ${isReady} where indexrelid = 'settings_pkey'::regclass`
  const database = await oneOf('select current_database()')
  // The planner prefers the index, as it does for a larger table.
  const prefer = `alter database "${database}" set enable_seqscan = off`
  const twice = [prefer, index(false), `insert into settings (key, value) values ('Test:Twice', '1'), ('Test:Twice', '2')`]
  const repair = [
    `delete from settings where key like '%:Twice'`,
    index(true),
    'reindex index settings_pkey',
    `alter database "${database}" reset enable_seqscan`,
  ]
  expect(await corrupted(twice, repair, '--deep')).toEqual({ code: 1, found: ['settings Test:Twice: 2 rows; 1 row'] })
})

test('bytes that were changed or lost, and files without a reference, are reported', async () => {
  const hash = String(await oneOf('select hash from files'))
  const path = readdirSync(platform.dataDir, { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith(hash)) ?? ''
  writeFileSync(join(platform.dataDir, path), 'some bytez', { mode: 0o600 })
  try {
    expect(await differences()).toEqual({ code: 0, found: [] })
    const { code, found } = await differences('--deep')
    expect(printed.join('\n')).toContain('a stored file has the bytes of its hash')
    expect([code, found]).toEqual([1, [expect.stringMatching(new RegExp(`^files ${hash}: bytes of [0-9a-f]{64}; stored$`))]])
  } finally {
    writeFileSync(join(platform.dataDir, path), 'some bytes')
  }
  const unknown = '0'.repeat(64)
  const avatar = (value: string) => `update teams set avatar_hash = ${value} where id = ${teams[0]?.id}`
  const lost = await corrupted(
    [`insert into files (hash, name, type, size, pinned) values ('${unknown}', 'b', 't', 1, false)`, avatar(`'${hash}'`)],
    [`delete from files where hash = '${unknown}'`, avatar('null')],
  )
  expect([lost.code, lost.found.filter((line) => !line.startsWith('board'))]).toEqual([
    1,
    [`files ${unknown}: none; at least 1`, `files ${unknown}: not stored; stored`],
  ])
  const many = await corrupted(
    [`insert into files (hash, name, type, size) select lpad(n::text, 64, '0'), 'b', 't', 1 from generate_series(120, 1, -1) n`],
    [`delete from files where name = 'b'`],
  )
  expect(many.found.filter((line) => line.endsWith(': not stored; stored'))).toEqual(
    Array.from({ length: 100 }, (_, place) => `files ${String(place + 1).padStart(64, '0')}: not stored; stored`),
  )
  const captain = await oneOf(`select captain_id from teams where id = ${teams[0]?.id}`)
  const { participation } = teams[0] as (typeof teams)[0]
  const set = (table: string, column: string, id: unknown) => [
    `update ${table} set ${column} = '${unknown}' where id = '${id}'`,
    `update ${table} set ${column} = null where id = '${id}'`,
  ]
  const changes = [
    set('accounts', 'avatar_hash', captain),
    [
      `insert into attachments (id, challenge_id, type, file_hash) overriding system value
        values (0, ${challenge}, 'Local', '${unknown}')`,
      'delete from attachments where id = 0',
    ],
    set('games', 'poster_hash', other),
    ...['Favicon', 'Logo'].map((what) => [
      `insert into settings (key, value) values ('GlobalConfig:${what}Hash', '${unknown}') on conflict (key) do update set value = excluded.value`,
      `update settings set value = '' where key = 'GlobalConfig:${what}Hash'`,
    ]),
    set('teams', 'avatar_hash', teams[0]?.id),
    [
      `insert into writeups (participation_id, file_hash, file_name) values (${participation}, '${unknown}', 'x.pdf')`,
      `delete from writeups where participation_id = ${participation}`,
    ],
  ]
  const dangling = await corrupted(
    changes.map(([change]) => String(change)),
    changes.map(([, repair]) => String(repair)),
  )
  expect(dangling.found.filter((line) => !line.startsWith('board'))).toEqual(
    [
      ...[`accounts ${captain}`, 'attachments 0', `games ${other}`],
      ...['settings GlobalConfig:FaviconHash', 'settings GlobalConfig:LogoHash'],
      ...[`teams ${teams[0]?.id}`, `writeups ${participation}`],
    ].map((row) => `${row}: ${unknown}, no row of files; a row of files`),
  )
  const released = await corrupted([`insert into released_files (hash) values ('${unknown}')`], ['delete from released_files'])
  expect(released).toEqual({ code: 0, found: ['released_files all: 1 rows; no rows'] })
})

test('a board that is not the one of its log is reported in each form with its first difference, hidden games included', async () => {
  await ask(`update games set hidden = true where id = ${game}`)
  try {
    const set = (title: string) => [`update challenges set title = '${title}' where id = ${challenge}`]
    const title = String(await oneOf(`select title from challenges where id = ${challenge}`))
    // With triggers off, like a write that bypasses the application: the version of the board does not change.
    const { code, found } = await corrupted(set(`${title}!`), set(title), '--game', String(game))
    expect(code).toBe(1)
    expect(found.filter((line) => line.startsWith('board'))).toEqual([
      `board ${game} feed.challenges.title.0: "${title}"; "${title}!"`,
      expect.stringMatching(new RegExp(`^board ${game} wire\\.challenges\\.\\w+\\.0\\.title: "${title}"; "${title}!"$`)),
    ])
  } finally {
    await ask(`update games set hidden = false where id = ${game}`)
  }
})

test('without a platform at the address boards are not compared, and the rest is', async () => {
  const code = await run('--url', 'http://127.0.0.1:9', '--json')
  expect([code, JSON.parse(printed.join('\n'))]).toMatchObject([0, { boardsCompared: false, found: [] }])
  expect(errors).toEqual(['No platform answers at http://127.0.0.1:9: boards are not compared.'])
  expect(await run('--url', 'file:///etc/passwd')).toBe(2)
})

/** Answers as the platform does, except where `changed` returns something else; `number` counts the requests for a form, from 1. */
async function besideThePlatform(changed: (form: string, number: number, text: string) => string | Record<string, string>) {
  const counts = new Map<string, number>()
  const tails: string[] = []
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const form = path.includes('?') ? 'tail' : (path.split('/').at(-1) ?? '')
    if (form === 'tail') tails.push(path.replace(/.*\?/, ''))
    const number = (counts.get(form) ?? 0) + 1
    counts.set(form, number)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    const given = changed(form, number, await answer.text())
    if (typeof given === 'string') response.writeHead(answer.status).end(given)
    else response.writeHead(429, given).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  pauses.replaced = []
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return { ...(await differences('--url', url, '--game', String(game))), pauses: pauses.replaced, counts, tails }
  } finally {
    pauses.replaced = null
    server.close()
  }
}

test('a refused request, and a board of another version, are asked again after a pause', async () => {
  const refusals: Record<string, string>[] = [{ 'retry-after': '7' }, { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, {}]
  const result = await besideThePlatform((form, number, text) => {
    const refusal = form === 'feed' && refusals[number - 1]
    if (refusal) return refusal
    if (form === 'feed' && number === 4) return text.replace('"head":0', '"head":512')
    if (form === 'scoreboard' && number === 1) return text.replace(/"updateTimeUtc":"\d+/, '"updateTimeUtc":"1970')
    if ((form === 'feed' && number === 5) || (form === 'tail' && number === 3)) return text.replace(/"roster":\d+/, '"roster":99')
    return text
  })
  expect(result).toMatchObject({ code: 0, found: [], pauses: [7000, 1000, 1000, 1000, 1000, 1000] })
  expect(Object.fromEntries(result.counts)).toEqual({ healthz: 1, feed: 7, tail: 4, scoreboard: 4 })
  // A tail begins where the feed before it ends.
  expect(result.tails).toEqual(['after=512', 'after=0', 'after=0', 'after=0'])
})

test('a board that stays at another version is a warning, and one that is always refused is a difference', async () => {
  const old = await besideThePlatform((_form, _number, text) => text.replace(/"updateTimeUtc":"\d+/, '"updateTimeUtc":"1970'))
  const head = await oneOf(`select head from solve_logs where game_id = ${game}`)
  expect(old).toMatchObject({ code: 0, found: [`board ${game} version: ${head}; ${head}`], pauses: Array(29).fill(1000) })
  const refused = await besideThePlatform((form, _number, text) => (form === 'feed' ? {} : text))
  const found = [`board ${game} answer: "scoreboard/feed answers 429"; "a board"`]
  expect(refused).toMatchObject({ code: 1, found, pauses: Array(29).fill(1000) })
})

test('a board that does not arrive in time is reported', async () => {
  const silent = createServer((request, response) => {
    if (request.url === '/healthz') response.end('Healthy')
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 60_000 ? 300 : ms))
  try {
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const { code, found } = await differences('--url', url, '--game', String(game))
    expect([code, found]).toEqual([1, [`board ${game} answer: "The operation was aborted due to timeout"; "a board"`]])
  } finally {
    spy.mockRestore()
    silent.closeAllConnections()
    silent.close()
  }
})

test('with --nodes the boards of each node are compared at its address, and one that cannot be reached is listed', async () => {
  const ids = [1, 2, 3].map((id) => `00000000-0000-4000-8000-00000000000${id}`)
  const node = (id: string, url: string | null) =>
    reportNode(platform.db, { id, url, version: '1.2.0', processes: 1, state: 'Serving' })
  const nodes = async () => {
    printed.length = 0
    const code = await run('--nodes', '--game', String(game), '--json')
    return { code, ...(JSON.parse(printed.join('\n')) as { boardsCompared: boolean; checks: number; found: Found[] }) }
  }
  expect(await nodes()).toMatchObject({ code: 0, boardsCompared: false })
  await node(ids[0]!, `http://127.0.0.1:${port}`)
  const one = await nodes()
  expect(one).toMatchObject({ code: 0, boardsCompared: true, found: [] })
  await node(ids[1]!, `http://localhost:${port}`)
  expect(await nodes()).toMatchObject({ code: 0, checks: one.checks + 1 })
  await node(ids[1]!, 'http://127.0.0.1:9')
  await node(ids[2]!, null)
  const { code, boardsCompared, found } = await nodes()
  expect([code, boardsCompared]).toEqual([1, true])
  expect(found.flatMap(({ differences }) => differences.map(({ id, found }) => `${id}: ${found}`))).toEqual([
    `${ids[1]}: no answer at http://127.0.0.1:9`,
    `${ids[2]}: no VEXIL_NODE_URL`,
  ])
  expect(await run('--nodes', '--url', 'http://127.0.0.1:9')).toBe(2)
  expect(errors).toEqual(['Give either --nodes or --url.'])
  await platform.db.deleteFrom('nodes').execute()
})

test('rows and containers without each other are warnings; containers of another installation are not', async () => {
  const docker = await openFakeDocker()
  const when = new Date('2030-01-01')
  const installation = String(await oneOf('update installation set engine_label = gen_random_uuid() returning engine_label'))
  const idOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`
  const withContainer = (at: number, of = installation) =>
    docker.containers.set(String(at), {
      Id: String(at),
      Labels: { 'vexil.installation': of, 'vexil.container': idOf(at) },
      network: 'network',
      ports: [],
      publishedAt: [],
      Env: [],
      State: 'running',
      ExitCode: 0,
      OOMKilled: false,
      FinishedAt: '',
      UsernsMode: undefined,
      SizeRw: 0,
      Mounts: [],
    })
  const withRow = (at: number, state: Insertable<DB['containers']>['state']) =>
    platform.db
      .insertInto('containers')
      .values({
        id: idOf(at),
        challengeId: challenge,
        participationId: teams[at]?.participation ?? null,
        subnetIndex: at,
        image: 'image',
        state,
        leaseUntil: when,
        startedAt: when,
        stopsAt: when,
        host: '127.0.0.1',
        port: 80,
        endedAt: state === 'Ended' ? when : null,
      })
      .execute()
  try {
    for (const at of [0, 1]) await withRow(at, 'Running')
    await withRow(2, 'Pending')
    for (const at of [3, 4]) await withRow(at, 'Ended')
    for (const at of [0, 3]) withContainer(at)
    withContainer(5, 'another')
    expect(await differences()).toEqual({ code: 0, found: [] })
    engine = { VEXIL_CONTAINER_PROVIDER: 'Docker', VEXIL_DOCKER_HOST: docker.door.address }
    expect(await differences()).toEqual({
      code: 0,
      found: [`containers ${idOf(1)}: no container; a running container`, `engine ${idOf(3)}: a container; a row of containers`],
    })
    expect(await differences('--game', String(game))).toEqual({ code: 0, found: [] })
    engine = { VEXIL_CONTAINER_PROVIDER: 'Docker', VEXIL_DOCKER_HOST: 'unix:///nowhere/docker.sock' }
    expect(await differences()).toEqual({ code: 0, found: [expect.stringMatching(/^engine all: .+; a list of containers$/)] })
    expect(await oneOf('select engine_label from installation')).toBe(installation)
  } finally {
    engine = {}
    await ask('delete from containers')
    await docker.close()
  }
})

test('the address of the own platform, and the first difference of two values', () => {
  const address = (host: string) => ownAddress({ host, port: 80 })
  expect(['0.0.0.0', '::', '::1', 'ctf.example.org'].map(address)).toEqual([
    'http://127.0.0.1:80',
    'http://[::1]:80',
    'http://[::1]:80',
    'http://ctf.example.org:80',
  ])
  expect(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, 'x')).toBeNull()
  expect(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, 'x')).toEqual({ path: 'x.a.1.b', found: 2, expected: 3 })
  expect(firstDifference({ a: 1, c: 2 }, { a: 1 }, 'x')).toEqual({ path: 'x.c', found: 2, expected: undefined })
  expect(firstDifference([], {}, 'x')).toEqual({ path: 'x', found: [], expected: {} })
})

test('an unknown game, and an id that is none, end with 2', async () => {
  expect(await run('--game', '99999')).toBe(2)
  expect(await run('--game', '1; drop table games')).toBe(2)
  expect(await run('--game', 'x1')).toBe(2)
  expect(await run('--game', '2147483648')).toBe(2)
  expect(errors).toEqual([
    'There is no game 99999.',
    '--game must be the id of a game, not "1; drop table games".',
    '--game must be the id of a game, not "x1".',
    '--game must be the id of a game, not "2147483648".',
  ])
})

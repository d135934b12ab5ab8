/**
 * npm run seed -- --teams N --challenges M --solves S --actors FILE: a running game with that many teams and solves, written directly into
 * the database of DATABASE_URL, or of DATA_DIR while no platform runs there. The platform must have been started on it once: nothing is migrated.
 * A database that has accounts or other connections is refused unless `--into NAME` repeats its name. FILE gets, for any load generator,
 * `{"game","monitor":{"cookie"},"challenges":[{"id","flag"}],"actors":[{"id","headers":{"cookie"},"solved":[challenge ids]}]}`, one actor per team.
 * The same numbers give the same game: good teams solve many challenges early, many teams solve few, every twentieth team joins late; two divisions.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { challengeCategories } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { hashToken } from '../../apps/server/src/accounts/sessions.ts'
import { readConfig } from '../../apps/server/src/config.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { isMigrated } from '../../apps/server/src/db/migrate.ts'
import type { Db } from '../../apps/server/src/db/transaction.ts'
import { cookieName } from '../../apps/server/src/http/session-cookie.ts'
import { StartError } from '../../apps/server/src/start-error.ts'
import { aGame } from '../../apps/server/test/builders/game.ts'

export interface Seed {
  readonly teams: number
  readonly challenges: number
  readonly solves: number
}

export interface Actor {
  /** Number of the participation. */
  readonly id: number
  readonly headers: { readonly cookie: string }
  /** Numbers of challenges. */
  readonly solved: readonly number[]
}

export interface Seeded {
  readonly game: number
  readonly challenges: readonly { readonly id: number; readonly flag: string }[]
  readonly actors: readonly Actor[]
  /** The session of an account that may monitor games. */
  readonly monitor: { readonly cookie: string }
}

const hour = 3_600_000
const startedAgo = 12 * hour
const lateWithin = 2 * hour
const solvesAtOnce = 20_000
/** Each team increments a counter in one row of its game: the more teams a statement inserts, the more versions of that row it scans. */
const teamsAtOnce = 1000

/** Pseudorandom numbers in [0, 1), the same for the same seed (mulberry32). */
function numbers(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Solve {
  readonly team: number
  readonly challenge: number
  /** Milliseconds after the start of the game. */
  readonly after: number
}

/** The solves in order of time, drawn without repetition; the weight of each pair is the team's skill times the challenge's ease. */
function drawSolves({ teams, challenges, solves }: Seed, joined: readonly number[]): Solve[] {
  const random = numbers(teams * 31 + challenges)
  const skill = Array.from({ length: teams }, () => random() ** 3 + 0.002)
  const ease = Array.from({ length: challenges }, () => random() ** 2 + 0.01)
  const drawn: { pair: number; key: number }[] = []
  for (let pair = 0; pair < teams * challenges; pair++) {
    const weight = (skill[Math.floor(pair / challenges)] as number) * (ease[pair % challenges] as number)
    drawn.push({ pair, key: -Math.log(random() + 1e-12) / weight })
  }
  drawn.sort((a, b) => a.key - b.key)
  const made = drawn.slice(0, Math.min(solves, drawn.length)).map(({ pair }): Solve => {
    const [team, challenge] = [Math.floor(pair / challenges), pair % challenges]
    const begins = joined[team] as number
    const part = random() ** (1 + 2 * (skill[team] as number))
    return { team, challenge, after: Math.floor(begins + part * (startedAgo - begins - 60_000)) }
  })
  return made.sort((a, b) => a.after - b.after)
}

/** Splits lists of the same length into parts that are inserted by one statement each. */
function* parts(length: number, atOnce: number): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < length; from += atOnce) yield [from, Math.min(length, from + atOnce)]
}

/** Fills the database. The players' accounts have no password; the result has their sessions. */
export async function seed(db: Db, wanted: Seed): Promise<Seeded> {
  const started = Date.now() - startedAgo
  const game = await aGame(db, {
    title: `Seeded ${wanted.teams} x ${wanted.challenges}`,
    starts: `-${startedAgo / 1000}s`,
    ends: `${startedAgo / 1000}s`,
    divisions: ['Open', 'Students'],
    acceptWithoutReview: true,
  })
  const random = numbers(wanted.teams)
  const flags = Array.from({ length: wanted.challenges }, (_, at) => `flag{seeded_${at}_${randomBytes(6).toString('hex')}}`)
  const challenges = await sql<{ id: number }>`
    insert into challenges (game_id, title, content, category, type, enabled, enabled_at, original_score, difficulty)
    select ${game}, 'Challenge ' || n, repeat('What is to be done here is said in some lines. ', 20), c.name, 'StaticAttachment', true, now(), 500 + 100 * (n % 6), 5
    from generate_series(1, ${wanted.challenges}::int) n
    join unnest(${[...challengeCategories]}::text[]) with ordinality as c (name, place) on c.place = 1 + n % ${challengeCategories.length}
    order by n returning id`.execute(db)
  const challengeIds = challenges.rows.map(({ id }) => id)
  await sql`insert into flags (challenge_id, flag) select * from unnest(${challengeIds}::int[], ${flags}::text[])`.execute(db)

  const joined = Array.from({ length: wanted.teams }, (_, at) => (at % 20 === 19 ? startedAgo - random() * lateWithin : 0))
  const accounts = joined.map(() => randomUUID())
  const tokens = joined.map(() => randomBytes(32).toString('base64url'))
  const participations: number[] = []
  for (const [from, to] of parts(wanted.teams, teamsAtOnce)) {
    const of = accounts.slice(from, to)
    const names = of.map((_, at) => `g${game}p${from + at}`)
    await sql`insert into accounts (id, user_name, name_key, email, password_hash, active)
      select id, name, name, name || '@example.org', 'none', true from unnest(${of}::uuid[], ${names}::text[]) as a (id, name)`.execute(
      db,
    )
    await sql`insert into sessions (token_hash, account_id, expires_at)
      select decode(hash, 'hex'), id, now() + interval '7 days'
      from unnest(${tokens.slice(from, to).map((token) => hashToken(token).toString('hex'))}::text[], ${of}::uuid[]) as s (hash, id)`.execute(
      db,
    )
    const made = joined.slice(from, to).map((after) => new Date(started + after))
    const { rows } = await sql<{ id: number }>`
      with given as (
        select * from unnest(${of}::uuid[], ${made}::timestamptz[]) with ordinality as g (account, made, place)
      ), team as (
        insert into teams (name, captain_id, invite_token, created_at)
        select 'Team ' || ${game}::int || '-' || (${from}::int + place), account, md5(account::text), made from given order by place
        returning id, captain_id
      ), member as (
        insert into team_members (team_id, account_id) select id, captain_id from team
      ), part as (
        insert into participations (game_id, team_id, status, division, token, created_at)
        select ${game}, t.id, 'Accepted', (array['Open', 'Students'])[1 + g.place % 2], t.id || ':none', g.made
        from team t join given g on g.account = t.captain_id order by g.place
        returning id, team_id
      ), taking as (
        -- The foreign key to the members is tested at the end of the statement.
        insert into registrations (participation_id, account_id, team_id, game_id)
        select p.id, t.captain_id, t.id, ${game} from part p join team t on t.id = p.team_id
      )
      select p.id from part p join team t on t.id = p.team_id join given g on g.account = t.captain_id order by g.place`.execute(
      db,
    )
    participations.push(...rows.map(({ id }) => id))
  }

  const solves = drawSolves(wanted, joined)
  for (const [from, to] of parts(solves.length, solvesAtOnce)) {
    const of = solves.slice(from, to)
    await sql`
      with given as (
        select nextval('submissions_number')::int as submission, ${from}::bigint + place as number, g.*
        from unnest(
          ${of.map(({ team }) => participations[team])}::int[], ${of.map(({ challenge }) => challengeIds[challenge])}::int[],
          ${of.map(({ team }) => accounts[team])}::uuid[], ${of.map(({ challenge }) => flags[challenge])}::text[],
          ${of.map(({ after }) => new Date(started + after))}::timestamptz[]
        ) with ordinality as g (participation, challenge, account, answer, arrived, place)
      ), sent as (
        insert into submissions (id, game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
        select submission, ${game}, participation, challenge, account, answer, 'Accepted', arrived from given
      )
      insert into solves (game_id, number, participation_id, challenge_id, submission_id, account_id, arrived_at, shown_at)
      select ${game}, number, participation, challenge, submission, account, arrived, arrived from given order by number`.execute(
      db,
    )
  }
  await sql`update solve_logs set head = ${solves.length}, epoch = epoch + 1 where game_id = ${game}`.execute(db)
  const watcher = randomBytes(32).toString('base64url')
  const name = `g${game}monitor`
  await sql`with account as (
      insert into accounts (id, user_name, name_key, email, password_hash, active, role)
      values (${randomUUID()}, ${name}, ${name}, ${`${name}@example.org`}, 'none', true, 'Monitor') returning id
    ) insert into sessions (token_hash, account_id, expires_at)
    select decode(${hashToken(watcher).toString('hex')}, 'hex'), id, now() + interval '7 days' from account`.execute(db)
  await sql`analyze`.execute(db)

  const solved = Map.groupBy(solves, ({ team }) => team)
  return {
    game,
    monitor: { cookie: `${cookieName}=${watcher}` },
    challenges: challengeIds.map((id, at) => ({ id, flag: flags[at] as string })),
    actors: participations.map((id, team) => ({
      id,
      headers: { cookie: `${cookieName}=${tokens[team]}` },
      solved: (solved.get(team) ?? []).map(({ challenge }) => challengeIds[challenge] as number),
    })),
  }
}

/** Refuses a database that does not have the schema of this release, or may be in use. `into`: the name that the caller repeated. @throws StartError */
export async function mustBeMeant(db: Db, into: string | undefined): Promise<void> {
  if (!(await isMigrated(db)))
    throw new StartError('The database does not have the tables of this release. Start the platform on it once, then seed it.')
  const { rows } = await sql<{ name: string; accounts: number; connections: number }>`
    select current_database() as name, (select count(*) from accounts) as accounts, (
      select count(*) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
    ) as connections`.execute(db)
  const { name, accounts, connections } = rows[0]!
  if (into === name) return
  if (into !== undefined) throw new StartError(`--into names ${into}, but the database is ${name}.`)
  const why = accounts > 0 ? `has ${accounts} accounts` : connections > 0 ? `is in use by ${connections} other connections` : null
  if (why !== null) throw new StartError(`The database ${name} ${why}. To seed it anyway, add --into ${name}.`)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      teams: { type: 'string', default: '1000' },
      challenges: { type: 'string', default: '50' },
      solves: { type: 'string', default: '12000' },
      actors: { type: 'string' },
      into: { type: 'string' },
    },
  })
  /** Functions that close what was opened, called in reverse order. */
  const opened: (() => Promise<void>)[] = []
  try {
    const config = readConfig(process.env)
    const embedded = config.databaseUrl ? null : await startEmbedded({ dataDir: config.dataDir, printLine: console.error })
    if (embedded) opened.push(embedded.stop)
    const source = embedded ? embedded.connection : { url: config.databaseUrl as string }
    const database = await openDatabase({ source, poolSize: 2 })
    opened.push(database.close)
    await mustBeMeant(database.db, values.into)
    const wanted = { teams: Number(values.teams), challenges: Number(values.challenges), solves: Number(values.solves) }
    const seeded = await seed(database.db, wanted)
    if (values.actors) writeFileSync(values.actors, JSON.stringify(seeded), { mode: 0o600 })
    const solves = seeded.actors.reduce((sum, { solved }) => sum + solved.length, 0)
    console.log(`Game ${seeded.game}: ${seeded.actors.length} teams, ${seeded.challenges.length} challenges, ${solves} solves.`)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    console.error(error.message)
    process.exitCode = 2
  } finally {
    for (const close of opened.reverse()) await close()
  }
}

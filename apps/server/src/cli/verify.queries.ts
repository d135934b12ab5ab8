/** Statements of `vexil verify`: each returns a row per difference. They lock nothing and read one snapshot. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'

/** One thing that is not as the rest of the data demands. */
export interface Difference {
  readonly check: string
  readonly table: string
  readonly id: string
  readonly found: string
  readonly expected: string
  /** It may have a harmless reason, such as a renamed team: no exit code. */
  readonly isWarning?: boolean
}

/** Rows that a check lists; the rest is only counted. */
export const listedMost = 100

interface Statement {
  readonly check: string
  readonly table: string
  /** Columns id, found, expected; `$1` is the game or null for all. */
  readonly text: string
  readonly isWarning?: boolean
}

const inGame = (column: string) => `($1::integer is null or ${column} = $1)`

const statements: readonly Statement[] = [
  {
    check: 'a solve belongs to a correct submission',
    table: 'solves',
    text: `select s.game_id || '/' || s.number as id,
        coalesce('submission ' || b.id || ' is ' || b.status || ' of participation ' || b.participation_id || ', challenge ' || b.challenge_id
          || ', game ' || b.game_id || ' at ' || b.arrived_at, 'submission ' || s.submission_id || ' is missing') as found,
        'Accepted of participation ' || s.participation_id || ', challenge ' || s.challenge_id || ', game ' || s.game_id || ' at ' || s.arrived_at as expected
      from solves s left join submissions b on b.id = s.submission_id
      where ${inGame('s.game_id')} and (b.id is null or (b.status, b.participation_id, b.challenge_id, b.game_id, b.arrived_at)
        is distinct from ('Accepted', s.participation_id, s.challenge_id, s.game_id, s.arrived_at))`,
  },
  {
    check: 'the first correct submission of a team for a challenge is in the solve log',
    table: 'submissions',
    text: `select f.id::text as id, coalesce('solve of submission ' || s.submission_id, 'no solve') as found, 'solve of submission ' || f.id as expected
      from (
        select distinct on (participation_id, challenge_id) * from submissions
        where status = 'Accepted' and ${inGame('game_id')} order by participation_id, challenge_id, id
      ) f
      left join solves s on s.participation_id = f.participation_id and s.challenge_id = f.challenge_id
      -- One that arrived earlier, in time, may have taken its place.
      where s.submission_id is distinct from f.id and (s.submission_id > f.id and s.arrived_at < f.arrived_at) is not true`,
  },
  {
    check: 'a correct answer is not stored as wrong, and a wrong one not as correct',
    table: 'submissions',
    text: `select b.id::text as id, b.status as found, case when k.is_right then 'Accepted' else 'not Accepted' end as expected
      from submissions b
      join challenges c on c.id = b.challenge_id
      cross join lateral (select exists (
        select from team_flags t where t.challenge_id = b.challenge_id and t.participation_id = b.participation_id and t.flag = b.answer
      ) as is_right) k
      where ${inGame('b.game_id')} and c.type in ('DynamicAttachment', 'DynamicContainer') and (b.status = 'Accepted') <> k.is_right
        and exists (select from team_flags t where t.challenge_id = b.challenge_id and t.participation_id = b.participation_id)`,
    isWarning: true,
  },
  {
    check: 'the head of a solve log is not behind its last number',
    table: 'solve_logs',
    text: `select l.game_id::text as id, 'head ' || l.head as found, 'at least ' || max(s.number) as expected
      from solve_logs l join solves s using (game_id) where ${inGame('l.game_id')} group by l.game_id, l.head having l.head < max(s.number)`,
  },
  {
    check: 'a game has a solve log',
    table: 'games',
    text: `select g.id::text as id, 'none' as found, 'a row of solve_logs' as expected
      from games g left join solve_logs l on l.game_id = g.id where ${inGame('g.id')} and l.game_id is null`,
  },
  {
    check: 'times in a solve log never go back',
    table: 'solves',
    text: `select game_id || '/' || number as id, 'shown at ' || shown_at as found,
        'not before ' || greatest(earlier, arrived_at) as expected
      from (select *, max(shown_at) over (partition by game_id order by number rows between unbounded preceding and 1 preceding) as earlier
        from solves where ${inGame('game_id')}) s
      where shown_at < greatest(earlier, arrived_at)`,
  },
  {
    check: 'a copied flag was sent by another team',
    table: 'cheats',
    text: `select c.submission_id::text as id,
        b.status || ' of participation ' || b.participation_id || ' in game ' || b.game_id || ', flag of participation ' || c.source_id as found,
        'CheatDetected of participation ' || c.participation_id || ' in game ' || c.game_id || ', flag of another one of this game' as expected
      from cheats c join submissions b on b.id = c.submission_id join participations o on o.id = c.source_id
      where ${inGame('c.game_id')} and ((b.status, b.participation_id, b.game_id) is distinct from ('CheatDetected', c.participation_id, c.game_id)
        or c.source_id = c.participation_id or o.game_id <> c.game_id)`,
  },
  {
    check: 'a submission of a copied flag has its entry',
    table: 'submissions',
    text: `select b.id::text as id, 'no row of cheats' as found, 'a row of cheats' as expected
      from submissions b left join cheats c on c.submission_id = b.id
      where ${inGame('b.game_id')} and b.status = 'CheatDetected' and c.submission_id is null`,
  },
  {
    check: 'rows that name a game belong to participations and challenges of that game',
    table: 'submissions',
    text: `select b.id::text as id, 'participation of game ' || p.game_id || ', challenge of game ' || c.game_id as found, 'game ' || b.game_id as expected
      from submissions b join participations p on p.id = b.participation_id join challenges c on c.id = b.challenge_id
      where ${inGame('b.game_id')} and (p.game_id <> b.game_id or c.game_id <> b.game_id)`,
  },
  {
    check: 'a blood that is announced was drawn',
    table: 'notices',
    text: `select n.id::text as id, n.type || ' of ' || n.values[1] || ' for ' || n.values[2] as found, 'a solve before ' || n.created_at as expected
      from notices n
      where ${inGame('n.game_id')} and n.type in ('FirstBlood', 'SecondBlood', 'ThirdBlood')
        and exists (select from challenges c where c.game_id = n.game_id and c.title = n.values[2])
        and exists (select from participations p join teams t on t.id = p.team_id where p.game_id = n.game_id and t.name = n.values[1])
        and not exists (
          select from solves s join challenges c on c.id = s.challenge_id join participations p on p.id = s.participation_id join teams t on t.id = p.team_id
          where s.game_id = n.game_id and c.title = n.values[2] and t.name = n.values[1] and s.arrived_at <= n.created_at
        )`,
  },
  {
    check: 'a blood that is announced names a team and a challenge of the game',
    table: 'notices',
    text: `select n.id::text as id, n.type || ' of ' || coalesce(n.values[1], '') || ' for ' || coalesce(n.values[2], '') as found,
        'names of this game, unless they were changed or deleted' as expected
      from notices n
      where ${inGame('n.game_id')} and n.type in ('FirstBlood', 'SecondBlood', 'ThirdBlood')
        and not (exists (select from challenges c where c.game_id = n.game_id and c.title = n.values[2])
          and exists (select from participations p join teams t on t.id = p.team_id where p.game_id = n.game_id and t.name = n.values[1]))`,
    isWarning: true,
  },
  {
    check: 'a blood that was drawn is announced',
    table: 'solves',
    text: `select r.game_id || '/' || r.number as id, 'no notice' as found, 'a blood of ' || r.name || ' for ' || r.title as expected
      from (
        select s.game_id, s.number, t.name, c.title, row_number() over (partition by s.challenge_id order by s.number) as rank
        from solves s join games g on g.id = s.game_id join participations p on p.id = s.participation_id
        join teams t on t.id = p.team_id join challenges c on c.id = s.challenge_id
        where ${inGame('s.game_id')} and s.arrived_at < g.ends_at and p.status = 'Accepted' and p.created_at < g.ends_at
      ) r
      where r.rank <= 3 and not exists (
        select from notices n where n.game_id = r.game_id and n.type in ('FirstBlood', 'SecondBlood', 'ThirdBlood') and n.values = array[r.name, r.title]
      )`,
    isWarning: true,
  },
]

/** Differences of one check, at most `listedMost`, and the number of all. */
export interface Found {
  readonly check: string
  readonly differences: readonly Difference[]
  readonly count: number
}

interface Row {
  readonly id: string
  readonly found: string
  readonly expected: string
  readonly count: number
}

const raw = async (tx: Tx, text: string, game: number | null): Promise<readonly Row[]> => {
  const [before = '', ...after] = text.split('$1')
  const statement = sql.join([sql.raw(before), ...after.flatMap((part) => [sql`${game}`, sql.raw(part)])], sql``)
  const { rows } = await sql<Row>`select *, count(*) over ()::integer as count from (${statement}) d limit ${listedMost}`.execute(
    tx,
  )
  return rows
}

/** Compares the tables of games with each other: solve log, submissions, cheats and notices. */
export async function verifyGames(tx: Tx, game: number | null): Promise<Found[]> {
  const found: Found[] = []
  for (const { check, table, text, isWarning } of statements) {
    const rows = await raw(tx, text, game)
    const differences = rows.map(({ id, found: value, expected }) => ({
      check,
      table,
      id,
      found: value,
      expected,
      ...(isWarning && { isWarning }),
    }))
    found.push({ check, differences, count: rows[0]?.count ?? 0 })
  }
  return found
}

interface SequenceRow {
  readonly table: string
  readonly column: string
  readonly sequence: string
}

/** Each sequence of a column is at least at the largest value of the column. */
export async function verifySequences(tx: Tx): Promise<Found> {
  const check = 'sequences are not behind the rows of their tables'
  const { rows } = await sql<SequenceRow>`
    select c.relname as "table", a.attname as "column", coalesce(pg_get_serial_sequence(format('%I', c.relname), a.attname),
      split_part(pg_get_expr(d.adbin, d.adrelid), '''', 2)) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%')
    order by 1`.execute(tx)
  const differences: Difference[] = []
  for (const { table, column, sequence } of rows) {
    const { rows: values } = await sql<{ largest: number | null; last: number }>`
      select (select max(${sql.ref(column)}) from ${sql.table(table)}) as largest,
        (select case when is_called then last_value else last_value - 1 end from ${sql.raw(sequence)}) as last`.execute(tx)
    const { largest, last } = values[0]!
    if (largest !== null && Number(largest) > Number(last))
      differences.push({ check, table, id: sequence, found: String(last), expected: `at least ${largest}` })
  }
  return { check, differences, count: differences.length }
}

interface KeyRow {
  readonly name: string
  readonly table: string
  readonly other: string | null
  readonly columns: readonly string[]
  readonly otherColumns: readonly string[] | null
}

/** `scan`: whether queries read the tables; otherwise the planner chooses. */
async function readTables(tx: Tx, scan: boolean): Promise<void> {
  for (const name of ['indexscan', 'indexonlyscan', 'bitmapscan'])
    await sql`select set_config(${`enable_${name}`}, ${scan ? 'off' : 'on'}, true)`.execute(tx)
  if (scan) await sql`set local enable_seqscan = on`.execute(tx)
}

/** Foreign and unique keys, by query without indexes: a restored or damaged index can hide violations. */
export async function verifyKeys(tx: Tx): Promise<Found[]> {
  await readTables(tx, true)
  const columns = (relation: string, numbers: string) =>
    sql.raw(
      `(select array_agg(a.attname::text order by k.place) from unnest(${numbers}) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.number)`,
    )
  const { rows } = await sql<KeyRow>`
    select o.conname as name, o.conrelid::regclass::text as "table", nullif(o.confrelid, 0)::regclass::text as other,
      ${columns('o.conrelid', 'o.conkey')} as columns, ${columns('o.confrelid', 'o.confkey')} as "otherColumns"
    from pg_constraint o
    where o.connamespace = current_schema()::regnamespace and o.contype in ('f', 'p', 'u') and o.conrelid <> 0 order by 1`.execute(
    tx,
  )
  const found: Found[] = []
  for (const { name, table, other, columns: own, otherColumns } of rows) {
    const list = sql.join(own.map((column) => sql.ref(`t.${column}`)))
    const isSet = sql.join(
      own.map((column) => sql`${sql.ref(`t.${column}`)} is not null`),
      sql` and `,
    )
    const text = sql`concat_ws('/', ${list})`
    const statement =
      other === null || otherColumns === null
        ? sql`select ${text} as id, count(*) || ' rows' as found, '1 row' as expected from ${sql.table(table)} t
            where ${isSet} group by ${list} having count(*) > 1`
        : sql`select ${text} as id, 'no row of ' || ${other}::text as found, 'a row of ' || ${other}::text as expected from ${sql.table(table)} t
            where ${isSet} and not exists (select from ${sql.table(other)} o where ${sql.join(
              own.map((column, at) => sql`${sql.ref(`o.${otherColumns[at]}`)} = ${sql.ref(`t.${column}`)}`),
              sql` and `,
            )})`
    const { rows: wrong } =
      await sql<Row>`select *, count(*) over ()::integer as count from (${statement}) d limit ${listedMost}`.execute(tx)
    const check = `the key ${name} holds`
    found.push({
      check,
      differences: wrong.map(({ id, found: value, expected }) => ({ check, table, id, found: value, expected })),
      count: wrong[0]?.count ?? 0,
    })
  }
  await readTables(tx, false)
  return found
}

export interface FileReference {
  readonly hash: string
  readonly size: number
  /** Rows that refer to it, without the upload itself. */
  readonly references: number
}

/** All files, with the number of rows that refer to them; and hashes that rows refer to without a row of files. */
export async function listFileReferences(
  tx: Tx,
  settingKeys: readonly string[],
): Promise<{ files: FileReference[]; unknown: Difference[] }> {
  const references = sql`
    select avatar_hash as hash, 'accounts' as "table", id::text as id from accounts where avatar_hash is not null
    union all select avatar_hash, 'teams', id::text from teams where avatar_hash is not null
    union all select poster_hash, 'games', id::text from games where poster_hash is not null
    union all select file_hash, 'attachments', id::text from attachments where file_hash is not null
    union all select file_hash, 'writeups', participation_id::text from writeups where file_hash is not null
    union all select value, 'settings', key from settings where key = any(${[...settingKeys]}::text[]) and value <> ''`
  const { rows: files } = await sql<FileReference>`
    select f.hash, f.size, count(r.hash)::integer + (case when f.pinned then 1 else 0 end) as references
    from files f left join (${references}) r on r.hash = f.hash group by f.hash order by f.hash`.execute(tx)
  const { rows: missing } = await sql<{ hash: string; table: string; id: string }>`
    select r.* from (${references}) r left join files f on f.hash = r.hash where f.hash is null limit ${listedMost}`.execute(tx)
  const check = 'a file that is referred to is known'
  const unknown = missing.map(({ hash, table, id }) => ({
    check,
    table,
    id,
    found: `${hash}, no row of files`,
    expected: 'a row of files',
  }))
  return { files, unknown }
}

/** Files that lost a reference and wait for the sweep. */
export async function countReleased(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from released_files`.execute(tx)
  return rows[0]?.count ?? 0
}

export interface ContainerRow {
  readonly id: string
  readonly state: string
}

export async function listContainers(tx: Tx): Promise<ContainerRow[]> {
  const { rows } = await sql<ContainerRow>`select id, state from containers where state <> 'Ended'`.execute(tx)
  return rows
}

/** Ids of games that have started, or of one. */
export async function listStarted(db: Db, game: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from games where starts_at <= clock_timestamp() and (${game}::integer is null or id = ${game}) order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

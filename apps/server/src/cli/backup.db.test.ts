import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aScene, type Scene } from '../../test/builders/scene.ts'
import { emptyDatabase } from '../../test/database.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { readTar, type TarEntry, writeTar } from '../../test/tar.ts'
import type { Manifest } from '../backup/archive-format.ts'
import { splitTables } from '../backup/tables.ts'
import { claimDataFolder } from '../data-folder.ts'
import { markInUse } from '../db/in-use.ts'
import { runCommand } from './run.ts'

let platform: TestPlatform
let scene: Scene
let folder: string
let archive: string
let used: string
let unused: string
/** The rows of each table at the time of the first backup. */
const original = new Map<string, readonly unknown[]>()
const printed: string[] = []
const errors: string[] = []
const progress: string[] = []
let onProgress: (line: string) => void = () => undefined

const key = 'test secret key of 32 characters'
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const ask = async (url: string, text: string) => {
  const client = new pg.Client(url)
  await client.connect()
  return client.query(text).finally(() => client.end())
}
const run = (args: string[], env: Record<string, string>) =>
  runCommand(args, {
    env,
    serve: async () => undefined,
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
    printProgress: (line) => {
      progress.push(line)
      onProgress(line)
    },
  })
const here = () => ({ DATABASE_URL: platform.database.url, DATA_DIR: platform.dataDir, SECRET_KEY: key })
const backUp = async (name: string, ...args: string[]) => {
  const path = join(folder, name)
  expect([await run(['backup', path, ...args], here()), errors]).toEqual([0, []])
  return path
}

/** An epoch that a clock before 2033 does not reach. */
const aheadOfClock = 2_000_000_000

/** Rows of tables that the scene leaves empty. */
const more = (of: Scene) => `
  insert into containers (id, challenge_id, participation_id, subnet_index, image, lease_until)
    values ('00000000-0000-0000-0000-000000000001', ${of.containerChallenge}, ${of.participation}, 0, 'image', '2030-01-01');
  insert into container_ports (container_id, name, position, port) values ('00000000-0000-0000-0000-000000000001', 'web', 0, 80);
  insert into tunnels (id, container_id, lease_until) values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', '2030-01-01');
  insert into submissions (game_id, participation_id, challenge_id, answer, status, arrived_at)
    select game_id, participation_id, challenge_id, 'flag{right}', 'Accepted', arrived_at from submissions where id = ${of.submission};
  insert into solves (game_id, number, participation_id, challenge_id, submission_id, arrived_at, shown_at)
    select game_id, 1, participation_id, challenge_id, id, arrived_at, arrived_at from submissions where status = 'Accepted';
  update solve_logs set head = 1, epoch = ${aheadOfClock} where game_id = ${of.game};
  insert into notices (game_id, type, values) select ${of.game}, 'FirstBlood', array[t.name, c.title]
    from teams t, challenges c where t.id = ${of.teamOf.accepted} and c.id = ${of.challenge};
  insert into submissions (game_id, participation_id, challenge_id, answer, status, arrived_at)
    select game_id, participation_id, ${of.containerChallenge}, 'flag{theirs}', 'CheatDetected', arrived_at from submissions where id = ${of.submission};
  insert into cheats select s.id, s.game_id, s.participation_id, p.id, s.arrived_at
    from submissions s, participations p where s.status = 'CheatDetected' and p.game_id = s.game_id and p.status = 'Suspended';
  insert into game_events (game_id, type, values) values (${of.game}, 'Normal', array['a "quote", a \\ and {braces}', E'line\\n\\tbreak']);
  insert into backups (tried_at) values ('2026-01-01');
  insert into isolation_probes default values;
  insert into image_pulls (image) values ('image');
  insert into nodes (id, version, processes, state) values (gen_random_uuid(), '1.2.0', 1, 'Serving');
  insert into logs (level, name, message) values ('Warning', 'System', E'tab\\tand \\\\. and \\\\N and ü');
  insert into mails (kind, recipient, user_name, language) values ('Test', 'a@example.org', 'a', 'en_US');
  insert into mails (kind, recipient, user_name, language, state) values ('Test', 'b@example.org', 'b', 'en_US', 'Sent');
  insert into mail_tokens select sha256('a'), id, 'Reset', email, '2030-01-01' from accounts limit 1;
  insert into registration_attempts (token_hash, user_name, name_key, email, password_hash, expires_at)
    values (sha256('b'), 'new', 'new', 'new@example.org', 'hash', '2030-01-01');
  insert into sign_in_buckets values (sha256('e'), '2030-01-01');
  insert into setup_tokens (hash) values (sha256('c'));
  insert into file_leases (hash, purpose) values ('${'0'.repeat(64)}', 'Entering');
  insert into released_files (hash) values ('${'0'.repeat(64)}');
  insert into settings (key, value) values ('GlobalConfig:Title', 'Round trip') on conflict do nothing;
  insert into solver_checks (challenge_id, cause) values (${of.containerChallenge}, 'request');
  insert into team_flags (participation_id, challenge_id, flag) values (${of.participation}, ${of.containerChallenge}, 'flag{own}');
  insert into attachments (challenge_id, type, file_hash, file_name) values (${of.challenge}, 'Local', '${used}', 'used.txt');
  insert into writeups (participation_id, file_hash, file_name) values (${of.participation}, '${used}', 'w.pdf') on conflict do nothing;
  insert into ended_sessions (number, token_hash) values (1, sha256('d'))`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vexil-backup-'))
  platform = await startTestPlatform()
  scene = await aScene(platform)
  const { storage } = platform.deps
  const stored = await Promise.all(['used', 'unused'].map((text) => storage.put(Buffer.from(`bytes of ${text}`), 100)))
  ;[used = '', unused = ''] = stored.map(({ hash }) => hash)
  for (const hash of [used, unused])
    await ask(platform.database.url, `insert into files (hash, name, type, size) values ('${hash}', 'f', 't', 10)`)
  await ask(platform.database.url, more(scene))
  await scene.as('member')
  // Otherwise the platform removes the row between the backup and the reading.
  const holding = await platform.database.reservedClient({ idleInTransactionMs: 60_000 })
  await holding.query('begin; select from released_files for update')
  archive = await backUp('all.tar', '--files', 'all')
  for (const table of Object.values(splitTables({ sessions: false })).flat())
    original.set(table, await rowsOf(platform.database.url, table))
  await holding.end()
})
afterAll(async () => {
  await platform.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  printed.length = errors.length = progress.length = 0
})

const targets: { url: string; drop(): Promise<void> }[] = []
let count = 0
/** An empty database and a data folder that does not exist yet. */
async function aTarget() {
  const database = await emptyDatabase()
  targets.push(database)
  return { DATABASE_URL: database.url, DATA_DIR: join(folder, `data-${++count}`) }
}
afterAll(async () => {
  for (const target of targets) await target.drop()
})

const relations =
  "select relname from pg_class where relnamespace in ('public'::regnamespace) union all select nspname from pg_namespace where nspname like 'graphile%'"

/** Stays empty; for restores that are refused. */
let nothing: Awaited<ReturnType<typeof aTarget>>
beforeAll(async () => {
  nothing = await aTarget()
})

/** Restores; expects code 2, this message, and no change of the database and the data folder. */
async function refused(path: string, message: string | RegExp, target?: Record<string, string>) {
  const into = target ?? nothing
  errors.length = 0
  const before = existsSync(into.DATA_DIR as string) ? readdirSync(into.DATA_DIR as string).sort() : null
  expect([await run(['restore', path], into), errors]).toEqual([2, [expect.stringMatching(message)]])
  expect(existsSync(into.DATA_DIR as string) ? readdirSync(into.DATA_DIR as string).sort() : null).toEqual(before)
  if (!target) expect((await ask(into.DATABASE_URL as string, relations)).rows).toEqual([])
}

/** The archive with changed entries, or a changed manifest. */
async function changed(name: string, change: (entries: TarEntry[], manifest: Manifest) => unknown) {
  const path = join(folder, name)
  const entries = await readTar(archive)
  const last = entries.at(-1) as TarEntry
  const manifest = JSON.parse(last.bytes.toString()) as Manifest
  const result = change(entries, manifest)
  last.bytes = Buffer.from(JSON.stringify(manifest))
  await writeTar(path, Array.isArray(result) ? (result as TarEntry[]) : entries)
  return path
}
const entryOf = (entries: TarEntry[], name: string) => entries.find((entry) => entry.name === name) as TarEntry
const tableOf = (manifest: Manifest, name: string) =>
  manifest.tables.find((one) => one.name === name) as Manifest['tables'][number]

/** The manifest then counts one row more than the archive has. */
const addRow = (manifest: Manifest) => Object.assign(tableOf(manifest, 'teams'), { rows: tableOf(manifest, 'teams').rows + 1 })

async function rowsOf(url: string, table: string): Promise<unknown[]> {
  const { rows } = await ask(url, `select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`)
  const plain = rows.map(({ row }) => row as Record<string, unknown>)
  if (table === 'solve_logs') return plain.map(({ epoch, ...rest }) => rest)
  return table === 'logs' ? plain.filter(({ message }) => !String(message).includes(' restored')) : plain
}

test('a table of the schema is either in a backup or named as left out, and all of the first have rows here', async () => {
  const { rows } = await ask(
    platform.database.url,
    "select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1",
  )
  const { kept, leftOut } = splitTables({ sessions: false })
  expect([...kept, ...leftOut].sort()).toEqual(rows.map(({ tablename }) => tablename))
  expect(leftOut).toEqual([
    ...['backups', 'ended_sessions', 'file_leases', 'image_pulls', 'isolation_probes', 'nodes', 'sessions', 'setup_tokens'],
    ...['sign_in_buckets', 'sweeps', 'tunnels'],
  ])
  for (const table of [...kept, ...leftOut])
    if (table !== 'sweeps') expect([table, original.get(table)?.length]).not.toEqual([table, 0])
  expect(splitTables({ sessions: true }).kept).toContain('sessions')
})

test('every row, sequence, file and the key come back; leases and sessions do not; waiting mails are sent', async () => {
  const target = { ...(await aTarget()), VEXIL_FILES_DIR: join(folder, 'shared files') }
  expect([await run(['restore', archive], target), errors]).toEqual([0, []])
  expect(printed[0]).toMatch(/^Restored the backup of 20\S+Z, made by release \d/)
  expect(printed.at(-1)).toMatch(/ checks, 0 with differences\.$/)
  expect(progress).toEqual(
    expect.arrayContaining([
      ...['check tables/games.copy.gz', 'table submissions', 'keys and indexes', 'verify'],
      expect.stringMatching(/^file [0-9a-f]{64}$/),
    ]),
  )
  const { kept, leftOut } = splitTables({ sessions: false })
  const [from, to] = [platform.database.url, target.DATABASE_URL]
  for (const table of kept) expect([table, await rowsOf(to, table)]).toEqual([table, original.get(table)])
  for (const table of leftOut) expect([table, await rowsOf(to, table)]).toEqual([table, []])
  const values =
    "select sequencename, last_value from pg_sequences where schemaname = 'public' and sequencename <> 'logs_id_seq' order by 1"
  expect((await ask(to, values)).rows).toEqual((await ask(from, values)).rows)
  const schema = `select conrelid::regclass::text as t, conname, pg_get_constraintdef(oid) as d from pg_constraint where connamespace = 'public'::regnamespace
    union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select tgrelid::regclass::text, tgname, tgenabled::text || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1, 2, 3`
  expect((await ask(to, schema)).rows).toEqual((await ask(from, schema)).rows)
  const jobs =
    'select t.identifier, j.payload, j.max_attempts from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id'
  const mail = (await ask(from, "select id from mails where state = 'Waiting'")).rows[0].id
  expect((await ask(to, jobs)).rows).toEqual([{ identifier: 'send-mail', payload: { mail }, max_attempts: 9 }])
  const epochs = (url: string) =>
    ask(url, 'select epoch::int from solve_logs order by game_id').then(({ rows }) => rows.map(({ epoch }) => epoch as number))
  const old = await epochs(from)
  const restored = await epochs(to)
  expect(restored.every((epoch, at) => old[at] === aheadOfClock || epoch > (old[at] as number) + 1_000_000)).toBe(true)
  expect(restored[old.indexOf(aheadOfClock)]).toBe(aheadOfClock + 1)
  expect(readFileSync(join(target.DATA_DIR, 'secret-key'), 'utf8').trim()).toBe(key)
  for (const hash of [used, unused])
    expect(sha256(readFileSync(join(target.VEXIL_FILES_DIR, 'uploads', hash.slice(0, 2), hash.slice(2, 4), hash)))).toBe(hash)
  expect(existsSync(join(target.DATA_DIR, 'uploads'))).toBe(false)
  // The planner knows the tables before the first game runs.
  expect((await ask(to, "select from pg_stats where tablename = 'accounts'")).rowCount).toBeGreaterThan(0)
  expect((await ask(to, "select name, message from logs where message like '% restored'")).rows).toEqual([
    { name: 'System', message: expect.stringMatching(/^Backup of \S+ \(release \S+\) restored$/) },
  ])
  await refused(archive, /^The database is not empty \(it has \w+\): restore into a new DATA_DIR/, {
    ...target,
    DATA_DIR: join(folder, 'other'),
  })
  await ask(nothing.DATABASE_URL, 'create sequence numbers')
  await refused(archive, /^The database is not empty \(it has numbers\)/, { ...nothing })
  await ask(nothing.DATABASE_URL, 'drop sequence numbers')
})

test('the settings of the database for the form of values do not change the archive', async () => {
  const { rows } = await ask(platform.database.url, 'select quote_ident(current_database()) as name')
  const settings = { datestyle: "'German, DMY'", bytea_output: 'escape', timezone: "'Asia/Tokyo'", extra_float_digits: '-15' }
  const alter = (change: string) => ask(platform.database.url, `alter database ${rows[0].name} ${change}`)
  for (const [name, value] of Object.entries(settings)) await alter(`set ${name} = ${value}`)
  const path = await backUp('other-form.tar', '--files', 'all').finally(() => alter('reset all'))
  const [usual, other] = [await readTar(archive), await readTar(path)]
  const text = (entries: TarEntry[], table: string) => gunzipSync(entryOf(entries, `tables/${table}.copy.gz`).bytes).toString()
  for (const table of ['games', 'challenges', 'solves', 'accounts', 'registration_attempts'])
    expect([table, text(other, table)]).toEqual([table, text(usual, table)])
})

test('an archive has mode 0600 and the asked parts; nothing else is left beside it', async () => {
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  // Unpacked files cannot be read by other users either.
  expect(new Set((await readTar(archive)).map(({ mode }) => mode))).toEqual(new Set([0o600]))
  const names = async (path: string) => (await readTar(path)).map(({ name }) => name)
  const fileOf = (hash: string) => `files/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`
  expect(await names(archive)).toEqual(
    expect.arrayContaining(['tables/files.copy.gz', 'secret-key', fileOf(used), fileOf(unused)]),
  )
  const small = await backUp('small.tar', '--files', 'none', '--without-key', '--sessions')
  expect(printed.at(-1)).toMatch(/^\S+small\.tar: 0\.\d MB, \d+ rows, 0 files\.$/)
  const inSmall = await names(small)
  expect(inSmall.filter((name) => !name.startsWith('tables/'))).toEqual(['manifest.json'])
  expect(inSmall).toContain('tables/sessions.copy.gz')
  progress.length = 0
  const usual = await backUp('usual.tar', '--json')
  expect(progress).toEqual(expect.arrayContaining(['table games', 'file 2 of 2']))
  expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ path: usual, bytes: statSync(usual).size, files: 2, damaged: [] })
  expect(await names(usual)).toEqual(expect.arrayContaining([fileOf(used)]))
  expect(await names(usual)).not.toContain(fileOf(unused))
  expect(gunzipSync(entryOf(await readTar(usual), 'tables/files.copy.gz').bytes).toString()).not.toContain(unused)
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])
  const signedIn = await aTarget()
  expect([await run(['restore', small], { ...signedIn, SECRET_KEY: key }), errors]).toEqual([1, []])
  expect(printed.join('\n')).toContain('not stored')
  // A key of the environment is not stored.
  expect(existsSync(join(signedIn.DATA_DIR, 'secret-key'))).toBe(false)
  expect((await rowsOf(signedIn.DATABASE_URL, 'sessions')).length).toBeGreaterThan(0)
  await refused(small, /was made without the key: set SECRET_KEY to that of the platform/)
})

test('a backup does not overwrite, and leaves nothing where it cannot write', async () => {
  const failed = async (path: string, message: RegExp, ...args: string[]) => {
    errors.length = 0
    expect([await run(['backup', path, ...args], here()), errors]).toEqual([2, [expect.stringMatching(message)]])
  }
  const before = readFileSync(archive)
  await failed(archive, /exists already: choose another name\.$/)
  expect(readFileSync(archive)).toEqual(before)
  await failed(join(folder, 'missing', 'a.tar'), /cannot be written: its folder does not exist\.$/)
  await failed(join(archive, 'a.tar'), /cannot be written: its folder is a file\.$/)
  await failed(join(folder, 'b.tar'), /^--files must be one of none, referenced, all, not "some"\.$/, '--files', 'some')
  expect(readdirSync(folder).filter((name) => name.startsWith('b.tar'))).toEqual([])
})

test('files that are lost or damaged are named, and everything else is in the archive', async () => {
  const path = join(platform.dataDir, 'uploads', used.slice(0, 2), used.slice(2, 4), used)
  writeFileSync(path, 'other bytes!!')
  try {
    expect(await run(['backup', join(folder, 'damaged.tar'), '--json'], here())).toBe(1)
    expect(JSON.parse(printed.join('\n'))).toMatchObject({ damaged: [used] })
    const target = await aTarget()
    expect([await run(['restore', join(folder, 'damaged.tar')], target), errors]).toEqual([1, []])
    expect(printed.join('\n')).toContain(`files ${used}: not stored`)
  } finally {
    writeFileSync(path, 'bytes of used')
  }
})

test('an archive that is no complete backup of a known format is refused before anything is written', async () => {
  await refused(join(folder, 'none.tar'), /cannot be read: there is no such file\.$/)
  writeFileSync(join(folder, 'garbage.tar'), Buffer.alloc(4096, 'garbage'))
  await refused(join(folder, 'garbage.tar'), /cannot be read: /)
  const whole = readFileSync(archive)
  writeFileSync(join(folder, 'short.tar'), whole.subarray(0, whole.length - 3000))
  await refused(join(folder, 'short.tar'), /cannot be read: |is not complete: it has no manifest\.json/)
  await refused(
    await changed('a.tar', (_, manifest) => Object.assign(manifest, { format: 2 })),
    /has format 2, which release \S+ wrote; this release reads formats up to 1: restore it with a newer release\.$/,
  )
  await refused(await changed('b.tar', (entries) => entries.slice(0, -1)), /is not complete: it has no manifest\.json\.$/)
  await refused(
    await changed('c.tar', (_, manifest) => Object.assign(manifest, { files: 1 })),
    /The manifest\.json of \S+ is damaged\.$/,
  )
  await refused(
    await changed('d.tar', (_, manifest) => manifest.migrations.push({ name: '9999_later', hash: '0'.repeat(64) })),
    /has the migration 9999_later, which this release does not know: restore it with release/,
  )
  await refused(
    await changed('e.tar', (_, manifest) => Object.assign(manifest.migrations[0] ?? {}, { hash: '0'.repeat(64) })),
    /^The migration 0001_site of the backup \S+ differs/,
  )
})

test('names outside of the archive, links, missing entries and other checksums are refused before anything is written', async () => {
  const odd = (name: string, entry: TarEntry) => changed(name, (entries) => [entry, ...entries])
  await refused(
    await odd('a1.tar', { name: '../../etc/cron.d/x', bytes: Buffer.from('x') }),
    /has an entry that does not belong in it: .*etc\/cron\.d\/x\.$/,
  )
  await refused(await odd('a2.tar', { name: '/etc/x', bytes: Buffer.from('x') }), /has an entry that does not belong in it: /)
  await refused(await odd('a3.tar', { name: 'files/aa/bb/x', bytes: Buffer.alloc(0), type: 'symlink' }), /is not a file\.$/)
  await refused(
    await changed('b1.tar', (entries) => entries.filter(({ name }) => name !== 'tables/solves.copy.gz')),
    /is not complete: it has no tables\/solves\.copy\.gz\.$/,
  )
  await refused(
    await changed('b2.tar', (entries) => {
      const entry = entryOf(entries, 'tables/teams.copy.gz')
      entry.bytes = gzipSync(gunzipSync(entry.bytes).toString().replace('\n', '!\n'))
    }),
    /is damaged: tables\/teams\.copy\.gz has another checksum\.$/,
  )
  const file = `files/${used.slice(0, 2)}/${used.slice(2, 4)}/${used}`
  await refused(
    await changed('b3.tar', (entries) => Object.assign(entryOf(entries, file), { bytes: Buffer.from('bytes of usee') })),
    /is damaged: files\/\S+ has another checksum\.$/,
  )
  const longKey = Buffer.alloc(64 * 1024 + 1, 'k')
  await refused(
    await changed('b5.tar', (entries) => Object.assign(entryOf(entries, 'secret-key'), { bytes: longKey })),
    /cannot be read: a text in it is too long\.$/,
  )
  await refused(await changed('b4.tar', (entries) => [entryOf(entries, file), ...entries]), /does not belong in it: files\//)
})

test('an archive that does not fit its migrations is refused, and nothing of it is left', async () => {
  const without = (name: string) => (entries: TarEntry[], manifest: Manifest) => {
    manifest.tables = manifest.tables.filter((table) => table.name !== name)
    return entries.filter((entry) => entry.name !== `tables/${name}.copy.gz`)
  }
  await refused(await changed('c1.tar', without('cheats')), /does not fit its migrations: table cheats\.$/)
  await refused(
    await changed('c2.tar', (_, manifest) => Reflect.deleteProperty(manifest.sequences, 'submissions_number')),
    /does not fit its migrations: sequence submissions_number\.$/,
  )
  await refused(
    await changed('c3.tar', (_, manifest) => tableOf(manifest, 'teams').columns.pop()),
    /does not fit its migrations: column teams\./,
  )
  await refused(
    await changed('c4.tar', (_, manifest) => addRow(manifest)),
    /^The table teams of the backup has \d+ rows instead of \d+\.$/,
  )
  const twice = await changed('c6.tar', (entries, manifest) => {
    const [entry, table] = [entryOf(entries, 'tables/teams.copy.gz'), tableOf(manifest, 'teams')]
    const [first = ''] = gunzipSync(entry.bytes).toString().split('\n')
    entry.bytes = gzipSync(`${first}\n${gunzipSync(entry.bytes)}`)
    Object.assign(table, { rows: table.rows + 1, sha256: sha256(gunzipSync(entry.bytes)) })
  })
  await refused(twice, /duplicate key value violates unique constraint "teams_pkey"/)
  // A row whose foreign key has no target is found when the keys are created again, after files were stored.
  const orphan = await changed('c5.tar', (entries, manifest) => {
    const [entry, table] = [entryOf(entries, 'tables/teams.copy.gz'), tableOf(manifest, 'teams')]
    entry.bytes = gzipSync(gunzipSync(entry.bytes).toString().split('\n').slice(1).join('\n'))
    table.rows -= 1
    table.sha256 = sha256(gunzipSync(entry.bytes))
  })
  await refused(orphan, /violates foreign key constraint/)
  const inUse = { ...nothing, DATA_DIR: join(folder, 'with files') }
  const pathOf = (hash: string) => join(inUse.DATA_DIR, 'uploads', hash.slice(0, 2), hash.slice(2, 4), hash)
  claimDataFolder(inUse.DATA_DIR).release()
  mkdirSync(join(pathOf(used), '..'), { recursive: true })
  writeFileSync(pathOf(used), 'bytes of used')
  await refused(orphan, /violates foreign key constraint/, inUse)
  expect([existsSync(pathOf(used)), existsSync(pathOf(unused))]).toEqual([true, false])
})

const slowFirstTable = `
  create schema slowed;
  create table slowed.once ();
  create function slowed.wait() returns event_trigger language plpgsql as $$
    begin
      if current_setting('application_name') = 'vexil restore' and not exists (select from slowed.once) then
        insert into slowed.once default values;
        perform pg_sleep(1.5);
      end if;
    end $$;
  create event trigger slowed on ddl_command_end when tag in ('CREATE TABLE') execute function slowed.wait()`

test('a restore whose connection ends says so, and can be repeated, without a limit of time', async () => {
  const target = await aTarget()
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'vexil restore'`
  onProgress = (line) => void (line === 'table games' && ask(target.DATABASE_URL, end))
  const lost = 'The connection to the database was lost. Check that it runs, and try again.'
  expect([await run(['restore', archive], target), errors]).toEqual([2, [lost]])
  onProgress = () => undefined
  errors.length = 0
  const others = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await expect.poll(async () => (await ask(target.DATABASE_URL, others)).rows).toEqual([])
  // Copying the first table takes longer than the statement timeout of the platform.
  await ask(target.DATABASE_URL, slowFirstTable)
  const limited = new URL(target.DATABASE_URL)
  limited.searchParams.set('statement_timeout', '1000')
  expect([await run(['restore', archive], { ...target, DATABASE_URL: limited.href }), errors]).toEqual([0, []])
  expect((await ask(target.DATABASE_URL, 'select from slowed.once')).rowCount).toBe(1)
})

test('a restore beside a running platform, or with another key, is refused', async () => {
  const target = await aTarget()
  const client = new pg.Client(target.DATABASE_URL)
  await client.connect()
  await markInUse(client)
  const second = new pg.Client(target.DATABASE_URL)
  await second.connect()
  // Several nodes may use it.
  await markInUse(second)
  await client.end()
  await refused(archive, /^The database is in use by a running platform, or another restore: stop it first\.$/, target)
  await second.end()
  const running = await startTestPlatform({ DATABASE_URL: 'postgres://elsewhere/' })
  try {
    await refused(archive, /^The database is in use by a running platform/, { ...target, DATABASE_URL: running.database.url })
  } finally {
    await running.stop()
  }
  // A starting node holds this lock while it migrates.
  const starting = new pg.Client(target.DATABASE_URL)
  await starting.connect()
  await starting.query('select pg_advisory_lock(4917203)')
  const restored = run(['restore', archive], target)
  // It requests the lock repeatedly.
  const requested = new Set<string>()
  const asking = `select query_start::text as time from pg_stat_activity
    where datname = current_database() and application_name = 'vexil restore' and query like '%advisory_lock%'`
  await expect
    .poll(async () => {
      for (const { time } of (await starting.query<{ time: string }>(asking)).rows) requested.add(time)
      return requested.size
    })
    .toBeGreaterThan(3)
  expect((await ask(target.DATABASE_URL, relations)).rows).toEqual([])
  await expect(markInUse(starting)).rejects.toThrow('A backup is being restored into the database: start when it has ended.')
  await starting.end()
  expect(await restored).toBe(0)
  const held = join(folder, 'held')
  mkdirSync(held)
  const lock = claimDataFolder(held)
  await refused(archive, /is in use by a running platform \(process \d+\): stop it/, { DATABASE_URL: '', DATA_DIR: held })
  lock.release()
  await refused(archive, /^SECRET_KEY, or the key stored in DATA_DIR, is not the one of the platform/, {
    ...(await aTarget()),
    SECRET_KEY: 'another key of 32 characters ....',
  })
  await refused(
    await changed('k.tar', (entries) => Object.assign(entryOf(entries, 'secret-key'), { bytes: Buffer.from('other') })),
    /^The key in the backup \S+ is not the one of its database\.$/,
  )
})

test('an embedded database is made for a restore; a second restore into it is refused, and a failed one removes it', async () => {
  const embedded = { DATABASE_URL: '', DATA_DIR: join(folder, 'embedded') }
  await refused(await changed('f.tar', (_, manifest) => addRow(manifest)), /^The table teams of the backup has/, embedded)
  expect([await run(['restore', archive], embedded), errors.slice(1)]).toEqual([0, []])
  await refused(archive, /^The database is not empty/, embedded)
  const again = join(folder, 'again.tar')
  errors.length = 0
  expect([await run(['backup', again, '--files', 'all'], embedded), errors]).toEqual([0, []])
  const back = await aTarget()
  expect([await run(['restore', again], back), errors]).toEqual([0, []])
  for (const table of splitTables({ sessions: false }).kept)
    expect([table, await rowsOf(back.DATABASE_URL, table)]).toEqual([table, original.get(table)])
})

/** Writes the tables of one moment into a folder. The platform may run at the same time: nothing is locked. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { type Manifest, measure } from './archive-format.ts'
import { guarded } from './disk-room.ts'
import { listTables, readSequences, splitTables, type Table } from './tables.ts'

/** Level of gzip: a third of the time of the default, files a quarter larger. */
const fast = 1

/** Values are written in one form, whatever the settings of the role or database. */
const plainValues = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`

export interface SnapshotOptions {
  /** A statement for the rows of `files`. */
  readonly fileRows: string
  /** Whether the hashes of these rows are read, too. */
  readonly withHashes: boolean
  readonly sessions: boolean
  /** Called while bytes are written; throws when the disk has no room for more. */
  readonly guard: () => Promise<void>
  readonly progress: (line: string) => void
}

export interface Snapshot extends Pick<Manifest, 'migrations' | 'secretFingerprint' | 'tables' | 'leftOut' | 'sequences'> {
  /** Hashes of the files that belong to it. */
  readonly hashes: readonly string[]
}

/** Path of the compressed rows of a table. */
export const rowsPath = (folder: string, table: string): string => join(folder, `${table}.copy.gz`)

/** One read-only transaction. Memory does not depend on the size of the tables; 290,000 rows take two seconds. Ends the client. */
export async function takeSnapshot(client: pg.Client, folder: string, options: SnapshotOptions): Promise<Snapshot> {
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    await client.query(plainValues)
    const all = await listTables(client)
    const { kept } = splitTables(options)
    const tables: Manifest['tables'] = []
    for (const table of all.filter(({ name }) => kept.includes(name))) {
      const { name, columns } = table
      options.progress(`table ${name}`)
      const rows = name === 'files' ? options.fileRows : `select * from ${name}`
      tables.push({ name, columns: [...columns], ...(await writeTable(client, table, rows, rowsPath(folder, name), options)) })
    }
    const leftOut = all.map(({ name }) => name).filter((name) => !kept.includes(name))
    const hashes = options.withHashes ? await listHashes(client, options.fileRows) : []
    return { ...(await readFacts(client)), hashes, tables, leftOut }
  } finally {
    await client.end()
  }
}

async function listHashes(client: pg.Client, files: string): Promise<string[]> {
  const { rows } = await client.query<{ hash: string }>(`select hash from (${files}) f order by 1`)
  return rows.map(({ hash }) => hash)
}

async function readFacts(client: pg.Client): Promise<Pick<Snapshot, 'migrations' | 'secretFingerprint' | 'sequences'>> {
  const migrations = await client.query<{ name: string; hash: string }>('select name, hash from migrations order by name')
  const installation = await client.query<{ secret: string | null }>('select secret_fingerprint as secret from installation')
  return {
    migrations: migrations.rows,
    secretFingerprint: installation.rows[0]?.secret ?? null,
    sequences: await readSequences(client),
  }
}

/** In the order of the primary key, so that a restore appends to its index. */
async function writeTable(
  client: pg.Client,
  { columns, key }: Table,
  rows: string,
  path: string,
  { guard }: Pick<SnapshotOptions, 'guard'>,
): Promise<{ rows: number; sha256: string }> {
  const order = key.length > 0 ? ` order by ${key.join(', ')}` : ''
  const copy = client.query(copyTo(`copy (select ${columns.join(', ')} from (${rows}) t${order}) to stdout`))
  const measured = measure()
  await pipeline(
    copy,
    measured.pass,
    createGzip({ level: fast }),
    (source: AsyncIterable<Buffer>) => guarded(source, guard),
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  return { rows: copy.rowCount, sha256: measured.read().sha256 }
}

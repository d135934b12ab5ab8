/** Loads an archive into an empty database, in one transaction: all of it, or nothing. */
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { addWaitingMails } from '../accounts/mails/write-mail.ts'
import type { Database } from '../db/database.ts'
import { mustNotBeInUse } from '../db/in-use.ts'
import { applyHere, listMigrations, lockMigrations, migrateJobs } from '../db/migrate.ts'
import type { Applied } from '../db/migration-files.ts'
import type { Deps } from '../deps.ts'
import { fingerprintOf } from '../secrets.ts'
import { StartError } from '../start-error.ts'
import type { Manifest } from './archive-format.ts'
import { dropKeysAndIndexes } from './keys-and-indexes.ts'
import { type Archive, readEntries, verifyArchive } from './read-archive.ts'
import { listTables, readSequences } from './tables.ts'

export interface Target {
  readonly database: Pick<Database, 'reservedClient' | 'reservedPool'>
  readonly storage: Deps['storage']
}

type Progress = (line: string) => void

/** @throws StartError for an archive with migrations that this release does not have in the same form */
export function mustBeReadable({ path, manifest }: Archive, known: readonly Applied[] = listMigrations()): void {
  for (const { name, hash } of manifest.migrations) {
    const ours = known.find((one) => one.name === name)
    if (!ours)
      throw new StartError(
        `The backup ${path} has the migration ${name}, which this release does not know: restore it with release ${manifest.version} or a later one.`,
      )
    if (ours.hash !== hash)
      throw new StartError(
        `The migration ${name} of the backup ${path} differs from that of this release: restore it with release ${manifest.version}.`,
      )
  }
}

/** The key that the restored platform needs: the configured one or that of the archive. @throws StartError without one, or with another */
export function keyFor({ path, manifest, secretKey }: Archive, configured: string | null): string | null {
  const key = configured ?? secretKey
  if (manifest.secretFingerprint === null) return key
  if (key === null)
    throw new StartError(`The backup ${path} was made without the key: set SECRET_KEY to that of the platform it was made of.`)
  if (fingerprintOf(key) === manifest.secretFingerprint) return key
  throw new StartError(
    configured === null
      ? `The key in the backup ${path} is not the one of its database.`
      : `SECRET_KEY, or the key stored in DATA_DIR, is not the one of the platform that the backup ${path} was made of.`,
  )
}

/** Verifies a readable archive, loads it and upgrades it to this release. A failure leaves database and storage as they were. @throws StartError */
export async function restoreArchive({ database, storage }: Target, archive: Archive, progress: Progress): Promise<void> {
  const client = await database.reservedClient({ idleInTransactionMs: 0, statementMs: 0, name: 'vexil restore' })
  const stored: string[] = []
  try {
    await mustNotBeInUse(client)
    await client.query('set lock_timeout = 0')
    await lockMigrations(client)
    await mustBeEmpty(client)
    await verifyArchive(archive, progress)
    await withJobs(client, database, async () => {
      await client.query('begin')
      await load(client, { storage, stored }, archive, progress)
      await client.query('commit')
    })
  } catch (error) {
    for (const hash of stored) await storage.delete(hash).catch(() => undefined)
    throw error
  } finally {
    await client.end()
  }
}

async function mustBeEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') order by 1 limit 1",
  )
  if (rows[0])
    throw new StartError(
      `The database is not empty (it has ${rows[0].name}): restore into a new DATA_DIR, or set DATABASE_URL to an empty database.`,
    )
}

/** The tables of the job library are made before, in their own transactions, and removed again after a failure. */
async function withJobs(client: pg.Client, database: Target['database'], work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>("select to_regnamespace('graphile_worker') is not null as exists")
  await migrateJobs(database)
  try {
    await work()
  } catch (error) {
    // Fails when the connection is what failed; an empty schema of the library does not prevent the next restore.
    await client.query(rows[0]?.exists ? 'rollback' : 'rollback; drop schema graphile_worker cascade')
    throw error
  }
}

interface Files {
  readonly storage: Deps['storage']
  /** Collects the hashes of files that were not there before. */
  readonly stored: string[]
}

async function load(client: pg.Client, files: Files, archive: Archive, progress: Progress): Promise<void> {
  const { manifest } = archive
  await client.query("set local maintenance_work_mem = '128MB'")
  await applyHere(
    client,
    manifest.migrations.map(({ name }) => name),
  )
  await mustHaveTables(client, archive)
  const names = manifest.tables.map(({ name }) => name)
  const addKeysAndIndexes = await dropKeysAndIndexes(client)
  // Migrations insert rows, which the archive has too.
  await client.query(`truncate ${names.join(', ')}`)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await readEntries(archive, {
    table: async (name, rows) => {
      progress(`table ${name}`)
      await loadTable(client, manifest.tables.find((one) => one.name === name) as Manifest['tables'][number], rows)
    },
    file: async ({ hash, size }, bytes) => {
      progress(`file ${hash}`)
      if (await files.storage.has(hash)) return
      files.stored.push((await files.storage.put(bytes, size)).hash)
    },
  })
  progress('keys and indexes')
  await addKeysAndIndexes()
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  for (const [name, last] of Object.entries(manifest.sequences)) {
    if (last !== null) await client.query('select setval(quote_ident($1)::regclass, $2)', [name, last])
  }
  // Browsers have cached boards of versions that will occur again with other contents.
  await client.query('update solve_logs set epoch = greatest(epoch + 1, extract(epoch from clock_timestamp())::bigint)')
  await applyHere(
    client,
    listMigrations().map(({ name }) => name),
  )
  await addWaitingMails(client)
  await client.query('analyze')
}

/** @throws StartError when a table or sequence of this schema is not mentioned in the manifest, or the other way round */
async function mustHaveTables(client: pg.Client, { path, manifest }: Archive): Promise<void> {
  const tables = await listTables(client)
  const mentioned = [...manifest.tables.map(({ name }) => name), ...manifest.leftOut]
  const odd = difference(
    tables.map(({ name }) => name),
    mentioned,
  )
  if (odd !== undefined) throw new StartError(`The backup ${path} does not fit its migrations: table ${odd}.`)
  for (const { name, columns } of manifest.tables) {
    const column = difference(tables.find((one) => one.name === name)?.columns ?? [], columns)
    if (column !== undefined) throw new StartError(`The backup ${path} does not fit its migrations: column ${name}.${column}.`)
  }
  const sequence = difference(Object.keys(await readSequences(client)), Object.keys(manifest.sequences))
  if (sequence !== undefined) throw new StartError(`The backup ${path} does not fit its migrations: sequence ${sequence}.`)
}

/** A name that only one of the lists has. */
const difference = (some: readonly string[], others: readonly string[]): string | undefined =>
  some.find((name) => !others.includes(name)) ?? others.find((name) => !some.includes(name))

async function loadTable(
  client: pg.Client,
  { name, columns, rows }: Manifest['tables'][number],
  bytes: NodeJS.ReadableStream,
): Promise<void> {
  const copy = client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`))
  await pipeline(bytes, createGunzip(), copy)
  if (copy.rowCount !== rows)
    throw new StartError(`The table ${name} of the backup has ${copy.rowCount} rows instead of ${rows}.`)
}

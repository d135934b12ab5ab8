import { fileLimits } from '@vexil/core/limits'
import type { FileUse, Role } from '@vexil/core/vocabulary'
import { type Expression, sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'

export interface FileRow {
  readonly hash: string
  readonly name: string
  readonly type: string
  readonly size: number
}

export async function upsertFile(tx: Tx, file: FileRow & { readonly pinned: boolean }): Promise<void> {
  await tx
    .insertInto('files')
    .values(file)
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet({
        name: file.name,
        uploadedAt: sql`clock_timestamp()`,
        ...(file.pinned && { pinned: true }),
      }),
    )
    .execute()
}

export async function findFile(db: Db | Tx, hash: string): Promise<FileRow | undefined> {
  return db.selectFrom('files').select(['hash', 'name', 'type', 'size']).where('hash', '=', hash).executeTakeFirst()
}

/** `shared`: readable by everyone who knows its hash; otherwise only by this reader. */
export interface ReadableFile extends FileRow {
  readonly shared: boolean
  readonly uploadedAt: Date
}

/** Undefined also for a writeup that the reader (null: a visitor) may not read: only its team and administrators may. */
export async function findReadable(
  db: Db,
  hash: string,
  reader: { readonly id: string; readonly role: Role } | null,
): Promise<ReadableFile | undefined> {
  const { rows } = await sql<ReadableFile & { own: boolean }>`
    select hash, name, type, size, uploaded_at, ${isShared(hash)} as shared, exists (
      select from writeups w
      join participations p on p.id = w.participation_id
      join team_members m on m.team_id = p.team_id
      where w.file_hash = ${hash} and m.account_id = ${reader?.id ?? null}
    ) as own
    from files where hash = ${hash}`.execute(db)
  const row = rows[0]
  return row && (row.shared || row.own || reader?.role === 'Admin') ? row : undefined
}

export async function lockFile(tx: Tx, hash: string): Promise<boolean> {
  return (await tx.selectFrom('files').select('hash').where('hash', '=', hash).forUpdate().executeTakeFirst()) !== undefined
}

/** Settings with a hash; no foreign key covers them. */
export const settingKeys = ['GlobalConfig:LogoHash', 'GlobalConfig:FaviconHash']

const isSettingOfFile = sql`key in (${sql.join(settingKeys.map((key) => sql.lit(key)))})`

/** Whether a reference that makes the file public exists. */
const isShared = (hash: string | Expression<string>) => sql<boolean>`(
  exists (select from files where hash = ${hash} and pinned)
  or exists (select from accounts where avatar_hash = ${hash})
  or exists (select from teams where avatar_hash = ${hash})
  or exists (select from games where poster_hash = ${hash})
  or exists (select from attachments where file_hash = ${hash})
  or exists (select from settings where ${isSettingOfFile} and value = ${hash})
)`

/** The rows of files with a reference, as a statement without parameters. */
export function referencedFiles(db: Db): string {
  const hash = sql.ref<string>('f.hash')
  return sql`select * from files f where ${isShared(hash)} or exists (select from writeups where file_hash = ${hash})`.compile(db)
    .sql
}

/** Whether any row references the file. Requires the lock of the row. */
export async function isReferred(tx: Tx, hash: string): Promise<boolean> {
  const { rows } = await sql<{ referred: boolean }>`
    select ${isShared(hash)} or exists (select from writeups where file_hash = ${hash}) as referred`.execute(tx)
  return rows[0]?.referred ?? true
}

interface Use {
  readonly use: FileUse
  readonly name: string
  readonly gameId: number | null
  readonly challengeId: number | null
}

/** The first uses of the file `f`, by kind and name, as JSON. */
const firstUses = sql<Use[]>`
  (select coalesce(json_agg(json_build_object('use', use, 'name', name, 'gameId', game_id, 'challengeId', challenge_id)
      order by kind, name, challenge_id), '[]')
    from (
      select 1 as kind, 'Account' as use, user_name as name, null::int as game_id, null::int as challenge_id
        from accounts where avatar_hash = f.hash
      union all select 2, 'Team', name, null, null from teams where avatar_hash = f.hash
      union all select 3, 'Game', title, id, null from games where poster_hash = f.hash
      union all select distinct 4, 'Challenge', c.title, c.game_id, c.id
        from attachments a join challenges c on c.id = a.challenge_id where a.file_hash = f.hash
      union all select 5, 'Writeup', t.name, p.game_id, null
        from writeups w join participations p on p.id = w.participation_id join teams t on t.id = p.team_id
        where w.file_hash = f.hash
      union all select distinct 6, 'Site', '', null::int, null::int
        from settings where key = any(${settingKeys}) and value = f.hash
      order by 1, 3, 5 limit ${fileLimits.usesMax}
    ) uses)`

/** By name, then hash, each with its number of references without the upload itself, and the first. `total`: of all files. */
export async function listFiles(db: Db, { count, skip }: { count: number; skip: number }) {
  const { rows } = await sql<FileRow & { uploadedAt: Date; references: number; uses: Use[] }>`
    select f.hash, f.name, f.type, f.size, f.uploaded_at,
      ((select count(*) from accounts where avatar_hash = f.hash)
      + (select count(*) from teams where avatar_hash = f.hash)
      + (select count(*) from games where poster_hash = f.hash)
      + (select count(*) from attachments where file_hash = f.hash)
      + (select count(*) from writeups where file_hash = f.hash)
      + (select count(*) from settings where key = any(${settingKeys}) and value = f.hash)) as references,
      ${firstUses} as uses
    from files f order by f.name, f.hash limit ${count} offset ${skip}`.execute(db)
  const { total } = await db.selectFrom('files').select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}

export async function dropHolds(tx: Tx, hashes: readonly (string | null)[]): Promise<void> {
  await sql`
    update files f set pinned = false
    from (select hash from files where pinned and hash = any(${hashes}::text[]) order by hash for no key update) used
    where f.hash = used.hash`.execute(tx)
}

/** At most 100 files that lost a reference, oldest first. `after`: the number of the last one of the page before; 0 for the first page. */
export const listReleased = (db: Db, after: number) =>
  db.selectFrom('releasedFiles').selectAll().where('id', '>', after).orderBy('id').limit(100).execute()

/** Records that the bytes have to be removed. */
export const noteReleased = (tx: Tx, hash: string): Promise<number> =>
  tx
    .insertInto('releasedFiles')
    .values({ hash })
    .returning('id')
    .executeTakeFirstOrThrow()
    .then(({ id }) => id)

/** Leaves files to the periodic removal: for as many as a call should not wait for. */
export async function releaseLater(tx: Tx, hashes: readonly string[]): Promise<void> {
  await sql`insert into released_files (hash) select distinct unnest(${hashes}::text[])`.execute(tx)
}

export async function forgetReleased(db: Db, id: number): Promise<void> {
  await db.deleteFrom('releasedFiles').where('id', '=', id).execute()
}

export async function deleteFileRow(tx: Tx, hash: string): Promise<void> {
  await tx.deleteFrom('files').where('hash', '=', hash).execute()
}

/** Unpins an administrator's upload. Returns whether the file exists. */
export async function dropHold(db: Db | Tx, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('files').set({ pinned: false }).where('hash', '=', hash).executeTakeFirst()
  return numUpdatedRows > 0n
}

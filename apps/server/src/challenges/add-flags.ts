import { trimFlag } from '@vexil/core/flags'
import { FlagEmpty } from '@vexil/core/rules'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { dropHolds } from '../files/files.queries.ts'
import { holdFiles, lockChallenge } from './challenges.queries.ts'
import { type AttachmentEdit, attachmentColumns, hashesOf } from './set-attachment.ts'

export interface NewFlag extends AttachmentEdit {
  readonly flag: string
}

/** Flags per statement: one statement for a list of 30 MB would block other requests. */
const rowsAtOnce = 500

/** All or none; skips existing flags. @throws GameNotFound, ChallengeNotFound, FlagEmpty, AttachmentFileUnknown, AttachmentLinkInvalid */
export async function addFlags(
  { db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>,
  { gameId, challengeId, flags }: { gameId: number; challengeId: number; flags: readonly NewFlag[] },
  by: Actor,
): Promise<void> {
  const { title, added } = await inTransaction(db, async (tx) => {
    const challenge = await lockChallenge(tx, gameId, challengeId)
    const wanted = new Map<string, NewFlag>()
    for (const one of flags) {
      const flag = trimFlag(one.flag)
      if (flag === '') throw new FlagEmpty()
      if (!wanted.has(flag)) wanted.set(flag, one)
    }
    const hashes = hashesOf(flags)
    const names = await holdFiles(tx, hashes)
    const rows = [...wanted]
    let added = 0
    for (let i = 0; i < rows.length; i += rowsAtOnce) {
      const columns = new Map(rows.slice(i, i + rowsAtOnce).map(([flag, edit]) => [flag, attachmentColumns(edit, names)]))
      const made = await insertFlags(tx, challengeId, [...columns.keys()])
      const attachments = made.flatMap(({ id, flag }) => {
        const attachment = columns.get(flag)
        return attachment ? [{ flagId: id, ...attachment }] : []
      })
      await insertAttachments(tx, challengeId, attachments)
      added += made.length
    }
    // Also those of skipped flags: nothing else would ever delete these files.
    if (hashes.length > 0) await dropHolds(tx, hashes)
    return { title: challenge.title, added }
  })
  bus.publish('challenge.changed', { gameId, challengeId })
  audit({ log }, by, `Added ${added} flags to ${title} (#${challengeId})`)
}

async function insertFlags(tx: Tx, challengeId: number, flags: readonly string[]): Promise<{ id: number; flag: string }[]> {
  const { rows } = await sql<{ id: number; flag: string }>`
    insert into flags (challenge_id, flag)
    select ${challengeId}, flag from unnest(${flags}::text[]) with ordinality as given (flag, place) order by place
    on conflict (challenge_id, flag) do nothing
    returning id, flag`.execute(tx)
  return rows
}

interface FlagAttachment {
  readonly flagId: number
  readonly type: string
  readonly fileHash: string | null
  readonly fileName: string | null
  readonly remoteUrl: string | null
}

/** Passes columns as arrays, since a statement has a maximum number of parameters. */
async function insertAttachments(tx: Tx, challengeId: number, rows: readonly FlagAttachment[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into attachments (challenge_id, flag_id, type, file_hash, file_name, remote_url)
    select ${challengeId}, a.flag_id, a.type, a.file_hash, a.file_name, a.remote_url
    from unnest(
      ${rows.map(({ flagId }) => flagId)}::int[], ${rows.map(({ type }) => type)}::text[], ${rows.map(({ fileHash }) => fileHash)}::text[],
      ${rows.map(({ fileName }) => fileName)}::text[], ${rows.map(({ remoteUrl }) => remoteUrl)}::text[]
    ) as a (flag_id, type, file_hash, file_name, remote_url)`.execute(tx)
}

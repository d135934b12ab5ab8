import { NoticeAutomatic, NoticeNotFound } from '@vexil/core/rules'
import { sql } from 'kysely'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { addNotice, findNotice, type NoticeRow } from './games.queries.ts'

/** @throws GameNotFound */
export async function publishNotice({ db, bus }: Pick<Deps, 'db' | 'bus'>, gameId: number, content: string): Promise<NoticeRow> {
  const notice = await translated(addNotice(db, gameId, 'Normal', [content]))
  bus.publish('notice.added', { gameId, noticeId: notice.id })
  return notice
}

/** Locks a notice that an administrator may change, so that of two edits the later sees the earlier. */
async function mustBeEditable(tx: Tx, gameId: number, noticeId: number): Promise<void> {
  await tx.selectFrom('notices').select('id').where('id', '=', noticeId).forUpdate().execute()
  const notice = await findNotice(tx, gameId, noticeId)
  if (!notice) throw new NoticeNotFound()
  if (notice.type !== 'Normal') throw new NoticeAutomatic()
}

/** @throws NoticeNotFound, NoticeAutomatic */
export async function updateNotice(
  { db, bus }: Pick<Deps, 'db' | 'bus'>,
  gameId: number,
  noticeId: number,
  content: string,
): Promise<NoticeRow> {
  const notice = await inTransaction(db, async (tx) => {
    await mustBeEditable(tx, gameId, noticeId)
    return tx
      .updateTable('notices')
      .set({ values: [content], createdAt: sql`clock_timestamp()` })
      .where('id', '=', noticeId)
      .returning(['id', 'type', 'values', 'createdAt'])
      .executeTakeFirstOrThrow()
  })
  bus.publish('notice.changed', { gameId })
  return notice as NoticeRow
}

/** @throws NoticeNotFound, NoticeAutomatic */
export async function deleteNotice({ db, bus }: Pick<Deps, 'db' | 'bus'>, gameId: number, noticeId: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await mustBeEditable(tx, gameId, noticeId)
    await tx.deleteFrom('notices').where('id', '=', noticeId).execute()
  })
  bus.publish('notice.changed', { gameId })
}

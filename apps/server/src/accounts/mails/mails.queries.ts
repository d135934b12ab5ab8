import type { MailKind, MailState } from '@vexil/core/vocabulary'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { DB } from '../../db/schema.ts'
import type { Db, Tx } from '../../db/transaction.ts'

export type MailRow = Selectable<DB['mails']>

export async function insertMail(
  db: Db | Tx,
  mail: Pick<Insertable<DB['mails']>, 'kind' | 'accountId' | 'userName' | 'recipient' | 'language'>,
): Promise<MailRow> {
  const { kind, accountId, userName, recipient, language } = mail
  return db
    .insertInto('mails')
    .values({ kind, accountId, userName, recipient, language })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const findMail = (db: Db, id: number): Promise<MailRow | undefined> =>
  db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst()

export async function recordAttempt(db: Db, id: number, state: MailState, error: string | null): Promise<void> {
  await db
    .updateTable('mails')
    .set((is) => ({
      state,
      error,
      attempts: is('attempts', '+', 1),
      settledAt: state === 'Waiting' ? null : sql<Date>`clock_timestamp()`,
    }))
    .where('id', '=', id)
    .execute()
}

/** Until the end of the transaction, other transactions that count this recipient's mails wait. */
export async function lockRecipient(tx: Tx, recipient: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('recipient ' || lower(${recipient}), 0))`.execute(tx)
}

/** Mails of these kinds to a recipient, in any letter case and state, within the last hour. */
export async function countLately(tx: Tx, recipient: string, kinds: readonly MailKind[]): Promise<number> {
  const { count } = await tx
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(sql`lower(recipient)`, '=', sql`lower(${recipient})`)
    .where('createdAt', '>', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .where('kind', 'in', kinds)
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface MailFilter {
  readonly state: MailState | undefined
  readonly count: number
  readonly skip: number
}

/** Newest first, with the total. */
export async function listMails(db: Db, { state, count, skip }: MailFilter): Promise<{ rows: MailRow[]; total: number }> {
  const wanted = db.selectFrom('mails').$if(state !== undefined, (query) => query.where('state', '=', state as MailState))
  const rows = await wanted.selectAll().orderBy('id', 'desc').limit(count).offset(skip).execute()
  const { total } = await wanted.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}

const keptDays = 30

/** Deletes mails after 30 days, since addresses are personal data, and expired tokens. */
export async function forgetMails(db: Db): Promise<void> {
  const old = sql<Date>`clock_timestamp() - make_interval(days => ${keptDays})`
  await db.deleteFrom('mails').where('createdAt', '<', old).execute()
  await db.deleteFrom('mailTokens').where('expiresAt', '<', sql<Date>`clock_timestamp()`).execute()
}

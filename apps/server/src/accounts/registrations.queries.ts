/** Registrations that wait for the link in their mail. They do not reserve the name or address. */
import { sessionLimits } from '@vexil/core/limits'
import { nameKey } from '@vexil/core/names'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/transaction.ts'
import { named } from './accounts.queries.ts'
import { hashToken } from './sessions.ts'

export interface Attempt {
  readonly userName: string
  readonly email: string
  readonly passwordHash: string
}

export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('address ' || lower(${email}), 0))`.execute(tx)
}

/** Expires with the link of its mail. */
export async function insertAttempt(tx: Tx, token: string, { userName, email, passwordHash }: Attempt): Promise<void> {
  await tx
    .insertInto('registrationAttempts')
    .values({
      ...named(userName),
      email,
      passwordHash,
      tokenHash: hashToken(token),
      expiresAt: sql`clock_timestamp() + make_interval(secs => ${sessionLimits.mailTokenLife / 1000})`,
    })
    .execute()
}

const alive = sql<boolean>`expires_at > clock_timestamp()`

/** The attempt of a link; undefined if the link was made for another address or has expired. */
export const findAttempt = (db: Db | Tx, token: string, email: string): Promise<Attempt | undefined> =>
  db
    .selectFrom('registrationAttempts')
    .select(['userName', 'email', 'passwordHash'])
    .where('tokenHash', '=', hashToken(token))
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where(alive)
    .executeTakeFirst()

export async function isAttemptAlive(db: Db, token: string): Promise<boolean> {
  const found = await db
    .selectFrom('registrationAttempts')
    .select('email')
    .where('tokenHash', '=', hashToken(token))
    .where(alive)
    .executeTakeFirst()
  return found !== undefined
}

export async function hasAttempts(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('registrationAttempts')
    .select('email')
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where(alive)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Password hash of the newest attempt with this name or address: the login then reports that the account is not active. */
export async function findWaitingHash(db: Db, given: string): Promise<string | null> {
  const found = await db
    .selectFrom('registrationAttempts')
    .select('passwordHash')
    .where((or) => or.or([or('nameKey', '=', nameKey(given)), or(sql`lower(email)`, '=', sql`lower(${given.trim()})`)]))
    .where(alive)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.passwordHash ?? null
}

export async function deleteAttempts(tx: Tx, email: string): Promise<void> {
  await tx.deleteFrom('registrationAttempts').where(sql`lower(email)`, '=', sql`lower(${email})`).execute()
}

/** Deletes expired attempts: unused password hashes are not kept. */
export async function forgetAttempts(db: Db): Promise<void> {
  await db.deleteFrom('registrationAttempts').where('expiresAt', '<', sql<Date>`clock_timestamp()`).execute()
}

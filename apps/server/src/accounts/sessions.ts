/** Sessions are rows with the hash of a random token; deleting the row ends the session on every node at once. */
import { hash, randomBytes } from 'node:crypto'
import { sessionLimits } from '@vexil/core/limits'
import type { Role } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { batched } from '../db/batched.ts'
import type { Db, Tx } from '../db/transaction.ts'
import type { SecurityVersion } from '../db/versions.ts'

export interface SignedIn {
  readonly accountId: string
  /** A browser stays known as long as this hash is the same (http/known-device.ts). */
  readonly passwordHash: string
  readonly token: string
}

/** The number of the calling browser if it signed in to this account before, otherwise null. */
export type BrowserOf = (owner: Omit<SignedIn, 'token'>) => string | null

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')
/** `hashToken` as hexadecimal text: the key of a session in memory. */
export const sessionHash = (token: string): string => hash('sha256', token, 'hex')

/** Opens a session and returns its token (43 characters). */
export async function startSession(db: Db | Tx, accountId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db
    .insertInto('sessions')
    .values({
      tokenHash: hashToken(token),
      accountId,
      expiresAt: sql`clock_timestamp() + make_interval(secs => ${sessionLimits.life / 1000})`,
    })
    .execute()
  return token
}

export interface FoundSession {
  readonly actor: { readonly id: string; readonly userName: string; readonly role: Role }
  /** Past half its lifetime, so it is due for renewal. */
  readonly isOld: boolean
  /** Milliseconds since 1970 by the database's clock. */
  readonly expiresAt: number
  /** The version of all rights in the same snapshot. */
  readonly version: SecurityVersion
}

const readSessions = batched(async (db, hashes: readonly string[]) => {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.accountId')
    .crossJoin('versions')
    .select(['accounts.id', 'accounts.userName', 'accounts.role', 'sessions.expiresAt', 'versions.security', 'versions.sessions'])
    .select(sql<string>`encode(token_hash, 'hex')`.as('hash'))
    .select(sql<boolean>`expires_at < clock_timestamp() + make_interval(secs => ${sessionLimits.renewBelow / 1000})`.as('old'))
    .where(sql<boolean>`token_hash = any (array(select decode(hash, 'hex') from unnest(${hashes}::text[]) as asked (hash)))`)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .execute()
  const found = new Map(rows.map((row) => [row.hash, row]))
  return hashes.map((hash) => found.get(hash))
})

/** The current account of a token. Costs a share of one query by primary keys. */
export async function findSession(db: Db, token: string): Promise<FoundSession | null> {
  const row = await readSessions(db, sessionHash(token))
  if (!row) return null
  return {
    actor: { id: row.id, userName: row.userName, role: row.role as Role },
    isOld: row.old,
    expiresAt: row.expiresAt.getTime(),
    version: { security: row.security, sessions: row.sessions },
  }
}

/** Extends a session to its full lifetime. */
export async function renewSession(db: Db, token: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ expiresAt: sql`clock_timestamp() + make_interval(secs => ${sessionLimits.life / 1000})` })
    .where('tokenHash', '=', hashToken(token))
    .execute()
}

export async function endSession(db: Db | Tx, token: string): Promise<void> {
  await db.deleteFrom('sessions').where('tokenHash', '=', hashToken(token)).execute()
}

export async function endSessions(db: Db | Tx, accountId: string, keep?: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('accountId', '=', accountId)
    .$if(keep !== undefined, (query) => query.where('tokenHash', '<>', hashToken(keep as string)))
    .execute()
}

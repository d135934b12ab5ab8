/** Sessions are rows: the token is random, only its hash is stored, and ending the row ends it on every node at once. */
import { hash, randomBytes } from 'node:crypto'
import { sessionLimits } from '@vexil/core/limits'
import type { Role } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { batched } from '../db/batched.ts'
import type { Db, Tx } from '../db/transaction.ts'
import type { SecurityVersion } from '../db/versions.ts'

/** Who signed in, with the token of the new session. */
export interface SignedIn {
  readonly accountId: string
  /** The stored hash: a browser is known for as long as the password is the same (http/known-device.ts). */
  readonly passwordHash: string
  readonly token: string
}

/** The number of the calling browser when it signed in to this account before, else null. */
export type BrowserOf = (owner: Omit<SignedIn, 'token'>) => string | null

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')
/** The same as hexadecimal text: what a session is known by in memory. */
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
  readonly renewed: boolean
  /** Milliseconds since 1970 by the database's clock. */
  readonly expiresAt: number
  /** What the same snapshot says of everybody's rights. */
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

/** The account behind a token as it is now. A share of one query by primary keys; a session past half its life is made longer. */
export async function findSession(db: Db, token: string): Promise<FoundSession | null> {
  const tokenHash = hashToken(token)
  const row = await readSessions(db, tokenHash.toString('hex'))
  if (!row) return null
  if (row.old) {
    await db
      .updateTable('sessions')
      .set({ expiresAt: sql`clock_timestamp() + make_interval(secs => ${sessionLimits.life / 1000})` })
      .where('tokenHash', '=', tokenHash)
      .execute()
  }
  return {
    actor: { id: row.id, userName: row.userName, role: row.role as Role },
    renewed: row.old,
    expiresAt: row.expiresAt.getTime(),
    version: { security: row.security, sessions: row.sessions },
  }
}

export async function endSession(db: Db | Tx, token: string): Promise<void> {
  await db.deleteFrom('sessions').where('tokenHash', '=', hashToken(token)).execute()
}

/** Ends all sessions of an account, or all but one. */
export async function endSessions(db: Db | Tx, accountId: string, keep?: string): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('accountId', '=', accountId)
    .$if(keep !== undefined, (query) => query.where('tokenHash', '<>', hashToken(keep as string)))
    .execute()
}

/** Tokens of links in mails, derived from the mail and a key; only their hash is stored. */
import { createHmac } from 'node:crypto'
import { sessionLimits } from '@vexil/core/limits'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { DB } from '../../db/schema.ts'
import type { Db, Tx } from '../../db/transaction.ts'
import { hashToken } from '../sessions.ts'

const linkPages = { Verify: 'verify', Reset: 'reset', ChangeEmail: 'confirm', EmailChanging: 'cancel' } as const
type LinkKind = keyof typeof linkPages
/** Kinds whose token belongs to an account; the token of a registration is stored with its attempt. */
export type TokenPurpose = Exclude<LinkKind, 'Verify'>

export const hasLink = (kind: string): kind is LinkKind => Object.hasOwn(linkPages, kind)

type Mail = Pick<Selectable<DB['mails']>, 'id' | 'kind' | 'accountId' | 'recipient' | 'createdAt'>

/** 43 characters, the same on every call and node. */
export function tokenOf(key: Uint8Array, { id, kind, accountId, recipient, createdAt }: Mail): string {
  // Not only the number: numbers repeat after a backup is restored.
  const text = [id, kind, accountId, recipient, createdAt.toISOString()].join('\n')
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Both values are in Base64, as clients expect, and percent-encoded. */
export function linkOf(publicUrl: string, kind: LinkKind, token: string, email: string): string {
  const value = (text: string) => encodeURIComponent(Buffer.from(text, 'utf8').toString('base64'))
  return `${publicUrl}/account/${linkPages[kind]}?token=${value(token)}&email=${value(email)}`
}

/** Accepts Base64 and Base64url, padded or not; returns the empty string for anything else. */
export function readEncoded(text: string): string {
  const plain = text.trim().replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]*=*$/.test(plain)) return ''
  const read = Buffer.from(plain, 'base64').toString('utf8')
  return read.includes('\0') ? '' : read
}

export async function storeToken(
  tx: Tx,
  token: string,
  owner: { accountId: string; purpose: TokenPurpose; email: string },
): Promise<void> {
  await tx
    .insertInto('mailTokens')
    .values({
      ...owner,
      hash: hashToken(token),
      expiresAt: sql`clock_timestamp() + make_interval(secs => ${sessionLimits.mailTokenLife / 1000})`,
    })
    .execute()
}

interface Claim {
  readonly token: string
  readonly purpose: TokenPurpose
  /** Compared without letter case. */
  readonly email: string
}

interface ConsumedToken {
  readonly accountId: string
  /** In the original letter case. */
  readonly email: string
  readonly expiresAt: Date
}

/** Consumes the token; null if it is invalid or expired. Only one of two concurrent calls gets it. */
export async function consumeToken(tx: Tx, { token, purpose, email }: Claim): Promise<ConsumedToken | null> {
  const consumed = await tx
    .deleteFrom('mailTokens')
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .returning(['accountId', 'email', 'expiresAt'])
    .executeTakeFirst()
  return consumed ?? null
}

export async function isAlive(db: Db, token: string): Promise<boolean> {
  const found = await db
    .selectFrom('mailTokens')
    .select('hash')
    .where('hash', '=', hashToken(token))
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether an account other than `except` can still reclaim the address with the link of a notice; until then no other account can use it. */
export async function isHeldBack(db: Db | Tx, email: string, except: string | null): Promise<boolean> {
  const found = await db
    .selectFrom('mailTokens')
    .select('hash')
    .where('purpose', '=', 'EmailChanging')
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .$if(except !== null, (query) => query.where('accountId', '<>', except as string))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

import { AccountBanned, AccountVerificationFailed, ActivationLinkInvalid } from '@vexil/core/rules'
import { sql } from 'kysely'
import { audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail, insertAccount, lockUnclaimed, named } from './accounts.queries.ts'
import { type Attempt, deleteAttempts, findAttempt, hasAttempts, lockAddress } from './registrations.queries.ts'
import { endSession, endSessions, type SignedIn, startSession } from './sessions.ts'

export interface Verification {
  readonly email: string
  readonly token: string
  readonly ip: string
  readonly oldToken: string | null
}

/**
 * Creates and signs in the account of a registration, or takes over an inactive one, and ends all other attempts of the address.
 * @throws ActivationLinkInvalid, AccountVerificationFailed, AccountBanned, UserNameTaken
 */
export async function verifyAccount(
  { db, bus, log }: Pick<Deps, 'db' | 'bus' | 'log'>,
  { email, token, ip, oldToken }: Verification,
): Promise<SignedIn> {
  const owner = await findByEmail(db, email)
  if (owner?.active || !(owner || (await hasAttempts(db, email)))) throw new ActivationLinkInvalid()
  const { userName, ...signedIn } = await translated(
    inTransaction(db, async (tx) => {
      await lockAddress(tx, email)
      const attempt = await findAttempt(tx, token, email)
      if (!attempt) throw new AccountVerificationFailed()
      const accountId = (await takeOver(tx, attempt, ip)) ?? (await insertAccount(tx, { ...attempt, active: true, lastIp: ip }))
      await deleteAttempts(tx, email)
      if (oldToken !== null) await endSession(tx, oldToken)
      const { passwordHash, userName } = attempt
      return { accountId, passwordHash, token: await startSession(tx, accountId), userName }
    }),
    { accounts_email: ActivationLinkInvalid },
  )
  bus.publish('security.changed', {})
  audit({ log }, { userName, ip }, 'Email confirmed')
  return signedIn
}

/** Gives the inactive account at the address its name and password; null if there is none. */
async function takeOver(tx: Tx, { userName, email, passwordHash }: Attempt, ip: string): Promise<string | null> {
  const waiting = await lockUnclaimed(tx, email)
  if (waiting === null) {
    // The unique index refuses any other account at the address.
    if ((await findByEmail(tx, email))?.role === 'Banned') throw new AccountBanned()
    return null
  }
  const now = sql<Date>`clock_timestamp()`
  await tx
    .updateTable('accounts')
    .set({ ...named(userName), passwordHash, active: true, registeredAt: now, lastVisitAt: now, lastIp: ip })
    .where('id', '=', waiting)
    .execute()
  await endSessions(tx, waiting)
  return waiting
}

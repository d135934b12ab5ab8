import { OldPasswordWrong } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { getAccount } from './accounts.queries.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { type BrowserOf, endSessions, type SignedIn, startSession } from './sessions.ts'
import type { Guess, SignInLimits } from './sign-in-limits.ts'

/** Where a password is typed. */
interface Place extends Pick<Guess, 'network'> {
  /** The number of the browser when it signed in to this account before. */
  readonly deviceOf: BrowserOf
}

/** Changes the own password. All sessions end at once and all known devices are forgotten; the caller gets a new session. */
export async function changePassword(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  limits: SignInLimits,
  by: Actor,
  place: Place,
  { old, new: wanted }: { readonly old: string; readonly new: string },
): Promise<SignedIn> {
  const passwordHash = await mustKnowPassword(deps, limits, { account: by.id, ...place }, old)
  const newHash = await hashPassword(wanted, by.id)
  const token = await inTransaction(deps.db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({ passwordHash: newHash })
      .where('id', '=', by.id)
      // Another request may have changed it while this one was hashed.
      .where('passwordHash', '=', passwordHash)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new OldPasswordWrong()
    await endSessions(tx, by.id)
    return startSession(tx, by.id)
  })
  deps.bus.publish('security.changed', {})
  audit(deps, by, 'Password changed')
  return { accountId: by.id, passwordHash: newHash, token }
}

/**
 * Compares the caller's password where a call asks for it again. It can be guessed here as well as at the login, so the same buckets
 * count. Returns the hash that it was compared with. @throws OldPasswordWrong
 */
export async function mustKnowPassword(
  { db }: Pick<Deps, 'db'>,
  limits: SignInLimits,
  { account, network, deviceOf }: Place & { readonly account: string },
  password: string,
): Promise<string> {
  const { passwordHash } = await getAccount(db, account)
  const guess = { account, network, device: deviceOf({ accountId: account, passwordHash }) }
  if (!(await checkPassword(limits, guess, passwordHash, password))) throw new OldPasswordWrong()
  return passwordHash
}

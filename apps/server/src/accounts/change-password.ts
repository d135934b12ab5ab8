import { OldPasswordWrong } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { getAccount } from './accounts.queries.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { type BrowserOf, endSessions, type SignedIn, startSession } from './sessions.ts'
import type { Guess, SignInLimits } from './sign-in-limits.ts'

interface Place extends Pick<Guess, 'network'> {
  readonly deviceOf: BrowserOf
}

/** Changes the caller's password, ends all sessions, forgets all known devices and starts a new session for the caller. */
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
      // A concurrent request may have changed the password, or ended all sessions by deactivating the account.
      .where('passwordHash', '=', passwordHash)
      .where('active', '=', true)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new OldPasswordWrong()
    await endSessions(tx, by.id)
    return startSession(tx, by.id)
  })
  deps.bus.publish('security.changed', {})
  audit(deps, by, 'Password changed')
  return { accountId: by.id, passwordHash: newHash, token }
}

/** Checks the caller's password, with the same limits as the login. Returns the stored hash. @throws OldPasswordWrong */
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

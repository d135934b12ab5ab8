import { mustBeAbleToLogIn } from '@vexil/core/accounts'
import { nameKey, readable } from '@vexil/core/names'
import type { Role } from '@vexil/core/vocabulary'
import { audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByNameOrEmail, recordSignIn } from './accounts.queries.ts'
import { mustPassCaptcha } from './must-pass-captcha.ts'
import { checkPassword } from './passwords.ts'
import { findWaitingHash } from './registrations.queries.ts'
import { type BrowserOf, endSession, type SignedIn, startSession } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'

export interface LoginAttempt {
  readonly userName: string
  readonly password: string
  readonly challenge: string | null
  readonly ip: string
  readonly network: string
  readonly deviceOf: BrowserOf
  readonly oldToken: string | null
}

/** Signs in and returns the token of the new session. Wrong guesses count for unknown names too. */
export async function logIn(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'captcha'>,
  limits: SignInLimits,
  { userName, password, challenge, ip, network, deviceOf, oldToken }: LoginAttempt,
): Promise<SignedIn> {
  await mustPassCaptcha(deps, challenge, ip, 'login')
  const found = await findByNameOrEmail(deps.db, userName)
  // Looks up waiting registrations for known names too, so that both take the same time; they count as inactive accounts.
  const passwordHash = await findWaitingHash(deps.db, userName)
  const account = found ?? { id: null, userName: null, role: 'User', active: false, passwordHash }
  const guess = {
    account: account.id ?? `name ${nameKey(userName)}`,
    network,
    device: found ? deviceOf({ accountId: found.id, passwordHash: found.passwordHash }) : null,
  }
  const mustBeAllowed = (now: Parameters<typeof mustBeAbleToLogIn>[0]) => {
    try {
      mustBeAbleToLogIn(now)
    } catch (refusal) {
      deps.log.write({ level: 'Warning', status: 'Failed', ip, ...refusedLogin(account.userName, userName) })
      throw refusal
    }
  }
  const passwordRight = await checkPassword(limits, guess, account.passwordHash, password)
  mustBeAllowed({ ...account, role: account.role as Role, passwordRight })
  const { id: accountId, userName: name } = found as NonNullable<typeof found>
  const token = await inTransaction(deps.db, async (tx) => {
    const now = await recordSignIn(tx, accountId, ip)
    // While the password was compared, it may have been changed or the account deactivated, which ended all sessions.
    mustBeAllowed(now && { ...now, role: now.role as Role, passwordRight: now.passwordHash === account.passwordHash })
    if (oldToken !== null) await endSession(tx, oldToken)
    return startSession(tx, accountId)
  })
  if (oldToken !== null) deps.bus.publish('security.changed', {})
  audit(deps, { userName: name, ip }, 'Logged in')
  return { accountId, passwordHash: account.passwordHash as string, token }
}

/** Quotes the text of the visitor in the message; it is never the actor's name. */
const refusedLogin = (name: string | null, typed: string) =>
  name === null
    ? { name: 'Anonymous', message: `Login failed: no account is named "${readable(typed).slice(0, 64)}"` }
    : { name, message: 'Login failed' }

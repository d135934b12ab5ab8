import { foldCase, mustBeAbleToLogIn } from '@vexil/core/accounts'
import type { Role } from '@vexil/core/vocabulary'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByNameOrEmail, recordSignIn } from './accounts.queries.ts'
import { mustPassCaptcha } from './must-pass-captcha.ts'
import { isPassword } from './passwords.ts'
import { endSession, startSession } from './sessions.ts'

export interface LoginAttempt {
  /** Name or e-mail address. */
  readonly userName: string
  readonly password: string
  readonly challenge: string | null
  readonly ip: string
  readonly oldToken: string | null
}

/**
 * Signs in and returns the token of the new session. `throttle` counts one attempt on a key and refuses when there were
 * too many: guessing is slowed down per account, unknown names alike, and much of it per address.
 */
export async function logIn(
  deps: Pick<Deps, 'db' | 'log' | 'settings' | 'captcha'>,
  { userName, password, challenge, ip, oldToken }: LoginAttempt,
  throttle: (limit: 'login' | 'loginFrom', key: string) => void,
): Promise<string> {
  throttle('loginFrom', ip)
  await mustPassCaptcha(deps, challenge, ip, 'login')
  const account = (await findByNameOrEmail(deps.db, userName)) ?? null
  throttle('login', account ? `account ${account.id}` : `name ${foldCase(userName)}`)
  const passwordRight = await isPassword(account?.passwordHash ?? null, password)
  try {
    mustBeAbleToLogIn(account && { passwordRight, role: account.role as Role, active: account.active })
  } catch (refusal) {
    deps.log.write({ level: 'Warning', status: 'Failed', name: userName, ip, message: 'Login failed' })
    throw refusal
  }
  const { id, userName: name } = account as NonNullable<typeof account>
  const token = await translated(
    inTransaction(deps.db, async (tx) => {
      if (oldToken !== null) await endSession(tx, oldToken)
      await recordSignIn(tx, id, ip)
      return startSession(tx, id)
    }),
  )
  deps.log.write({ status: 'Success', name, ip, message: 'Logged in' })
  return token
}

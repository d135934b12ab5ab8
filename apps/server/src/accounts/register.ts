import { mustHaveAllowedDomain, registerOutcome } from '@vexil/core/accounts'
import { CaptchaFailed, MailNotConfigured, RegistrationClosed } from '@vexil/core/rules'
import type { RegisterStatus } from '@vexil/core/vocabulary'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { insertAccount } from './accounts.queries.ts'
import { hashPassword } from './passwords.ts'
import { endSession, startSession } from './sessions.ts'

export interface Registration {
  readonly userName: string
  readonly password: string
  readonly email: string
  readonly challenge: string | null
  readonly ip: string
  /** Session that the browser brought along; it is dropped with a new one. */
  readonly oldToken: string | null
}

/**
 * Makes an account. The first broken rule is told, in the order that clients know; then the policy decides what becomes
 * of it. An account that exists is never handed over, active or not: whoever sends its address again is refused.
 */
export async function register(
  deps: Pick<Deps, 'db' | 'log' | 'settings' | 'captcha'>,
  { userName, password, email, challenge, ip, oldToken }: Registration,
): Promise<{ status: RegisterStatus; token: string | null }> {
  const policy = deps.settings.get()
  if (!policy['AccountPolicy:AllowRegister']) throw new RegistrationClosed()
  if (policy['AccountPolicy:UseCaptcha'] && !(await deps.captcha.verify(challenge, ip))) throw new CaptchaFailed()
  mustHaveAllowedDomain(email, policy['AccountPolicy:EmailDomainList'])
  const status = registerOutcome({
    activeOnRegister: policy['AccountPolicy:ActiveOnRegister'],
    emailConfirmationRequired: policy['AccountPolicy:EmailConfirmationRequired'],
  })
  // Without a mail nobody could ever activate the account, so none is made.
  if (status === 'EmailConfirmationRequired') throw new MailNotConfigured()

  const active = status === 'LoggedIn'
  const passwordHash = await hashPassword(password)
  const token = await translated(
    inTransaction(deps.db, async (tx) => {
      const id = await insertAccount(tx, { userName, email, passwordHash, active, lastIp: ip })
      if (!active) return null
      if (oldToken !== null) await endSession(tx, oldToken)
      return startSession(tx, id)
    }),
  )
  const message = active ? 'User registered' : 'User registered and waits for approval'
  deps.log.write({ status: 'Success', name: userName, ip, message })
  return { status, token }
}

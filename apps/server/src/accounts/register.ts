import { mustHaveAllowedDomain, registerOutcome } from '@vexil/core/accounts'
import { AccountExists, MailNotConfigured, RegistrationClosed } from '@vexil/core/rules'
import type { Language, RegisterStatus } from '@vexil/core/vocabulary'
import { translated } from '../db/constraints.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { insertAccount, lockUnclaimed, type NewAccount, updateAccount } from './accounts.queries.ts'
import { writeMail } from './mails/write-mail.ts'
import { mustPassCaptcha } from './must-pass-captcha.ts'
import { hashPassword } from './passwords.ts'
import { endSession, endSessions, startSession } from './sessions.ts'

export interface Registration {
  readonly userName: string
  readonly password: string
  readonly email: string
  readonly challenge: string | null
  readonly ip: string
  readonly language: Language
  /** Session that the browser brought along; it is dropped with a new one. */
  readonly oldToken: string | null
}

const said: Record<RegisterStatus, string> = {
  LoggedIn: 'User registered',
  AdminConfirmationRequired: 'User registered and waits for approval',
  EmailConfirmationRequired: 'User registered, activation mail asked for',
}

/**
 * Makes an account. The first broken rule is told, in the order that clients know; then the policy decides what becomes
 * of it. An account that exists is never handed over. Only one that waits for its mail may be registered again: name and
 * password are the new ones, since the mail proves who owns the address, and the mail goes out again.
 */
export async function register(
  deps: Pick<Deps, 'db' | 'log' | 'settings' | 'captcha' | 'mailer' | 'secrets'>,
  { userName, password, email, challenge, ip, language, oldToken }: Registration,
): Promise<{ status: RegisterStatus; token: string | null }> {
  const policy = deps.settings.get()
  if (!policy['AccountPolicy:AllowRegister']) throw new RegistrationClosed()
  await mustPassCaptcha(deps, challenge, ip, 'register')
  mustHaveAllowedDomain(email, policy['AccountPolicy:EmailDomainList'])
  const status = registerOutcome({
    activeOnRegister: policy['AccountPolicy:ActiveOnRegister'],
    emailConfirmationRequired: policy['AccountPolicy:EmailConfirmationRequired'],
  })
  const byMail = status === 'EmailConfirmationRequired'
  // Without a mail nobody could ever activate the account, so none is made.
  if (byMail && !deps.mailer.configured) throw new MailNotConfigured()

  const active = status === 'LoggedIn'
  const account: NewAccount = { userName, email, passwordHash: await hashPassword(password), active, lastIp: ip }
  const token = await translated(
    inTransaction(deps.db, async (tx) => {
      const id = (byMail && (await registerAgain(tx, account))) || (await insertAccount(tx, account))
      if (byMail) await writeMail(tx, deps, { kind: 'Verify', accountId: id, userName, recipient: email, language })
      if (!active) return null
      if (oldToken !== null) await endSession(tx, oldToken)
      return startSession(tx, id)
    }),
    { accounts_email: AccountExists },
  )
  deps.log.write({ status: byMail ? 'Pending' : 'Success', name: userName, ip, message: said[status] })
  return { status, token }
}

/** Null when nobody waits at this address. Earlier links of the account die with its password (migration 0002). */
async function registerAgain(tx: Tx, { userName, email, passwordHash, lastIp }: NewAccount): Promise<string | null> {
  const id = await lockUnclaimed(tx, email)
  if (id === null) return null
  await updateAccount(tx, id, { userName, email, passwordHash, lastIp })
  await endSessions(tx, id)
  return id
}

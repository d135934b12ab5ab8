import { mustHaveAllowedDomain, registerOutcome } from '@vexil/core/accounts'
import { cleanUserName, mustNotLookLike } from '@vexil/core/names'
import { AccountExists, MailNotConfigured, RegistrationClosed, UserNameTaken } from '@vexil/core/rules'
import type { Language, RegisterStatus } from '@vexil/core/vocabulary'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findByEmail, insertAccount, isNameTaken, listAdminNames, lockUnclaimed } from './accounts.queries.ts'
import { isHeldBack } from './mails/link-tokens.ts'
import { mayReceive, writeRegistrationMail } from './mails/write-mail.ts'
import { mustPassCaptcha } from './must-pass-captcha.ts'
import { hashPassword } from './passwords.ts'
import { insertAttempt, lockAddress } from './registrations.queries.ts'
import { endSession, type SignedIn, startSession } from './sessions.ts'

export interface Registration {
  readonly userName: string
  readonly password: string
  readonly email: string
  readonly challenge: string | null
  readonly ip: string
  readonly network: string
  readonly language: Language
  readonly oldToken: string | null
}

export interface Registered {
  readonly status: RegisterStatus
  readonly signedIn: SignedIn | null
}

const logMessages: Record<RegisterStatus, string> = {
  LoggedIn: 'User registered',
  AdminConfirmationRequired: 'User registered, waiting for approval',
  EmailConfirmationRequired: 'Registration waiting for email confirmation',
}

type RegisterDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'captcha' | 'mailer' | 'secrets'>

/**
 * Reports the first broken rule, in the order that clients expect, and never hands over an existing account. With confirmation by mail, stores only
 * an attempt until the link is followed (verify-account.ts); otherwise the account is active or waits for an administrator.
 */
export async function register(
  deps: RegisterDeps,
  { challenge, ip, network, oldToken, ...given }: Registration,
): Promise<Registered> {
  const policy = deps.settings.get()
  if (!policy['AccountPolicy:AllowRegister']) throw new RegistrationClosed()
  await mustPassCaptcha(deps, challenge, ip, 'register')
  mustHaveAllowedDomain(given.email, policy['AccountPolicy:EmailDomainList'])
  const userName = cleanUserName(given.userName)
  const status = registerOutcome({
    activeOnRegister: policy['AccountPolicy:ActiveOnRegister'],
    emailConfirmationRequired: policy['AccountPolicy:EmailConfirmationRequired'],
  })
  const byMail = status === 'EmailConfirmationRequired'
  // Without mail the account could never be activated.
  if (byMail && !deps.mailer.configured) throw new MailNotConfigured()

  const person: Person = { userName, email: given.email, passwordHash: await hashPassword(given.password, network) }
  const signedIn = byMail ? null : await makeAccount(deps, person, { active: status === 'LoggedIn', ip, oldToken })
  if (signedIn && oldToken !== null) deps.bus.publish('security.changed', {})
  if (byMail) await makeAttempt(deps, person, given.language)
  deps.log.write({ status: byMail ? 'Pending' : 'Success', name: userName, ip, message: logMessages[status] })
  return { status, signedIn }
}

interface Person {
  readonly userName: string
  readonly email: string
  readonly passwordHash: string
}

interface Making {
  readonly active: boolean
  readonly ip: string
  readonly oldToken: string | null
}

async function makeAccount({ db }: Pick<Deps, 'db'>, person: Person, { active, ip, oldToken }: Making) {
  return translated(
    inTransaction(db, async (tx) => {
      if (await isHeldBack(tx, person.email, null)) throw new AccountExists()
      mustNotLookLike(person.userName, await listAdminNames(tx, null))
      const accountId = await insertAccount(tx, { ...person, active, lastIp: ip })
      if (!active) return null
      if (oldToken !== null) await endSession(tx, oldToken)
      return { accountId, passwordHash: person.passwordHash, token: await startSession(tx, accountId) }
    }),
    { accounts_email: AccountExists },
  )
}

/** At the hourly mail limit of the address nothing is stored, and the response is the same. */
async function makeAttempt(deps: Pick<Deps, 'db' | 'secrets'>, person: Person, language: Language): Promise<void> {
  const { email, userName } = person
  await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, email)
    const waiting = await lockUnclaimed(tx, email)
    if (await isNameTaken(tx, userName, waiting)) throw new UserNameTaken()
    mustNotLookLike(userName, await listAdminNames(tx, waiting))
    if (waiting === null && (await findByEmail(tx, email))) throw new AccountExists()
    if (await isHeldBack(tx, email, null)) throw new AccountExists()
    if (!(await mayReceive(tx, email, 'requested'))) return
    await insertAttempt(tx, await writeRegistrationMail(tx, deps, { userName, recipient: email, language }), person)
  })
}

/** Calls that send or follow mails. This platform has no way to send any, and says so. */
import * as endpoints from '@vexil/contract/accounts'
import { mustHaveAllowedDomain } from '@vexil/core/accounts'
import { CaptchaFailed, EmailTaken, EmailUnchangeable, MailNotConfigured, RecoveryOff, RuleError } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { isEmailTaken } from './accounts.queries.ts'

export function mailRoutes(http: Http, deps: Pick<Deps, 'db' | 'settings' | 'captcha'>): void {
  const confirms = () => deps.settings.get()['AccountPolicy:EmailConfirmationRequired']

  route(http, endpoints.recovery, async ({ body, ip }) => {
    const checks = deps.settings.get()['AccountPolicy:UseCaptcha']
    if (checks && !(await deps.captcha.verify(body.challenge ?? null, ip))) throw new CaptchaFailed()
    if (!confirms()) throw new RecoveryOff()
    throw new MailNotConfigured()
  })

  route(http, endpoints.changeEmail, async ({ body }) => {
    if (await isEmailTaken(deps.db, body.newMail)) throw new EmailTaken()
    mustHaveAllowedDomain(body.newMail, deps.settings.get()['AccountPolicy:EmailDomainList'])
    // Clients look for this `false`: the one refusal with data of its own on the wire.
    if (!confirms()) throw new RuleError(EmailUnchangeable.code, false)
    throw new MailNotConfigured()
  })

  const noMail = async () => {
    throw new MailNotConfigured()
  }
  route(http, endpoints.passwordReset, noMail)
  route(http, endpoints.verify, noMail)
  route(http, endpoints.mailChangeConfirm, noMail)
}

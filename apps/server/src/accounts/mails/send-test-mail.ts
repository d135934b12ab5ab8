import { MailNotConfigured, MailNotSent } from '@vexil/core/rules'
import type { Language } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../../audit.ts'
import type { Deps } from '../../deps.ts'
import { MailFailed } from '../../ports/mail/mail.ts'
import { insertMail, recordAttempt } from './mails.queries.ts'
import { outgoing } from './send-mail.ts'

/** Sends a mail to the administrator and waits, to show the reply of the mail server. @throws MailNotConfigured, MailNotSent */
export async function sendTestMail(
  deps: Pick<Deps, 'db' | 'config' | 'log' | 'mailer' | 'secrets' | 'settings'>,
  by: Actor,
  language: Language,
): Promise<void> {
  if (!deps.mailer.configured) throw new MailNotConfigured()
  const { id: accountId, userName, ip } = by
  const own = deps.db.selectFrom('accounts').select('email').where('id', '=', accountId)
  const { email: recipient } = await own.executeTakeFirstOrThrow()
  const mail = await insertMail(deps.db, { kind: 'Test', accountId, userName, recipient, language })
  try {
    await deps.mailer.send(outgoing(deps, mail))
  } catch (error) {
    if (!(error instanceof MailFailed)) throw error
    await recordAttempt(deps.db, mail.id, 'Failed', error.message)
    deps.log.write({ status: 'Failed', name: userName, ip, message: `Could not send test email: ${error.message}` })
    throw new MailNotSent({ reason: error.message })
  }
  await recordAttempt(deps.db, mail.id, 'Sent', null)
  audit(deps, { userName, ip }, 'Test email sent')
}

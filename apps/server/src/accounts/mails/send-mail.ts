import type { Language, MailKind } from '@vexil/core/vocabulary'
import type { Deps } from '../../deps.ts'
import { MailFailed, type OutgoingMail } from '../../ports/mail/mail.ts'
import { platformName } from '../../site/settings.ts'
import { isAttemptAlive } from '../registrations.queries.ts'
import { drawLetter } from './letter.ts'
import { hasLink, isAlive, linkOf, tokenOf } from './link-tokens.ts'
import { findMail, type MailRow, recordAttempt } from './mails.queries.ts'
import { linkKey } from './write-mail.ts'

type MailDeps = Pick<Deps, 'db' | 'config' | 'log' | 'mailer' | 'secrets' | 'settings'>

/** One attempt to send; throws if a retry may help. A mail with an expired link is not sent, and marked as failed. */
export async function sendMail(deps: MailDeps, id: number, last: boolean): Promise<void> {
  const mail = await findMail(deps.db, id)
  if (mail?.state !== 'Waiting') return
  if (!(await isWorthSending(deps, mail))) {
    return recordAttempt(deps.db, id, 'Failed', 'not sent: the link is no longer valid')
  }
  const about = `${mail.kind} email`
  try {
    await deps.mailer.send(outgoing(deps, mail))
  } catch (error) {
    const { message, permanent } = error instanceof MailFailed ? error : new MailFailed(String(error), false)
    const over = permanent || last
    await recordAttempt(deps.db, id, over ? 'Failed' : 'Waiting', message)
    if (!over) throw error
    deps.log.write({ level: 'Warning', status: 'Failed', name: mail.userName, message: `Could not send ${about}: ${message}` })
    return
  }
  await recordAttempt(deps.db, id, 'Sent', null)
  deps.log.write({ status: 'Success', name: mail.userName, message: `${about} sent` })
}

async function isWorthSending(deps: Pick<Deps, 'db' | 'secrets'>, mail: MailRow): Promise<boolean> {
  if (!hasLink(mail.kind)) return true
  const token = tokenOf(linkKey(deps), mail)
  return mail.kind === 'Verify' ? isAttemptAlive(deps.db, token) : isAlive(deps.db, token)
}

/** The complete mail with its link, which is not stored. */
export function outgoing(
  { config, mailer, secrets, settings }: Pick<Deps, 'config' | 'mailer' | 'secrets' | 'settings'>,
  mail: MailRow,
): OutgoingMail {
  const { id, kind, recipient, userName, createdAt } = mail
  const values = settings.get()
  const platform = platformName(values)
  const language = mail.language as Language
  const letter = drawLetter({
    kind: kind as MailKind,
    language,
    userName,
    email: recipient,
    platform,
    colour: values['GlobalConfig:CustomTheme'],
    link: hasLink(kind) ? linkOf(config.publicUrl, kind, tokenOf(linkKey({ secrets }), mail), recipient) : null,
    at: createdAt,
  })
  return {
    ...letter,
    id: `${id}.${createdAt.getTime()}`,
    to: { name: userName, address: recipient },
    fromName: mailer.senderName ?? platform,
    language,
  }
}

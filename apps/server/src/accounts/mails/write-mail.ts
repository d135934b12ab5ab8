import type { Language, MailKind } from '@vexil/core/vocabulary'
import { addJob } from '../../db/jobs.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { hasLink, storeToken, tokenOf } from './link-tokens.ts'
import { insertMail } from './mails.queries.ts'

export interface MailCause {
  readonly kind: MailKind
  readonly accountId: string
  readonly userName: string
  /** Where it goes; a link in it is made for this address. */
  readonly recipient: string
  readonly language: Language
}

/** The key of the links' tokens. */
export const linkKey = ({ secrets }: Pick<Deps, 'secrets'>): Buffer => secrets.derive('mail links')

/** Nine attempts take a good hour, well within the life of a link. */
const attempts = 9

/** Writes a mail with its link's token and its job: it goes out if and only if the transaction is committed. */
export async function writeMail(tx: Tx, deps: Pick<Deps, 'secrets'>, cause: MailCause): Promise<void> {
  const mail = await insertMail(tx, cause)
  const { kind, accountId, recipient } = cause
  if (hasLink(kind)) await storeToken(tx, tokenOf(linkKey(deps), mail), { accountId, purpose: kind, email: recipient })
  await addJob(tx, 'send-mail', { mail: mail.id }, { attempts })
}

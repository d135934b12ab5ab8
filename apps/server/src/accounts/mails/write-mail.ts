import { mailsAnHour } from '@vexil/core/limits'
import type { Language, MailKind } from '@vexil/core/vocabulary'
import { addJob } from '../../db/jobs.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { storeToken, type TokenPurpose, tokenOf } from './link-tokens.ts'
import { countLately, insertMail, lockRecipient } from './mails.queries.ts'

interface Cause {
  readonly userName: string
  /** Where it goes; a link in it is made for this address. */
  readonly recipient: string
  readonly language: Language
}

export interface MailCause extends Cause {
  readonly kind: TokenPurpose
  readonly accountId: string
}

/** The key of the links' tokens. */
export const linkKey = ({ secrets }: Pick<Deps, 'secrets'>): Buffer => secrets.derive('mail links')

/** Nine attempts take a good hour, well within the life of a link. */
const attempts = 9

/**
 * Kinds that strangers can have sent, by what is counted together. The notice of a change is counted apart: otherwise an
 * attacker who changes the address of an account could first use up the mails that would warn its owner.
 */
const groups = {
  asked: ['Verify', 'Reset', 'ChangeEmail'],
  notice: ['EmailChanging'],
} as const satisfies Record<string, readonly MailKind[]>

/**
 * Whether one more mail may go to a recipient this hour. A request at the same instant for the same recipient waits for the
 * end of this transaction. Callers answer the same either way.
 */
export async function mayReceive(tx: Tx, recipient: string, group: keyof typeof groups): Promise<boolean> {
  await lockRecipient(tx, recipient)
  return (await countLately(tx, recipient, groups[group])) < mailsAnHour
}

/** Writes a mail with its link's token and its job: it goes out if and only if the transaction is committed. */
export async function writeMail(tx: Tx, deps: Pick<Deps, 'secrets'>, cause: MailCause): Promise<void> {
  const mail = await insertMail(tx, cause)
  const { kind, accountId, recipient } = cause
  await storeToken(tx, tokenOf(linkKey(deps), mail), { accountId, purpose: kind, email: recipient })
  await addJob(tx, 'send-mail', { mail: mail.id }, { attempts })
}

/** The same for a registration, which has no account yet. Returns the link's token, to be stored with the attempt. */
export async function writeRegistrationMail(tx: Tx, deps: Pick<Deps, 'secrets'>, cause: Cause): Promise<string> {
  const mail = await insertMail(tx, { ...cause, kind: 'Verify', accountId: null })
  await addJob(tx, 'send-mail', { mail: mail.id }, { attempts })
  return tokenOf(linkKey(deps), mail)
}

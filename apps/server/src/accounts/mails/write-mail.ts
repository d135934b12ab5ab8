import { mailsAnHour } from '@vexil/core/limits'
import type { Language, MailKind } from '@vexil/core/vocabulary'
import type pg from 'pg'
import { addJob } from '../../db/jobs.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { storeToken, type TokenPurpose, tokenOf } from './link-tokens.ts'
import { countLately, insertMail, lockRecipient } from './mails.queries.ts'

interface Cause {
  readonly userName: string
  readonly recipient: string
  readonly language: Language
}

export interface MailCause extends Cause {
  readonly kind: TokenPurpose
  readonly accountId: string
}

export const linkKey = ({ secrets }: Pick<Deps, 'secrets'>): Buffer => secrets.derive('mail links')

/** Nine attempts take over an hour, well within the lifetime of a link. */
const attempts = 9

/** The notice counts separately: otherwise an attacker could use up the limit before changing the address. */
const groups = {
  requested: ['Verify', 'Reset', 'ChangeEmail'],
  notice: ['EmailChanging'],
} as const satisfies Record<string, readonly MailKind[]>

/** Concurrent requests for one recipient wait for this transaction. The response must not depend on the result. */
export async function mayReceive(tx: Tx, recipient: string, group: keyof typeof groups): Promise<boolean> {
  await lockRecipient(tx, recipient)
  return (await countLately(tx, recipient, groups[group])) < mailsAnHour
}

/** Writes a mail with its token and its job in the transaction. */
export async function writeMail(tx: Tx, deps: Pick<Deps, 'secrets'>, cause: MailCause): Promise<void> {
  const mail = await insertMail(tx, cause)
  const { kind, accountId, recipient } = cause
  await storeToken(tx, tokenOf(linkKey(deps), mail), { accountId, purpose: kind, email: recipient })
  await addJob(tx, 'send-mail', { mail: mail.id }, { attempts })
}

/** As `writeMail`, for a registration that has no account yet. Returns the token, to be stored with the attempt. */
export async function writeRegistrationMail(tx: Tx, deps: Pick<Deps, 'secrets'>, cause: Cause): Promise<string> {
  const mail = await insertMail(tx, { ...cause, kind: 'Verify', accountId: null })
  await addJob(tx, 'send-mail', { mail: mail.id }, { attempts })
  return tokenOf(linkKey(deps), mail)
}

/** Adds the jobs of waiting mails after a restore, which brings only their rows. `client`: in a transaction. */
export async function addWaitingMails(client: Pick<pg.Client, 'query'>): Promise<void> {
  await client.query(
    `select graphile_worker.add_job('send-mail', json_build_object('mail', id), max_attempts := $1::smallint)
     from mails where state = 'Waiting' order by id`,
    [attempts],
  )
}

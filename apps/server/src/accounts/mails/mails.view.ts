import type { MailInfo } from '@vexil/contract/mails'
import { wireTime } from '@vexil/contract/wire'
import type { MailKind, MailState } from '@vexil/core/vocabulary'
import type { MailRow } from './mails.queries.ts'

export const mailView = ({ id, kind, recipient, userName, state, attempts, error, createdAt, settledAt }: MailRow): MailInfo => ({
  id,
  kind: kind as MailKind,
  recipient,
  userName,
  state: state as MailState,
  attempts,
  error,
  createdAt: wireTime(createdAt),
  settledAt: settledAt && wireTime(settledAt),
})

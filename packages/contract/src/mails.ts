import { mailKinds, mailStates } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { ArrayOf, DateTime, Id, Int, Nullable, OneOf, Page } from './shapes.ts'

export const MailInfo = Type.Object({
  id: Id,
  kind: OneOf(mailKinds),
  recipient: Type.String(),
  userName: Type.String(),
  state: OneOf(mailStates),
  attempts: Int,
  /** Last response of the mail server, without links. */
  error: Nullable(Type.String()),
  createdAt: DateTime,
  settledAt: Nullable(DateTime),
})
export type MailInfo = Type.Static<typeof MailInfo>

export const listMails = endpoint('GET /api/admin/mails', {
  access: 'admin',
  ours: true,
  summary: 'List emails and their state, newest first',
  query: Type.Object({ ...Page.properties, state: Type.Optional(OneOf(mailStates)) }),
  reply: Type.Object({ ...ArrayOf(MailInfo).properties, configured: Type.Boolean() }),
})

export const sendTestMail = endpoint('POST /api/admin/mails/test', {
  access: 'admin',
  ours: true,
  limit: 'register',
  summary: 'Send a test email to your address',
  throws: ['mail.not_configured', 'mail.not_sent'],
})

/** Texts of mails; every language must have all of them. Placeholders in `{…}`: userName, platform, email, time. */
import type { MailKind } from '@vexil/core/vocabulary'

export interface KindTexts {
  readonly subject: string
  readonly text: readonly string[]
  readonly button?: string
  readonly otherwise?: string
}

export interface MailTexts {
  readonly hello: string
  readonly copyLink: string
  readonly holds: string
  readonly foot: string
  readonly kinds: Record<MailKind, KindTexts>
}

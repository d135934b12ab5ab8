/** Texts of mails; every language must have all of them. Placeholders in `{…}`: userName, platform, email, time. */
import type { MailKind } from '@vexil/core/vocabulary'

export interface KindTexts {
  readonly subject: string
  readonly text: readonly string[]
  /** For kinds with a link. */
  readonly button?: string
  /** What to do if the recipient did not request the mail. */
  readonly otherwise?: string
}

export interface MailTexts {
  readonly hello: string
  readonly copyLink: string
  /** How long the link is valid. */
  readonly holds: string
  /** Footer with platform and time. */
  readonly foot: string
  readonly kinds: Record<MailKind, KindTexts>
}

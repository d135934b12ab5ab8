/** What mails say. A language that lacks a text does not compile. `{…}` are places: userName, platform, email, time. */
import type { MailKind } from '@vexil/core/vocabulary'

export interface KindTexts {
  readonly subject: string
  /** Paragraphs. */
  readonly text: readonly string[]
  /** For kinds with a link. */
  readonly button?: string
  /** What to do when it was not oneself. */
  readonly otherwise?: string
}

export interface MailTexts {
  readonly hello: string
  readonly copyLink: string
  /** How long the link holds. */
  readonly holds: string
  /** Platform and time, at the foot. */
  readonly foot: string
  readonly kinds: Record<MailKind, KindTexts>
}

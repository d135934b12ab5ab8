export interface OutgoingMail {
  /** The same for every attempt, so that duplicates are recognised. Letters, digits and dots. */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  readonly fromName: string
  readonly language: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  readonly configured: boolean
  /** Null: the name of the platform. */
  readonly senderName: string | null
  /** Resolves when the mail server has accepted the mail. @throws MailFailed */
  send(mail: OutgoingMail): Promise<void>
  /** Connects and authenticates. @throws MailFailed */
  check(): Promise<void>
  close(): void
}

export class MailFailed extends Error {
  override readonly name: string = 'MailFailed'
  readonly permanent: boolean
  constructor(response: string, permanent: boolean) {
    super(
      response
        // The response may quote the mail, whose link is secret.
        .split(/[\s\p{Cc}]+/u)
        .map((word) => (/:\/\/|token=/i.test(word) ? '…' : word))
        .join(' ')
        .trim()
        .slice(0, 300) || 'no reason given',
    )
    this.permanent = permanent
  }
}

export const noMailer: Mailer = {
  configured: false,
  senderName: null,
  send: async () => {
    throw new MailFailed('no mail server is set up', false)
  },
  check: async () => undefined,
  close: () => undefined,
}

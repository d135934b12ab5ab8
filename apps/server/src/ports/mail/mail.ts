/** Hands mails to a mail server. */

export interface OutgoingMail {
  /** The same for every attempt, so that a mail that arrives twice is recognised. Letters, digits and dots. */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  readonly fromName: string
  readonly language: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  /** False: there is no mail server, and nothing can be sent. */
  readonly configured: boolean
  /** Returns when the mail server took it. Throws MailFailed. */
  send(mail: OutgoingMail): Promise<void>
  /** Connects and signs in. Throws MailFailed. */
  check(): Promise<void>
  close(): void
}

/** The message is what the mail server said, in one line and without links. */
export class MailFailed extends Error {
  override readonly name: string = 'MailFailed'
  /** Trying again cannot help. */
  readonly forGood: boolean
  constructor(said: string, forGood: boolean) {
    super(
      said
        // A server that quotes the mail must not pass its link on.
        .split(/[\s\p{Cc}]+/u)
        .map((word) => (/:\/\/|token=/i.test(word) ? '…' : word))
        .join(' ')
        .trim()
        .slice(0, 300) || 'no reason given',
    )
    this.forGood = forGood
  }
}

export const noMailer: Mailer = {
  configured: false,
  send: async () => {
    throw new MailFailed('no mail server is set up', false)
  },
  check: async () => undefined,
  close: () => undefined,
}

import { createTransport } from 'nodemailer'
import { type Mailer, MailFailed } from './mail.ts'

export interface SmtpOptions {
  readonly host: string
  readonly port: number
  readonly user: string | null
  readonly password: string | null
  readonly sender: string
  readonly senderName: string | null
  readonly ignoreCertificate: boolean
}

const seconds = 1000

/** TLS from the beginning on port 465, otherwise STARTTLS if the server offers it. Keeps at most two connections. */
export function openSmtp({ host, port, user, password, sender, senderName, ignoreCertificate }: SmtpOptions): Mailer {
  const transport = createTransport({
    host,
    port,
    secure: port === 465,
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    tls: { rejectUnauthorized: !ignoreCertificate },
    pool: true,
    maxConnections: 2,
    dnsTimeout: 10 * seconds,
    // Includes the greeting and STARTTLS.
    connectionTimeout: 10 * seconds,
    socketTimeout: 20 * seconds,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.on('error', () => undefined)
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  return {
    configured: true,
    senderName,
    async send({ id, to, fromName, language, subject, text, html }) {
      await withReason(
        transport.sendMail({
          messageId: `<${id}@${domain}>`,
          from: { name: fromName, address: sender },
          to: { name: to.name, address: to.address },
          subject,
          text,
          html,
          headers: {
            'Content-Language': language.replace('_', '-'),
            'Auto-Submitted': 'auto-generated',
            'X-Auto-Response-Suppress': 'All',
          },
        }),
      )
    },
    check: async () => void (await withReason(transport.verify())),
    close: () => transport.close(),
  }
}

async function withReason<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code, command, response, responseCode, message } = error as {
      code?: string
      command?: string
      response?: string
      responseCode?: number
      message?: string
    }
    // Only errors of the recipient or the mail are permanent; the operator can correct a wrong password or sender.
    const aboutMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
    throw new MailFailed(response ?? message ?? String(error), aboutMail && (responseCode ?? 500) >= 500)
  }
}

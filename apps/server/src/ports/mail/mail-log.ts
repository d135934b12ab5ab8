import type { Mailer } from './mail.ts'

/** For development: prints mails, including links, and sends nothing. */
export const openMailLog = (senderName: string | null, print: (line: string) => void): Mailer => ({
  configured: true,
  senderName,
  send: async ({ to, subject, text }) => print(`\nMail to ${to.name} <${to.address}>: ${subject}\n\n${text}\n`),
  check: async () => undefined,
  close: () => undefined,
})

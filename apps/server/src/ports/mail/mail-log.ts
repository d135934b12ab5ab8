import type { Mailer } from './mail.ts'

/** For development: mails are printed, links and all, and sent nowhere. */
export const openMailLog = (print: (line: string) => void): Mailer => ({
  configured: true,
  send: async ({ to, subject, text }) => print(`\nMail to ${to.name} <${to.address}>: ${subject}\n\n${text}\n`),
  check: async () => undefined,
  close: () => undefined,
})

import type { Refusal } from '../api/client.ts'

/** Token and address of a link from a mail, sent to the server unchanged in Base64. */
export interface MailLink {
  readonly token: string
  readonly email: string
  readonly address: string
}

/** Reads a link; undefined when a part is missing or the address cannot be decoded. */
export function readMailLink(query: URLSearchParams): MailLink | undefined {
  // An unescaped plus arrives as a space.
  const [token, email] = ['token', 'email'].map((name) => (query.get(name) ?? '').replaceAll(' ', '+'))
  if (!token || !email) return undefined
  try {
    const bytes = Uint8Array.from(atob(email), (sign) => sign.charCodeAt(0))
    const address = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return address.includes('@') ? { token, email, address } : undefined
  } catch {
    return undefined
  }
}

/** The link is invalid; the server's message only repeats the page title. */
export const isRefusedLink = ({ code }: Refusal): boolean =>
  code === 'account.link_invalid' || code === 'account.verification_failed' || code === 'account.email_verification_failed'

import type { Refusal } from '../api/client.ts'

/** Token and address of a link from a mail. Both go to the server as they came, still in Base64. */
export interface MailLink {
  readonly token: string
  readonly email: string
  /** The address as people read it. */
  readonly address: string
}

/** Reads a link; nothing when a part is missing or the address cannot be read (VER-1, VER-2). */
export function readMailLink(query: URLSearchParams): MailLink | undefined {
  // A plus that was not escaped arrives as a blank.
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

/** The server does not know the link any more; its own words would only say again what the page's title says (VER-3). */
export const isRefusedLink = ({ code }: Refusal): boolean =>
  code === 'account.link_invalid' || code === 'account.verification_failed' || code === 'account.email_verification_failed'

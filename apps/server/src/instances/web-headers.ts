/** Headers on their way through the platform to a container and back, as flat lists of names and values. */

/** They speak of one connection and not of the message. */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'])
/** Written by proxies, for the platform. */
const ofProxies = /^(forwarded|x-forwarded-.*|x-real-ip|proxy-.*)$/

function keep(raw: readonly string[], wanted: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i] as string, raw[i + 1] as string]
    if (wanted(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

/** Cookies but those of the platform; null when none is left. */
function withoutOurs(cookies: string, ours: readonly string[]): string | null {
  const kept = cookies.split(';').filter((part) => !ours.includes(part.split('=', 1)[0]!.trim()))
  return kept.length === 0 ? null : kept.join(';').trim()
}

/** What goes to a container. `ours` are names of cookies that it must not see; `upgrade`: the connection becomes another protocol's. */
export function toContainer(raw: readonly string[], ours: readonly string[], { upgrade = false } = {}): string[] {
  const headers = keep(raw, (name) => !ofProxies.test(name) && (upgrade || !ofConnection.has(name)))
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    if (headers[i]!.toLowerCase() !== 'cookie') continue
    const cookies = withoutOurs(headers[i + 1]!, ours)
    if (cookies === null) headers.splice(i, 2)
    else headers[i + 1] = cookies
  }
  return headers
}

/** What comes back from it. */
export const fromContainer = (raw: readonly string[]): string[] => keep(raw, (name) => !ofConnection.has(name))

const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'])
/** Headers that proxies set for the platform. */
const ofProxies = /^(forwarded|x-forwarded-.*|x-real-ip|proxy-.*)$/

function keep(raw: readonly string[], wanted: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name, value] = [raw[i] as string, raw[i + 1] as string]
    if (wanted(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

/** Removes the platform's cookies; null when none is left. */
function withoutOurs(cookies: string, ours: readonly string[]): string | null {
  const kept = cookies.split(';').filter((part) => !ours.includes(part.split('=', 1)[0]!.trim()))
  return kept.length === 0 ? null : kept.join(';').trim()
}

/** Headers for the container. `ours`: names of cookies to remove; `upgrade`: keep the headers of a protocol upgrade. */
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

export const fromContainer = (raw: readonly string[]): string[] => keep(raw, (name) => !ofConnection.has(name))

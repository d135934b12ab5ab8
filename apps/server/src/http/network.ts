import { BlockList, isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The caller's address, with `::ffff:10.0.0.1` as 10.0.0.1. Blank after a connection reset. */
export const callerIp = ({ ip }: { readonly ip?: string }): string => (ip ?? '').replace(/^::ffff:/i, '')

const loopback = /^(127\.|::1$)/

/** Whether the caller is on this machine and not behind a proxy, which would send a forwarding header. */
export const isLocal = (request: FastifyRequest): boolean =>
  loopback.test(callerIp(request)) && request.headers['x-forwarded-for'] === undefined

/** The key of an address for limits: IPv4 unchanged, also inside IPv6; of IPv6 the first 64 bits, since a host owns a whole /64. */
export function networkOf(ip: string): string {
  const plain = (ip.split('%', 1)[0] as string).toLowerCase()
  if (!plain.includes(':') || !URL.canParse(`http://[${plain}]/`)) return plain
  // Canonicalises the address.
  const [head = '', tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const whole = [...groups, ...Array(8 - groups.length - after.length).fill('0'), ...after] as string[]
  if (whole.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return dotted(whole[6] as string, whole[7] as string)
  return `${whole.slice(0, 4).join(':')}::/64`
}

/** Whether an address or a result of `networkOf` is in one of the ranges (CIDR); false for other text. */
export function anyOf(ranges: readonly string[]): (network: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return (network) => {
    const address = network.split('/', 1)[0] as string
    return isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}

const dotted = (...groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((two) => [two >> 8, two & 255])
    .join('.')

/** Where a request comes from. */
import type { FastifyRequest } from 'fastify'

/** The caller's address; `::ffff:10.0.0.1` is 10.0.0.1. Blank when the connection was reset before anybody asked. */
export const callerIp = ({ ip }: { readonly ip?: string }): string => (ip ?? '').replace(/^::ffff:/i, '')

/** What limits count an address by: an IPv4 address as it is, of IPv6 the first 64 bits, since one customer has all that follow. */
export function addressKey(ip: string): string {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = (ip.split('%')[0] as string).toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

const loopback = /^(127\.|::1$)/

/** A caller on this machine with nobody behind it: a proxy in front would have named somebody. */
export const isLocal = (request: FastifyRequest): boolean =>
  loopback.test(callerIp(request)) && request.headers['x-forwarded-for'] === undefined

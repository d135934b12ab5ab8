import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { callerIp, isLocal, networkOf } from './network.ts'

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::FFFF:0a01:0203', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['not:an:address', 'not:an:address'],
])('%s is at %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})
const from = (ip: string, headers: Record<string, string> = {}) => ({ ip, headers }) as unknown as FastifyRequest

test('an IPv4 address written as IPv6 is the IPv4 address', () => {
  expect(callerIp(from('::ffff:10.0.0.1'))).toBe('10.0.0.1')
})

test('a caller is local only when no proxy names somebody behind it', () => {
  expect([isLocal(from('127.0.0.1')), isLocal(from('::1')), isLocal(from('::ffff:127.0.0.1'))]).toEqual([true, true, true])
  expect([isLocal(from('127.0.0.1', { 'x-forwarded-for': '10.0.0.1' })), isLocal(from('10.0.0.1'))]).toEqual([false, false])
})

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
])('%s has the network %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})
const from = (ip: string, headers: Record<string, string> = {}) => ({ ip, headers }) as unknown as FastifyRequest

test('an IPv4-mapped IPv6 address is the IPv4 address', () => {
  expect(callerIp(from('::ffff:10.0.0.1'))).toBe('10.0.0.1')
})

test('a caller is local only without a proxy header', () => {
  expect([isLocal(from('127.0.0.1')), isLocal(from('::1')), isLocal(from('::ffff:127.0.0.1'))]).toEqual([true, true, true])
  for (const other of ['210.127.0.1', '12.7.0.0', '::12', '2001:db8::1', '1270.0.0.1', '1::1'])
    expect(isLocal(from(other)), other).toBe(false)
  expect([isLocal(from('127.0.0.1', { 'x-forwarded-for': '10.0.0.1' })), isLocal(from('10.0.0.1'))]).toEqual([false, false])
})

test.each([
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5::', '1:2:3:4::/64'],
  ['1::', '1:0:0:0::/64'],
  ['::FFFF:255.254.16.1', '255.254.16.1'],
  ['1::ffff:a00:1', '1:0:0:0::/64'],
  ['fe80::1%eth0%1', 'fe80:0:0:0::/64'],
])('at the limits of its form %s has the network %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

test('a reset connection has no address, and an IPv6 address keeps an embedded IPv4 address', () => {
  expect(callerIp({})).toBe('')
  expect(callerIp({ ip: '1::ffff:10.0.0.1' })).toBe('1::ffff:10.0.0.1')
})

import { expect, test } from 'vitest'
import { bridgeOf, isWithin, subnetOf, wellFormed } from './docker-network.ts'

test('subnet n has the n-th eight addresses of the pool; the last subnet ends it', () => {
  expect([0, 1, 32].map((subnetIndex) => subnetOf('100.64.0.0/16', subnetIndex))).toEqual([
    '100.64.0.0/29',
    '100.64.0.8/29',
    '100.64.1.0/29',
  ])
  expect([8191, 8192, -1].map((subnetIndex) => subnetOf('100.64.0.0/16', subnetIndex))).toEqual(['100.64.255.248/29', null, null])
  expect([0, 1].map((subnetIndex) => subnetOf('200.1.2.8/29', subnetIndex))).toEqual(['200.1.2.8/29', null])
  expect(subnetOf('10.1.2.3/24', 1)).toBe('10.1.2.8/29')
})

test('a bridge has a name valid in Linux that hides the id and shows whether it is isolated', () => {
  const id = 'deadbeef-dead-4eef-8ead-beefdeadbeef'
  const [open, isolated] = [bridgeOf(id, false), bridgeOf(id, true)]
  expect(open).toMatch(/^vx-[0-9a-f]{11}$/)
  expect(isolated).toMatch(/^vx-i[0-9a-f]{11}$/)
  expect(isolated.length).toBeLessThanOrEqual(15)
  expect(open).not.toContain('deadbeef')
  expect(bridgeOf(id, false)).toBe(open)
  expect(bridgeOf(`${id}0`, false)).not.toBe(open)
})

test('a range is written in the kernel’s form', () => {
  expect(['10.1.2.3/8', '192.168.0.0/16', '255.255.255.255/32', '1.2.3.4/0'].map(wellFormed)).toEqual([
    '10.0.0.0/8',
    '192.168.0.0/16',
    '255.255.255.255/32',
    '0.0.0.0/0',
  ])
})

test('an address is inside or outside a range', () => {
  expect(isWithin('100.64.0.0/16', '100.64.255.255')).toBe(true)
  expect(isWithin('100.64.7.9/16', '100.64.0.1')).toBe(true)
  for (const address of ['100.65.0.0', '100.63.255.255', '127.0.0.1', '::1', 'engine', '100.64.0.1.example.org'])
    expect(isWithin('100.64.0.0/16', address)).toBe(false)
})

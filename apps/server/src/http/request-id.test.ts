import { expect, test } from 'vitest'
import { requestIds } from './request-id.ts'

const idOf = (given: string | string[] | undefined, peer = '127.0.0.1', proxies = ['loopback']) =>
  requestIds(proxies)({ headers: { 'x-request-id': given }, socket: { remoteAddress: peer } } as never)
const made = /^[a-z0-9]{10}$/

test.each(['a', 'A-b_c.9', 'x'.repeat(64)])('the id %s of a trusted proxy is kept', (given) => {
  expect(idOf(given)).toBe(given)
  expect(idOf(given, '::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(given)
})

test.each([undefined, '', 'x'.repeat(65), 'a b', 'a"b', 'a\u00e9', 'a,b', ['a', 'b']])(
  'instead of the id %j one is made',
  (given) => {
    expect(idOf(given)).toMatch(made)
  },
)

test('the id of another peer is ignored, also without trusted proxies', () => {
  expect(idOf('mine', '10.1.2.3')).toMatch(made)
  expect(idOf('mine', '127.0.0.1', [])).toMatch(made)
})

test('made ids differ', () => {
  expect(new Set(Array.from({ length: 1000 }, () => idOf(undefined))).size).toBe(1000)
})

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileUrl } from './file-url.ts'

test.each([
  ['task file.txt', 'task file.txt'],
  ['旗 — Ü (1), [a]+b=c&d;e@f:g!$*~.zip', '旗 — Ü (1), %5Ba%5D+b=c&d;e@f:g!$*~.zip'],
  ['100%.txt', '100%25.txt'],
  ['a?b#c', 'a%3Fb%23c'],
  ['a/b\\c', 'a%2Fb%5Cc'],
  [`"a'<b>\``, '%22a%27%3Cb%3E%60'],
  ['a\tb\u202ec\u00a0d', 'a%09b%E2%80%AEc%C2%A0d'],
  [' a ', '%20a%20'],
  ['..', 'file'],
])('the name %j is written in a link as %j', (name, expected) => expect(fileUrl('hash', name)).toBe(`/assets/hash/${expected}`))

test('for any name a browser requests one segment of that name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), (name) => {
      fc.pre(name !== '.' && name !== '..')
      const { pathname, search, hash } = new URL(fileUrl('hash', name), 'http://localhost')
      const parts = pathname.split('/')
      expect([parts.length, search, hash]).toEqual([4, '', ''])
      expect(decodeURIComponent(parts[3] as string)).toBe(name.toWellFormed())
    }),
  )
})

test('a long name whose path would be too long is shortened in the middle, between whole characters', () => {
  const flags = (count: number) => '旗'.repeat(count)
  const long: [string, string][] = [
    [flags(211), flags(211)],
    [`${flags(251)}.zip`, `${flags(180)}…${flags(26)}.zip`],
    [`${flags(179)}😀${flags(43)}😀${flags(25)}.zip`, `${flags(179)}…${flags(25)}.zip`],
  ]
  for (const [name, expected] of long) expect(fileUrl('hash', name)).toBe(`/assets/hash/${expected}`)
})

import { expect, test } from 'vitest'
import { disposition, rangeOf } from './delivery.ts'

test.each([
  ['plan.pdf', `attachment; filename=plan.pdf; filename*=UTF-8''plan.pdf`],
  ['the plan.pdf', `attachment; filename="the plan.pdf"; filename*=UTF-8''the%20plan.pdf`],
  ['旗 "x"%.zip', `attachment; filename="_ _x__.zip"; filename*=UTF-8''%E6%97%97%20%22x%22%25.zip`],
  ["a\r\nb\\'()*.txt", `attachment; filename="a__b_'()*.txt"; filename*=UTF-8''a%0D%0Ab%5C%27%28%29%2A.txt`],
  ['\ud800', `attachment; filename=_; filename*=UTF-8''%EF%BF%BD`],
])('the name %j stands in a header as %s', (name, expected) => expect(disposition('attachment', name)).toBe(expected))

test.each([
  ['bytes=0-4', { start: 0, end: 4 }],
  ['bytes=5-', { start: 5, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-30', { start: 0, end: 9 }],
  ['bytes=8-100', { start: 8, end: 9 }],
  ['bytes=10-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=0-1,3-4', null],
  ['lines=0-1', null],
  ['bytes=', null],
  ['bytes=a-b', null],
  [undefined, null],
] as const)('of ten bytes %j is %j', (header, expected) => expect(rangeOf(header, 10)).toEqual(expected))

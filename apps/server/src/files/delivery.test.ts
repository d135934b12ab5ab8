import { expect, test } from 'vitest'
import { deliveryHeaders, disposition, rangeOf } from './delivery.ts'

test.each([
  ['plan.pdf', `attachment; filename=plan.pdf; filename*=UTF-8''plan.pdf`],
  ['the plan.pdf', `attachment; filename="the plan.pdf"; filename*=UTF-8''the%20plan.pdf`],
  ['旗 "x"%.zip', `attachment; filename="_ _x__.zip"; filename*=UTF-8''%E6%97%97%20%22x%22%25.zip`],
  ["a\r\nb\\'()*.txt", `attachment; filename="a__b_'()*.txt"; filename*=UTF-8''a%0D%0Ab%5C%27%28%29%2A.txt`],
  ['\ud800', `attachment; filename=_; filename*=UTF-8''%EF%BF%BD`],
])('the name %j is written in a header as %s', (name, expected) => expect(disposition('attachment', name)).toBe(expected))

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
] as const)('for ten bytes the range %j is %j', (header, expected) => expect(rangeOf(header, 10)).toEqual(expected))

const fileOf = (type: string, shared = true) => ({ type, shared }) as Parameters<typeof deliveryHeaders>[0]

test.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])(
  'an image of type %s is displayed inline',
  (type) => {
    expect(deliveryHeaders(fileOf(type), 'a b.png')).toEqual({
      'content-type': type,
      'content-disposition': `inline; filename="a b.png"; filename*=UTF-8''a%20b.png`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=604800, immutable',
      'accept-ranges': 'bytes',
    })
  },
)

test.each([
  ['application/zip', 'application/zip'],
  ['application/pdf', 'application/pdf'],
  ['text/plain', 'text/plain'],
  ['', ''],
  ['text/html', 'application/octet-stream'],
  ['application/xhtml+xml', 'application/octet-stream'],
  ['text/xml', 'application/octet-stream'],
  ['image/svg+xml', 'application/octet-stream'],
  ['image/svg', 'application/octet-stream'],
  ['text/javascript', 'application/octet-stream'],
  ['message/rfc822-mhtml', 'application/octet-stream'],
  ['text/xsl', 'application/octet-stream'],
])('a file of type %s is downloaded as %s and cannot run anything', (type, sent) => {
  expect(deliveryHeaders(fileOf(type), 'a')).toMatchObject({
    'content-type': sent,
    'content-disposition': "attachment; filename=a; filename*=UTF-8''a",
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  })
})

test('a restricted file is revalidated each time', () => {
  expect(deliveryHeaders(fileOf('application/pdf', false), 'a')['cache-control']).toBe('private, no-cache')
})

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=9-9', { start: 9, end: 9 }],
  ['bytes=3-3', { start: 3, end: 3 }],
  ['bytes=5-4', null],
  ['bytes=-10', { start: 0, end: 9 }],
  ['bytes=-1', { start: 9, end: 9 }],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=12-11', null],
  ['bytes=11-12', 'outside'],
  [' bytes=1-2 ', { start: 1, end: 2 }],
  ['xbytes=1-2', null],
  ['bytes=1-2x', null],
  ['bytes=-', null],
] as const)('at the limits of ten bytes the range %j is %j', (header, expected) => expect(rangeOf(header, 10)).toEqual(expected))

test('for an empty file every range is outside', () => {
  for (const header of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) expect(rangeOf(header, 0)).toBe('outside')
})

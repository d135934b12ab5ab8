import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinGzip, joinPlain, makeShared, ownBytes } from './gzip-concat.ts'

/** The members of the own row as the function takes them: JSON without its opening brace. */
const of = (own: object) => JSON.stringify(own).slice(1)

const members = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })

test('both forms contain the shared members followed by the own ones', () => {
  fc.assert(
    fc.property(members, members, (common, own) => {
      const shared = makeShared('1', common)
      const whole = `${JSON.stringify(common).slice(0, -1)},${of(own)}`
      expect(joinPlain(shared, of(own)).toString()).toBe(whole)
      expect(gunzipSync(joinGzip(shared, of(own))).toString()).toBe(whole)
    }),
  )
})

test('data for another thread has its own memory of the exact length', () => {
  const { plain, packed } = makeShared('1', { a: 'ä' })
  for (const bytes of [plain, packed, ownBytes('ä€')]) expect(bytes.buffer.byteLength).toBe(bytes.byteLength)
  expect(ownBytes('ä€').toString()).toBe('ä€')
})

test('own parts of more than one block are complete at each boundary', () => {
  const shared = makeShared('1', { a: 'shared '.repeat(1000) })
  for (const length of [65_500, 65_526, 65_527, 65_528, 131_070, 200_000]) {
    const own = { b: 'x'.repeat(length) }
    expect(JSON.parse(gunzipSync(joinGzip(shared, of(own))).toString())).toEqual({ a: 'shared '.repeat(1000), ...own })
  }
})

test('the shared part is compressed, and the response length reveals nothing about the own part', () => {
  const shared = makeShared('1', { challenges: 'secret-token-1234 '.repeat(500) })
  expect(joinGzip(shared, of({ token: 'x' })).length).toBeLessThan(300)
  expect(joinGzip(shared, of({ token: 'secret-token-1234' })).length).toBe(
    joinGzip(shared, of({ token: 'another-token-567' })).length,
  )
})

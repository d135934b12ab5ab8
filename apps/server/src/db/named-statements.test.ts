import { expect, test } from 'vitest'
import { isOutdatedPlan, openNames } from './named-statements.ts'

test('a text has a name from its third use on, the same ever after, and another text has another', () => {
  const names = openNames()
  expect([names.of('select $1'), names.of('select $1')]).toEqual([undefined, undefined])
  const name = names.of('select $1')
  expect(name).toMatch(/^s_[\w-]{22}$/)
  expect(names.of('select $1')).toBe(name)
  for (let time = 0; time < 2; time++) expect(names.of('select $1 ')).toBeUndefined()
  expect(names.of('select $1 ')).not.toBe(name)
  // Every process finds the same.
  const other = openNames()
  for (let time = 0; time < 2; time++) other.of('select $1')
  expect(other.of('select $1')).toBe(name)
})

test('there are 300 at most, and those stay', () => {
  const names = openNames()
  const nameOf = (text: string) => [1, 2, 3].map(() => names.of(text)).at(-1)
  const named = Array.from({ length: 400 }, (_, at) => nameOf(`select ${at} + $1`)).filter((name) => name !== undefined)
  expect([named.length, new Set(named).size]).toEqual([300, 300])
  expect(nameOf('select 299 + $1')).toBe(named[299])
  expect(nameOf('select 300 + $1')).toBeUndefined()
})

test('what is asked once each, and a very long text, take no place', () => {
  const names = openNames()
  for (let at = 0; at < 20_000; at++) expect(names.of(`select ${at} + $1`)).toBeUndefined()
  const long = `select '${'x'.repeat(20_000)}', $1`
  for (let time = 0; time < 5; time++) expect(names.of(long)).toBeUndefined()
})

test('an outdated plan is known by its code and its text', () => {
  const error = (code: string, message: string) => Object.assign(new Error(message), { code })
  expect(isOutdatedPlan(error('0A000', 'cached plan must not change result type'))).toBe(true)
  expect(isOutdatedPlan(error('0A000', 'cannot do that'))).toBe(false)
  expect(isOutdatedPlan(error('42P01', 'cached plan'))).toBe(false)
  expect(isOutdatedPlan(undefined)).toBe(false)
})

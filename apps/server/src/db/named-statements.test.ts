import { expect, test } from 'vitest'
import { isOutdatedPlan, openNames } from './named-statements.ts'

test('a statement has a name from its third use on, always the same, and different for each statement', () => {
  const names = openNames()
  expect([names.of('select $1'), names.of('select $1')]).toEqual([undefined, undefined])
  const name = names.of('select $1')
  expect(name).toMatch(/^s_[\w-]{22}$/)
  expect(names.of('select $1')).toBe(name)
  for (let time = 0; time < 2; time++) expect(names.of('select $1 ')).toBeUndefined()
  expect(names.of('select $1 ')).not.toBe(name)
  // Every process derives the same name.
  const other = openNames()
  for (let time = 0; time < 2; time++) other.of('select $1')
  expect(other.of('select $1')).toBe(name)
})

test('at most 300 statements are named, and they stay', () => {
  const names = openNames()
  const nameOf = (text: string) => [1, 2, 3].map(() => names.of(text)).at(-1)
  const named = Array.from({ length: 400 }, (_, at) => nameOf(`select ${at} + $1`)).filter((name) => name !== undefined)
  expect([named.length, new Set(named).size]).toEqual([300, 300])
  expect(nameOf('select 299 + $1')).toBe(named[299])
  expect(nameOf('select 300 + $1')).toBeUndefined()
})

test('single uses, and a very long statement, take no slot', () => {
  const names = openNames()
  for (let time = 0; time < 2; time++) names.of('select $1')
  for (let at = 0; at < 20_000; at++) expect(names.of(`select ${at} + $1`)).toBeUndefined()
  // The counts of earlier uses were dropped, so that they need a limited amount of memory.
  expect(names.of('select $1')).toBeUndefined()
  const long = `select '${'x'.repeat(20_000)}', $1`
  for (let time = 0; time < 5; time++) expect(names.of(long)).toBeUndefined()
})

test('an outdated plan is detected by error code and message', () => {
  const error = (code: string, message: string) => Object.assign(new Error(message), { code })
  expect(isOutdatedPlan(error('0A000', 'cached plan must not change result type'))).toBe(true)
  expect(isOutdatedPlan(error('0A000', 'cannot do that'))).toBe(false)
  expect(isOutdatedPlan(error('42P01', 'cached plan'))).toBe(false)
  expect(isOutdatedPlan(undefined)).toBe(false)
})

import { Filled } from '@vexil/contract/shapes'
import { expect, test } from 'vitest'
import { check, compile } from './validate.ts'

const refusal = (schema: object, value: unknown) => {
  try {
    check(compile(schema), value, 'body')
  } catch (error) {
    const { code, data } = error as { code: string; data: unknown }
    return { code, data }
  }
  return null
}
const problem = (schema: object, value: unknown) => refusal({ type: 'object', properties: { a: schema } }, { a: value })?.data

test.each([
  [{ type: 'string', minLength: 2 }, 'x', 'tooShort', 2],
  [{ type: 'string', minLength: 2 }, '', 'required', undefined],
  [{ type: 'string', maxLength: 2 }, 'xxx', 'tooLong', 2],
  [Filled(2), ' ', 'required', undefined],
  [Filled(2), '\u001f\u0085', 'required', undefined],
  [{ type: 'string', pattern: '^a$' }, 'b', 'wrongForm', undefined],
  [{ type: 'integer', minimum: 2 }, 1, 'tooSmall', 2],
  [{ type: 'integer', exclusiveMinimum: 2 }, 2, 'tooSmall', 2],
  [{ type: 'integer', maximum: 2 }, 3, 'tooLarge', 2],
  [{ type: 'integer', exclusiveMaximum: 2 }, 2, 'tooLarge', 2],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'tooMany', 1],
  [{ enum: ['A'] }, 'B', 'unknownWord', undefined],
  [{ type: 'integer' }, null, 'required', undefined],
  [{ type: 'integer' }, 'x', 'wrongType', undefined],
  [{ type: 'string', format: 'mail' }, 'x', 'wrongForm', undefined],
  [{ anyOf: [{ type: 'string', maxLength: 1 }, { type: 'null' }] }, 'xx', 'tooLong', 1],
])('%j with %j is reported as %s', (schema, value, name, limit) => {
  expect(problem(schema, value)).toEqual({ field: 'a', problem: name, ...(limit !== undefined && { limit }) })
})

test.each([
  ['uuid', '0198f6e0-0000-7000-8000-00000000000A', true],
  ['uuid', '0198f6e0-0000-7000-8000-00000000000', false],
  ['uuid', 'x0198f6e0-0000-7000-8000-00000000000a', false],
  ['uuid', '0198f6e0-0000-7000-8000-00000000000ab', false],
  ['instant', '2026-05-01T09:00:00+00:00', true],
  ['instant', 'soon', false],
  ['mail', 'a@b.org', true],
  ['phone', '+49 30 1234', true],
  ['phone', 'none', false],
])('%s: %s is valid: %s', (format, value, fits) => {
  expect(refusal({ type: 'string', format }, value) === null).toBe(fits)
})

test('the error names the first field in alphabetical order by its full path, and a missing one by its name', () => {
  const schema = {
    type: 'object',
    required: ['b'],
    properties: {
      c: { type: 'integer' },
      inner: { type: 'object', required: ['z'], properties: {} },
      list: { type: 'array', items: { type: 'integer' } },
    },
  }
  expect(refusal(schema, { c: 'x' })?.data).toEqual({ field: 'b', problem: 'required' })
  expect(refusal(schema, { b: 1, c: 'x', inner: {} })?.data).toMatchObject({ field: 'c', problem: 'wrongType' })
  expect(refusal(schema, { b: 1, inner: {} })?.data).toEqual({ field: 'inner.z', problem: 'required' })
  expect(refusal(schema, { b: 1, list: [1, 'x'] })?.data).toMatchObject({ field: 'list.1' })
  expect(refusal(schema, 'x')?.data).toEqual({ field: 'body', problem: 'wrongType' })
  expect(refusal(schema, { b: 1 })).toBeNull()
})

test('the error of a nullable value names the problem of the value, regardless of the schema’s order', () => {
  const word = { type: 'string', maxLength: 1 }
  for (const anyOf of [
    [word, { type: 'null' }],
    [{ type: 'null' }, word],
  ]) {
    expect(problem({ anyOf }, 'xx')).toEqual({ field: 'a', problem: 'tooLong', limit: 1 })
    expect(problem({ anyOf }, 5)).toEqual({ field: 'a', problem: 'wrongType' })
    expect(problem({ anyOf }, null)).toBeUndefined()
  }
  expect(refusal({ anyOf: [{ type: 'null' }] }, 'x')?.data).toEqual({ field: 'body', problem: 'wrongForm' })
})

test('errors sort fields alphabetically, regardless of the order in schema and value', () => {
  const integer = { type: 'integer' }
  for (const names of [
    ['b', 'a', 'c'],
    ['c', 'b', 'a'],
    ['a', 'c', 'b'],
    ['c', 'a', 'b'],
  ]) {
    const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, integer])) }
    expect(refusal(schema, Object.fromEntries(names.map((name) => [name, 'x'])))?.data).toMatchObject({ field: 'a' })
    expect(refusal(schema, { c: 'x', b: 'x', a: 1 })?.data).toMatchObject({ field: 'b' })
  }
})

test('lengths count UTF-16 code units', () => {
  expect(refusal({ type: 'string', maxLength: 1 }, '😀')?.data).toMatchObject({ problem: 'tooLong' })
  expect(refusal({ type: 'string', maxLength: 2 }, '😀')).toBeNull()
})

test('a field with a custom rule for the problem returns that rule and its limits, other fields do not', () => {
  const name = {
    type: 'string',
    minLength: 3,
    maxLength: 5,
    'x-rules': { tooShort: 'account.name_invalid', required: 'account.name_invalid' },
  }
  const schema = { type: 'object', required: ['name'], properties: { name } }
  expect(refusal(schema, { name: 'ab' })).toEqual({ code: 'account.name_invalid', data: { min: 3, max: 5, limit: 3 } })
  expect(refusal(schema, {})?.code).toBe('account.name_invalid')
  expect(refusal(schema, { name: 'abcdef' })?.data).toMatchObject({ field: 'name', problem: 'tooLong' })
  const unknown = { type: 'string', maxLength: 1, 'x-rules': { tooLong: 'no.such_rule' } }
  expect(refusal(unknown, 'xx')?.data).toMatchObject({ field: 'body', problem: 'tooLong' })
})

/** Which deviations of existing clients are tolerated, and which are not. */
import { describe, expect, test } from 'vitest'
import { accept, acceptParams, acceptQuery } from './tolerance.ts'

const object = {
  type: 'object',
  properties: {
    userName: { type: 'string' },
    score: { type: 'integer' },
    rate: { type: 'number' },
    open: { type: 'boolean' },
    role: { enum: ['Banned', 'User', 'Monitor', 'Admin'] },
    result: { enum: ['NotFound', 'Sent', 'Right'], 'x-numbers': { NotFound: -1, Sent: 0, Right: 1 } },
    note: { anyOf: [{ type: 'null' }, { type: 'integer' }] },
    tags: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
    inner: { type: 'object', properties: { fullName: { type: 'string' } } },
    anything: {},
  },
}
const one = (name: string, value: unknown) => (accept(object, { [name]: value }) as Record<string, unknown>)[name]
const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return (error as { data: unknown }).data
  }
  return 'taken'
}

describe('bodies', () => {
  test('names in any case get the spelling of the schema, at every depth; unknown ones are dropped', () => {
    expect(accept(object, { USERNAME: 'a', Inner: { FULLNAME: 'b', extra: 1 }, extra: 2, __proto__: { x: 1 } })).toEqual({
      userName: 'a',
      inner: { fullName: 'b' },
    })
    expect(Object.keys(accept(object, { constructor: 1, toString: 2 }) as object)).toEqual([])
  })

  test.each([
    ['score', '12', 12],
    ['score', ' -3 ', -3],
    ['rate', '0.25', 0.25],
    ['rate', '1e3', 1000],
    ['rate', '1E-2', 0.01],
    ['score', '', ''],
    ['score', '12x', '12x'],
    ['score', 'x12', 'x12'],
    ['score', '0x10', '0x10'],
    ['score', '1.', '1.'],
    ['score', true, true],
    ['userName', '12', '12'],
    ['userName', 12, 12],
    ['open', 'true', 'true'],
    ['anything', '12', '12'],
  ])('%s of %j becomes %j', (name, value, taken) => expect(one(name, value)).toEqual(taken))

  test.each([
    ['role', 'mOnItOr', 'Monitor'],
    ['role', 2, 'Monitor'],
    ['role', '3', 'Admin'],
    ['role', 0, 'Banned'],
    ['role', 9, 9],
    ['role', '-1', '-1'],
    ['role', '2x', '2x'],
    ['role', 'x2', 'x2'],
    ['role', 'Boss', 'Boss'],
    ['role', true, true],
    ['result', -1, 'NotFound'],
    ['result', '1', 'Right'],
    ['result', 2, 2],
    ['result', 'sent', 'Sent'],
  ])('for enum values %s %j becomes %j', (name, value, taken) => expect(one(name, value)).toEqual(taken))

  test('null stays null, absent stays absent, and a nullable value is read as its other type', () => {
    expect(accept(object, { score: null, role: undefined })).toEqual({ score: null, role: undefined })
    expect([one('note', '5'), one('note', null)]).toEqual([5, null])
    expect(accept({ anyOf: [{ type: 'null' }] }, 'x')).toBe('x')
  })

  test('each item of a list is converted; too long a list is refused before its items are read', () => {
    expect(one('tags', ['1', 2, 'x'])).toEqual([1, 2, 'x'])
    expect(one('tags', 'x')).toBe('x')
    expect(refusal(() => one('tags', ['\0', '2', '3', '4']))).toEqual({ field: 'tags', problem: 'tooMany', limit: 3 })
    expect(refusal(() => accept(object.properties.tags, [1, 2, 3, 4]))).toMatchObject({ field: 'body' })
    expect(accept({ type: 'array' }, ['1'])).toEqual(['1'])
  })

  test('text that cannot be stored is refused with the name of its field, in enums too', () => {
    for (const text of ['a\0b', '\ud800'])
      for (const name of ['userName', 'role', 'anything'])
        expect(refusal(() => one(name, text))).toMatchObject({ field: name, problem: 'badText' })
    expect(refusal(() => accept(object, { inner: { FullName: '\0' } }))).toMatchObject({ field: 'fullName' })
    expect(refusal(() => accept({ type: 'string' }, '\0'))).toMatchObject({ field: 'body' })
    expect(one('userName', '😀')).toBe('😀')
  })

  test('a value that is not an object stays unchanged, for validation to refuse', () => {
    expect([accept(object, [1]), accept(object, 'x'), accept(object, 5)]).toEqual([[1], 'x', 5])
    expect(accept({ type: 'object' }, { any: 1 })).toEqual({ any: 1 })
  })
})

describe('paths', () => {
  const schema = { properties: { id: { type: 'integer' }, name: { type: 'string' } } }

  test.each([
    ['7', 7],
    ['-7', -7],
    ['2147483648', 2147483648],
    ['12345678901', null],
    ['1.0', null],
    [' 1', null],
    ['1x', null],
    ['x1', null],
    ['', null],
    ['1e3', null],
  ])('a number in a path is digits only: %j becomes %j', (text, taken) => {
    expect(acceptParams(schema, { id: text, name: '1.0' })).toEqual({ id: taken, name: '1.0' })
  })

  test('without a schema nothing is accepted', () => {
    expect(acceptParams({}, { id: '1' })).toEqual({})
  })
})

describe('queries', () => {
  const schema = { properties: { count: { type: 'integer' }, all: { type: 'boolean' }, hint: { type: 'string' } } }

  test.each([
    [{ COUNT: '5' }, { count: 5 }],
    [{ count: '' }, {}],
    [{ count: ['1', '2'] }, { count: 2 }],
    [{ count: ['1', ''] }, {}],
    [{ all: 'TRUE' }, { all: true }],
    [{ all: 'False' }, { all: false }],
    [{ all: 'yes' }, { all: 'yes' }],
    [{ all: 'true!' }, { all: 'true!' }],
    [{ all: '!true' }, { all: '!true' }],
    [{ hint: 'true' }, { hint: 'true' }],
    [{ other: '1' }, {}],
  ])('%j becomes %j', (query, taken) => expect(acceptQuery(schema, query)).toEqual(taken))

  test('without a schema nothing is accepted', () => {
    expect(acceptQuery({}, { count: '1' })).toEqual({})
  })
})

test('numbers as text can have exponents of several digits; text that only starts or ends with digits is not an enum index', () => {
  for (const [text, value] of [
    ['1e10', 1e10],
    ['1.5E-12', 1.5e-12],
    ['1e', '1e'],
    ['e1', 'e1'],
  ] as const)
    expect(accept({ type: 'number' }, text)).toBe(value)
  const words = { enum: Array.from({ length: 12 }, (_, i) => `w${i}`) }
  expect(['1', '11', '1x', 'x1', '-1'].map((text) => accept(words, text))).toEqual(['w1', 'w11', '1x', 'x1', '-1'])
})

test('the last of repeated query values is used', () => {
  const schema = { properties: { a: { type: 'integer' }, b: { type: 'boolean' } } }
  expect(acceptQuery(schema, { a: ['1', '2', '3'], b: ['true', 'False'] })).toEqual({ a: 3, b: false })
})

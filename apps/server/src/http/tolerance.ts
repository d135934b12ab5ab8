/** Accepts what existing clients send (docs/wire.md, requests); the result has only what the schema defines. */
import { FieldInvalid } from './request-errors.ts'

interface Shape {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly 'x-numbers'?: Readonly<Record<string, number>>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly anyOf?: readonly Shape[]
}

const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Converts a parsed JSON value to the schema's spelling. Throws `FieldInvalid` for text that cannot be stored. */
export function accept(schema: unknown, value: unknown, field = ''): unknown {
  return convert(schema as Shape, value, field)
}

function convert(shape: Shape, value: unknown, field: string): unknown {
  if (value === undefined || value === null) return value
  if (shape.anyOf) {
    const other = shape.anyOf.find((option) => option.type !== 'null')
    return other ? convert(other, value, field) : value
  }
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
    throw new FieldInvalid(field || 'body', 'badText')
  if (shape.enum) return word(shape, value)
  switch (shape.type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && number.test(value.trim()) ? Number(value) : value
    case 'array':
      return Array.isArray(value) && shape.items ? items(shape, shape.items, value, field) : value
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) && shape.properties ? members(shape.properties, value) : value
    default:
      return value
  }
}

/** Refuses a long list before its items, since each item may produce several errors. */
function items({ maxItems }: Shape, shape: Shape, list: readonly unknown[], field: string): unknown[] {
  if (maxItems !== undefined && list.length > maxItems) throw new FieldInvalid(field || 'body', 'tooMany', maxItems)
  return list.map((item) => convert(shape, item, field))
}

function word(shape: Shape, value: unknown): unknown {
  const words = shape.enum as readonly string[]
  const index = typeof value === 'number' ? value : typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : null
  if (index !== null) {
    const numbers = shape['x-numbers']
    return (numbers ? words.find((name) => numbers[name] === index) : words[index]) ?? value
  }
  if (typeof value !== 'string') return value
  const wanted = value.toLowerCase()
  return words.find((name) => name.toLowerCase() === wanted) ?? value
}

const namesOf = new WeakMap<object, ReadonlyMap<string, string>>()

function members(properties: Readonly<Record<string, Shape>>, value: object): object {
  let byName = namesOf.get(properties)
  if (!byName) {
    byName = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]))
    namesOf.set(properties, byName)
  }
  const accepted: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const own = byName.get(name.toLowerCase())
    if (own !== undefined) accepted[own] = convert(properties[own] as Shape, member, own)
  }
  return accepted
}

const wholeNumber = /^-?\d{1,10}$/

/** Converts texts of an address to the schema's types. A number has only digits: `1.0` and ` 1` do not match 1. */
export function acceptParams(schema: unknown, params: Record<string, unknown>): unknown {
  const properties = (schema as Shape).properties ?? {}
  const given = { ...params }
  for (const [name, value] of Object.entries(params)) {
    const { type } = properties[name] ?? {}
    if (type === 'integer' && !(typeof value === 'string' && wholeNumber.test(value))) given[name] = null
  }
  return members(properties, given)
}

/** Converts query texts to the schema's types; an empty value counts as missing, and the last of repeated values applies. */
export function acceptQuery(schema: unknown, query: Record<string, unknown>): unknown {
  const properties = (schema as Shape).properties ?? {}
  const given: Record<string, unknown> = {}
  for (const [name, raw] of Object.entries(query)) {
    const value = Array.isArray(raw) ? raw.at(-1) : raw
    if (value !== '') given[name] = value
  }
  const accepted = members(properties, given) as Record<string, unknown>
  for (const [name, value] of Object.entries(accepted)) {
    if (properties[name]?.type === 'boolean' && typeof value === 'string') {
      if (/^(true|false)$/i.test(value)) accepted[name] = value.toLowerCase() === 'true'
    }
  }
  return accepted
}

import { bodyLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { endpoints } from './endpoint.ts'
import { nameOf, rooms } from './interface.ts'

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly maxLength?: number
  readonly maxItems?: number
}

/** Maximum bytes of a value as JSON, with texts in Chinese, whose characters have three bytes. */
function bytesOf({ type, format, maxLength = Infinity, maxItems = Infinity, ...schema }: Schema): number {
  if (schema.anyOf) return Math.max(...schema.anyOf.map(bytesOf))
  if (schema.enum) return Math.max(...schema.enum.map((word) => word.length)) + 2
  if (schema.items) return 2 + maxItems * (bytesOf(schema.items) + 1)
  if (type === 'object')
    return Object.entries(schema.properties ?? {}).reduce((sum, [name, value]) => sum + name.length + 4 + bytesOf(value), 2)
  if (type !== 'string') return 24
  return format === 'uuid' ? 38 : 2 + maxLength * 3
}

test('exactly the calls whose body may exceed the small size in Chinese take large bodies', () => {
  // Other tests of the process may have added calls.
  const contract = new Set<unknown>(Object.values(rooms).flatMap((room) => Object.values(room)))
  const calls = endpoints.filter((one) => contract.has(one) && one.shape.body)
  const exceeding = calls.filter(({ shape: { body } }) => bytesOf(body as Schema) > bodyLimits.small.bytes)
  expect(exceeding.map(nameOf)).toEqual(calls.filter(({ shape: { bodySize } }) => bodySize === 'large').map(nameOf))
})

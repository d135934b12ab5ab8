import { expect, test } from 'vitest'
import { newId } from './ids.ts'

test('ids are UUIDs of version 7, and their order is that of their creation, also within a millisecond', () => {
  const now = Date.UTC(2026, 0, 1)
  const ids = [...Array.from({ length: 3000 }, () => newId(now)), newId(now + 1), newId(now + 1)]
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16)).toBe(now)
  expect(ids).toEqual([...new Set(ids)].sort())
  // The rest is random.
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length)
})

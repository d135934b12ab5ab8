import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readNodeId } from './node-id.ts'

test('a node keeps its id; another data folder has another, and a folder that is missing is an error', () => {
  const [first, second] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'vexil-node-'))) as [string, string]
  const id = readNodeId(first)
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect([readNodeId(first), readdirSync(first)]).toEqual([id, ['node-id']])
  expect(readNodeId(second)).not.toBe(id)
  rmSync(first, { recursive: true })
  rmSync(second, { recursive: true })
  expect(() => readNodeId(first)).toThrow('ENOENT')
})

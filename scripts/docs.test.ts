// Alone: the description lists every call that was described in its process.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documents } from './docs.ts'

test('the generated documents are up to date: npm run docs', () => {
  for (const { path, content } of documents())
    expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8'), path).toBe(content)
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './copied-project.ts'
import { faults } from './plant.faults.ts'

test('each fault has exactly one place in the sources, a unique name, and tests', () => {
  const wrong = faults.filter(({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2)
  expect(wrong.map(({ name, file }) => `${name}: ${file}`)).toEqual([])
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
  expect(faults.filter(({ found }) => typeof found === 'object' && !existsSync(join(root, found.tests)))).toEqual([])
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('P1.29 the project and each of its packages have the version of the build', () => {
  const packages = ['package.json', ...globSync(['{apps,packages}/*/package.json', 'tools/package.json'], { cwd: root })]
  const versions = packages.map((file) => [file, JSON.parse(readFileSync(join(root, file), 'utf8')).version])
  expect(packages.length).toBeGreaterThan(4)
  expect(versions).toEqual(packages.map((file) => [file, '0.24.2-patch.1']))
})

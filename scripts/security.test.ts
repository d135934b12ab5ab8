/** Tests that docs/security.md names: each file exists and has each quoted title. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const rows = readFileSync(join(root, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+\.\d+\.\d+ \|/.test(line))

/** The folders as the document writes them; a path without one of them is relative to the server's sources. */
const folders: Readonly<Record<string, string>> = {
  'test/': 'apps/server/test/',
  'core/': 'packages/core/src/',
  'contract/': 'packages/contract/src/',
  'web/': 'apps/web/src/',
  'e2e/': 'e2e/',
  'scripts/': 'scripts/',
}
function placeOf(path: string): string {
  const folder = Object.keys(folders).find((name) => path.startsWith(name))
  return join(root, folder ? `${folders[folder]}${path.slice(folder.length)}` : `apps/server/src/${path}`)
}

/** Every test in the last column: its file and its title. */
const cited = rows.flatMap((row) => {
  const [requirement = '', ...cells] = row.split(' | ')
  const tests = (cells.at(-1) ?? '').matchAll(/`([^`]+\.tsx?)`|“([^”]+)”/g)
  let file = ''
  return [...tests].map(([, path, title]) => {
    file = path ?? file
    return { requirement: requirement.slice(2), file, title: title ?? null }
  })
})

test('every test named in docs/security.md exists, with the words of its title', () => {
  expect(rows.length).toBeGreaterThan(200)
  expect(cited.length).toBeGreaterThan(150)
  const wrong = cited.filter(({ file, title }) => {
    const place = placeOf(file)
    return !existsSync(place) || (title !== null && !readFileSync(place, 'utf8').includes(title))
  })
  expect(wrong).toEqual([])
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

test('P2.2 GUARD-1 each route loads only the code of its screen; the not-found screen is exempt', () => {
  const screens = globSync('**/*.screen.tsx', { cwd: import.meta.dirname }).filter(
    (file) => !file.endsWith('not-found.screen.tsx'),
  )
  const routes = read('routes.tsx')
  expect(screens.length).toBeGreaterThan(30)
  expect(screens.filter((file) => routes.split(`load: () => import('./${file}')`).length !== 2)).toEqual([])
  const others = globSync('**/*.{ts,tsx}', { cwd: import.meta.dirname }).filter((file) => !/\.test\.tsx?$/.test(file))
  const loads = /(?:from|import)\s*\(?\s*'[^']*\.screen\.tsx'/g
  const found = others.flatMap((file) => (read(file).match(loads) ?? []).map((line) => `${file}: ${line}`))
  expect(found.filter((line) => !line.includes('not-found.screen.tsx') && !line.startsWith('routes.tsx: import('))).toEqual([])
})

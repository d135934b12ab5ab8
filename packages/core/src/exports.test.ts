/** core contains only what the platform uses, so each of its values is imported by a file that is not a test. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const sources = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}', 'apps/*/*.ts'], { cwd: root }).filter(
  (file) => !/\.test\.tsx?$/.test(file),
)
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Rules that SQL decides. The named test compares both with random input. */
const decidedBySql = { isListed: 'apps/server/test/core-rules.test.ts', isAbandoned: 'apps/server/test/core-rules.test.ts' }

/** `flags.ts leet`, for each value that is imported anywhere from a file of core. */
function importedValues(): Set<string> {
  const found = new Set<string>()
  const line = /import \{([^}]*)\} from '(?:@vexil\/core\/(\w+)|\.\/(\w+)\.ts)'/g
  for (const file of sources) {
    for (const [, names = '', outside, inside] of textOf(file).matchAll(line)) {
      if (inside !== undefined && !file.startsWith('packages/core/')) continue
      for (const name of names.split(',')) found.add(`${outside ?? inside}.ts ${name.trim().split(' as ')[0]}`)
    }
  }
  return found
}

const exported = sources
  .filter((file) => file.startsWith('packages/core/src/'))
  // The classes of refusals are the list of error codes.
  .filter((file) => !file.endsWith('/refusals.ts'))
  .flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:const|function\*?|class) (\w+)/gm)].map(([, name]) => `${file.slice(18)} ${name}`),
  )

test('every value that core exports is imported by the platform, not only by tests', () => {
  const imported = importedValues()
  const allowed = new Set(Object.keys(decidedBySql))
  expect(exported.length).toBeGreaterThan(100)
  expect(exported.filter((value) => !imported.has(value) && !allowed.has(value.split(' ')[1]!))).toEqual([])
})

test('every refusal is thrown somewhere, or returned by a schema of the contract', () => {
  const refusals = textOf('packages/core/src/refusals.ts').matchAll(/class (\w+) extends rule\('([\w.]+)'\)/g)
  const texts = sources.filter((file) => !/refusals[.]ts$|contract\/src\/(errors|messages\/)/.test(file)).map(textOf)
  const all = texts.join('\n')
  const unused = [...refusals].filter(([, name, code]) => !all.includes(`new ${name}(`) && !all.includes(`'${code}'`))
  expect(unused.map(([, , code]) => code)).toEqual([])
})

test('a rule that SQL decides is compared with SQL by the named test', () => {
  for (const [rule, file] of Object.entries(decidedBySql)) expect(textOf(file)).toContain(`${rule}(`)
})

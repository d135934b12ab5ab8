/**
 * Which demands of the product are proven: an id such as `P5.8` counts when it stands in the title of a test. `--issue N` takes the
 * demands due with that step (and no others). Prints the open ones, then proven, open, total; exit code 1 while any is open.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const asked = process.argv.indexOf('--issue')
const issue = asked > 0 ? process.argv[asked + 1] : undefined

const demands = readFileSync(join(root, 'docs/demands.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [id: string, demand: string, issue: string])
  .filter(([, , due]) => issue === undefined || due === issue)

/** Titles: what follows `test(`, `test.each(…)(` and the like up to the end of the quoted text, and the first texts of table rows. */
function titlesOf(source: string): string[] {
  return [...source.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)]
    .map(([, , text]) => text ?? '')
    .filter((text) => /^(?:[A-Z]+-?\d+(?:\.\d+)? )*P\d+\.\d+\b/.test(text))
}

const proven = new Set<string>()
for (const file of globSync(['packages/*/src/**/*.test.ts', 'apps/*/{src,test}/**/*.test.{ts,tsx}', 'e2e/**/*.spec.ts'], {
  cwd: root,
})) {
  for (const title of titlesOf(readFileSync(join(root, file), 'utf8')))
    for (const [id] of title.matchAll(/\bP\d+\.\d+\b/g)) proven.add(id)
}

const open = demands.filter(([id]) => !proven.has(id))
for (const [id, demand] of open) console.log(`${id}\t${demand}`)
console.log(`${demands.length - open.length} proven, ${open.length} open, ${demands.length} in all`)
process.exitCode = open.length > 0 ? 1 : 0

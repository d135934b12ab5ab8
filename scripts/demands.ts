/**
 * Which demands of the product are proven: an id such as `P5.8` counts when it stands in the title of a test that ran and passed in the
 * latest run of each part of `npm test`, whose reports are kept in node_modules/.vexil-reports. `--issue N` takes the demands due with
 * that step (and no others). Prints the open ones, then proven, open, total; exit code 1 while any is open, 2 without a report.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const reports = join(root, 'node_modules/.vexil-reports')
const asked = process.argv.indexOf('--issue')
const issue = asked > 0 ? process.argv[asked + 1] : undefined

const demands = readFileSync(join(root, 'docs/demands.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [id: string, demand: string, issue: string])
  .filter(([, , due]) => issue === undefined || due === issue)

/** What the two runners write, as far as it is read here. */
interface Suite {
  readonly suites?: readonly Suite[]
  readonly specs?: readonly { readonly title: string; readonly tests: readonly { readonly status: string }[] }[]
}
interface Report extends Suite {
  readonly testResults?: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** Of Playwright: `expected` and `flaky` passed, `skipped` and `unexpected` did not. */
const inBrowser = ({ suites = [], specs = [] }: Suite): string[] => [
  ...specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'expected' || status === 'flaky'))
    .map(({ title }) => title),
  ...suites.flatMap(inBrowser),
]

const inVitest = ({ testResults = [] }: Report): string[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
  )

const files = existsSync(reports) ? readdirSync(reports).filter((file) => file.endsWith('.json')) : []
const proven = new Set<string>()
for (const file of files) {
  const report: Report = JSON.parse(readFileSync(join(reports, file), 'utf8'))
  const titles = [...inVitest(report), ...inBrowser(report)]
  for (const title of titles) for (const [id] of title.matchAll(/\bP\d+\.\d+\b/g)) proven.add(id)
  console.log(`${file}: ${titles.length} passed, ${statSync(join(reports, file)).mtime.toISOString()}`)
}

const open = demands.filter(([id]) => !proven.has(id))
for (const [id, demand] of open) console.log(`${id}\t${demand}`)
console.log(`${demands.length - open.length} proven, ${open.length} open, ${demands.length} in all`)
if (files.length === 0) console.log('There is no report yet: run npm test first.')
process.exitCode = files.length === 0 ? 2 : open.length > 0 ? 1 : 0

/** Ids in the titles of tests that ran and passed in the latest run of each part of `npm test`, whose reports are kept in node_modules/.vexil-reports. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const reports = join(root, 'node_modules/.vexil-reports')

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

/** A list of the docs: tab-separated, a line of heads first. */
export const readList = (name: string): string[][] =>
  readFileSync(join(root, 'docs', name), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))

/** Prints the lines whose id (the first field) no passed test names, then proven, open, total, and sets the exit code: 1 while any is open, 2 without a report. */
export function showOpen(lines: readonly string[][], id: RegExp): void {
  const files = existsSync(reports) ? readdirSync(reports).filter((file) => file.endsWith('.json')) : []
  const proven = new Set<string>()
  for (const file of files) {
    const report: Report = JSON.parse(readFileSync(join(reports, file), 'utf8'))
    const titles = [...inVitest(report), ...inBrowser(report)]
    for (const title of titles) for (const [found] of title.matchAll(id)) proven.add(found)
    console.log(`${file}: ${titles.length} passed, ${statSync(join(reports, file)).mtime.toISOString()}`)
  }
  const open = lines.filter(([first]) => !proven.has(first as string))
  for (const [first, text] of open) console.log(`${first}\t${text}`)
  console.log(`${lines.length - open.length} proven, ${open.length} open, ${lines.length} in all`)
  if (files.length === 0) console.log('There is no report yet: run npm test first.')
  process.exitCode = files.length === 0 ? 2 : open.length > 0 ? 1 : 0
}

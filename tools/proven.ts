/**
 * Ids in the titles of tests that ran and passed in the latest full `npm test`, and in parts of `npm run proof` on this commit or one of its
 * last 50 ancestors. Their reports are kept in node_modules/.vexil-reports.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const reports = join(root, 'node_modules/.vexil-reports')
const mostCommitsOld = 50

/** The parts of the reports of the two test runners that are read here. */
interface Suite {
  readonly suites?: readonly Suite[]
  readonly specs?: readonly { readonly title: string; readonly tests: readonly { readonly status: string }[] }[]
}
interface Report extends Suite {
  readonly testResults?: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}
/** The reports of a part of the proof. */
interface Part {
  readonly commit: string
  readonly date: string
  readonly reports: readonly Report[]
}

/** Titles of Playwright: `expected` and `flaky` passed, `skipped` and `unexpected` did not. */
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

/** Titles of the tests that passed. */
export const titlesOf = (report: Report): string[] => [...inVitest(report), ...inBrowser(report)]

/** How many commits `commit` is behind HEAD; null when it is not an ancestor. */
function behind(commit: string): number | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    git('merge-base', '--is-ancestor', commit, 'HEAD')
    return Number(git('rev-list', '--count', `${commit}..HEAD`))
  } catch {
    return null
  }
}

/** Whether a part that passed on a commit that is this many commits behind still counts. */
export const counts = (commitsBehind: number | null): boolean => commitsBehind !== null && commitsBehind <= mostCommitsOld

/** The titles in a file of reports, and its date; no titles if it is too old. */
function readReports(file: string): { titles: string[]; from: string } {
  const path = join(reports, file)
  const held: Report | Part = JSON.parse(readFileSync(path, 'utf8'))
  if (!('commit' in held)) return { titles: titlesOf(held), from: statSync(path).mtime.toISOString() }
  const old = behind(held.commit)
  const from = `${held.date}, ${held.commit.slice(0, 7)}, ${old === null ? 'no ancestor' : `${old} commits behind`}`
  return counts(old) ? { titles: held.reports.flatMap(titlesOf), from } : { titles: [], from: `${from}: does not count` }
}

const isReport = (file: string) =>
  /^((unit|pages|integration|integration-15|journeys|journeys-containers)|proof-[\w-]+)\.json$/.test(file)

/** A list of the docs: tab-separated, with a header line. */
export const readList = (name: string): string[][] =>
  readFileSync(join(root, 'docs', name), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))

/** Prints the lines whose id (the first field) no passed test has, then proven, open, total; sets the exit code: 1 while any is open, 2 without a report. */
export function showOpen(lines: readonly string[][], id: RegExp): void {
  const files = existsSync(reports) ? readdirSync(reports).filter(isReport) : []
  const proven = new Set<string>()
  for (const file of files) {
    const { titles, from } = readReports(file)
    for (const title of titles) for (const [found] of title.matchAll(id)) proven.add(found)
    console.log(`${file}: ${titles.length} passed, ${from}`)
  }
  const open = lines.filter(([first]) => !proven.has(first as string))
  for (const [first, text] of open) console.log(`${first}\t${text}`)
  console.log(`${lines.length - open.length} proven, ${open.length} open, ${lines.length} in all`)
  if (files.length === 0) console.log('There is no report yet: run npm test first.')
  process.exitCode = files.length === 0 ? 2 : open.length > 0 ? 1 : 0
}

/** Reads the reports of the two test runners. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../toolchain.mjs'

/** Kept after a run: `npm run tool -- demands` reads which tests ran. */
export const reports = join(root, 'node_modules/.vexil-reports')
mkdirSync(reports, { recursive: true })

/** @returns the content of a report, or null */
export const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null)

const shortened = (message = '') => message.slice(0, 1500)

/**
 * The output of a runner about an error outside of the tests, such as one of a hook or an unhandled rejection: from Vitest's heading of such errors
 * on, otherwise the last lines. `errors` is its standard error without colours.
 */
export function errorOutsideTests(errors) {
  const from = errors.search(/Unhandled Error|Failed Suites/)
  if (from !== -1) return shortened(errors.slice(from))
  return errors.trim().split('\n').slice(-20).join('\n') || 'ended with an error, see above'
}

const notRun = ['pending', 'skipped', 'todo', 'disabled']

/** The results of Vitest: counts, and a description of each failure. */
export function ofVitest(name, report) {
  const files = report?.testResults ?? []
  const fails = ({ status }) => status === 'failed'
  // Files that did not load, or had an error in a hook.
  const unloaded = files.filter((file) => fails(file) && !file.assertionResults.some(fails))
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })))
  return {
    found: report?.numTotalTests ?? 0,
    passed: report?.numPassedTests ?? 0,
    failed: report?.numFailedTests ?? 0,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    skippedTests: tests.filter(({ status }) => notRun.includes(status)).map((test) => `${test.file} > ${test.fullName}`),
    failures: [
      ...unloaded.map((file) => `${name}: ${file.name}\n${shortened(file.message)}`),
      ...tests
        .filter(fails)
        .map((test) => `${name}: ${test.file} > ${test.fullName}\n${shortened(test.failureMessages?.join('\n'))}`),
    ],
  }
}

/** The results of Playwright in the same form. */
export function ofPlaywright(report) {
  const { expected = 0, flaky = 0, unexpected = 0, skipped = 0 } = report?.stats ?? {}
  const passed = expected + flaky
  const failures = failedSpecs(report?.suites)
  return { found: passed + unexpected, passed, failed: unexpected, skipped, skippedTests: [], failures }
}

function failedSpecs(suites = []) {
  return suites.flatMap((suite) => [
    ...(suite.specs ?? [])
      .filter((spec) => !spec.ok)
      .map((spec) => {
        const errors = spec.tests.flatMap((test) => test.results.flatMap((result) => result.errors))
        return `${spec.file} > ${spec.title}\n${shortened(errors.map((error) => error.message).join('\n'))}`
      }),
    ...failedSpecs(suite.suites),
  ])
}

export const countSpecs = (suites = []) =>
  suites.reduce((sum, suite) => sum + (suite.specs?.length ?? 0) + countSpecs(suite.suites), 0)

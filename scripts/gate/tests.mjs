/** Runs tests with Vitest or Playwright, and counts the results in their reports. */
import { rmSync } from 'node:fs'
import { ensureBrowser } from './browser.mjs'
import { countSpecs, errorOutsideTests, ofPlaywright, ofVitest, read } from './reports.mjs'
import { run } from './run.mjs'

const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js'

function add({ total, failures, count, skip }, name, { status, errors }, found, mayBeNone) {
  total.passed += found.passed
  total.failed += found.failed
  failures.push(...found.failures)
  if (found.skipped) skip(name, ['skipped by the tests themselves', ...found.skippedTests].join('\n  '), found.skipped)
  const none = found.found === 0 && !found.skipped && !mayBeNone
  // An error outside of the tests, or a file that does not load, is not a failure of a test.
  if (none) count(`${name}: no tests found\n${errorOutsideTests(errors)}`, false)
  else if (status !== 0 && found.failed === 0) count(`${name}: ${errorOutsideTests(errors)}`, false)
}

/** `args`: arguments of Vitest (projects, files). The report is written to `file`; an earlier one is removed first. */
export async function vitest(tally, name, args, { file, env = {}, mayBeNone = false }) {
  rmSync(file, { force: true })
  const how = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, `--passWithNoTests=${mayBeNone}`]
  const ended = await run(name, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...how], { env })
  add(tally, name, ended, ofVitest(name, read(file)), mayBeNone)
}

/** `args`: arguments of Playwright. Without a browser the tests count as not run. */
export async function playwright(tally, name, args, { file, env = {} }) {
  rmSync(file, { force: true })
  const json = { PLAYWRIGHT_JSON_OUTPUT_NAME: file, ...env }
  if (!ensureBrowser()) {
    await run(name, [PLAYWRIGHT, 'test', ...args, '--list', '--reporter=json'], { env: json, quiet: true })
    const number = countSpecs(read(file)?.suites)
    rmSync(file, { force: true })
    return tally.skip(name, `there is no Chromium, and without root it cannot be installed`, Math.max(1, number))
  }
  const ended = await run(name, [PLAYWRIGHT, 'test', ...args, '--reporter=list,json'], { env: json })
  add(tally, name, ended, ofPlaywright(read(file)), false)
}

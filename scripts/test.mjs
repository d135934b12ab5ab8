/**
 * npm test: the only gate. Types, lint, directions, unit and integration tests (these also on PostgreSQL 15), the web's
 * build and the journeys in a browser. Ends with `N passed, N failed`. With --quick: what needs neither database nor browser.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { have } from './apt.mjs'
import { startDocker } from './docker-engine.mjs'
import { withPostgres15 } from './postgres-15.mjs'
import { buildWeb, installLock, rightNode, root, toolEnvironment } from './toolchain.mjs'

/** What may depend on the version of PostgreSQL: SQL functions, triggers, locks, plans. The rest runs on the embedded one alone. */
const byVersion = [
  'apps/server/src/db/',
  'apps/server/src/submissions/',
  'apps/server/src/scoreboard/',
  'apps/server/src/games/',
  'apps/server/test/concurrency',
]
const quick = process.argv.includes('--quick')
const total = { passed: 0, failed: 0, notRun: 0 }
/** What failed, with the reason: printed again at the end, where a shortened log still shows it. */
const failures = []
const CHROMIUM = '/usr/bin/chromium'
const OFFICE = '/usr/bin/soffice'
const TSHARK = '/usr/bin/tshark'
const NGINX = '/usr/sbin/nginx'

installLock()
// Kept: `npm run demands` reads which tests ran.
const reports = join(root, 'node_modules/.vexil-reports')
mkdirSync(reports, { recursive: true })
check('types', 'typescript-7/bin/tsc', '-p', root)
if (existsSync(join(root, 'apps/web/src'))) check('types of the web', 'typescript-7/bin/tsc', '-p', join(root, 'apps/web'))
check('lint', '@biomejs/biome/bin/biome', 'check')
check('directions', 'dependency-cruiser/bin/dependency-cruiser.mjs', 'packages', 'apps', '--config', '.dependency-cruiser.cjs')
vitest('unit tests', ['unit', 'web'])
if (!quick) {
  count('web build', buildWeb({ force: true }))
  count('weight of the web', weight())
  // Without them the tests of sheets, of the proxy's configuration and of captures skip themselves.
  have(OFFICE, 'libreoffice-calc-nogui')
  have(NGINX, 'nginx-light', 'openssl')
  have(TSHARK, 'tshark')
  // Without one the tests on Docker skip themselves.
  const docker = startDocker((name, reason) => console.log(`NOT RUN: ${name}: ${reason}`))
  if (docker) process.env.VEXIL_TEST_DOCKER = docker.host
  try {
    vitest('integration tests', ['integration'])
    withPostgres15(
      (url) => vitest('integration tests on PostgreSQL 15', ['integration'], { VEXIL_TEST_DATABASE_URL: url }, byVersion),
      skip,
    )
    journeys()
  } finally {
    docker?.stop()
  }
}
for (const failure of failures) console.log(`\nFAILED: ${failure}`)
const { passed, failed, notRun } = total
console.log(`${passed} passed, ${failed} failed${notRun ? `, ${notRun} not run` : ''}`)
process.exitCode = failed ? 1 : notRun ? 3 : 0

/** Runs a tool of ours with the right node, its output as it comes. */
function tool(path, args, env = {}) {
  return (
    spawnSync(rightNode(), [join(root, 'node_modules', path), ...args], {
      cwd: root,
      stdio: 'inherit',
      env: toolEnvironment(env),
    }).status === 0
  )
}

/** Bytes alone, never a clock: the same at each run but for the moment of the build that the web names. */
function weight() {
  heading('weight of the web')
  const { status, stdout } = spawnSync(rightNode(), ['scripts/weight.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: root,
    env: toolEnvironment({}),
    encoding: 'utf8',
  })
  process.stdout.write(stdout)
  if (status !== 0) for (const line of stdout.split('\n')) if (/OVER/.test(line)) failures.push(line)
  return status === 0
}

function check(name, path, ...args) {
  heading(name)
  count(name, tool(path, args))
}

function heading(name) {
  console.log(`\n== ${name}`)
}

function count(name, good) {
  if (good) total.passed++
  else total.failed++
  if (!good) failures.push(name)
}

function skip(name, reason, number = 1) {
  total.notRun += number
  console.log(`NOT RUN: ${name}: ${reason}`)
}

function vitest(name, projects, env = {}, files = []) {
  heading(name)
  const file = join(reports, `${projects.join('-')}-${Object.keys(env).length}.json`)
  // One of an earlier run must not be taken for the report of a run that breaks off.
  rmSync(file, { force: true })
  const chosen = projects.flatMap((project) => ['--project', project])
  const good = tool(
    'vitest/vitest.mjs',
    ['run', ...files, ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, '--passWithNoTests=false'],
    env,
  )
  const report = read(file)
  const found = report?.numTotalTests ?? 0
  total.passed += report?.numPassedTests ?? 0
  const failed = report?.numFailedTests ?? 0
  total.failed += failed
  failures.push(...failedTests(name, report))
  const pending = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  if (pending) skip(name, 'skipped by the tests themselves', pending)
  // A file that does not load holds no test that could fail.
  if ((!good && failed === 0) || found === 0) count(found === 0 ? `${name}: no tests found` : `${name}: see above`, false)
}

function journeys() {
  heading('journeys in a browser')
  const file = join(reports, 'playwright.json')
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file }
  rmSync(file, { force: true })
  if (!have(CHROMIUM, 'chromium', 'fonts-dejavu-core', 'fonts-noto-cjk')) {
    const listed = spawnSync(
      rightNode(),
      [join(root, 'node_modules/@playwright/test/cli.js'), 'test', '--list', '--reporter=json'],
      {
        cwd: root,
        encoding: 'utf8',
        env: toolEnvironment(env),
      },
    )
    const number = listed.status === 0 ? countSpecs(read(file)?.suites) : 0
    return skip('journeys', `there is no ${CHROMIUM}, and without root it cannot be installed`, Math.max(1, number))
  }
  const good = tool('@playwright/test/cli.js', ['test', '--reporter=list,json'], env)
  const stats = read(file)?.stats
  const [passed, failed] = [(stats?.expected ?? 0) + (stats?.flaky ?? 0), stats?.unexpected ?? 0]
  total.passed += passed
  total.failed += failed
  failures.push(...failedSpecs(read(file)?.suites))
  if (stats?.skipped) skip('journeys', 'skipped by the tests themselves', stats.skipped)
  if ((!good && failed === 0) || passed + failed === 0) count('journeys: no tests found, or see above', false)
}

function failedTests(name, report) {
  const files = report?.testResults ?? []
  const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })))
  return [
    ...unloaded.map((file) => `${name}: ${file.name}\n${shortened(file.message)}`),
    ...tests
      .filter((test) => test.status === 'failed')
      .map((test) => `${name}: ${test.file} > ${test.fullName}\n${shortened(test.failureMessages?.join('\n'))}`),
  ]
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

function shortened(message = '') {
  return message.slice(0, 1500)
}

function countSpecs(suites = []) {
  return suites.reduce((sum, suite) => sum + (suite.specs?.length ?? 0) + countSpecs(suite.suites), 0)
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

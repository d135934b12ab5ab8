/**
 * npm test: the checks for each change (the aim: twelve minutes on two processors). Types, lint, directions, unit tests, pages of the web, integration
 * tests (some of these also on PostgreSQL 15), the build of the web and the journeys in a browser. Ends with `N passed, N failed`. `--quick` runs the checks
 * that need neither a database nor a page, and the pages that uncommitted changes can affect; `--changed [COMMIT]` runs the checks that files which differ
 * from COMMIT (default: HEAD) can affect. The slower checks are in `npm run proof`.
 */
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInstalled } from './apt.mjs'
import { startDocker } from './docker-engine.mjs'
import { byVersion } from './gate/by-version.mjs'
import { changedSince, reached } from './gate/changed.mjs'
import { reports } from './gate/reports.mjs'
import { run } from './gate/run.mjs'
import { openTally } from './gate/tally.mjs'
import { playwright, vitest } from './gate/tests.mjs'
import { withPostgres15 } from './postgres-15.mjs'
import { buildWeb, installLock } from './toolchain.mjs'

/** The aim is 12. */
const MOST_MINUTES = 15
const args = process.argv.slice(2)
const quick = args.includes('--quick')
const changed = args.includes('--changed')
const since = (changed && args.find((arg) => !arg.startsWith('--'))) || 'HEAD'
const everything = { web: true, journeys: true, sql: true }
const stages = changed ? reached(changedSince(since)) : everything
const onlyChanged = changed ? [`--changed=${since}`] : []
/** The report of a run with `--changed` does not replace that of the latest full run. */
const report = (name) => ({
  file: changed ? join(tmpdir(), `vexil-${process.pid}-${name}`) : join(reports, name),
  mayBeNone: changed,
})
const projects = (...names) => names.flatMap((name) => ['--project', name])

installLock()
const tally = openTally()
const check = (name, ...command) =>
  tally.stage(name, async () => {
    const { status } = await run(
      name,
      command.map((part, i) => (i === 0 ? `node_modules/${part}` : part)),
    )
    tally.count(name, status === 0)
  })
await Promise.all([
  check('types', 'typescript-7/bin/tsc', '-p', '.'),
  check('types of the web', 'typescript-7/bin/tsc', '-p', 'apps/web'),
  check('lint', '@biomejs/biome/bin/biome', 'check'),
  check(
    'directions',
    'dependency-cruiser/bin/dependency-cruiser.mjs',
    'packages',
    'apps',
    'scripts',
    'tools',
    'e2e',
    '--config',
    '.dependency-cruiser.cjs',
  ),
  check('unused code', 'knip/bin/knip.js', '--no-progress'),
  tally.stage('unit tests', () => vitest(tally, 'unit', [...projects('unit*', 'web*'), ...onlyChanged], report('unit.json'))),
])
if (!quick) await rest()
else if (changesReachPages()) await pages()
process.exitCode = tally.end()

async function rest() {
  if (stages.web || stages.journeys)
    await tally.stage('web build', async () => tally.count('web build', buildWeb({ force: stages.web })))
  if (stages.web) await tally.stage('weight of the web', weight)
  // Without these programs the tests of sheets, of the proxy's configuration, of captures and of metrics are skipped.
  ensureInstalled('/usr/bin/soffice', 'libreoffice-calc-nogui')
  ensureInstalled('/usr/sbin/nginx', 'nginx-light', 'openssl')
  ensureInstalled('/usr/lib/nginx/modules/ngx_stream_module.so', 'libnginx-mod-stream')
  ensureInstalled('/usr/bin/tshark', 'tshark')
  ensureInstalled('/usr/bin/tcpflow', 'tcpflow')
  ensureInstalled('/usr/bin/promtool', 'prometheus')
  // Without an engine the tests on Docker are skipped.
  const docker = startDocker((name, reason) => console.log(`NOT RUN: ${name}: ${reason}`))
  const engine = docker ? { VEXIL_TEST_DOCKER: docker.host } : {}
  try {
    // Journeys with containers mostly wait for Docker. No other test on Docker runs at the same time: a browser aborts its requests when a network
    // interface is added or removed.
    await Promise.all([pages(), stages.journeys && journeysWithContainers(engine)])
    await Promise.all([integration(engine), stages.sql && onPostgres15()])
  } finally {
    docker?.stop()
  }
  if (stages.journeys) await journeys()
  if (!changed) tally.mustTakeAtMost(MOST_MINUTES)
}

// Function declarations: they are called above, where a constant would not be initialized yet.
/** False without git, where the changes are unknown. */
function changesReachPages() {
  try {
    return changedSince(since).some((file) => /^(apps\/web|packages)\//.test(file))
  } catch {
    return false
  }
}

function pages() {
  const target = quick ? { file: join(tmpdir(), `vexil-${process.pid}-pages`), mayBeNone: true } : report('pages.json')
  const only = quick ? [`--changed=${since}`] : onlyChanged
  return tally.stage('pages of the web', () => vitest(tally, 'pages', [...projects('pages*'), ...only], target))
}

/** These tests wait for databases, processes and engines more than others do: one worker more than in vitest.config.ts. */
function integration(engine) {
  const env = { VEXIL_WORKERS: process.env.VEXIL_WORKERS ?? String(Math.min(5, availableParallelism() + 2)), ...engine }
  return tally.stage('integration tests', () =>
    vitest(tally, 'integration', [...projects('integration*'), ...onlyChanged], { ...report('integration.json'), env }),
  )
}

function journeys() {
  return tally.stage('journeys in a browser', () => playwright(tally, 'journeys', [], report('journeys.json')))
}

function journeysWithContainers(engine) {
  const env = { ...engine, VEXIL_JOURNEYS_WITH: 'containers' }
  return tally.stage('journeys with containers', () =>
    playwright(tally, 'journeys', [], { ...report('journeys-containers.json'), env }),
  )
}

function onPostgres15() {
  return tally.stage('integration tests on PostgreSQL 15', () =>
    withPostgres15(
      (url) =>
        vitest(tally, 'postgres-15', [...Object.keys(byVersion), ...projects('integration*')], {
          ...report('integration-15.json'),
          // The integration tests run at the same time.
          env: { VEXIL_TEST_DATABASE_URL: url, VEXIL_WORKERS: '1' },
        }),
      tally.skip,
    ),
  )
}

/** Measures only bytes, no times: the same at each run, except for the build time that the web contains. */
async function weight() {
  const { status, output } = await run('weight', ['scripts/weight.ts'])
  if (status !== 0) tally.failures.push(...output.split('\n').filter((line) => line.includes('OVER')))
  tally.count('weight of the web', status === 0)
}

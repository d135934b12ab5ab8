/**
 * npm test: what a change can break (the aim: twelve minutes on two processors). Types, lint, directions, unit tests, pages of the web, integration
 * tests (some of these also on PostgreSQL 15), the web's build and the journeys in a browser. Ends with `N passed, N failed`. `--quick` takes what needs
 * neither database nor page, and the pages that changes which are not committed can reach; `--changed [COMMIT]` what can be reached by the files that
 * differ from it (HEAD). The rest is `npm run proof`.
 */
import { tmpdir } from 'node:os'
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
/** A run of what changed is not the latest whole one. */
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
if (!quick || changesReachPages()) await tally.stage('pages of the web', pages)
if (!quick) await rest()
process.exitCode = tally.end()

async function rest() {
  if (stages.web || stages.journeys)
    await tally.stage('web build', async () => tally.count('web build', buildWeb({ force: stages.web })))
  if (stages.web) await tally.stage('weight of the web', weight)
  // Without them the tests of sheets, of the proxy's configuration, of captures and of metrics skip themselves.
  ensureInstalled('/usr/bin/soffice', 'libreoffice-calc-nogui')
  ensureInstalled('/usr/sbin/nginx', 'nginx-light', 'openssl')
  ensureInstalled('/usr/lib/nginx/modules/ngx_stream_module.so', 'libnginx-mod-stream')
  ensureInstalled('/usr/bin/tshark', 'tshark')
  ensureInstalled('/usr/bin/tcpflow', 'tcpflow')
  ensureInstalled('/usr/bin/promtool', 'prometheus')
  // Without one the tests on Docker skip themselves.
  const docker = startDocker((name, reason) => console.log(`NOT RUN: ${name}: ${reason}`))
  if (docker) process.env.VEXIL_TEST_DOCKER = docker.host
  try {
    await tally.stage('integration tests', () =>
      vitest(tally, 'integration', [...projects('integration*'), ...onlyChanged], report('integration.json')),
    )
    // Not beside tests on Docker: a browser breaks off what it loads when a network interface comes or goes.
    if (stages.journeys) await journeys()
    // Journeys with containers mostly wait for Docker.
    await Promise.all([stages.journeys && journeysWithContainers(), stages.sql && onPostgres15()])
  } finally {
    docker?.stop()
  }
  if (!changed) tally.mustTakeAtMost(MOST_MINUTES)
}

// Functions: they are called above, before a constant would have its value.
/** Without git it is not known what changed. */
function changesReachPages() {
  try {
    return changedSince(since).some((file) => /^(apps\/web|packages)\//.test(file))
  } catch {
    return false
  }
}

function pages() {
  if (!quick) return vitest(tally, 'pages', [...projects('pages*'), ...onlyChanged], report('pages.json'))
  const file = join(tmpdir(), `vexil-${process.pid}-pages`)
  return vitest(tally, 'pages', [...projects('pages*'), `--changed=${since}`], { file, mayBeNone: true })
}

function journeys() {
  return tally.stage('journeys in a browser', () => playwright(tally, 'journeys', [], report('journeys.json')))
}

function journeysWithContainers() {
  const env = { VEXIL_JOURNEYS_WITH: 'containers' }
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
          env: { VEXIL_TEST_DATABASE_URL: url, VEXIL_WORKERS: '1' },
        }),
      tally.skip,
    ),
  )
}

/** Bytes alone, never a clock: the same at each run but for the moment of the build that the web names. */
async function weight() {
  const { status, output } = await run('weight', ['scripts/weight.ts'])
  if (status !== 0) tally.failures.push(...output.split('\n').filter((line) => line.includes('OVER')))
  tally.count('weight of the web', status === 0)
}

/**
 * Runs the tests that need a real Kubernetes cluster, on a running cluster or on one that it starts and removes. Further arguments are passed to Vitest.
 * `npm run tool -- cluster-test --browser` runs the journey of instances in a browser instead.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { commands, images, makeImageRoot } from '../../apps/server/test/container-images.ts'
import { importImage, listImages } from './images.ts'
import { applyManifests, buildManifests, exampleSite, makePlatformKubeconfig, readManifests } from './manifests.ts'
import { folder } from './place.ts'
import { importPlatform } from './platform-image.ts'

const root = join(import.meta.dirname, '../..')
const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, VEXIL_TEST_KUBERNETES: folder } })
    .status

const given = process.argv.slice(2)
const isBrowser = given.includes('--browser')
const playwright = 'node_modules/@playwright/test/cli.js'
// Policies apply to the whole namespace: two files at the same time would disturb each other.
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', '--no-file-parallelism']

// The tests of the platform as a pod run unless other tests are named.
const hasPlatform = !isBrowser && (given.length === 0 || given.some((word) => word.includes('platform')))

const runs = existsSync(folder)
if (!runs && run('tools/cluster/cluster.ts') !== 0) process.exit(1)
try {
  await applyManifests(readManifests('challenges.yaml'))
  await applyManifests(buildManifests(exampleSite), { dryRun: true })
  await makePlatformKubeconfig()
  makeImages()
  if (hasPlatform) await importPlatform()
  if (isBrowser) process.env.VEXIL_JOURNEYS_WITH = 'containers'
  process.exitCode = (isBrowser ? run(playwright, 'test', 'e2e/journeys/instances.spec.ts') : run(...vitest, ...given)) ?? 1
} finally {
  if (!runs) run('tools/cluster/cluster.ts', 'stop')
}

function makeImages(): void {
  const there = listImages()
  const files = makeImageRoot()
  for (const [name, command] of Object.entries(commands)) {
    const image = images[name as keyof typeof commands]
    const volumes = name === 'volume' ? { Volumes: { '/volume': {} } } : {}
    if (!there.includes(`docker.io/${image}`)) importImage(`docker.io/${image}`, files, ['sh', '-c', command], volumes)
  }
  rmSync(files, { recursive: true })
}

/**
 * The tests that need a real Kubernetes cluster: they take the one that runs, or start one and remove it again. Further arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { commands, images, makeImageRoot } from '../apps/server/test/container-images.ts'
import { importImage, listImages } from './cluster/images.ts'
import { applyManifests, makePlatformKubeconfig } from './cluster/manifests.ts'
import { folder } from './cluster/place.ts'

const root = join(import.meta.dirname, '..')
const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, VEXIL_TEST_KUBERNETES: folder } })
    .status

const runs = existsSync(folder)
if (!runs && run('scripts/cluster.ts') !== 0) process.exit(1)
try {
  await applyManifests('challenges.yaml')
  await applyManifests('platform.yaml', true)
  await makePlatformKubeconfig()
  makeImages()
  process.exitCode =
    run('node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', '--no-file-parallelism', ...process.argv.slice(2)) ?? 1
} finally {
  if (!runs) run('scripts/cluster.ts', 'stop')
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

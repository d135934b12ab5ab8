/**
 * Tests of storage limits on throwaway Docker engines, as root on Debian: limits that the driver enforces (btrfs) and limits that are
 * measured (ext4), each in a file of 4 GB.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { startDocker } from '../scripts/docker-engine.mjs'
import { rightNode, root, toolEnvironment } from '../scripts/toolchain.mjs'

const limits = 'apps/server/src/ports/engine/docker/docker-limits.db.test.ts'

// In a fresh file system: btrfs may forget limits once containers were removed (decision 0016).
test([limits, '-t', 'more written'], { VEXIL_TEST_STORAGE: 'enforced' }, { disk: 'btrfs' })
test([limits], { VEXIL_TEST_STORAGE: 'measured' }, { disk: 'ext4' })

function test(what, env, options) {
  console.log(
    `== ${Object.entries(env)
      .map((pair) => pair.join('='))
      .join(' ')}`,
  )
  const engine = startDocker((name, reason) => console.error(`${name}: ${reason}`), options)
  if (!engine) process.exit(3)
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'integration*', ...what]
  const { status } = spawnSync(rightNode(), args, {
    cwd: root,
    stdio: 'inherit',
    env: toolEnvironment({ VEXIL_TEST_DOCKER: engine.host, ...env }),
  })
  engine.stop()
  if (status !== 0) process.exitCode = 1
}

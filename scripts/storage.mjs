/** npm run storage: the engine's tests on a Docker whose driver enforces storage limits (btrfs in a file of 4 GB). As root on Debian. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { startDocker } from './docker-engine.mjs'
import { installLock, rightNode, root, toolEnvironment } from './toolchain.mjs'

installLock()
const engine = startDocker((name, reason) => console.error(`${name}: ${reason}`), { btrfs: true })
if (!engine) process.exit(3)
const rooms = ['docker.db', 'docker-limits.db'].map((name) => `apps/server/src/ports/engine/${name}.test.ts`)
const { status } = spawnSync(
  rightNode(),
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'integration', ...rooms],
  {
    cwd: root,
    stdio: 'inherit',
    env: toolEnvironment({ VEXIL_TEST_DOCKER: engine.host, VEXIL_TEST_STORAGE: 'enforced' }),
  },
)
engine.stop()
process.exitCode = status ?? 1

/** Runs the platform, and restarts it when it fails or hangs: the end of `npm start`, and `vexil serve` in the image. Installs and builds nothing. */
import { join } from 'node:path'
import { patience, root, runInPlace, serverEnv, serverFlags } from './toolchain.mjs'

runInPlace([...serverFlags, join(root, 'apps/server/src/main.ts')], { env: { ...serverEnv, ...process.env }, again: patience })

/** Runs the platform under the supervisor of `npm start`, with a constant pause of one second between two starts. */
import { join } from 'node:path'
import { patience, root, runInPlace, serverEnv, serverFlags } from '../../scripts/toolchain.mjs'

// The node ends with the program that started it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
runInPlace([...serverFlags, join(root, 'apps/server/src/main.ts')], {
  env: { ...serverEnv, ...process.env },
  again: { ...patience, most: patience.first },
})

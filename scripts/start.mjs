/** npm start: starts the platform in a fresh clone. With --demo: a throwaway platform with a running game; other options are passed to the demo. */
import { join } from 'node:path'
import { buildProbe, buildWeb, fail, installLock, root, runInPlace, serverEnv, serverFlags } from './toolchain.mjs'

installLock()
if (!buildWeb()) fail('Could not build the web app: see above.', 1)
buildProbe()
const options = process.argv.slice(2)
if (options.includes('--demo')) {
  const program = join(root, 'apps/server/src/demo/main.ts')
  const others = options.filter((option) => option !== '--demo')
  runInPlace([...serverFlags, program, ...others], { env: { ...serverEnv, ...process.env } })
} else await import('./serve.mjs')

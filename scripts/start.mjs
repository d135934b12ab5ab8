/** npm start: starts the platform in a fresh clone. With --demo: a throwaway platform with a running game; other options are passed to the demo. */
import { join } from 'node:path'
import { buildProbe, buildWeb, fail, installLock, patience, root, runInPlace, serverEnv, serverFlags } from './toolchain.mjs'

const options = process.argv.slice(2)
const demo = options.includes('--demo')

installLock()
if (!buildWeb()) fail('Could not build the web app: see above.', 1)
buildProbe()
const program = join(root, 'apps/server/src', demo ? 'demo/main.ts' : 'main.ts')
runInPlace([...serverFlags, program, ...options.filter((option) => option !== '--demo')], {
  env: { ...serverEnv, ...process.env },
  again: demo ? null : patience,
})

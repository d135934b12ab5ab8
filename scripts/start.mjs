/** npm start: from a fresh clone to a running platform. With --demo: a throwaway one with a running game; the rest is for the demo. */
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

/** npm start: from a fresh clone to a running platform. With --demo: a throwaway one with a running game. */
import { join } from 'node:path'
import { buildWeb, give, installLock, root, runInPlace } from './toolchain.mjs'

installLock()
if (!buildWeb()) give('The web could not be built: see above.', 1)
runInPlace([join(root, 'apps/server/src', process.argv.includes('--demo') ? 'demo/main.ts' : 'main.ts')])

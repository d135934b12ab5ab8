/** npm run build: the web, as `npm start` serves it, and the isolation probe where gcc is installed. */
import { buildProbe, buildWeb, fail, installLock } from './toolchain.mjs'

installLock()
if (!buildWeb({ force: true })) fail('Could not build the web app: see above.', 1)
buildProbe()

/** npm run build: builds the web that `npm start` serves, and the isolation probe if gcc is installed. */
import { buildProbe, buildWeb, fail, installLock } from './toolchain.mjs'

installLock()
if (!buildWeb({ force: true })) fail('Could not build the web app: see above.', 1)
buildProbe()

/** npm run build: the web, as `npm start` serves it. */
import { buildWeb, give, installLock } from './toolchain.mjs'

installLock()
if (!buildWeb({ force: true })) give('Could not build the web app: see above.', 1)

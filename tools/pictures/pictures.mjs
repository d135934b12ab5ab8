/** npm run tool -- pictures: every screen with demo data, photographed and checked. With --readme: the pictures of README.md as well. */
import { join } from 'node:path'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { buildWeb, fail, root, runInPlace } from '../../scripts/toolchain.mjs'

ensureInstalled('/usr/bin/chromium', 'chromium', 'fonts-dejavu-core', 'fonts-noto-cjk')
if (!buildWeb()) fail('Could not build the web app: see above.', 1)
runInPlace([join(root, 'tools/pictures/main.ts'), ...process.argv.slice(2)])

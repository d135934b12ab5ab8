/** npm run tool -- engines: the main journeys in Firefox and WebKitGTK of Debian, with pictures in pictures/engines/. `--only firefox` runs one engine. */
import { join } from 'node:path'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { buildWeb, fail, root, runInPlace } from '../../scripts/toolchain.mjs'

const programs = { 'firefox-esr': '/usr/bin/firefox-esr', 'webkit2gtk-driver': '/usr/bin/WebKitWebDriver', xvfb: '/usr/bin/Xvfb' }

const missing = Object.entries(programs).filter(
  ([name, program]) => !ensureInstalled(program, name, 'fonts-dejavu-core', 'fonts-noto-cjk'),
)
if (missing.length > 0) {
  fail(`Missing: ${missing.map(([name]) => name).join(', ')}. As root on Debian this command installs them by apt.`, 3)
}
if (!buildWeb()) fail('Could not build the web app: see above.', 1)
runInPlace([join(root, 'tools/engines/main.ts'), ...process.argv.slice(2)])

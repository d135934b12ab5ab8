/** npm run dev: the server restarts when its source changes; the web is served by vite, which passes calls on to it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installLock, rightNode, root, toolEnvironment } from './toolchain.mjs'

installLock()
const web = join(root, 'apps/web')
const run = (cwd, ...args) => spawn(rightNode(), args, { cwd, env: toolEnvironment(), stdio: 'inherit' })
const children = [
  run(root, '--watch', '--watch-preserve-output', join(root, 'apps/server/src/main.ts')),
  // Its proxy is in apps/web/vite.config.ts, where the paths of the server are known.
  run(web, join(root, 'node_modules/vite/bin/vite.js')),
]

const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
for (const child of children) child.on('exit', stop)

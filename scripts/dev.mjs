/** npm run dev: the server restarts when its source changes; the web is served by Vite, which forwards calls to the server. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installLock, rightNode, root, toolEnvironment } from './toolchain.mjs'

installLock()
const web = join(root, 'apps/web')
const run = (cwd, ...args) => spawn(rightNode(), args, { cwd, env: toolEnvironment(), stdio: 'inherit' })
const children = [
  run(root, '--watch', '--watch-preserve-output', join(root, 'apps/server/src/main.ts')),
  // apps/web/vite.config.ts configures its proxy with the paths of the server.
  run(web, join(root, 'node_modules/vite/bin/vite.js')),
]

const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
for (const child of children) child.on('exit', stop)

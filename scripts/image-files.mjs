/**
 * node scripts/image-files.mjs FOLDER: writes the files of the image (deploy/Dockerfile) into the folder: the server with its packages, the
 * built web, the command `vexil`, licences and the SBOM. Needs installed packages and a built web.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rightNode, root, serverFlags } from './toolchain.mjs'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Name the folder')
const app = join(folder, 'app')
const server = ['--omit=dev', '--workspace', '@vexil/server']
const run = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64_000_000 })

/** Paths in the project, without Node, which is in the base image. */
function packagesOfServer() {
  const listed = run('npm', ['ls', '--all', '--parseable', ...server]).split('\n')
  const paths = listed.map((path) => path.slice(root.length + 1)).filter((path) => path.startsWith('node_modules/'))
  return paths.filter((path) => !path.startsWith('node_modules/node-'))
}

const isForTests = (path) => /\.(test|suite)\.ts$|\/apps\/server\/test$|\/packages\/\w+\/test$/.test(path)

const scripts = ['serve', 'toolchain', 'last-build'].map((name) => `scripts/${name}.mjs`)
const own = ['package.json', 'LICENSE', 'packages', 'apps/server', 'apps/web/dist', 'deploy/probe', ...scripts]
for (const path of [...own, ...packagesOfServer()])
  if (existsSync(join(root, path)))
    cpSync(join(root, path), join(app, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !isForTests(source),
    })
writeFileSync(join(app, 'sbom.json'), run('npm', ['sbom', '--sbom-format', 'cyclonedx', ...server]))
writeFileSync(join(app, 'licences.txt'), run(rightNode(), [join(root, 'tools/licences.ts')]))
const command = join(folder, 'usr/local/bin/vexil')
mkdirSync(join(folder, 'usr/local/bin'), { recursive: true })
writeFileSync(
  command,
  `#!/bin/sh
[ "$*" = serve ] && exec node /app/scripts/serve.mjs
exec node ${serverFlags.join(' ')} /app/apps/server/src/cli/main.ts "$@"
`,
)
chmodSync(command, 0o755)

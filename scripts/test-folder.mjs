/** The place of databases that tests make. */
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'vexil-'
/** Bytes. All databases of a run take less than 2 GB. */
const required = { folder: 4 * 2 ** 30, memory: 8 * 2 ** 30 }
/** Milliseconds. Folders of killed runs occupy memory for this time. */
const staleAfter = 24 * 3_600_000

/**
 * Makes the folder `vexil-NAME-XXXXXX` for a database cluster, in memory if there is enough: integration tests then take a tenth less time, because each
 * database that they clone has hundreds of files. Returns its path; the caller removes the folder.
 */
export function makeDatabaseFolder(name) {
  const parent = hasMemory() ? MEMORY : tmpdir()
  if (parent === MEMORY) removeStale()
  return mkdtempSync(join(parent, `${PREFIX}${name}-`))
}

function hasMemory() {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= required.folder && freemem() >= required.memory
  } catch {
    return false
  }
}

function removeStale() {
  for (const name of readdirSync(MEMORY).filter((one) => one.startsWith(PREFIX))) {
    const path = join(MEMORY, name)
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - made < staleAfter) continue
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}

/**
 * One process per folder, by flock(2): unlike a process id it works between containers that share a volume. Node has no such call, but the lock
 * belongs to the open file, so `flock -n 3` on our descriptor takes it for this process.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../start-error.ts'

/** BSD and macOS lock on open; Node has no constant for this flag. */
const O_EXLOCK = 0x20

/** Takes the lock, or returns the id of the process that holds it (0: unknown). */
export function lockFolder(folder: string, name: string): { release(): void } | { heldBy: number } {
  const path = join(folder, name)
  const holder = readHolder(path)
  const fd = open(path)
  if (fd === null || !acquire(fd, holder)) {
    if (fd !== null) closeSync(fd)
    return { heldBy: holder }
  }
  ftruncateSync(fd)
  writeSync(fd, `${process.pid}\n`)
  return { release: () => closeSync(fd) }
}

function open(path: string): number | null {
  const flags = constants.O_RDWR | constants.O_CREAT
  if (process.platform !== 'darwin') return openSync(path, flags, 0o600)
  try {
    return openSync(path, flags | O_EXLOCK | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return null
    throw error
  }
}

function acquire(fd: number, holder: number): boolean {
  if (process.platform === 'darwin') return true
  const flock = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  if (flock.error) return !isRunning(holder)
  return flock.status === 0
}

function readHolder(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || 0
  } catch {
    return 0
  }
}

export function isRunning(pid: number): boolean {
  if (pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  return !isZombie(pid)
}

/** A process that has ended keeps its id until its parent reads its exit code, which the first process of a container may never do. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

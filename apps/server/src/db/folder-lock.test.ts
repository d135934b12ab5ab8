import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openFilesIn } from '../../test/open-files.ts'
import { isRunning, lockFolder } from './folder-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vexil-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const mustHold = (name = 'lock') => {
  const taken = lockFolder(folder, name)
  if (!('release' in taken)) throw new Error(`held by ${taken.heldBy}`)
  return taken
}

test('the file has the holder’s process id and is readable only by its owner; a second process is refused', () => {
  const locked = mustHold()
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o600)
  expect(lockFolder(folder, 'lock')).toEqual({ heldBy: process.pid })
  if (process.platform === 'linux') expect(openFilesIn(folder)).toHaveLength(1)
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  locked.release()
})

test('a released lock is free, and a lock with another name is independent', () => {
  const locked = mustHold()
  mustHold('other').release()
  locked.release()
  mustHold().release()
})

test('a shorter number overwrites a longer one completely', () => {
  writeFileSync(join(folder, 'lock'), '99999999999999\nmore')
  const locked = mustHold()
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  locked.release()
})

test('a file without a process id has no holder and blocks nothing', () => {
  writeFileSync(join(folder, 'lock'), 'no number')
  mustHold().release()
})

test('a lock of another process is held until that process ends, even when it is killed', async () => {
  const path = join(folder, 'lock')
  const child = spawn('flock', [path, 'sh', '-c', 'echo 4242 > "$0"; echo held; exec sleep 60', path], { detached: true })
  await once(child.stdout, 'data')
  expect(lockFolder(folder, 'lock')).toEqual({ heldBy: 4242 })
  // Both processes that have the file open: `flock` and the program that it started.
  process.kill(-(child.pid as number), 'SIGKILL')
  await vi.waitFor(() => mustHold().release(), 5000)
})

test('without the flock program the process id in the file decides: a running process holds the lock, an ended one does not', async () => {
  const path = process.env.PATH
  process.env.PATH = folder
  try {
    writeFileSync(join(folder, 'lock'), '1\n')
    expect(lockFolder(folder, 'lock')).toEqual({ heldBy: 1 })
    writeFileSync(join(folder, 'lock'), `${2 ** 22 + 1}\n`)
    mustHold().release()
  } finally {
    process.env.PATH = path
  }
})

test('a process is running regardless of its owner; this process does not block itself, and an invalid id is not running', () => {
  expect([isRunning(1), isRunning(process.pid), isRunning(0), isRunning(-1), isRunning(2 ** 22 + 1)]).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
  // As for a process of another user, which only root may signal.
  const refuse = () => {
    throw Object.assign(new Error('refused'), { code: 'EPERM' })
  }
  const kill = vi.spyOn(process, 'kill').mockImplementation(refuse)
  try {
    expect(isRunning(1)).toBe(true)
  } finally {
    kill.mockRestore()
  }
})

test.runIf(process.platform === 'linux')('a process that has ended and was not reaped is not running', async () => {
  // A shell would reap it, `tail` does not.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec tail -f /dev/null'])
  try {
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(line)
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('tail\n'), 5000)
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5000)
    expect(process.kill(pid, 0)).toBe(true)
  } finally {
    parent.kill()
  }
})

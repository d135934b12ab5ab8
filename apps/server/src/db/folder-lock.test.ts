import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
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

test('the file names the holder and is readable by its owner alone; a second process is refused', () => {
  const held = mustHold()
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o600)
  expect(lockFolder(folder, 'lock')).toEqual({ heldBy: process.pid })
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  held.release()
})

test('a lock that was given back is free, and the lock of another name always was', () => {
  const held = mustHold()
  mustHold('other').release()
  held.release()
  mustHold().release()
})

test('a shorter number overwrites a longer one completely', () => {
  writeFileSync(join(folder, 'lock'), '99999999999999\nmore')
  const held = mustHold()
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  held.release()
})

test('a file without a number names nobody, and does not hinder', () => {
  writeFileSync(join(folder, 'lock'), 'no number')
  mustHold().release()
})

test('the lock of another process holds until that process ends, however it ends', async () => {
  const path = join(folder, 'lock')
  const child = spawn('flock', [path, 'sh', '-c', 'echo 4242 > "$0"; echo held; exec sleep 60', path], { detached: true })
  await once(child.stdout, 'data')
  expect(lockFolder(folder, 'lock')).toEqual({ heldBy: 4242 })
  // Both that have the file open: the program and what it started.
  process.kill(-(child.pid as number), 'SIGKILL')
  await vi.waitFor(() => mustHold().release(), 5000)
})

test('without the program the process that the file names decides: a running one holds, an ended one does not', async () => {
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

test('a process is running whoever owns it; this one does not hinder itself, and no number is nobody', () => {
  expect([isRunning(1), isRunning(process.pid), isRunning(0), isRunning(-1), isRunning(2 ** 22 + 1)]).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})

/** What is synced when, on a disk that records it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { inFolder, syncFolder, syncFolders } from './kept-file.ts'
import { openLocalStorage } from './local.ts'
import { openNamedFolder } from './named-folder.ts'
import { keyOf } from './storage.ts'

const disk = vi.hoisted(() => ({
  done: [] as [what: string, path: string][],
  refuses: null as string | null,
  takesAll: true,
}))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    async rename(from: string, to: string) {
      await real.rename(from, to)
      disk.done.push(['rename', to])
    },
    async open(path: string, ...rest: [string, number?]) {
      const handle = await real.open(path, ...rest)
      const sync = handle.sync.bind(handle)
      handle.sync = async () => {
        // More syncs than folders: the loop does not end.
        if (disk.refuses !== null || disk.done.length > 20) throw Object.assign(new Error('no'), { code: disk.refuses })
        await sync()
        disk.done.push(['sync', path])
      }
      const write = handle.write.bind(handle) as (bytes: Buffer) => Promise<{ bytesWritten: number }>
      const writePart = (bytes: Buffer) => write(disk.takesAll ? bytes : bytes.subarray(1))
      return Object.assign(handle, { write: writePart })
    },
  }
})

const root = mkdtempSync(join(tmpdir(), 'vexil-kept-'))
afterAll(() => rmSync(root, { recursive: true }))
beforeEach(() => {
  disk.refuses = null
  disk.takesAll = true
  disk.done.length = 0
})
/** Relative to the folder, in order; the first is that of the temporary file. */
function done(folder: string): string[] {
  const [draft, ...others] = disk.done.splice(0).map(([what, path]) => `${what} ${relative(folder, path)}`)
  expect(draft).toMatch(/^sync uploads\/incoming\/[\w-]{36}$/)
  return others
}

test('an upload is complete when its name and those of its new folders are on the disk', async () => {
  const folder = join(mkdtempSync(join(root, 'one-')), 'data')
  const storage = await openLocalStorage(folder)
  expect(disk.done.splice(0)).toEqual(['uploads/incoming', 'uploads', '', '..'].map((path) => ['sync', join(folder, path)]))
  const { hash } = await storage.put(Buffer.from('bytes'), 5)
  const [file, ab_cd, ab] = [keyOf(hash), dirname(keyOf(hash)), dirname(dirname(keyOf(hash)))]
  expect(done(folder)).toEqual([`rename ${file}`, `sync ${ab_cd}`, `sync ${ab}`, 'sync uploads'])
  await storage.put(Buffer.from('bytes'), 5)
  expect(done(folder)).toEqual([`sync ${ab_cd}`])
  await storage.delete(hash)
  await storage.put(Buffer.from('bytes'), 5)
  expect(done(folder)).toEqual([`rename ${file}`, `sync ${ab_cd}`])
})

test('a write that stores only some of the bytes fails as a full disk, and leaves no file', async () => {
  const folder = mkdtempSync(join(root, 'one-'))
  const storage = await openLocalStorage(folder)
  disk.takesAll = false
  await expect(storage.put(Buffer.from('bytes'), 5)).rejects.toMatchObject({ code: 'file.disk_full' })
  expect(readdirSync(join(folder, 'uploads'), { recursive: true })).toEqual(['incoming'])
})

test('a named file is complete when its name and those of its new folders are on the disk', async () => {
  const folder = mkdtempSync(join(root, 'one-'))
  await openLocalStorage(folder)
  disk.done.length = 0
  const path = join(root, 'file')
  writeFileSync(path, 'bytes')
  const { signal } = new AbortController()
  await openNamedFolder(folder).put('capture/7/3/a.pcap', path, signal)
  expect(done(folder)).toEqual(['rename capture/7/3/a.pcap', 'sync capture/7/3', 'sync capture/7', 'sync capture', 'sync '])
  await openNamedFolder(folder).put('capture/7/3/b.pcap', path, signal)
  expect(done(folder)).toEqual(['rename capture/7/3/b.pcap', 'sync capture/7/3'])
  expect(readFileSync(join(folder, 'capture/7/3/b.pcap'), 'utf8')).toBe('bytes')
})

test('a folder that another process removes is created again, up to twenty times', async () => {
  const folder = join(root, 'removed by others')
  const removed = Object.assign(new Error('removed'), { code: 'ENOENT' })
  const act = vi
    .fn(async () => 'done')
    .mockRejectedValueOnce(removed)
    .mockRejectedValueOnce(removed)
  expect([await inFolder(folder, act), act.mock.calls]).toEqual(['done', [[folder], [undefined], [undefined]]])
  const never = vi.fn(() => Promise.reject(removed))
  await expect(inFolder(folder, never)).rejects.toBe(removed)
  expect(never).toHaveBeenCalledTimes(20)
})

test('the root is the last folder that is synced', async () => {
  await syncFolders('/vexil-removed/data', '/vexil-removed')
  expect(disk.done).toEqual([['sync', '/']])
})

test('a file system that cannot sync folders refuses nothing, an error of the disk does', async () => {
  disk.refuses = 'EINVAL'
  await syncFolder(root)
  await syncFolder(join(root, 'removed'))
  disk.refuses = 'EIO'
  await expect(syncFolder(root)).rejects.toThrow(expect.objectContaining({ code: 'EIO' }))
})

/** What is on the disk when a backup and its files are stored, on one that records it. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { fileEntry } from './archive-format.ts'
import { listOf, storeBeside } from './files-beside.ts'
import { saveArchive } from './save-archive.ts'

/** Hashes of the files that belong to the next snapshots. */
const named = vi.hoisted(() => ({ hashes: [] as string[] }))
vi.mock('./start-snapshot.ts', () => ({
  startSnapshot: async () => ({ migrations: [], secretFingerprint: null, tables: [], leftOut: [], sequences: {}, ...named }),
}))

const disk = vi.hoisted(() => ({ done: [] as [what: string, path: string][] }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    createWriteStream(path: string, options: { flush?: boolean }) {
      disk.done.push([options.flush ? 'flush' : 'write', path])
      return real.createWriteStream(path, options)
    },
  }
})
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    async writeFile(path: string, text: string, options: { flush?: boolean }) {
      disk.done.push([options.flush ? 'flush' : 'write', path])
      await real.writeFile(path, text, options)
    },
    async rename(from: string, to: string) {
      await real.rename(from, to)
      disk.done.push(['rename', to])
    },
    async open(path: string, flags: string) {
      const handle = await real.open(path, flags)
      const sync = handle.sync.bind(handle)
      handle.sync = async () => {
        await sync()
        disk.done.push(['sync', path])
      }
      return handle
    },
  }
})

const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-beside-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  disk.done.length = 0
  return folder
}
const hash = createHash('sha256').update('bytes').digest('hex')
const storage = {
  get: async () => ({ size: 5, stream: Readable.from([Buffer.from('bytes')]) }),
} as unknown as Deps['storage']
/** What was done, with paths relative to the folder. */
const doneIn = (folder: string) =>
  disk.done.map(([what, path]) => `${what} ${relative(folder, path).replace(/\.part-[\w-]+/, '.part')}`)

test('a file, its name and those of its new folders are on the disk before the list that names it, for the owner only', async () => {
  const folder = aFolder()
  const archive = join(folder, 'a.tar')
  await storeBeside({ storage }, archive, [hash], async () => undefined)
  const file = fileEntry(hash)
  const folders = [dirname(file), dirname(dirname(file)), 'files', '']
  expect(doneIn(folder)).toEqual([
    `flush ${file}.part`,
    `rename ${file}`,
    ...folders.map((path) => `sync ${path}`),
    'flush a.tar.files',
  ])
  const modes = [listOf(archive), join(folder, file), join(folder, 'files')].map((path) => statSync(path).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o700])
})

test('a file that the guard refuses is not left in part', async () => {
  const folder = aFolder()
  const full = () => Promise.reject(new Error('no room'))
  await expect(storeBeside({ storage }, join(folder, 'a.tar'), [hash], full)).rejects.toThrow('no room')
  expect(readdirSync(join(folder, dirname(fileEntry(hash))))).toEqual([])
})

test('an archive is on the disk before it has its name, and so is the name when it is complete', async () => {
  const folder = aFolder()
  const path = join(folder, 'a.tar')
  const deps = { storage, database: { source: {} } } as unknown as Parameters<typeof saveArchive>[0]
  const guard = async () => undefined
  await saveArchive(deps, path, { files: 'none', sessions: false, withKey: false, guard, progress: () => undefined })
  expect(doneIn(folder)).toEqual(['flush a.tar.part/archive', 'rename a.tar', 'sync '])
})

test('a file that is lost is named, and those after it are in the archive', async () => {
  const lost = '0'.repeat(64)
  named.hashes = [lost, hash]
  const get = async (wanted: string) => (wanted === hash ? storage.get(hash) : null)
  const deps = { storage: { ...storage, get }, database: { source: {} } } as unknown as Parameters<typeof saveArchive>[0]
  const options = { files: 'all', sessions: false, withKey: false, guard: async () => undefined } as const
  const saved = await saveArchive(deps, join(aFolder(), 'a.tar'), { ...options, progress: () => undefined })
  expect(saved).toMatchObject({ damaged: [lost], manifest: { files: [{ hash, size: 5, sha256: hash }] } })
})

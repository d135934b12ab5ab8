/** What is on the disk when a backup has stored its files, on one that records it. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { fileEntry } from './archive-format.ts'
import { storeBeside } from './files-beside.ts'

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

test('a file, its name and those of its new folders are on the disk before the list that names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-beside-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const hash = createHash('sha256').update('bytes').digest('hex')
  const storage = { get: async () => ({ size: 5, stream: Readable.from([Buffer.from('bytes')]) }) } as unknown as Deps['storage']
  await storeBeside({ storage }, join(folder, 'a.tar'), [hash], async () => undefined)
  const file = fileEntry(hash)
  const done = disk.done.map(([what, path]) => `${what} ${relative(folder, path).replace(/\.part-.+/, '.part')}`)
  const folders = [dirname(file), dirname(dirname(file)), 'files', '']
  expect(done).toEqual([`flush ${file}.part`, `rename ${file}`, ...folders.map((path) => `sync ${path}`), 'flush a.tar.files'])
})

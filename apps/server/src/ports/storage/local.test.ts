import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { storageSuite } from '../../../test/storage.suite.ts'
import { openLocalStorage } from './local.ts'

const opened = vi.hoisted((): string[] => [])
/** Called with the path of each file before a list looks at it. */
const listing = vi.hoisted(() => ({ before: (_path: string): void => undefined }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  async function* entriesOf(folder: Awaited<ReturnType<typeof real.opendir>>) {
    for await (const entry of folder) {
      if (entry.isFile()) listing.before(`${entry.parentPath}/${entry.name}`)
      yield entry
    }
  }
  return {
    ...real,
    opendir: async (...asked: Parameters<typeof real.opendir>) => {
      opened.push(String(asked[0]))
      return entriesOf(await real.opendir(...asked))
    },
  }
})

const root = mkdtempSync(join(tmpdir(), 'vexil-storage-'))
afterAll(() => rmSync(root, { recursive: true }))

storageSuite(() => openLocalStorage(mkdtempSync(join(root, 'one-'))))

test('a list reads the folder of uploads only: the files of the database beside it come and go', async () => {
  const folder = mkdtempSync(join(root, 'one-'))
  const storage = await openLocalStorage(folder)
  opened.length = 0
  for await (const hash of storage.list(0)) expect(hash).toBe('none')
  expect(opened).toEqual([join(folder, 'uploads')])
})

test('a stored file that is shorter than its bytes is replaced when they are stored again', async () => {
  const folder = mkdtempSync(join(root, 'one-'))
  const storage = await openLocalStorage(folder)
  const store = () => storage.put(Buffer.from('whole'), 100)
  const { hash } = await store()
  truncateSync(join(folder, 'uploads', hash.slice(0, 2), hash.slice(2, 4), hash), 2)
  expect((await storage.get(hash))?.size).toBe(2)
  await store()
  expect((await storage.get(hash))?.size).toBe(5)
})

test('a list removes what an interrupted upload left long enough ago', async () => {
  const folder = mkdtempSync(join(root, 'one-'))
  const storage = await openLocalStorage(folder)
  const { hash } = await storage.put(Buffer.from('stored'), 100)
  const left = join(folder, 'uploads/incoming/left')
  writeFileSync(left, 'half')
  const listed = async (olderThanMs: number) => {
    const hashes: string[] = []
    for await (const one of storage.list(olderThanMs)) hashes.push(one)
    return [hashes, existsSync(left)]
  }
  expect(await listed(60_000)).toEqual([[], true])
  expect(await listed(-1000)).toEqual([[hash], false])
})

test('a list continues after a file that is deleted while it reads the folders', async () => {
  const storage = await openLocalStorage(mkdtempSync(join(root, 'one-')))
  for (const content of ['first', 'second', 'third']) await storage.put(Buffer.from(content), 100)
  const seen: string[] = []
  listing.before = (path) => {
    if (seen.push(path) === 2) rmSync(path)
  }
  const listed: string[] = []
  try {
    for await (const hash of storage.list(-1000)) listed.push(hash)
  } finally {
    listing.before = () => undefined
  }
  const [first, , third] = seen.map((path) => basename(path))
  expect(listed).toEqual([first, third])
})

import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { storageSuite } from '../../../test/storage.suite.ts'
import { openLocalStorage } from './local.ts'

const opened = vi.hoisted((): string[] => [])
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    opendir: (...asked: Parameters<typeof real.opendir>) => {
      opened.push(String(asked[0]))
      return real.opendir(...asked)
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

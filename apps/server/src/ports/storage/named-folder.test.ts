import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { makeFile, namedFilesSuite } from '../../../test/named-files.suite.ts'
import { openFilesIn } from '../../../test/open-files.ts'
import { openSharedStorage } from './local.ts'
import { openNamedFolder } from './named-folder.ts'

const disk = vi.hoisted(() => ({ full: null as string | null }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    statfs: async (path: string) => ({ ...(await real.statfs(path)), ...(path === disk.full ? { bavail: 0 } : { bavail: 1e9 }) }),
  }
})

const root = mkdtempSync(join(tmpdir(), 'vexil-named-folder-'))
afterEach(() => {
  disk.full = null
})
afterAll(() => rmSync(root, { recursive: true }))
async function aFolder(): Promise<string> {
  const folder = mkdtempSync(join(root, 'one-'))
  await openSharedStorage(folder)
  return folder
}
const { signal } = new AbortController()

namedFilesSuite(async () => {
  const folder = await aFolder()
  const files = openNamedFolder(folder)
  return {
    ...files,
    // Without the folder of uploads.
    list: (name) => files.list(name === '' ? 'a/' : name),
  }
})

test('files and folders are private, keep their time, and leave no other file', async () => {
  const folder = await aFolder()
  const path = join(root, 'file')
  makeFile(path, 'x', 5)
  const files = openNamedFolder(folder)
  await files.put('capture/7/3/a.pcap', path, signal)
  expect([await files.get('capture/7'), openFilesIn(folder)]).toEqual([null, []])
  const modes = ['capture', 'capture/7', 'capture/7/3', 'capture/7/3/a.pcap'].map(
    (name) => statSync(join(folder, name)).mode & 0o777,
  )
  expect(modes).toEqual([0o700, 0o700, 0o700, 0o600])
  const { mtime } = statSync(path)
  expect(statSync(join(folder, 'capture/7/3/a.pcap')).mtime).toEqual(mtime)
  for await (const { changedAt } of openNamedFolder(folder).list('capture/')) expect(changedAt).toEqual(mtime)
  expect(readdirSync(join(folder, 'uploads/incoming'))).toEqual([])
  await openNamedFolder(folder).get('capture/7')
  // No longer: the garbage collector closes files that were left open.
  await expect.poll(() => openFilesIn(folder)).toEqual([])
})

test('a folder without room takes no file', async () => {
  const folder = await aFolder()
  const path = join(root, 'file')
  writeFileSync(path, 'x')
  disk.full = folder
  await expect(openNamedFolder(folder).put('a/b', path, signal)).rejects.toThrow(`${folder} is nearly full`)
  expect(readdirSync(folder)).toEqual(['uploads'])
})

test('reading a file that grows returns the bytes that it had when it was opened', async () => {
  const folder = await aFolder()
  makeFile(join(folder, 'capture/7/a'), 'there', 0)
  const found = await openNamedFolder(folder).get('capture/7/a')
  appendFileSync(join(folder, 'capture/7/a'), ', more')
  expect([found?.size, found && (await text(found.stream))]).toEqual([5, 'there'])
})

test('a list contains all files of a folder, also more than 64', async () => {
  const folder = await aFolder()
  const names = Array.from({ length: 65 }, (_, at) => `capture/7/${at + 10}`)
  for (const name of names) makeFile(join(folder, name), 'x', 0)
  const listed: string[] = []
  for await (const { name } of openNamedFolder(folder).list('capture/')) listed.push(name)
  expect(listed.sort()).toEqual(names)
})

test('empty folders are removed after their last file, except the first one', async () => {
  const folder = await aFolder()
  const files = openNamedFolder(folder)
  for (const name of ['capture/7/3/a', 'capture/7/4/a']) makeFile(join(folder, name), 'x', 0)
  await files.delete('capture/7/3/a')
  expect(readdirSync(join(folder, 'capture/7'))).toEqual(['4'])
  await files.delete('capture/7/4/a')
  expect(readdirSync(join(folder, 'capture'))).toEqual([])
  makeFile(join(folder, 'capture/7/3/a'), 'x', 0)
  await files.deleteFolder('capture/7/3/')
  expect(readdirSync(join(folder, 'capture'))).toEqual([])
  // Another node has removed the folder and its parent.
  mkdirSync(join(folder, 'capture/8'))
  await files.deleteFolder('capture/8/3/1/')
  expect(readdirSync(join(folder, 'capture'))).toEqual([])
})

test('below a file is nothing; what cannot be read is an error, not a missing file', async () => {
  const folder = await aFolder()
  const files = openNamedFolder(folder)
  makeFile(join(folder, 'capture/7/a'), 'x', 0)
  expect([await files.get('capture/7/a/b'), await files.delete('capture/7/a/b'), await files.folders('capture/7/a')]).toEqual([
    null,
    false,
    [],
  ])
  symlinkSync('loop', join(folder, 'capture/7/loop'))
  await expect(files.get('capture/7/loop')).rejects.toThrow(/^ELOOP/)
  await expect(files.delete('capture/7/loop')).rejects.toThrow(/^ELOOP/)
  await expect(files.list('capture/7/')[Symbol.asyncIterator]().next()).rejects.toThrow(/^ELOOP/)
})

test('files stored in a folder and deleted at the same instant, many times, are all stored', async () => {
  const folder = await aFolder()
  const files = openNamedFolder(folder)
  const path = join(root, 'file')
  writeFileSync(path, 'x')
  for (let round = 1; round <= 50; round++)
    await Promise.all([
      files.put(`capture/7/${round}`, path, signal),
      files.delete(`capture/7/${round - 1}`),
      files.deleteFolder('capture/8/'),
      files.put(`capture/8/${round}`, path, signal).then(() => files.delete(`capture/8/${round}`)),
    ])
  expect(readdirSync(join(folder, 'capture'), { recursive: true })).toEqual(['7', '7/50'])
})

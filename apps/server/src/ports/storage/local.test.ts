import { mkdtempSync, rmSync } from 'node:fs'
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

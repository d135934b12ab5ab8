/** Two nodes with one database and one folder of files (VEXIL_FILES_DIR). */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'

/** Folders whose space was read. */
const measured = vi.hoisted(() => [] as unknown[])
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    statfs(path: string) {
      measured.push(path)
      return real.statfs(path)
    },
  }
})

const root = mkdtempSync(join(tmpdir(), 'vexil-shared-files-'))
const shared = join(root, 'files')
let platform: TestPlatform
let second: App | undefined
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_FILES_DIR: shared })
  const config = readConfig({
    DATA_DIR: mkdtempSync(join(root, 'second-')),
    VEXIL_FILES_DIR: shared,
    DISABLE_RATE_LIMIT: 'true',
    LOG_LEVEL: 'error',
    SECRET_KEY: 'test secret key of 32 characters',
  })
  second = await buildApp({ config, database: platform.database, printLine: () => {} })
  await second.app.ready()
})
afterAll(async () => {
  await second?.close()
  await platform.stop()
  rmSync(root, { recursive: true, force: true })
})

test('a file that one node stores is in the folder, and the other serves it until the first deletes it', async () => {
  const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  const bytes = Buffer.from('shared bytes')
  const [{ hash }] = (await admin.upload('POST', '/api/assets', 'files', [{ name: 'a.bin', bytes }])).body
  const place = join(hash.slice(0, 2), hash.slice(2, 4), hash)
  expect([shared, platform.dataDir].map((folder) => existsSync(join(folder, 'uploads', place)))).toEqual([true, false])
  const read = () => second?.app.inject({ url: `/assets/${hash}/a.bin` })
  expect((await read())?.payload).toBe(bytes.toString())
  expect((await admin.delete(`/api/assets/${hash}`)).status).toBe(200)
  expect([(await read())?.statusCode, existsSync(join(shared, 'uploads', place))]).toEqual([404, false])
})

test('the space is that of the folder of files', async () => {
  const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  measured.length = 0
  const { body } = await admin.get('/api/admin/disk')
  expect(measured).toEqual([shared])
  const { blocks, bsize } = statfsSync(shared)
  expect(body).toEqual({ free: expect.any(Number), total: blocks * bsize })
  expect(body.free).toBeLessThan(body.total)
})

import { once } from 'node:events'
import { existsSync, mkdirSync, type ReadStream, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aScene, type Scene, scenePassword } from '../../test/builders/scene.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { readTar } from '../../test/tar.ts'
import { startSession } from '../accounts/sessions.ts'
import { cookieName } from '../http/session-cookie.ts'
import { downloadBackup } from './download-backup.ts'
import { scheduledBackups } from './scheduled-backups.ts'

const free = vi.hoisted(() => ({ bytes: 50e9 }))
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<object>()),
  statfs: async () => ({ bavail: free.bytes / 1000, blocks: 100e6, bsize: 1000 }),
}))

let platform: TestPlatform
let scene: Scene
let folder: string
beforeAll(async () => {
  platform = await startTestPlatform()
  scene = await aScene(platform)
  folder = join(platform.dataDir, 'backup-downloads')
})
afterAll(() => platform.stop())

test('the archive has a length, a name and only with `withKey` the key; nothing of it is left', async () => {
  mkdirSync(join(folder, 'killed.part-a1b2c3'), { recursive: true })
  writeFileSync(join(folder, 'killed.part-a1b2c3', 'archive'), 'remains')
  writeFileSync(join(folder, 'killed'), 'remains')
  writeFileSync(join(folder, 'running'), 'of another call')
  const dayAgo = Date.now() / 1000 - 24 * 3600
  for (const name of ['killed', 'killed.part-a1b2c3']) utimesSync(join(folder, name), dayAgo - 60, dayAgo - 60)
  utimesSync(join(folder, 'running'), dayAgo + 60, dayAgo + 60)
  // A file that nothing refers to.
  const { hash: unused } = await platform.deps.storage.put(Buffer.from('unused'), 100)
  await platform.db.insertInto('files').values({ hash: unused, name: 'f', type: 't', size: 6 }).execute()
  const session = await startSession(platform.db, scene.account.admin)
  const raw = async (payload: object) => {
    const reply = await platform.app.inject({
      method: 'POST',
      url: '/api/admin/backup',
      payload: { password: scenePassword, ...payload },
      cookies: { [cookieName]: session },
    })
    const path = join(platform.dataDir, 'answer.tar')
    writeFileSync(path, reply.rawPayload)
    expect(Number(reply.headers['content-length'])).toBe(reply.rawPayload.length)
    expect(reply.headers['content-disposition']).toMatch(/^attachment; filename=vexil-\d{8}T\d{6}Z\.tar;/)
    expect(reply.headers['content-type']).toBe('application/x-tar')
    return (await readTar(path)).map(({ name }) => name)
  }
  const without = await raw({})
  expect(without).toEqual(
    expect.arrayContaining([
      'tables/games.copy.gz',
      `files/${scene.file.slice(0, 2)}/${scene.file.slice(2, 4)}/${scene.file}`,
      'manifest.json',
    ]),
  )
  expect(without.filter((name) => /sessions|key/.test(name) || name.endsWith(unused))).toEqual([])
  expect(await raw({ withKey: false })).not.toContain('secret-key')
  expect(await raw({ withKey: true })).toContain('secret-key')
  await expect.poll(() => readdirSync(folder)).toEqual(['running'])
  await expect
    .poll(() => platform.db.selectFrom('logs').select('message').where('message', 'like', 'Backup%').orderBy('id').execute())
    .toEqual(['without', 'without', 'with'].map((how) => ({ message: `Backup ${how} the key downloaded` })))
  // Other users of the machine cannot read archives while they are sent.
  rmSync(folder, { recursive: true })
  await raw({})
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('an archive whose client is gone is removed; a failure to remove it is reported', async () => {
  const by = { id: scene.account.admin, userName: 'admin', ip: '', token: '' }
  const onError = vi.fn()
  const opened = async () => {
    const { stream } = await downloadBackup({ ...platform.deps, onError }, by, { withKey: false })
    await once(stream, 'open')
    return { stream, path: (stream as ReadStream).path as string }
  }
  const { stream, path } = await opened()
  expect(existsSync(path)).toBe(true)
  stream.destroy()
  await expect.poll(() => existsSync(path)).toBe(false)
  expect(onError).not.toHaveBeenCalled()
  // A folder cannot be removed as a file.
  const failing = await opened()
  rmSync(failing.path)
  mkdirSync(failing.path)
  failing.stream.destroy()
  await expect.poll(() => onError.mock.calls).toEqual([[expect.objectContaining({ path: failing.path })]])
})

test('a disk with less than its last 5 % is answered with 507, and nothing is written', async () => {
  rmSync(folder, { recursive: true, force: true })
  free.bytes = 4.9e9
  try {
    const caller = await scene.as('admin')
    const { status, error } = await caller.post('/api/admin/backup', { password: scenePassword })
    expect([status, error.code]).toEqual([507, 'file.disk_full'])
    expect(readdirSync(folder)).toEqual([])
  } finally {
    free.bytes = 50e9
  }
  expect((await (await scene.as('admin')).post('/api/admin/backup', { password: scenePassword })).status).toBe(200)
  await expect.poll(() => existsSync(folder) && readdirSync(folder)).toEqual([])
})

test('a wrong password gets nothing', async () => {
  const caller = await scene.as('admin')
  const { status, error } = await caller.post('/api/admin/backup', { password: 'not this one' })
  expect([status, error.code]).toEqual([400, 'account.old_password_wrong'])
})

test('a scheduled backup does not use the last 5 % either, and its problem is stored', async () => {
  const scheduled = join(platform.dataDir, 'scheduled')
  free.bytes = 4.9e9
  try {
    for (const sweep of scheduledBackups(platform.deps, scheduled)) await sweep.run(AbortSignal.timeout(60_000))
  } finally {
    free.bytes = 50e9
  }
  expect(readdirSync(scheduled)).toEqual([])
  expect(await platform.db.selectFrom('backups').select('problem').execute()).toEqual([
    { problem: `The disk of ${scheduled} has less than 5.0 GB left` },
  ])
})

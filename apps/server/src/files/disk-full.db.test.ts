/** The disk is full: the answer is 507, and no file is left behind. The file layer is a fake, since no test fills a disk. */

import { readdirSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { aPng } from '../../test/builders/images.ts'
import { type Answer, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

const disk = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY, code: 'ENOSPC', at: 'write' as 'write' | 'part' | 'sync' }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const full = () => Object.assign(new Error('no space left on device'), { code: disk.code })
  const open = async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
    const file = await real.open(...args)
    if (!String(args[0]).includes('incoming')) return file
    const [write, sync] = [file.write.bind(file), file.sync.bind(file)]
    file.write = (async (chunk: Buffer) => {
      disk.left -= chunk.length
      if (disk.at === 'write' && disk.left < 0) throw full()
      return write(disk.at === 'part' && disk.left < 0 ? chunk.subarray(0, disk.left) : chunk)
    }) as typeof file.write
    file.sync = async () => {
      if (disk.at === 'sync' && disk.left < 0) throw full()
      return sync()
    }
    return file
  }
  return { ...real, open }
})

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())
afterEach(() => {
  disk.left = Number.POSITIVE_INFINITY
})

async function refused(answer: Answer) {
  expect([answer.status, answer.error.status, answer.error.code]).toEqual([507, 507, 'file.disk_full'])
  expect(await platform.db.selectFrom('files').selectAll().execute()).toEqual([])
  const left = readdirSync(join(platform.dataDir, 'uploads'), { recursive: true, withFileTypes: true })
  expect(left.filter((entry) => entry.isFile())).toEqual([])
}

test.each([
  ['ENOSPC', 'write'],
  ['ENOSPC', 'part'],
  ['ENOSPC', 'sync'],
  ['EDQUOT', 'write'],
] as const)('P7.39 %s at %s: no file of the form is kept', async (code, at) => {
  const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  Object.assign(disk, { left: 150, code, at })
  const files = ['one', 'two'].map((name, i) => ({ name, bytes: Buffer.alloc(100, i + 1) }))
  await refused(await admin.upload('POST', '/api/assets', 'files', files))
})

test('P7.87 a writeup: the previous one is kept', async () => {
  const game = await aGame(platform.db, { writeupRequired: true })
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const captain = await platform.as(team.captain)
  const send = (size: number) => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(size)])
    return captain.upload('POST', `/api/game/${game}/writeup`, 'file', [{ name: 'w.pdf', type: 'application/pdf', bytes }])
  }
  Object.assign(disk, { left: 50_000, code: 'ENOSPC', at: 'write' })
  await refused(await send(200_000))
  disk.left = Number.POSITIVE_INFINITY
  expect((await send(1000)).status).toBe(200)
  disk.left = 50_000
  expect((await send(200_000)).error.code).toBe('file.disk_full')
  expect((await captain.get(`/api/game/${game}/writeup`)).body).toMatchObject({ submitted: true, fileSize: 1008 })
  await platform.db.deleteFrom('writeups').execute()
  await platform.db.deleteFrom('files').execute()
})

test('an image', async () => {
  const id = await anAccount(platform.db)
  const someone = await platform.as(id)
  Object.assign(disk, { left: 10, code: 'ENOSPC', at: 'write' })
  const answer = await someone.upload('PUT', '/api/account/avatar', 'file', [{ name: 'a.png', bytes: await aPng() }])
  expect([answer.status, answer.error.code]).toEqual([507, 'file.disk_full'])
  expect(
    (await platform.db.selectFrom('accounts').select('avatarHash').where('id', '=', id).executeTakeFirst())?.avatarHash,
  ).toBeNull()
})

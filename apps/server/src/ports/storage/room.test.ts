import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { hasRoom } from './room.ts'

const disk = vi.hoisted(() => ({ free: null as { bavail: number; blocks: number; bsize: number } | null }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return { ...real, statfs: async (path: string) => disk.free ?? real.statfs(path) }
})

const folder = mkdtempSync(join(tmpdir(), 'vexil-room-'))
afterEach(() => {
  disk.free = null
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a disk', () => {
  test.each([
    ['of 10 GB keeps 2 GB free', 10e9, 2e9],
    ['of 100 GB keeps 5 GB free', 100e9, 5e9],
  ])('%s', async (_, size, kept) => {
    const bsize = 1000
    disk.free = { bavail: kept / bsize, blocks: size / bsize, bsize }
    expect(await hasRoom(folder)).toBe(false)
    disk.free = { ...disk.free, bavail: kept / bsize + 1 }
    expect(await hasRoom(folder)).toBe(true)
  })

  test('is that of the folder', async () => {
    const { bavail, blocks, bsize } = statfsSync(folder)
    expect(await hasRoom(folder)).toBe(bavail * bsize > Math.max(2e9, blocks * bsize * 0.05))
    await expect(hasRoom(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

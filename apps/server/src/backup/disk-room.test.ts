import { expect, test, vi } from 'vitest'
import { guarded, mustHaveRoom } from './disk-room.ts'

const statfs = vi.hoisted(() => vi.fn())
vi.mock('node:fs/promises', () => ({ statfs }))

/** A disk with blocks of 1 kB. */
const disk = (total: number, free: number) => statfs.mockResolvedValue({ bavail: free / 1000, blocks: total / 1000, bsize: 1000 })

test('the last 2 GB of a disk, and its last 5 %, are not used', async () => {
  disk(10e9, 2e9)
  await mustHaveRoom('/b')
  disk(10e9, 2e9 - 1000)
  await expect(mustHaveRoom('/b')).rejects.toThrow('The disk of /b has less than 2.0 GB left')
  disk(100e9, 5e9)
  await mustHaveRoom('/b')
  disk(100e9, 5e9 - 1000)
  await expect(mustHaveRoom('/b')).rejects.toThrow('The disk of /b has less than 5.0 GB left')
  expect(statfs).toHaveBeenLastCalledWith('/b')
})

test('the guard is asked before the first byte and every 16 MiB, and its error ends the stream', async () => {
  async function* chunks() {
    for (let at = 0; at < 40; at++) yield Buffer.alloc(1024 ** 2)
  }
  const guard = vi.fn(async () => undefined)
  let passed = 0
  for await (const chunk of guarded(chunks(), guard)) passed += chunk.length
  expect([passed, guard.mock.calls.length]).toEqual([40 * 1024 ** 2, 3])
  const full = async () => Promise.reject(new Error('full'))
  await expect(guarded(chunks(), full).next()).rejects.toThrow('full')
})

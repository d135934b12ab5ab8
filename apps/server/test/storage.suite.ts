/** Tests that every storage must pass. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Storage } from '../src/ports/storage/storage.ts'

export function storageSuite(open: () => Promise<Storage>): void {
  const bytes = Buffer.from('some bytes')
  const hash = createHash('sha256').update(bytes).digest('hex')
  const read = async (storage: Storage, range?: { start: number; end: number }) => {
    const found = await storage.get(hash, range)
    return found && { size: found.size, bytes: (await buffer(found.stream)).toString() }
  }

  test('bytes are found by their hash, stored from a buffer or a stream', async () => {
    for (const put of [bytes, Readable.from([bytes.subarray(0, 4), bytes.subarray(4)])]) {
      const storage = await open()
      expect(await storage.put(put, 100)).toEqual({ hash, size: bytes.length, start: bytes })
      expect(await read(storage)).toEqual({ size: bytes.length, bytes: 'some bytes' })
      expect(await read(storage, { start: 5, end: 6 })).toEqual({ size: bytes.length, bytes: 'by' })
      expect(await read(storage, { start: 0, end: 3 })).toEqual({ size: bytes.length, bytes: 'some' })
      expect(await storage.has(hash)).toBe(true)
    }
  })

  test('only the beginning of a large file is kept to detect its type', async () => {
    const { start, size } = await (await open()).put(Readable.from(Array(100).fill(Buffer.alloc(1000))), 1_000_000)
    expect([size, start.length >= 4096 && start.length < 10_000]).toEqual([100_000, true])
  })

  test('the maximum size is accepted, one byte more leaves nothing behind', async () => {
    const storage = await open()
    await expect(storage.put(bytes, bytes.length - 1)).rejects.toMatchObject({ code: 'file.too_large' })
    expect(await storage.has(hash)).toBe(false)
    expect((await storage.put(bytes, bytes.length)).hash).toBe(hash)
  })

  test('a stream that fails leaves nothing behind', async () => {
    const storage = await open()
    const broken = Readable.from(
      (async function* () {
        yield bytes
        throw new Error('broken')
      })(),
    )
    await expect(storage.put(broken, 100)).rejects.toThrow('broken')
    expect(await storage.has(hash)).toBe(false)
  })

  test('the same bytes stored twice, also concurrently, exist once', async () => {
    const storage = await open()
    await Promise.all([storage.put(bytes, 100), storage.put(bytes, 100), storage.put(bytes, 100)])
    expect(await storage.delete(hash)).toBe(true)
    expect(await storage.has(hash)).toBe(false)
  })

  test('a missing file is null, and deleting it reports that', async () => {
    const storage = await open()
    expect(await storage.get(hash)).toBeNull()
    expect(await storage.delete(hash)).toBe(false)
  })

  test('files stored long enough ago are listed', async () => {
    const storage = await open()
    await storage.put(bytes, 100)
    const other = await storage.put(Buffer.from('others'), 100)
    const listed = async (olderThanMs: number) => {
      const hashes: string[] = []
      for await (const one of storage.list(olderThanMs)) hashes.push(one)
      return hashes.sort()
    }
    expect(await listed(-1000)).toEqual([hash, other.hash].sort())
    expect(await listed(60_000)).toEqual([])
  })
}

import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { type ZipEntry, zipStream } from './zip-stream.ts'

/** A file that is never read to its end. */
const aFile = (name: string): ZipEntry => ({
  name,
  time: new Date(0),
  stream: new Readable({ read: () => undefined }),
})

test('a reader that disconnects closes the open file', async () => {
  const file = aFile('one')
  const archive = zipStream(Readable.from([file]), { compress: false }).resume()
  await once(archive, 'data')
  archive.destroy()
  await expect.poll(() => file.stream.destroyed).toBe(true)
})

test('a file that is opened after the reader has disconnected is closed, and the next one is not opened', async () => {
  const file = aFile('one')
  const { promise: disconnected, resolve: disconnect } = Promise.withResolvers<void>()
  let next = false
  async function* entries() {
    await disconnected
    yield file
    next = true
    yield aFile('two')
  }
  const archive = zipStream(entries(), { compress: false })
  archive.destroy()
  await once(archive, 'close')
  disconnect()
  await expect.poll(() => file.stream.destroyed).toBe(true)
  expect(next).toBe(false)
})

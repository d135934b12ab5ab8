import { once } from 'node:events'
import { createServer, IncomingMessage, request } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openReserve, openUploadSlots, watchUpload } from './upload-watch.ts'

const server = createServer((incoming, answer) => void handle(incoming).then((how) => answer.end(how)))
let handle: (incoming: IncomingMessage) => Promise<string> = async () => ''
let port = 0
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

/** A watched upload with a fake clock; `pass` lets bytes arrive and then time pass. */
function anUpload(pace: { leastBytes: number; totalMs?: number }) {
  let arrived = 0
  const socket = Object.defineProperty(new Socket(), 'bytesRead', { get: () => arrived })
  const incoming = new IncomingMessage(socket)
  const progress = watchUpload(incoming, { grace: 200, totalMs: 10_000, ...pace })
  const upload = { incoming, how: 'under way', stop: progress.stop, pass }
  progress.broken.catch(({ code }) => {
    upload.how = code
  })
  async function pass(bytes: number, ms: number) {
    arrived += bytes
    await vi.advanceTimersByTimeAsync(ms)
    return upload.how
  }
  return upload
}

describe('an upload', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  test('that is fast enough completes, and is no longer watched', async () => {
    const upload = anUpload({ leastBytes: 2_000 })
    for (let i = 0; i < 40; i++) expect(await upload.pass(2_000, 200)).toBe('under way')
    upload.incoming.push(null)
    upload.incoming.resume()
    await once(upload.incoming, 'end')
    expect(vi.getTimerCount()).toBe(0)
    expect(await upload.pass(0, 60_000)).toBe('under way')
  })

  test('that stalls from the beginning is aborted after the grace period', async () => {
    const upload = anUpload({ leastBytes: 2_000 })
    expect(await upload.pass(1_999, 199)).toBe('under way')
    expect(await upload.pass(0, 1)).toBe('request.too_slow')
  })

  test('that stalls after a fast beginning is aborted', async () => {
    const upload = anUpload({ leastBytes: 2_000 })
    expect(await upload.pass(200_000, 200)).toBe('under way')
    expect(await upload.pass(1_999, 200)).toBe('request.too_slow')
  })

  test('that takes too long is aborted, however fast', async () => {
    const upload = anUpload({ leastBytes: 2_000, totalMs: 1_000 })
    expect(await upload.pass(1_000_000, 199)).toBe('under way')
    for (let i = 0; i < 4; i++) expect(await upload.pass(1_000_000, 200)).toBe('under way')
    expect(await upload.pass(1_000_000, 1)).toBe('request.too_slow')
  })

  test('that the platform does not read is not too slow until it is read again', async () => {
    const upload = anUpload({ leastBytes: 2_000 })
    upload.incoming.pause()
    expect(await upload.pass(1, 2_000)).toBe('under way')
    upload.incoming.resume()
    expect(await upload.pass(1_999, 200)).toBe('request.too_slow')
  })

  test('that is refused for another reason is no longer watched', async () => {
    const upload = anUpload({ leastBytes: 2_000 })
    upload.stop()
    expect(vi.getTimerCount()).toBe(0)
    upload.incoming.destroy()
    await once(upload.incoming, 'close')
    expect(await upload.pass(0, 60_000)).toBe('under way')
  })
})

test('an upload whose sender disconnects is aborted at once', async () => {
  const begun = Promise.withResolvers<void>()
  const how = new Promise<string>((resolve) => {
    handle = async (incoming) => {
      begun.resolve()
      const { broken } = watchUpload(incoming, { grace: 60_000, leastBytes: 1, totalMs: 60_000 })
      incoming.resume()
      resolve(await broken.catch(({ code }) => code as string))
      return ''
    }
  })
  const sent = request({ port, method: 'POST' })
  sent.on('error', () => undefined)
  sent.write('a')
  await begun.promise
  sent.destroy()
  expect(await how).toBe('request.malformed')
})

test('nothing is kept of an account without uploads', () => {
  const set = vi.spyOn(Map.prototype, 'set')
  try {
    const leave = openUploadSlots()('an uploader', 2)
    const used = set.mock.contexts[set.mock.calls.findIndex(([key]) => key === 'an uploader')] as Map<string, number>
    expect(used.size).toBe(1)
    leave()
    expect(used.size).toBe(0)
  } finally {
    set.mockRestore()
  }
})

test('slots belong to an account and are released', () => {
  const enter = openUploadSlots()
  const [first] = [enter('a', 2), enter('a', 2), enter('b', 2)]
  expect(() => enter('a', 2)).toThrow(expect.objectContaining({ code: 'request.too_many' }))
  first?.()
  expect(() => enter('a', 2)).not.toThrow()
  expect(() => enter('a', 2)).toThrow(expect.objectContaining({ code: 'request.too_many' }))
})

test('memory is limited over all uploads and is released once', () => {
  const reserve = openReserve(100)
  const [one, two] = [reserve(), reserve()]
  one.add(60)
  expect(() => two.add(41)).toThrow(expect.objectContaining({ code: 'server.unavailable' }))
  two.add(40)
  one.free()
  one.free()
  expect(() => two.add(60)).not.toThrow()
  expect(() => two.add(1)).toThrow()
})

/** Memory and slots of uploads are released, however an upload ends. The limits are smaller than the real ones. */
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { endpoint } from '@vexil/contract/endpoint'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openApplication } from './application.ts'
import { openLimiter } from './rate-limit.ts'
import { route } from './route.ts'
import { nameSessionCookie } from './session-cookie.ts'
import { openUploadSlots } from './upload-watch.ts'
import { oneFile, oneStream } from './uploads.ts'

vi.mock('@vexil/core/limits', async (original) => {
  const limits = await original<typeof import('@vexil/core/limits')>()
  const smaller = { heldBytes: 100_000, perAccount: 2, perAdmin: 3, userMs: 61_000, adminMs: 62_000 }
  return { ...limits, uploadLimits: { ...limits.uploadLimits, ...smaller } }
})

const anna = { id: 'anna', userName: 'anna', role: 'User' as 'User' | 'Admin' }
const kept = endpoint('POST /api/uploads/kept', { access: 'user', summary: 'A file', upload: 'file' })
const streamed = endpoint('POST /api/uploads/streamed', { access: 'user', summary: 'A large file', upload: 'file' })
let app: FastifyInstance
/** Called when all bytes of the next upload have arrived; the upload waits for it and ends as it does. */
let finish: () => Promise<void>
/** Reads the next large file. */
let read: (file: Readable) => Promise<void>
beforeAll(async () => {
  app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
  nameSessionCookie(app, { name: 'session', publicUrl: 'http://localhost' })
  const gate = {
    findActor: async () => ({ actor: anna, isOld: false }),
    renew: async () => undefined,
    sessionOf: (token: string) => token,
    knownActor: () => null,
    denied: () => undefined,
    seen: () => undefined,
    catchUp: () => null,
    isSetUp: async () => true,
  }
  const http = { app, gate, limiter: openLimiter(true), uploads: openUploadSlots() }
  route(http, kept, (call) => oneFile(http, call, { part: 'file', max: 70_000 }, () => finish()))
  route(http, streamed, (call) => oneStream(http, call, { part: 'file', max: 10_000_000 }, ({ stream }) => read(stream)))
  await app.ready()
})
afterAll(() => app.close())

const boundary = 'a-boundary'
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: text/plain\r\n\r\n`
const end = `\r\n--${boundary}--\r\n`
const headers = { cookie: 'session=anna', 'content-type': `multipart/form-data; boundary=${boundary}` }
async function upload(bytes: number): Promise<string> {
  const payload = `${head}${'x'.repeat(bytes)}${end}`
  const { statusCode, json } = await app.inject({ method: 'POST', url: '/api/uploads/kept', headers, payload })
  return statusCode === 200 ? 'kept' : json().code
}

test('the memory of an upload is released when it is stored, too large, empty or failed', async () => {
  finish = async () => undefined
  for (let i = 0; i < 3; i++) expect(await upload(60_000)).toBe('kept')
  for (let i = 0; i < 3; i++) expect(await upload(70_001)).toBe('file.too_large')
  expect(await upload(0)).toBe('file.empty')
  finish = () => Promise.reject(new Error('the disk is full'))
  for (let i = 0; i < 3; i++) expect(await upload(60_000)).toBe('server.unknown')
  finish = async () => undefined
  expect(await upload(70_000)).toBe('kept')
})

test('concurrent uploads share the memory and the slots of an account, and both are free afterwards', async () => {
  const hold = Promise.withResolvers<void>()
  finish = () => hold.promise
  const first = upload(60_000)
  await vi.waitFor(async () => expect(await upload(60_000)).toBe('server.unavailable'))
  const second = upload(30_000)
  await vi.waitFor(async () => expect(await upload(1)).toBe('request.too_many'))
  hold.resolve()
  expect(await Promise.all([first, second])).toEqual(['kept', 'kept'])
  expect(await Promise.all([upload(30_000), upload(60_000)])).toEqual(['kept', 'kept'])
})

test.each([
  ['User', 2, 61_000],
  ['Admin', 3, 62_000],
] as const)('an account with the role %s has %i slots and %i ms for each upload', async (role, places, ms) => {
  Object.assign(anna, { role })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const hold = Promise.withResolvers<void>()
  let kept = 0
  finish = () => {
    kept++
    return hold.promise
  }
  const held: Promise<string>[] = []
  for (let i = 1; i <= places; i++) {
    held.push(upload(1))
    await vi.waitFor(() => expect(kept).toBe(i))
  }
  expect(await upload(1)).toBe('request.too_many')
  hold.resolve()
  expect(await Promise.all(held)).toEqual(held.map(() => 'kept'))
  const times = timers.mock.calls.map(([, ms]) => ms).filter((ms) => ms === 61_000 || ms === 62_000)
  expect(times).toEqual(held.map(() => ms))
  timers.mockRestore()
  Object.assign(anna, { role: 'User' })
})

test('bytes of a large file that were read do not stay in memory while the rest arrives', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const chunks: WeakRef<Buffer>[] = []
  let left = Number.NaN
  read = async (file) => {
    for await (const chunk of file as AsyncIterable<Buffer>) {
      chunks.push(new WeakRef(chunk))
      if (chunks.length !== 30) continue
      // A reference is kept until the end of the turn in which it was made.
      await turn()
      collect()
      left = chunks.filter((one) => one.deref() !== undefined).length
    }
  }
  function* body() {
    yield Buffer.from(head)
    for (let at = 0; at < 120; at++) yield Buffer.alloc(64_000, 'x')
    yield Buffer.from(end)
  }
  const payload = Readable.from(body())
  const { statusCode } = await app.inject({ method: 'POST', url: '/api/uploads/streamed', headers, payload })
  expect([statusCode, chunks.length > 30]).toEqual([200, true])
  expect(left).toBeLessThan(15)
})

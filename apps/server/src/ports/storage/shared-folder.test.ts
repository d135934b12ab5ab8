/** Two processes on one folder (VEXIL_FILES_DIR). Alone: it starts processes and sets the clock. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { storageSuite } from '../../../test/storage.suite.ts'
import type { Answer, Call } from '../../../test/storage-process.ts'
import { openSharedStorage } from './local.ts'
import type { Storage } from './storage.ts'

const root = mkdtempSync(join(tmpdir(), 'vexil-shared-'))
const children: ChildProcess[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(root, { recursive: true }))
const aFolder = () => mkdtempSync(join(root, 'one-'))

/** The storage in another process. Streams stay in this process, which has `here`. */
async function beside(folder: string, here: Storage): Promise<Storage> {
  const child = fork(join(import.meta.dirname, '../../../test/storage-process.ts'), [folder], { serialization: 'advanced' })
  children.push(child)
  await once(child, 'message')
  let last = 0
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  child.on('message', ({ id, value, code }: Answer) => {
    const one = waiting.get(id)
    if (code === undefined) one?.resolve(value)
    else one?.reject(Object.assign(new Error(code), { code }))
  })
  const ask = <T>(name: Call['name'], ...args: readonly unknown[]): Promise<T> => {
    const one = Promise.withResolvers<unknown>()
    waiting.set(++last, one)
    child.send({ id: last, name, args } satisfies Call)
    return one.promise as Promise<T>
  }
  return {
    put: (bytes, max) => (Buffer.isBuffer(bytes) ? ask('put', bytes, max) : here.put(bytes, max)),
    async get(hash, range) {
      const found = await ask<{ size: number; bytes: Uint8Array } | null>('get', hash, range)
      return found && { size: found.size, stream: Readable.from([Buffer.from(found.bytes)]) }
    },
    has: (hash) => ask('has', hash),
    delete: (hash) => ask('delete', hash),
    async *list(olderThanMs) {
      yield* await ask<string[]>('list', olderThanMs)
    },
  }
}

async function twoNodes() {
  const folder = aFolder()
  const here = await openSharedStorage(folder)
  return { folder, here, there: await beside(folder, here) }
}

/** The calls alternate between the two processes. */
storageSuite(async () => {
  const { here, there } = await twoNodes()
  let calls = 0
  const next = () => (++calls % 2 ? there : here)
  return {
    put: (...given) => next().put(...given),
    get: (...given) => next().get(...given),
    has: (...given) => next().has(...given),
    delete: (...given) => next().delete(...given),
    list: (...given) => next().list(...given),
  }
})

test('the same bytes stored by both at the same instant, many times, are whole, and leave no other file', async () => {
  const { folder, here, there } = await twoNodes()
  for (let round = 0; round < 20; round++) {
    const bytes = Buffer.alloc(100_000, round)
    const [a, b] = await Promise.all([here.put(bytes, 200_000), there.put(bytes, 200_000)])
    expect(a.hash).toBe(b.hash)
    for (const node of [here, there]) {
      const found = await node.get(a.hash)
      expect(found && (await buffer(found.stream)).equals(bytes)).toBe(true)
    }
  }
  expect(readdirSync(join(folder, 'uploads', 'incoming'))).toEqual([])
})

test('a file that one node deletes is read to its end by the other', async () => {
  const { here, there } = await twoNodes()
  const bytes = Buffer.alloc(1_000_000, 7)
  const { hash } = await here.put(bytes, bytes.length)
  const found = await here.get(hash)
  const chunks = found?.stream[Symbol.asyncIterator]()
  const first = await chunks?.next()
  expect(await there.delete(hash)).toBe(true)
  let size = first?.value.length
  for (let next = await chunks?.next(); next && !next.done; next = await chunks?.next()) size += next.value.length
  expect([size, await here.has(hash)]).toEqual([bytes.length, false])
})

test('a node whose clock is a day ahead removes what an ended process left, and nothing that the other one writes', async () => {
  const { folder, here } = await twoNodes()
  const incoming = join(folder, 'uploads', 'incoming')
  const left = join(incoming, 'left')
  const upload = new PassThrough()
  const stored = here.put(upload, 100)
  upload.write('a part')
  await expect.poll(() => readdirSync(incoming).map((name) => statSync(join(incoming, name)).size)).toEqual([6])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 })
  writeFileSync(left, 'x')
  const old = (Date.now() - 50 * 3_600_000) / 1000
  utimesSync(left, old, old)
  // 23 hours old by the clock of the folder.
  const young = join(incoming, 'young')
  writeFileSync(young, 'x')
  utimesSync(young, old + 2 * 3_600, old + 2 * 3_600)
  const other = await openSharedStorage(folder)
  expect([existsSync(left), existsSync(young), readdirSync(incoming).length]).toEqual([false, true, 2])
  writeFileSync(left, 'x')
  utimesSync(left, old, old)
  for await (const hash of other.list(3_600_000)) expect(hash).toBe('none')
  expect([existsSync(left), readdirSync(incoming).length]).toEqual([false, 1])
  upload.end(' and the rest')
  expect(await here.has((await stored).hash)).toBe(true)
})

test('a folder that does not exist is created; one that cannot be used ends the start with a sentence', async () => {
  const folder = aFolder()
  await openSharedStorage(join(folder, 'new', 'deep'))
  expect(existsSync(join(folder, 'new', 'deep', 'uploads'))).toBe(true)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const refusal = (path: string) => openSharedStorage(path).catch((error: unknown) => error)
  expect(await refusal(file)).toMatchObject({
    name: 'StartError',
    message: `The folder ${file} (VEXIL_FILES_DIR) cannot be used: a part of that path is a file.`,
  })
  expect(await refusal('/proc/vexil')).toMatchObject({
    name: 'StartError',
    message: 'The folder /proc/vexil (VEXIL_FILES_DIR) cannot be used: it cannot be created there.',
  })
  const locked = join(folder, 'locked')
  mkdirSync(locked)
  chmodSync(locked, 0o500)
  if (process.getuid?.() !== 0)
    expect(await refusal(locked)).toMatchObject({ message: expect.stringMatching(/cannot be used: permission denied\.$/) })
})

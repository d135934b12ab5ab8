import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { openBoardBodies } from './board-bodies.ts'
import type { BoardClient } from './board-client.ts'
import { keepBytes } from './response-cache.ts'

/** A body with this version and text whose build took this long. */
const body =
  (version: string, text: string, ms = 0) =>
  async () => ({ version, plain: Buffer.from(text), ms })

test('with a rest readers get the last body until the rest ends, without one always their version', async () => {
  const [resting, fresh] = [keepBytes({ rest: 1000 }), keepBytes({ rest: 0 })]
  for (const bytes of [resting, fresh])
    expect((await bytes('1', '1', body('1', 'one', 5), 'identity')).bytes.toString()).toBe('one')
  expect(await resting('1', '2', body('2', 'two', 5), 'identity')).toMatchObject({ tag: '"1"', bytes: Buffer.from('one') })
  expect(await fresh('1', '2', body('2', 'two', 5), 'identity')).toMatchObject({ tag: '"2"', bytes: Buffer.from('two') })
})

test('a rest is a multiple of the build time, at most ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    for (const [ms, rest] of [
      [5, 100],
      [3000, 10_000],
    ] as const) {
      const bytes = keepBytes({ rest: 20 })
      const tagOf = async (version: string) => (await bytes('1', version, body(version, version, ms), 'identity')).tag
      await tagOf('1')
      vi.advanceTimersByTime(rest - 1)
      expect(await tagOf('2')).toBe('"1"')
      vi.advanceTimersByTime(1)
      expect(await tagOf('2')).toBe('"2"')
    }
  } finally {
    vi.useRealTimers()
  }
})

test('the tag belongs to the built version, which can be newer than the requested one', async () => {
  const bytes = keepBytes({ rest: 0 })
  expect((await bytes('1', '1', body('2', 'two'), 'identity')).tag).toBe('"2"')
  expect((await bytes('1', '2', body('3', 'not built'), 'identity')).bytes.toString()).toBe('two')
})

test('concurrent readers of a key wait for one build; a failure is not cached', async () => {
  const bytes = keepBytes({ rest: 0 })
  const { promise, reject } = Promise.withResolvers<Awaited<ReturnType<ReturnType<typeof body>>>>()
  let built = 0
  const held = () => {
    built++
    return promise
  }
  const readers = [bytes('1', '1', held, 'identity'), bytes('1', '2', held, 'gzip')]
  expect((await bytes('2', '1', body('1', 'other'), 'identity')).bytes.toString()).toBe('other')
  reject(new Error('unreachable'))
  for (const reader of readers) await expect(reader).rejects.toThrow('unreachable')
  expect(built).toBe(1)
  expect((await bytes('1', '1', body('1', 'again'), 'identity')).bytes.toString()).toBe('again')
})

test('a compatible older body is served while the newer one is built and compressed; an incompatible one is not; after a failure readers wait', async () => {
  const serves = vi.fn((older: string, version: string) => older[0] === version[0])
  const bytes = keepBytes({ rest: 0, serves })
  await bytes('1', 'a1', body('a1', 'one'), 'gzip')
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<ReturnType<typeof body>>>>()
  const held = vi.fn(() => promise)
  for (let reader = 0; reader < 2; reader++) expect((await bytes('1', 'a2', held, 'gzip')).tag).toBe('"a1.gzip"')
  expect([held.mock.calls.length, serves.mock.calls[0]]).toEqual([1, ['a1', 'a2']])
  resolve({ version: 'a2', plain: Buffer.from('two'), ms: 0 })
  await vi.waitFor(async () => expect((await bytes('1', 'a2', held, 'gzip')).tag).toBe('"a2.gzip"'))
  expect((await bytes('1', 'b1', body('b1', 'three'), 'gzip')).tag).toBe('"b1.gzip"')
  const away = () => Promise.reject(new Error('unreachable'))
  expect((await bytes('1', 'b2', away, 'gzip')).tag).toBe('"b1.gzip"')
  await new Promise(setImmediate)
  await expect(bytes('1', 'b2', away, 'gzip')).rejects.toThrow('unreachable')
  expect(held).toHaveBeenCalledTimes(1)
})

test('a version is built once and compressed once per encoding', async () => {
  const bytes = keepBytes({ rest: 0 })
  let built = 0
  const build = () => body('1', `${++built}`)()
  const [plain, packed, again] = [
    await bytes('1', '1', build, 'identity'),
    await bytes('1', '1', build, 'gzip'),
    await bytes('1', '1', build, 'gzip'),
  ]
  expect(built).toBe(1)
  expect(packed.bytes).toBe(again.bytes)
  expect([plain.tag, packed.tag]).toEqual(['"1"', '"1.gzip"'])
})

test('each encoding unpacks to the same body under a separate tag', async () => {
  const bytes = keepBytes({ rest: 0 })
  const never = () => Promise.reject(new Error('built again'))
  const [br, gzip, plain] = [
    await bytes('1', '5.2', body('5.2', 'x'.repeat(2000)), 'br'),
    await bytes('1', '5.2', never, 'gzip'),
    await bytes('1', '5.2', never, 'identity'),
  ]
  expect([br.tag, gzip.tag, plain.tag]).toEqual(['"5.2.br"', '"5.2.gzip"', '"5.2"'])
  expect(plain.bytes.toString()).toBe('x'.repeat(2000))
  expect([brotliDecompressSync(br.bytes), gunzipSync(gzip.bytes)]).toEqual([plain.bytes, plain.bytes])
  expect(br.bytes.length).toBeLessThan(100)
})

test('the rest is proportional to the build time, separately for each key', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const bytes = keepBytes({ rest: 20 })
    const read = async (key: string, version: string, ms = 0) =>
      (await bytes(key, version, body(version, version, ms), 'identity')).tag
    expect(await read('1', 'a', 5)).toBe('"a"')
    vi.advanceTimersByTime(99)
    expect([await read('1', 'b'), await read('2', 'b')]).toEqual(['"a"', '"b"'])
    vi.advanceTimersByTime(1)
    expect(await read('1', 'c')).toBe('"c"')
  } finally {
    vi.useRealTimers()
  }
})

test('scoreboard and start screen rest for twenty times their build, the parts of the feed never', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    let version = ''
    const built = async () => body(version, version, 5)()
    const bodyOf = openBoardBodies({ request: built as unknown as BoardClient['request'] })
    const read = async (form: 'wire' | 'base' | 'tail' | 'start', wanted: string) => {
      version = wanted
      return (await bodyOf({ form, params: { gameId: 1, after: 0 }, version }, 'identity')).tag
    }
    const reading = async (wanted: string) => {
      const tags = []
      for (const form of ['wire', 'start', 'base', 'tail'] as const) tags.push(await read(form, wanted))
      return tags
    }
    // Versions of two rosters, which have no base in common.
    await reading('1.0.1')
    vi.advanceTimersByTime(99)
    expect(await reading('1.0.2')).toEqual(['"1.0.1"', '"1.0.1"', '"1.0.2"', '"1.0.2"'])
    vi.advanceTimersByTime(1)
    expect(await reading('1.0.3')).toEqual(Array(4).fill('"1.0.3"'))
  } finally {
    vi.useRealTimers()
  }
})

test('the bodies of sixty-four games are kept, then the oldest is removed', async () => {
  const bytes = keepBytes({ rest: 0 })
  const built: number[] = []
  const read = (key: number, version = '1') => {
    const build = () => {
      built.push(key)
      return body(version, '')()
    }
    return bytes(`${key}`, version, build, 'identity')
  }
  for (let key = 1; key <= 64; key++) await read(key)
  await read(1)
  expect(built).toHaveLength(64)
  await read(65)
  await read(2)
  expect(built.slice(64)).toEqual([65])
  await read(1)
  expect(built.slice(64)).toEqual([65, 1])
  // A body that was built again is the newest one.
  await read(3, '2')
  await read(66)
  await read(3, '2')
  expect(built.slice(66)).toEqual([3, 66])
})

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { keepBytes } from './finished-bytes.ts'

/** A body that takes some milliseconds to build. */
const slow = (text: string) => () => {
  for (const end = performance.now() + 5; performance.now() < end; );
  return text
}

test('with a rest readers get the last body until it is over, without one always that of their version', async () => {
  const [resting, fresh] = [keepBytes(1000), keepBytes(0)]
  for (const bytes of [resting, fresh]) expect((await bytes(1, '1', slow('one'), 'identity')).bytes.toString()).toBe('"one"')
  expect(await resting(1, '2', slow('two'), 'identity')).toMatchObject({ tag: '"1"', bytes: Buffer.from('"one"') })
  expect(await fresh(1, '2', slow('two'), 'identity')).toMatchObject({ tag: '"2"', bytes: Buffer.from('"two"') })
})

test('a version is built once and packed once for each encoding', async () => {
  const bytes = keepBytes(0)
  let built = 0
  const build = () => ++built
  const [plain, packed, again] = [
    await bytes(1, '1', build, 'identity'),
    await bytes(1, '1', build, 'gzip'),
    await bytes(1, '1', build, 'gzip'),
  ]
  expect(built).toBe(1)
  expect(packed.bytes).toBe(again.bytes)
  expect([plain.tag, packed.tag]).toEqual(['"1"', '"1.gzip"'])
})

test('each encoding unpacks to the same body under a tag of its own', async () => {
  const bytes = keepBytes(0)
  const [br, gzip, plain] = [
    await bytes(1, '5.2', () => ({ a: 'x'.repeat(2000) }), 'br'),
    await bytes(1, '5.2', () => null, 'gzip'),
    await bytes(1, '5.2', () => null, 'identity'),
  ]
  expect([br.tag, gzip.tag, plain.tag]).toEqual(['"5.2.br"', '"5.2.gzip"', '"5.2"'])
  expect(plain.bytes.toString()).toBe(JSON.stringify({ a: 'x'.repeat(2000) }))
  expect([brotliDecompressSync(br.bytes), gunzipSync(gzip.bytes)]).toEqual([plain.bytes, plain.bytes])
  expect(br.bytes.length).toBeLessThan(100)
})

test('a body rests in proportion to the time that its making took; keys do not share it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const bytes = keepBytes(20)
    const build = (text: string, ms: number) => () => {
      vi.advanceTimersByTime(ms)
      return text
    }
    const read = async (key: number, version: string, ms = 0) => (await bytes(key, version, build(version, ms), 'identity')).tag
    expect(await read(1, 'a', 5)).toBe('"a"')
    vi.advanceTimersByTime(99)
    expect([await read(1, 'b'), await read(2, 'b')]).toEqual(['"a"', '"b"'])
    vi.advanceTimersByTime(1)
    expect(await read(1, 'c')).toBe('"c"')
  } finally {
    vi.useRealTimers()
  }
})

test('of sixty-four games the bodies are kept, of one more the oldest goes', async () => {
  const bytes = keepBytes(0)
  const built: number[] = []
  const read = (key: number) => bytes(key, '1', () => built.push(key), 'identity')
  for (let key = 1; key <= 64; key++) await read(key)
  await read(1)
  expect(built).toHaveLength(64)
  await read(65)
  await read(2)
  expect(built.slice(64)).toEqual([65])
  await read(1)
  expect(built.slice(64)).toEqual([65, 1])
})

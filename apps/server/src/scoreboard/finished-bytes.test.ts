import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { keepBytes } from './finished-bytes.ts'

/** A body of this version and text that took so long to build. */
const body =
  (version: string, text: string, ms = 0) =>
  async () => ({ version, plain: Buffer.from(text), ms })

test('with a rest readers get the last body until it is over, without one always that of their version', async () => {
  const [resting, fresh] = [keepBytes(1000), keepBytes(0)]
  for (const bytes of [resting, fresh])
    expect((await bytes('1', '1', body('1', 'one', 5), 'identity')).bytes.toString()).toBe('one')
  expect(await resting('1', '2', body('2', 'two', 5), 'identity')).toMatchObject({ tag: '"1"', bytes: Buffer.from('one') })
  expect(await fresh('1', '2', body('2', 'two', 5), 'identity')).toMatchObject({ tag: '"2"', bytes: Buffer.from('two') })
})

test('the tag is that of what was built, which may be newer than what was asked for', async () => {
  const bytes = keepBytes(0)
  expect((await bytes('1', '1', body('2', 'two'), 'identity')).tag).toBe('"2"')
  expect((await bytes('1', '2', body('3', 'not built'), 'identity')).bytes.toString()).toBe('two')
})

test('readers that come while a body is built wait for the same one, those of another key for theirs; a failure is not kept', async () => {
  const bytes = keepBytes(0)
  const { promise, reject } = Promise.withResolvers<Awaited<ReturnType<ReturnType<typeof body>>>>()
  let built = 0
  const held = () => {
    built++
    return promise
  }
  const readers = [bytes('1', '1', held, 'identity'), bytes('1', '2', held, 'gzip')]
  expect((await bytes('2', '1', body('1', 'other'), 'identity')).bytes.toString()).toBe('other')
  reject(new Error('away'))
  for (const reader of readers) await expect(reader).rejects.toThrow('away')
  expect(built).toBe(1)
  expect((await bytes('1', '1', body('1', 'again'), 'identity')).bytes.toString()).toBe('again')
})

test('a version is built once and packed once for each encoding', async () => {
  const bytes = keepBytes(0)
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

test('each encoding unpacks to the same body under a tag of its own', async () => {
  const bytes = keepBytes(0)
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

test('a body rests in proportion to the time that its making took; keys do not share it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const bytes = keepBytes(20)
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

test('of sixty-four games the bodies are kept, of one more the oldest goes', async () => {
  const bytes = keepBytes(0)
  const built: number[] = []
  const read = (key: number) => {
    const build = () => {
      built.push(key)
      return body('1', '')()
    }
    return bytes(`${key}`, '1', build, 'identity')
  }
  for (let key = 1; key <= 64; key++) await read(key)
  await read(1)
  expect(built).toHaveLength(64)
  await read(65)
  await read(2)
  expect(built.slice(64)).toEqual([65])
  await read(1)
  expect(built.slice(64)).toEqual([65, 1])
})

import { expect, test } from 'vitest'
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

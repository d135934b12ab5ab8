/** How much of a WebSocket message has arrived, however its bytes are split into chunks. */
import { expect, test } from 'vitest'
import { rawFrame } from '../test/raw.ts'
import { watchUnfinished } from './unfinished-messages.ts'

let now = 1000
const watch = () => watchUnfinished(() => now)
const part = (text: string, opcode: number) => rawFrame(text, { opcode, fin: false })
const [text, continued, ping, binary] = [1, 0, 9, 2]

test('nothing is unfinished before the first byte and after a complete message', () => {
  const unfinished = watch()
  const isDone = () => [unfinished.bytes(), unfinished.since()]
  expect(isDone()).toEqual([0, null])
  for (const bytes of [0, 1, 125, 126, 65_535]) {
    unfinished.saw(rawFrame('x'.repeat(bytes)))
    expect(isDone(), `${bytes} bytes`).toEqual([0, null])
  }
  // The long form of a length, and a frame without a mask.
  unfinished.saw(Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4]), Buffer.alloc(65_536)]))
  expect(isDone()).toEqual([0, null])
  unfinished.saw(Buffer.from([0x81, 2, 65, 66]))
  expect(isDone()).toEqual([0, null])
  unfinished.saw(
    Buffer.concat([rawFrame('a'), part('b', text), rawFrame('', { opcode: continued }), rawFrame('', { opcode: ping })]),
  )
  expect(isDone()).toEqual([0, null])
})

test('bytes and time count from the first byte of a message, including headers and control frames, until its last fragment', () => {
  const unfinished = watch()
  now = 5000
  unfinished.saw(part('ab', binary))
  expect([unfinished.bytes(), unfinished.since()]).toEqual([8, 5000])
  now = 6000
  unfinished.saw(rawFrame('hi', { opcode: ping }))
  unfinished.saw(part('', continued))
  expect([unfinished.bytes(), unfinished.since()]).toEqual([22, 5000])
  // The end of this message and the beginning of the next arrive together.
  now = 7000
  unfinished.saw(Buffer.concat([rawFrame('c', { opcode: continued }), part('next', text)]))
  expect([unfinished.bytes(), unfinished.since()]).toEqual([10, 7000])
})

test('a control frame and a frame header are unfinished until their last byte', () => {
  for (const frame of [rawFrame('hello', { opcode: ping }), rawFrame('x'.repeat(300))]) {
    const unfinished = watch()
    for (const [at, byte] of frame.entries()) {
      expect(unfinished.bytes()).toBe(at)
      unfinished.saw(Uint8Array.of(byte))
    }
    expect(unfinished.since()).toBeNull()
  }
})

test('the result does not depend on where chunks are split', () => {
  const all = Buffer.concat([part('x'.repeat(200), binary), rawFrame('p', { opcode: ping }), part('y'.repeat(70_00), continued)])
  for (const size of [1, 2, 3, 7, 64, 4096, all.length]) {
    const unfinished = watch()
    for (let at = 0; at < all.length; at += size) unfinished.saw(all.subarray(at, at + size))
    expect(unfinished.bytes()).toBe(all.length)
    unfinished.saw(rawFrame('', { opcode: continued }))
    expect(unfinished.bytes()).toBe(0)
  }
})

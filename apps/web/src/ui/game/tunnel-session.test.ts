import { expect, test } from 'vitest'
import { bytesOf, hexLines, Transcript } from './tunnel-session.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('a session keeps the data in order, and drops the oldest beyond five megabytes', () => {
  const transcript = new Transcript()
  transcript.add('there', bytes('name? '))
  transcript.add('here', bytes('ü\n'))
  expect(transcript.text).toBe('name? ü\n')
  transcript.add('there', new Uint8Array(5 * 1024 * 1024 - 3))
  expect(transcript.lines.map(({ from }) => from)).toEqual(['here', 'there'])
  transcript.add('there', new Uint8Array(6 * 1024 * 1024))
  expect(transcript.bytes.length).toBe(6 * 1024 * 1024)
})

test('bytes are shown in lines of sixteen, with direction, offset and printable characters', () => {
  expect(hexLines({ from: 'there', bytes: bytes('flag{0123456789}\n\x00') })).toEqual([
    '< 000000  66 6c 61 67 7b 30 31 32  33 34 35 36 37 38 39 7d  flag{0123456789}',
    '< 000010  0a 00                                             ..',
  ])
  expect(hexLines({ from: 'here', bytes: bytes('ü') })).toEqual([
    '> 000000  c3 bc                                             ..',
  ])
  expect(hexLines({ from: 'here', bytes: new Uint8Array() })).toEqual([])
})

test('a line is sent with a line break, or as the bytes of its hexadecimal digits', () => {
  expect(bytesOf('id', 'text')).toEqual(bytes('id\n'))
  expect(bytesOf('', 'text')).toEqual(bytes('\n'))
  expect(bytesOf('41 42\t0aff', 'hex')).toEqual(Uint8Array.from([0x41, 0x42, 0x0a, 0xff]))
  for (const wrong of ['', '4', '4g', '414']) expect(bytesOf(wrong, 'hex')).toBeNull()
})

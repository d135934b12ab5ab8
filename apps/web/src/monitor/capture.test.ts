import { expect, test, vi } from 'vitest'
import { firstBytes, hexOf, readCapture, textOf } from './capture.ts'

/** Bytes of a hexadecimal text; whitespace is ignored. */
const hex = (text: string) => Uint8Array.from(text.replace(/\s/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const utf8 = (text: string) => new TextEncoder().encode(text)
const little = (value: number) => hex(value.toString(16).padStart(8, '0').match(/../g)?.reverse().join('') ?? '')
const big = (value: number) => value.toString(16).padStart(4, '0')

const header = hex('d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000')
const v4 = (address: string) =>
  `00000000000000000000ffff${address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`
const client = { host: v4('192.0.2.1'), port: 4000 }
const container = { host: '20010db8000000000000000000000005', port: 80 }
const platform = { host: v4('0.0.0.0'), port: 65_535 }

/** Builds one record of the capture format. */
function record(seconds: number, micros: number, from: typeof client, to: typeof client, payload: Uint8Array): Uint8Array {
  const length = 62 + payload.length
  const ether = hex('001100110011 001100110011 86dd')
  const ip = hex(`60000000 ${big(8 + payload.length)} 11 40 ${from.host} ${to.host}`)
  const udp = hex(`${big(from.port)} ${big(to.port)} ${big(8 + payload.length)} 1234`)
  return join(little(seconds), little(micros), little(length), little(length), ether, ip, udp, payload)
}
const facts = record(1_795_000_000, 0, platform, client, utf8('{\n  "Challenge": "Löwe",\n  "TeamId": 3,\n  "Flag": null\n}'))
const requests = record(1_795_000_000, 250_500, client, container, utf8('you\n'))
const said = record(1_795_000_001, 0, container, client, utf8('flag{x}'))

test('a capture gives its facts, then for each packet sender, receiver, time and data', () => {
  const { facts: known, packets, whole } = readCapture(join(header, facts, requests, said))
  expect(known).toEqual([
    ['Challenge', 'Löwe'],
    ['TeamId', '3'],
  ])
  expect(whole).toBe(true)
  expect(packets.map(({ payload, ...rest }) => ({ ...rest, text: textOf(payload) }))).toEqual([
    { at: 1_795_000_000_250.5, direction: 'in', from: '192.0.2.1:4000', to: '[2001:db8::5]:80', text: 'you\n' },
    { at: 1_795_000_001_000, direction: 'out', from: '[2001:db8::5]:80', to: '192.0.2.1:4000', text: 'flag{x}' },
  ])
})

test('later remarks of the platform belong to the platform', () => {
  const remark = record(1_795_000_002, 0, platform, client, utf8('{"Missing":{"packets":2,"bytes":300}}\n'))
  const { packets } = readCapture(join(header, facts, said, remark, requests))
  expect(packets.map(({ direction }) => direction)).toEqual(['out', 'platform', 'in'])
})

test('packets of the container belong to it even when its port is that of the platform', () => {
  const { packets } = readCapture(join(header, facts, record(1, 0, { ...container, port: 65_535 }, client, utf8('x'))))
  expect(packets.map(({ direction }) => direction)).toEqual(['out'])
})

test.each([
  [`${'00'.repeat(10)}ffffc0000201`, '192.0.2.1'],
  [`${'00'.repeat(10)}ff00c0000201`, '[::ff00:c000:201]'],
  [`${'00'.repeat(10)}00ffc0000201`, '[::ff:c000:201]'],
  ['20010db8000000000000ffffc0000201', '[2001:db8::ffff:c000:201]'],
  [`${'00'.repeat(15)}01`, '[::1]'],
  ['20010db8000000000000000000000000', '[2001:db8::]'],
  ['20010db8000100020003000400050006', '[2001:db8:1:2:3:4:5:6]'],
])('the address %s is written as %s', (host, text) => {
  const { packets } = readCapture(join(header, record(1, 0, client, { host, port: 80 }, utf8('x'))))
  expect(packets[0]?.to).toBe(`${text}:80`)
})

test('facts are those of the platform, at the beginning, as an object', () => {
  const first = (from: typeof client, text: string) => readCapture(join(header, record(1, 0, from, client, utf8(text)), said))
  expect(first(platform, '{"TeamId":3}').facts).toEqual([['TeamId', '3']])
  expect(first(platform, '{"TeamId":3}').packets).toHaveLength(1)
  for (const [from, text] of [
    [container, '{"TeamId":3}'],
    [platform, 'null'],
    [platform, '"text"'],
    [platform, '{"TeamId"'],
  ] as const) {
    const { facts: known, packets } = first(from, text)
    expect([text, known, packets.length]).toEqual([text, [], 2])
  }
})

test('a truncated or unfinished file gives its complete packets, at every length', () => {
  const file = join(header, facts, requests, said)
  const counts = Array.from({ length: file.length - header.length + 1 }, (_, i) => {
    const { packets, whole } = readCapture(file.subarray(0, header.length + i))
    return `${packets.length}${whole ? ' whole' : ''}`
  })
  expect(counts[0]).toBe('0 whole')
  expect(counts.at(-1)).toBe('2 whole')
  expect(counts.at(-2)).toBe('1')
  expect(counts.filter((count) => count.endsWith('whole'))).toEqual(['0 whole', '0 whole', '1 whole', '2 whole'])
})

test('only the requested number of packets is read, and the result tells whether there are more', () => {
  const one = readCapture(join(header, facts, requests, said), 1)
  expect([one.packets.length, one.whole]).toEqual([1, false])
  const both = readCapture(join(header, facts, requests, said), 2)
  expect([both.packets.length, both.whole]).toEqual([2, true])
  // Without facts, too.
  const next = readCapture(join(header, requests, said), 1)
  expect([next.packets.length, next.whole]).toEqual([1, false])
})

test('wrong lengths and foreign packets do no harm; another format is refused', () => {
  const lying = join(little(1), little(0), little(0xffff_ffff), little(62), new Uint8Array(62))
  expect(readCapture(join(header, requests, lying)).packets).toHaveLength(1)
  const foreign = join(little(1), little(0), little(3), little(3), new Uint8Array(3))
  expect(readCapture(join(header, foreign, requests))).toMatchObject({ facts: [], packets: [{}], whole: true })
  expect(readCapture(header).packets).toEqual([])
  // A packet without data has headers only; one that ends within them is not shown.
  const empty = record(1, 0, client, container, new Uint8Array(0))
  expect(readCapture(join(header, empty)).packets.map(({ from, payload }) => [from, payload.length])).toEqual([
    ['192.0.2.1:4000', 0],
  ])
  const short = join(little(1), little(0), little(61), little(61), empty.subarray(16, -1))
  expect(readCapture(join(header, short, requests)).packets.map(({ payload }) => textOf(payload))).toEqual(['you\n'])
  // IPv4, and TCP instead of UDP; a record without any data ends the file.
  for (const [at, value] of [
    [28, 0x08],
    [36, 6],
  ] as const)
    expect(readCapture(join(header, said.with(at, value), requests)).packets.map(({ payload }) => textOf(payload))).toEqual([
      'you\n',
    ])
  expect(readCapture(join(header, requests, new Uint8Array(16)))).toMatchObject({ packets: [{}], whole: true })
  // The last two are in another order of bytes and not of Ethernet.
  const wrong = [
    new Uint8Array(0),
    utf8('{"title":"no such capture"}'),
    header.subarray(0, 23),
    header.with(0, 0),
    header.with(20, 101),
  ]
  for (const bytes of wrong) expect(() => readCapture(bytes)).toThrow('not a capture of Ethernet')
})

test('facts that are not valid JSON are shown as a packet', () => {
  const broken = record(1, 0, platform, client, utf8('{broken'))
  const { facts: known, packets } = readCapture(join(header, broken, requests))
  expect(known).toEqual([])
  expect(packets.map(({ direction }) => direction)).toEqual(['platform', 'in'])
})

test('only the first bytes are fetched, and the result tells whether there are more', async () => {
  let pulls = 0
  const ended = vi.fn()
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(stream) {
          pulls++
          stream.enqueue(new Uint8Array(1000).fill(pulls))
        },
        cancel: ended,
      }),
    )
  const { bytes, whole } = await firstBytes(endless(), 2500)
  expect([bytes.length, whole, bytes[2499]]).toEqual([2500, false, 3])
  expect(pulls).toBeLessThan(6)
  expect(ended).toHaveBeenCalledOnce()
  const parts = ['abc', 'd'].map(utf8)
  const inParts = new ReadableStream<Uint8Array>({
    pull(stream) {
      const part = parts.shift()
      if (part) stream.enqueue(part)
      else stream.close()
    },
  })
  expect(await firstBytes(new Response(inParts), 3)).toEqual({ bytes: utf8('abc'), whole: false })
  expect(await firstBytes(new Response('abc'), 3)).toEqual({ bytes: utf8('abc'), whole: true })
  expect(await firstBytes(new Response(null), 3)).toEqual({ bytes: new Uint8Array(0), whole: true })
})

test('text shows no invisible characters and none that change its direction', () => {
  expect(textOf(utf8('GET / HTTP/1.1\r\n\tHost\u0000\u001b[31m\u202Eevil 中文 \u200b'))).toBe(
    'GET / HTTP/1.1\n\tHost··[31m·evil 中文 ·',
  )
  expect(textOf(hex('ff41'))).toBe('�A')
})

test('hexadecimal lines hold 16 bytes with their offset and their ASCII', () => {
  expect(hexOf(utf8('0123456789abcdefXY\n'))).toBe(
    [
      '0000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef',
      '0010  58 59 0a                                         XY.',
    ].join('\n'),
  )
  expect(hexOf(new Uint8Array(0))).toBe('')
  expect(hexOf(hex('1f207e7f'))).toMatch(/ {2}\. ~\.$/)
})

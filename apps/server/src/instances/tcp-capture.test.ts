import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPcap, readTcp, tcpFlags } from '../../test/pcap.ts'
import { openCapture } from './capture.ts'
import { fileHeader, udpFlow, udpRecord } from './pcap.ts'
import { tcpCapture } from './tcp-capture.ts'

const client = { address: '192.0.2.1', port: 4000 }
const container = { address: '2001:db8::5', port: 80 }
const [fromClient, fromContainer] = ['192.0.2.1 4000', '2001:db8:0:0:0:0:0:5 80']
const facts = { Challenge: 'Task', ChallengeId: 7, Team: 'Red', TeamId: 3, ContainerId: 'abc', Flag: 'flag{x}' }

type Write = readonly ['in' | 'out', Uint8Array]

/** The file that a capture of these writes produces. */
async function captured(writes: readonly Write[]): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-tcp-'))
  const failed = (error: unknown) => expect(error).toBeUndefined()
  const containerId = '0a1b2c3d-4e5f-4000-8000-000000000000'
  const capture = openCapture({ folder, containerId, facts, client, container, hasRoom: async () => true, failed })
  for (const [direction, bytes] of writes) capture.write(direction, bytes)
  await capture.close()
  const file = readFileSync(join(folder, readdirSync(folder)[0]!))
  rmSync(folder, { recursive: true })
  return file
}

/** Read in chunks of any size. */
const convert = (file: Buffer, chunk = 64 * 1024) =>
  buffer(
    tcpCapture(
      Readable.from(Array.from({ length: Math.ceil(file.length / chunk) }, (_, i) => file.subarray(i * chunk, (i + 1) * chunk))),
    ),
  )

const note = (at: number, text: string) => {
  const payload = Buffer.from(text)
  return [udpRecord(at, udpFlow({ address: '0.0.0.0', port: 65_535 }, client), payload), payload]
}
const packet = (at: number, direction: 'in' | 'out', text: string) => {
  const payload = Buffer.from(text)
  const flow = direction === 'in' ? udpFlow(client, container) : udpFlow(container, client)
  return [udpRecord(at, flow, payload), payload]
}

test('a conversation has all bytes of both directions, with valid numbers, checksums and times', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('in', 'out'), fc.uint8Array({ minLength: 1, maxLength: 40 })), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 200 }),
      async (writes, chunk) => {
        const packets = readTcp(await convert(await captured(writes as Write[]), chunk))
        const sent: Record<string, Buffer> = { [fromClient]: Buffer.alloc(0), [fromContainer]: Buffer.alloc(0) }
        const next: Record<string, number> = { [fromClient]: 0, [fromContainer]: 0 }
        let before = 0
        for (const { from, to, sequence, acknowledgment, flags, payload, checksumHolds, at } of packets) {
          expect([sequence, checksumHolds, at >= before]).toEqual([next[from], true, true])
          if (flags.includes('ACK')) expect(acknowledgment).toBe(next[to])
          next[from]! += payload.length + (/SYN|FIN/.test(flags) ? 1 : 0)
          sent[from] = Buffer.concat([sent[from]!, payload])
          before = at
        }
        const expected = (wanted: string) =>
          Buffer.concat(writes.filter(([direction]) => direction === wanted).map(([, bytes]) => bytes))
        expect(sent).toEqual({ [fromClient]: expected('in'), [fromContainer]: expected('out') })
      },
    ),
    { numRuns: 60 },
  )
})

test('the client connects and closes first, and every segment is acknowledged by the other side', async () => {
  const packets = readTcp(
    await convert(
      await captured([
        ['out', Buffer.from('name? ')],
        ['in', Buffer.from('you')],
      ]),
    ),
  )
  expect(
    packets.map(({ from, flags, payload }) => [from === fromClient ? 'client' : 'container', flags, String(payload)]),
  ).toEqual([
    ['client', 'SYN', ''],
    ['container', 'SYN ACK', ''],
    ['client', 'ACK', ''],
    ['container', 'PSH ACK', 'name? '],
    ['client', 'ACK', ''],
    ['client', 'PSH ACK', 'you'],
    ['container', 'ACK', ''],
    ['client', 'FIN ACK', ''],
    ['container', 'FIN ACK', ''],
    ['client', 'ACK', ''],
  ])
})

test('the metadata stays a UDP packet before the handshake, also where there was no data', async () => {
  const file = await convert(await captured([]))
  expect(JSON.parse(readPcap(file)[0]!.payload.toString())).toEqual(facts)
  expect(tcpFlags(file)).toEqual([])
})

test('missing bytes leave a gap of their size in each direction', async () => {
  const missing = note(3, `${JSON.stringify({ Missing: { packets: 2, in: 1000, out: 70_000 } })}\n`)
  const file = Buffer.concat([
    fileHeader(),
    ...note(1, '{}'),
    ...packet(2, 'in', 'abc'),
    ...missing,
    ...packet(4, 'in', 'd'),
    ...packet(5, 'out', 'e'),
  ])
  const data = readTcp(await convert(file)).filter(({ payload }) => payload.length > 0)
  expect(data.map(({ sequence, payload }) => [sequence, String(payload)])).toEqual([
    [1, 'abc'],
    [1 + 3 + 1000, 'd'],
    [1 + 70_000, 'e'],
  ])
})

test('times never go back: an earlier packet gets the time of the one before it', async () => {
  const file = Buffer.concat([
    fileHeader(),
    ...note(1000, '{}'),
    ...packet(900, 'in', 'a'),
    ...packet(1500, 'out', 'b'),
    ...packet(1400, 'in', 'c'),
  ])
  const packets = readTcp(await convert(file))
  expect(packets.map(({ at }) => at)).toEqual([1000, 1000, 1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500, 1500, 1500])
})

test('a record that is still being written is left out', async () => {
  const whole = Buffer.concat([fileHeader(), ...note(1, '{}'), ...packet(2, 'in', 'abc'), ...packet(3, 'out', 'defg')])
  for (const cut of [1, 4, 60, 81]) {
    const data = readTcp(await convert(whole.subarray(0, whole.length - cut))).filter(({ payload }) => payload.length > 0)
    expect(data.map(({ payload }) => String(payload))).toEqual(['abc'])
  }
  expect(await convert(Buffer.alloc(0))).toEqual(fileHeader())
})

test('the file is closed when the reader leaves', async () => {
  const file = Readable.from([await captured([['in', Buffer.from('abc')]])])
  const reader = Readable.from(tcpCapture(file), { objectMode: false })
  await reader[Symbol.asyncIterator]().next()
  reader.destroy()
  await expect.poll(() => file.destroyed).toBe(true)
})

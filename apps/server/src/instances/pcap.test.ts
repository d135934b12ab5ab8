import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPcap } from '../../test/pcap.ts'
import { addressBytes, type End, fileHeader, tcpFlow, tcpRecord, udpFlow, udpRecord } from './pcap.ts'

const record = (at: number, from: End, to: End, bytes: Uint8Array) =>
  Buffer.concat([udpRecord(at, udpFlow(from, to), bytes), bytes])
const container = { address: '2001:db8::5', port: 80 }

test('a packet holds any bytes between any addresses, with a valid checksum and a time to the microsecond', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 0, max: 3 }),
      fc.oneof(fc.ipV4(), fc.ipV6()),
      fc.integer({ min: 0, max: 65_535 }),
      // A chunk may begin anywhere in its memory.
      (all, skipped, address, port) => {
        const bytes = all.subarray(skipped)
        const file = Buffer.concat([fileHeader(), record(1_795_000_000_123.456, { address, port }, container, bytes)])
        const [packet] = readPcap(file)
        expect(packet!.payload).toEqual(Buffer.from(bytes))
        expect(packet!.checksumHolds).toBe(true)
        expect(packet!.at).toBeCloseTo(1_795_000_000_123.456, 2)
        expect(packet!.to).toBe('2001:db8:0:0:0:0:0:5 80')
        expect(packet!.from.endsWith(` ${port}`)).toBe(true)
      },
    ),
  )
})

test('a file with one packet of three bytes matches byte by byte', () => {
  const header = 'd4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000'
  // 1,795,000,000 s and 123,456 µs; 65 bytes, all of them kept.
  const frame = 'c0 86 fd 6a 40e20100 41000000 41000000 001100110011 001100110011 86dd'
  const ip = '60000000 000b 11 40 00000000000000000000ffffc0000201 20010db8000000000000000000000005'
  const udp = '0fa0 0050 000b 3bc6 616263'
  const file = Buffer.concat([
    fileHeader(),
    record(1_795_000_000_123.456, { address: '192.0.2.1', port: 4000 }, container, Buffer.from('abc')),
  ])
  expect(file.toString('hex')).toBe([header, frame, ip, udp].join(' ').replaceAll(' ', ''))
})

test('a checksum of 0 is written as 65535', () => {
  const ends = { address: '::', port: 0 }
  // The length (10) counts twice, the protocol is 17: two bytes more make the sum 65535.
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(0xffff - 10 - 10 - 17)
  expect(record(0, ends, ends, bytes).readUInt16BE(16 + 54 + 6)).toBe(0xffff)
})

test('the checksum of any two bytes is valid; only in UDP is 65535 written for 0', () => {
  const ends = [{ address: '192.0.2.1', port: 4000 }, container] as const
  const [udp, tcp] = [udpFlow(...ends), tcpFlow(...ends)]
  const payloads = Array.from({ length: 0x10000 }, (_, word) => Buffer.of(word >> 8, word & 255))
  const records = payloads.flatMap((payload) => [udpRecord(0, udp, payload), payload])
  expect(readPcap(Buffer.concat([fileHeader(), ...records])).every(({ checksumHolds }) => checksumHolds)).toBe(true)
  const found = (checksums: readonly number[]) => [0, 0xffff].map((one) => checksums.includes(one))
  expect(found(payloads.map((payload) => udpRecord(0, udp, payload).readUInt16BE(16 + 54 + 6)))).toEqual([false, true])
  const segment = { sequence: 0, acknowledgment: 0, flags: 0 }
  expect(found(payloads.map((payload) => tcpRecord(0, tcp, segment, payload).readUInt16BE(16 + 54 + 16)))).toEqual([true, false])
})

test.each([
  ['127.0.0.1', '00000000000000000000ffff7f000001'],
  ['::ffff:10.1.2.3', '00000000000000000000ffff0a010203'],
  ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221'],
  ['64:ff9b::192.168.200.233', '0064ff9b0000000000000000c0a8c8e9'],
  ['1:2:3:4:5:6:192.0.2.133', '000100020003000400050006c0000285'],
  ['::1', '00000000000000000000000000000001'],
  ['::', '00000000000000000000000000000000'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ['fe80::10.0.0.1%eth0', 'fe80000000000000000000000a000001'],
  ['2001:db8:1:2:3:4:5:6', '20010db8000100020003000400050006'],
  ['2001:db8::', '20010db8000000000000000000000000'],
  ['2001:db8::a:b', '20010db80000000000000000000a000b'],
  ['engine', '00000000000000000000000000000000'],
  ['300.1.1.1', '00000000000000000000000000000000'],
  ['', '00000000000000000000000000000000'],
])('an address %s is written as %s', (address, bytes) => {
  expect(addressBytes(address).toString('hex')).toBe(bytes)
})

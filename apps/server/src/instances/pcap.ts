/**
 * Format of captured traffic: classic pcap with microseconds. Files on the disk have each chunk of a TCP stream as one UDP packet between the
 * real addresses, as existing tools expect; `tcp-capture.ts` makes a TCP conversation of it.
 */
import { isIPv4, isIPv6 } from 'node:net'

export interface End {
  /** IPv4 or IPv6; IPv4 is written as an IPv4-mapped IPv6 address. */
  readonly address: string
  readonly port: number
}

const ethernet = 1
const mac = Buffer.from('001100110011', 'hex')
/** Bytes before the IP packet (record of the file, Ethernet), and of the IP header. */
const beforeIp = 16 + 14
const ipBytes = 40
const addressesAt = beforeIp + 8
const transportAt = beforeIp + ipBytes
/** The length of an IPv6 payload has 16 bits; longer chunks are split. */
export const payloadMost = 65_000

/** One direction of a connection: the bytes that all its packets begin with, and the sum of those that its checksums include. */
export interface Flow {
  readonly headers: Buffer
  readonly sum: number
}

export function fileHeader(): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(65_535, 16)
  header.writeUInt32LE(ethernet, 20)
  return header
}

/** Returns 16 bytes; the unspecified address for names and invalid addresses, so that the capture continues. */
export function addressBytes(address: string): Buffer {
  const bytes = Buffer.alloc(16)
  const plain = address.split('%')[0] as string
  if (isIPv4(plain)) return writeIPv4(bytes, plain)
  if (!isIPv6(plain)) return bytes
  // IPv4-mapped addresses may end in dotted form.
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(plain)
  if (dotted) {
    writeGroups(bytes, `${dotted[1]}0:0`)
    Buffer.from((dotted[2] as string).split('.').map(Number)).copy(bytes, 12)
    return bytes
  }
  return writeGroups(bytes, plain)
}

function writeIPv4(bytes: Buffer, address: string): Buffer {
  bytes.writeUInt16BE(0xffff, 10)
  Buffer.from(address.split('.').map(Number)).copy(bytes, 12)
  return bytes
}

function writeGroups(bytes: Buffer, address: string): Buffer {
  const [before = '', after] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [head, tail] = [groups(before), groups(after ?? '')]
  for (const [i, group] of head.entries()) bytes.writeUInt16BE(group, i * 2)
  for (const [i, group] of tail.entries()) bytes.writeUInt16BE(group, 16 - (tail.length - i) * 2)
  return bytes
}

/**
 * Sum of 16-bit words in the byte order of this machine, not folded; an odd last byte counts as the first of its word. The ones' complement sum
 * does not depend on the byte order (RFC 1071, 2). Words of 32 bits, so that 64 KB cost 10 to 20 microseconds.
 */
function wordSum(bytes: Uint8Array): number {
  let aligned = bytes
  if (bytes.byteOffset % 4 !== 0) {
    scratch.set(bytes)
    aligned = scratch.subarray(0, bytes.length)
  }
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2)
  let sum = 0
  // An iterator takes nine times as long, one word at a time twice as long.
  const fours = words.length - (words.length % 4)
  for (let i = 0; i < fours; i += 4)
    sum += (words[i] as number) + (words[i + 1] as number) + (words[i + 2] as number) + (words[i + 3] as number)
  for (let i = fours; i < words.length; i++) sum += words[i] as number
  const rest = aligned.length % 4
  if (rest === 0) return sum
  lastWord.fill(0)
  lastWord.set(aligned.subarray(aligned.length - rest))
  return sum + (new Uint32Array(lastWord.buffer)[0] as number)
}

const scratch = new Uint8Array(payloadMost + 4)
const lastWord = new Uint8Array(4)

function checksum(sum: number): number {
  let folded = sum
  while (folded > 0xffff) folded = (folded % 0x10000) + Math.floor(folded / 0x10000)
  return ~folded & 0xffff
}

function flow(from: End, to: End, protocol: number, transportBytes: number): Flow {
  const headers = Buffer.alloc(transportAt + transportBytes)
  mac.copy(headers, 16)
  mac.copy(headers, 22)
  headers.writeUInt16BE(0x86dd, 28)
  headers[beforeIp] = 0x60
  headers[beforeIp + 6] = protocol
  headers[beforeIp + 7] = 64
  addressBytes(from.address).copy(headers, addressesAt)
  addressBytes(to.address).copy(headers, addressesAt + 16)
  headers.writeUInt16BE(from.port, transportAt)
  headers.writeUInt16BE(to.port, transportAt + 2)
  return { headers, sum: wordSum(headers.subarray(addressesAt, transportAt)) + wordSum(Uint8Array.of(0, protocol)) }
}

/** A copy of the flow's headers with time and lengths. `at`: milliseconds since 1970, with fractions. */
function headersOf({ headers }: Flow, at: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.from(headers)
  const whole = Math.floor(at / 1000)
  const length = bytes.length - 16 + payload.length
  bytes.writeUInt32LE(whole, 0)
  bytes.writeUInt32LE(Math.floor((at - whole * 1000) * 1000), 4)
  bytes.writeUInt32LE(length, 8)
  bytes.writeUInt32LE(length, 12)
  bytes.writeUInt16BE(bytes.length - transportAt + payload.length, beforeIp + 4)
  return bytes
}

/** Writes the checksum of UDP or TCP over IPv6 (RFC 8200, 8.1): addresses, length, protocol, header and payload. */
function writeChecksum(bytes: Buffer, { sum }: Flow, payload: Uint8Array, offset: number): void {
  const length = wordSum(bytes.subarray(beforeIp + 4, beforeIp + 6))
  const value = checksum(sum + length + wordSum(bytes.subarray(transportAt)) + wordSum(payload))
  // In the machine's byte order, as the sum; UDP has no checksum of 0.
  new Uint16Array(bytes.buffer, bytes.byteOffset + offset, 1)[0] = value === 0 && offset === udpChecksumAt ? 0xffff : value
}

const udpChecksumAt = transportAt + 6
const tcpChecksumAt = transportAt + 16

export const udpFlow = (from: End, to: End): Flow => flow(from, to, 17, 8)
export const tcpFlow = (from: End, to: End): Flow => flow(from, to, 6, 20)

/** The bytes of a record before its payload, which has at most `payloadMost` bytes. `at`: milliseconds since 1970, with fractions. */
export function udpRecord(at: number, of: Flow, payload: Uint8Array): Buffer {
  const bytes = headersOf(of, at, payload)
  bytes.writeUInt16BE(8 + payload.length, transportAt + 4)
  writeChecksum(bytes, of, payload, udpChecksumAt)
  return bytes
}

export interface Segment {
  readonly sequence: number
  readonly acknowledgment: number
  readonly flags: number
}

/** As `udpRecord`, for a segment of TCP with a window of 65,535 bytes. Numbers are taken modulo 2^32. */
export function tcpRecord(at: number, of: Flow, { sequence, acknowledgment, flags }: Segment, payload: Uint8Array): Buffer {
  const bytes = headersOf(of, at, payload)
  bytes.writeUInt32BE(sequence >>> 0, transportAt + 4)
  bytes.writeUInt32BE(acknowledgment >>> 0, transportAt + 8)
  bytes[transportAt + 12] = 5 << 4
  bytes[transportAt + 13] = flags
  bytes.writeUInt16BE(65_535, transportAt + 14)
  writeChecksum(bytes, of, payload, tcpChecksumAt)
  return bytes
}

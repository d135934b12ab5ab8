/** Format of captured traffic: classic pcap with microseconds, every chunk of a TCP stream as one UDP packet between the real addresses. */
import { isIPv4, isIPv6 } from 'node:net'

export interface End {
  /** IPv4 or IPv6; IPv4 is written as an IPv4-mapped IPv6 address. */
  readonly address: string
  readonly port: number
}

const ethernet = 1
const mac = Buffer.from('001100110011', 'hex')
const headers = 14 + 40 + 8
/** The length of an IPv6 payload has 16 bits; longer chunks are split. */
export const payloadMost = 65_000

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

/** The checksum of UDP over IPv6, never 0 (RFC 8200, 8.1). `packet` is the UDP part with a checksum of 0. */
function checksum(source: Buffer, target: Buffer, packet: Buffer): number {
  let sum = packet.length + 17
  for (const part of [source, target, packet]) {
    const even = part.length - (part.length % 2)
    for (let i = 0; i < even; i += 2) sum += part.readUInt16BE(i)
    if (even < part.length) sum += (part[even] as number) << 8
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000)
  return ~sum & 0xffff || 0xffff
}

/** One record of a file. `payload`: at most `payloadMost` bytes; `at`: milliseconds since 1970, with fractions. */
export function record(at: number, from: End, to: End, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(16 + headers + payload.length)
  const whole = Math.floor(at / 1000)
  bytes.writeUInt32LE(whole, 0)
  bytes.writeUInt32LE(Math.floor((at - whole * 1000) * 1000), 4)
  bytes.writeUInt32LE(headers + payload.length, 8)
  bytes.writeUInt32LE(headers + payload.length, 12)
  const packet = bytes.subarray(16)
  mac.copy(packet, 0)
  mac.copy(packet, 6)
  packet.writeUInt16BE(0x86dd, 12)
  packet[14] = 0x60
  packet.writeUInt16BE(8 + payload.length, 18)
  packet[20] = 17
  packet[21] = 64
  const [source, target] = [addressBytes(from.address), addressBytes(to.address)]
  source.copy(packet, 22)
  target.copy(packet, 38)
  const udp = packet.subarray(54)
  udp.writeUInt16BE(from.port, 0)
  udp.writeUInt16BE(to.port, 2)
  udp.writeUInt16BE(udp.length, 4)
  udp.set(payload, 8)
  udp.writeUInt16BE(checksum(source, target, udp), 6)
  return bytes
}

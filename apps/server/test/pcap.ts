/** Reads a capture as a tool for captures would: written from the formats, not from the writer. */
export interface Packet {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly from: string
  readonly to: string
  readonly payload: Buffer
  readonly checksumHolds: boolean
}

function addressOf(bytes: Buffer): string {
  const mapped = Buffer.from('00000000000000000000ffff', 'hex')
  if (bytes.subarray(0, 12).equals(mapped)) return [...bytes.subarray(12)].join('.')
  return Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(':')
}

/** Ones' complement sum over pseudo header and UDP part is all ones when the checksum is right. */
function sumOf(ip: Buffer, udp: Buffer): number {
  const length = Buffer.alloc(8)
  length.writeUInt32BE(udp.length, 0)
  length[7] = 17
  const all = Buffer.concat([ip.subarray(8, 40), length, udp, Buffer.alloc(udp.length % 2)])
  let sum = 0
  for (let i = 0; i < all.length; i += 2) {
    sum += all.readUInt16BE(i)
    if (sum > 0xffff) sum -= 0xffff
  }
  return sum
}

/** Throws when the file is no capture or is cut off. */
export function readPcap(file: Buffer): Packet[] {
  if (file.readUInt32LE(0) !== 0xa1b2c3d4 || file.readUInt32LE(20) !== 1) throw new Error('not a capture of Ethernet')
  if (`${file.readUInt16LE(4)}.${file.readUInt16LE(6)}` !== '2.4') throw new Error('another version')
  const packets: Packet[] = []
  for (let at = 24; at < file.length; ) {
    const length = file.readUInt32LE(at + 8)
    if (length !== file.readUInt32LE(at + 12) || length > file.readUInt32LE(16)) throw new Error('a packet is cut')
    const packet = file.subarray(at + 16, at + 16 + length)
    if (packet.length !== length) throw new Error('the file is cut off')
    if (packet.subarray(0, 14).toString('hex') !== '00110011001100110011001186dd') throw new Error('another frame')
    const ip = packet.subarray(14, 54)
    const udp = packet.subarray(54)
    if (ip[0]! >> 4 !== 6 || ip[6] !== 17 || ip.readUInt16BE(4) !== udp.length || udp.readUInt16BE(4) !== udp.length)
      throw new Error('another packet')
    packets.push({
      at: file.readUInt32LE(at) * 1000 + file.readUInt32LE(at + 4) / 1000,
      from: `${addressOf(ip.subarray(8, 24))} ${udp.readUInt16BE(0)}`,
      to: `${addressOf(ip.subarray(24, 40))} ${udp.readUInt16BE(2)}`,
      payload: udp.subarray(8),
      checksumHolds: sumOf(ip, udp) === 0xffff && udp.readUInt16BE(6) !== 0,
    })
    at += 16 + length
  }
  return packets
}

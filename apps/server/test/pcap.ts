/** Reads a capture like a capture tool: written from the formats, not from the writer. */
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

/** The ones' complement sum over pseudo header and UDP or TCP part is all ones when the checksum is correct. */
function sumOf(ip: Buffer, udp: Buffer): number {
  const length = Buffer.alloc(8)
  length.writeUInt32BE(udp.length, 0)
  length[7] = ip[6]!
  const all = Buffer.concat([ip.subarray(8, 40), length, udp, Buffer.alloc(udp.length % 2)])
  let sum = 0
  for (let i = 0; i < all.length; i += 2) {
    sum += all.readUInt16BE(i)
    if (sum > 0xffff) sum -= 0xffff
  }
  return sum
}

interface Frame {
  readonly at: number
  readonly ip: Buffer
  readonly rest: Buffer
}

/** Throws when the file is not a capture or is truncated. */
function framesOf(file: Buffer): Frame[] {
  if (file.readUInt32LE(0) !== 0xa1b2c3d4 || file.readUInt32LE(20) !== 1) throw new Error('not a capture of Ethernet')
  if (`${file.readUInt16LE(4)}.${file.readUInt16LE(6)}` !== '2.4') throw new Error('another version')
  const frames: Frame[] = []
  for (let at = 24; at < file.length; ) {
    const length = file.readUInt32LE(at + 8)
    if (length !== file.readUInt32LE(at + 12) || length > file.readUInt32LE(16)) throw new Error('a packet is cut')
    const packet = file.subarray(at + 16, at + 16 + length)
    if (packet.length !== length) throw new Error('the file is cut off')
    if (packet.subarray(0, 14).toString('hex') !== '00110011001100110011001186dd') throw new Error('another frame')
    const [ip, rest] = [packet.subarray(14, 54), packet.subarray(54)]
    if (ip[0]! >> 4 !== 6 || ip.readUInt16BE(4) !== rest.length) throw new Error('another packet')
    frames.push({ at: file.readUInt32LE(at) * 1000 + file.readUInt32LE(at + 4) / 1000, ip, rest })
    at += 16 + length
  }
  return frames
}

const endsOf = ({ ip, rest }: Frame) => ({
  from: `${addressOf(ip.subarray(8, 24))} ${rest.readUInt16BE(0)}`,
  to: `${addressOf(ip.subarray(24, 40))} ${rest.readUInt16BE(2)}`,
})

/** Throws when the file is not a capture, is truncated, or has a packet other than UDP. */
export function readPcap(file: Buffer): Packet[] {
  return framesOf(file).map((frame) => {
    const { at, ip, rest: udp } = frame
    if (ip[6] !== 17 || udp.readUInt16BE(4) !== udp.length) throw new Error('another packet')
    const checksumHolds = sumOf(ip, udp) === 0xffff && udp.readUInt16BE(6) !== 0
    return { at, ...endsOf(frame), payload: udp.subarray(8), checksumHolds }
  })
}

export interface TcpPacket extends Packet {
  readonly flags: string
  readonly sequence: number
  readonly acknowledgment: number
}

const flagNames = ['FIN', 'SYN', 'RST', 'PSH', 'ACK']

/** The TCP packets of a file; UDP packets are left out. */
export const readTcp = (file: Buffer): TcpPacket[] =>
  framesOf(file)
    .filter(({ ip }) => ip[6] === 6)
    .map((frame) => {
      const { at, ip, rest: tcp } = frame
      const flags = flagNames.filter((_, bit) => tcp[13]! & (1 << bit)).join(' ')
      const numbers = { sequence: tcp.readUInt32BE(4), acknowledgment: tcp.readUInt32BE(8) }
      const payload = tcp.subarray((tcp[12]! >> 4) * 4)
      return { at, ...endsOf(frame), flags, ...numbers, payload, checksumHolds: sumOf(ip, tcp) === 0xffff }
    })

export const tcpFlags = (file: Buffer): string[] => readTcp(file).map(({ flags }) => flags)

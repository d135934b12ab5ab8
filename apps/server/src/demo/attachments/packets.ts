import { seededRandom } from '../random.ts'

const ethernet = 1
const started = 1_700_000_000

function packet(payload: Buffer, port: number): Buffer {
  const udp = Buffer.alloc(8)
  udp.writeUInt16BE(40_000, 0)
  udp.writeUInt16BE(port, 2)
  udp.writeUInt16BE(8 + payload.length, 4)
  const ip = Buffer.from('450000000000400040110000c0000201c0000202', 'hex')
  ip.writeUInt16BE(28 + payload.length, 2)
  ip.writeUInt16BE(checksum(ip), 10)
  return Buffer.concat([Buffer.from('0200000000020200000000010800', 'hex'), ip, udp, payload])
}

function checksum(header: Buffer): number {
  let sum = 0
  for (let at = 0; at < header.length; at += 2) sum += header.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  return ~sum & 0xffff
}

/** Port 4242 carries `number, letter`; port 5353 is noise. The numbers are out of order. */
export function lastPackets(text: string): Buffer {
  const random = seededRandom(64)
  const letters = [...Buffer.from(text)].map((letter, number) => ({
    order: random.next(),
    port: 4242,
    payload: Buffer.from([number, letter]),
  }))
  const chatter = Array.from({ length: 60 }, () => ({
    order: random.next(),
    port: 5353,
    payload: Buffer.from(random.pick(['all well', 'who is on watch?', 'wind north by east', 'repeat', 'good night'])),
  }))
  const head = Buffer.from('d4c3b2a1020004000000000000000000ffff000000000000', 'hex')
  head.writeUInt32LE(ethernet, 20)
  let micros = 0
  const records = [...letters, ...chatter]
    .sort((a, b) => a.order - b.order)
    .map(({ port, payload }) => {
      micros += 10_000 + random.below(90_000)
      const bytes = packet(payload, port)
      const record = Buffer.alloc(16)
      record.writeUInt32LE(started + Math.floor(micros / 1e6), 0)
      record.writeUInt32LE(micros % 1e6, 4)
      record.writeUInt32LE(bytes.length, 8)
      record.writeUInt32LE(bytes.length, 12)
      return Buffer.concat([record, bytes])
    })
  return Buffer.concat([head, ...records])
}

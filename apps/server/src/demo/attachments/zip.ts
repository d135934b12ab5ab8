/** A zip file of a few small texts, reproducible because it contains no current time. */
import { crc32, deflateRawSync } from 'node:zlib'

const deflated = 8
const version = 20
const firstDay = 0x21

export interface Entry {
  readonly name: string
  readonly bytes: Buffer
}

export function zip(entries: readonly Entry[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of entries) {
    const packed = deflateRawSync(bytes, { level: 9 })
    const title = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(version, 0)
    facts.writeUInt16LE(deflated, 4)
    facts.writeUInt16LE(firstDay, 8)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(title.length, 22)
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), facts, title, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, place, title]))
    bodies.push(body)
    offset += body.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies, listed, Buffer.from('PK\x05\x06'), end])
}

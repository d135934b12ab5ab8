/** Responses of a shared part, compressed once per version, and the caller's part, appended uncompressed, so that the length reveals nothing about secrets in it. */
import { constants, crc32, deflateRawSync } from 'node:zlib'

export interface SharedPart {
  readonly version: string
  /** JSON of an object without its closing brace. */
  readonly plain: Uint8Array
  /** Deflate blocks that end at a byte boundary, so that more blocks may follow. */
  readonly packed: Uint8Array
  readonly checksum: number
}

/** Bytes in separate memory. A small `Buffer` shares 64 kB with others, which would all be transferred to the other thread. */
export const ownBytes = (text: string): Buffer => Buffer.from(new TextEncoder().encode(text).buffer)

export function makeShared(version: string, members: object): SharedPart {
  const plain = ownBytes(JSON.stringify(members).slice(0, -1))
  const packed = new Uint8Array(deflateRawSync(plain, { level: 6, finishFlush: constants.Z_FULL_FLUSH }))
  return { version, plain, packed, checksum: crc32(plain) }
}

/** `own`: further members as JSON and the closing brace. */
const tailOf = (own: string): Buffer => Buffer.from(`,${own}`)

export const joinPlain = ({ plain }: SharedPart, own: string): Buffer => Buffer.concat([plain, tailOf(own)])

const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
const blockMost = 65_535

/** One gzip member (RFC 1952): the shared blocks, then the caller's bytes as stored blocks (RFC 1951, 3.2.4). */
export function joinGzip({ plain, packed, checksum }: SharedPart, own: string): Buffer {
  const tail = tailOf(own)
  const blocks: Buffer[] = []
  for (let from = 0; from < tail.length; from += blockMost) {
    const part = tail.subarray(from, from + blockMost)
    const head = Buffer.alloc(5)
    head.writeUInt8(from + part.length === tail.length ? 1 : 0)
    head.writeUInt16LE(part.length, 1)
    head.writeUInt16LE(part.length ^ 0xffff, 3)
    blocks.push(head, part)
  }
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(tail, checksum))
  end.writeUInt32LE((plain.length + tail.length) >>> 0, 4)
  return Buffer.concat([gzipHead, packed, ...blocks, end])
}

import { randomBytes } from 'node:crypto'

let [lastAt, count] = [0, 0]

/**
 * A UUID of version 7: in this process, ordering by id is ordering by creation. A counter keeps the order within a millisecond (RFC 9562, section 6.2,
 * method 1; 4,096 ids).
 */
export function newId(now: number = Date.now()): string {
  count = now === lastAt ? count + 1 : 0
  lastAt = now
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt16BE(0x7000 | (count & 0xfff), 6)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Reads a zip archive as an unpacker does, by its central directory. */
import { crc32, inflateRawSync } from 'node:zlib'

/** Local time, in steps of two seconds. */
const dosTime = (day: number, clock: number): Date =>
  new Date(1980 + (day >> 9), ((day >> 5) & 15) - 1, day & 31, clock >> 11, (clock >> 5) & 63, (clock & 31) * 2)

/** The files of an archive in their order; throws when one is damaged. */
export function listZip(zip: Buffer): { name: string; bytes: Buffer; time: Date }[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0) throw new Error('no end of the central directory')
  const count = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  return Array.from({ length: count }, () => {
    const [method, crc, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 20)]
    const [nameLength, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)]
    const time = dosTime(zip.readUInt16LE(at + 14), zip.readUInt16LE(at + 12))
    const local = zip.readUInt32LE(at + 42)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    at += 46 + nameLength + extra + comment
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const packed = zip.subarray(from, from + size)
    const bytes = method === 0 ? packed : inflateRawSync(packed)
    if (crc32(bytes) !== crc) throw new Error(`${name} is damaged`)
    return { name, bytes, time }
  })
}

/** Parses captured traffic: classic pcap of Ethernet, IPv6 and UDP, where each packet is a chunk of a TCP stream. */

/** Bytes that are fetched of a file. */
export const previewBytes = 5 * 1024 * 1024
/** Packets that are parsed. */
export const previewPackets = 2000

/** `in`: to the container. `out`: from the container. `platform`: a note that the platform adds. */
export type Direction = 'in' | 'out' | 'platform'

export interface Packet {
  /** Milliseconds since 1970, with fractions. */
  readonly at: number
  readonly direction: Direction
  readonly from: string
  readonly to: string
  readonly payload: Uint8Array
}

export interface Capture {
  /** Facts of the connection that the platform wrote, in order. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly packets: readonly Packet[]
  /** False when the file has more packets. */
  readonly whole: boolean
}

const fileHeader = 24
const recordHeader = 16
/** Ethernet, IPv6, UDP. */
const headers = 14 + 40 + 8
/** Source address of notes that the platform adds. */
const platform = '0.0.0.0:65535'

function hostOf(bytes: Uint8Array): string {
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return [...bytes.subarray(12)].join('.')
  const group = (i: number) => (((bytes[i * 2] as number) << 8) | (bytes[i * 2 + 1] as number)).toString(16)
  return `[${Array.from({ length: 8 }, (_, i) => group(i))
    .join(':')
    .replace(/(^|:)0(:0)+(:|$)/, '::')}]`
}

interface Raw extends Omit<Packet, 'direction'> {}

/** Packets of the file, and whether it ended with a whole one. @throws RangeError when it is not a capture */
function readPackets(bytes: Uint8Array, most: number): { raw: Raw[]; whole: boolean } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < fileHeader || view.getUint32(0, true) !== 0xa1b2c3d4 || view.getUint32(20, true) !== 1)
    throw new RangeError('not a capture of Ethernet')
  const raw: Raw[] = []
  let at = fileHeader
  while (at + recordHeader <= bytes.length && raw.length < most) {
    const start = at + recordHeader
    const end = start + view.getUint32(at + 8, true)
    if (end > bytes.length) break
    const isUdp = end - start >= headers && view.getUint16(start + 12) === 0x86dd && bytes[start + 20] === 17
    if (isUdp) {
      const endOf = (from: number, port: number) => `${hostOf(bytes.subarray(from, from + 16))}:${view.getUint16(port)}`
      raw.push({
        at: view.getUint32(at, true) * 1000 + view.getUint32(at + 4, true) / 1000,
        from: endOf(start + 22, start + 54),
        to: endOf(start + 38, start + 56),
        payload: bytes.subarray(start + headers, end),
      })
    }
    at = end
  }
  return { raw, whole: at === bytes.length }
}

function factsOf(first: Raw | undefined): [string, string][] {
  if (first?.from !== platform) return []
  try {
    const facts: unknown = JSON.parse(new TextDecoder().decode(first.payload))
    if (typeof facts !== 'object' || facts === null) return []
    return Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)] as [string, string]]))
  } catch {
    return []
  }
}

/** The packets of a capture, or of the beginning of one. @throws RangeError when it is not a capture */
export function readCapture(bytes: Uint8Array, most = previewPackets): Capture {
  const { raw, whole } = readPackets(bytes, most + 1)
  const facts = factsOf(raw[0])
  // The first packet is from the platform to the client.
  const client = raw[0]?.from === platform ? raw[0].to : undefined
  const directionOf = ({ from }: Raw): Direction => (from === platform ? 'platform' : from === client ? 'in' : 'out')
  const packets = (facts.length > 0 ? raw.slice(1) : raw).map((one) => ({ ...one, direction: directionOf(one) }))
  return { facts, packets: packets.slice(0, most), whole: whole && packets.length <= most }
}

/** The first bytes of a response; the rest is not fetched. */
export async function firstBytes(answer: Response, most = previewBytes): Promise<{ bytes: Uint8Array; whole: boolean }> {
  const reader = answer.body?.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
    if (value) {
      parts.push(value)
      size += value.length
    }
    if (!done && size <= most) continue
    if (!done) await reader?.cancel()
    const bytes = new Uint8Array(Math.min(size, most))
    let at = 0
    for (const part of parts) {
      const room = part.subarray(0, bytes.length - at)
      bytes.set(room, at)
      at += room.length
    }
    return { bytes, whole: size <= most }
  }
}

/** Bytes as text. Characters that are invisible or change the direction of writing become a dot. */
export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes)
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{C}\n\t]/gu, '·')

/** Lines of 16 bytes: offset, hexadecimal, ASCII. */
export function hexOf(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.subarray(at, at + 16)]
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const ascii = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${ascii}`)
  }
  return lines.join('\n')
}

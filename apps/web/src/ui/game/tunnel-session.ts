/** A conversation with an instance through the platform proxy: what was sent and what came, bounded, to be shown, copied and saved. */

export interface TranscriptLine {
  readonly from: 'here' | 'there'
  readonly bytes: Uint8Array
}

/** What is kept of a session; the oldest goes first. */
const keptMost = 5 * 1024 * 1024

export class Transcript {
  readonly #said: TranscriptLine[] = []
  #kept = 0

  add(from: TranscriptLine['from'], bytes: Uint8Array): void {
    this.#said.push({ from, bytes })
    this.#kept += bytes.length
    while (this.#kept > keptMost && this.#said.length > 1) this.#kept -= this.#said.shift()?.bytes.length ?? 0
  }

  get said(): readonly TranscriptLine[] {
    return this.#said
  }

  /** All bytes in their order, as a terminal would have shown them. */
  get bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#kept)
    let at = 0
    for (const { bytes } of this.#said) {
      all.set(bytes, at)
      at += bytes.length
    }
    return all
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes)
  }
}

/** Lines of sixteen bytes: place, hexadecimal, and what can be printed; `>` before what was sent, `<` before what came. */
export function hexLines({ from, bytes }: TranscriptLine): string[] {
  const mark = from === 'here' ? '>' : '<'
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0'))
    const columns = `${hex.slice(0, 8).join(' ')}  ${hex.slice(8).join(' ')}`.padEnd(49)
    const signs = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${mark} ${at.toString(16).padStart(6, '0')}  ${columns} ${signs}`)
  }
  return lines
}

/** What a typed line sends: in hexadecimal pairs of digits, blanks do not count; null when they are none. */
export function bytesOf(line: string, form: 'text' | 'hex'): Uint8Array<ArrayBuffer> | null {
  if (form === 'text') return new TextEncoder().encode(`${line}\n`)
  const digits = line.replaceAll(/\s/g, '')
  if (!/^([0-9a-f]{2})+$/i.test(digits)) return null
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

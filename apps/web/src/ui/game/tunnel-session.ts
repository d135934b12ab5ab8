/** A bounded transcript of a tunnel to an instance, to show, copy and save. */

export interface TranscriptLine {
  readonly from: 'here' | 'there'
  readonly bytes: Uint8Array
}

/** Limit in bytes; the oldest lines are dropped first. */
const maxBytes = 5 * 1024 * 1024

export class Transcript {
  readonly #lines: TranscriptLine[] = []
  #kept = 0

  add(from: TranscriptLine['from'], bytes: Uint8Array): void {
    this.#lines.push({ from, bytes })
    this.#kept += bytes.length
    while (this.#kept > maxBytes && this.#lines.length > 1) this.#kept -= this.#lines.shift()?.bytes.length ?? 0
  }

  get lines(): readonly TranscriptLine[] {
    return this.#lines
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#kept)
    let at = 0
    for (const { bytes } of this.#lines) {
      all.set(bytes, at)
      at += bytes.length
    }
    return all
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes)
  }
}

/** Lines of 16 bytes: offset, hexadecimal, printable characters; `>` marks sent bytes, `<` received ones. */
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

/** Bytes of a typed line. Hexadecimal: pairs of digits, whitespace is ignored; null when invalid. */
export function bytesOf(line: string, form: 'text' | 'hex'): Uint8Array<ArrayBuffer> | null {
  if (form === 'text') return new TextEncoder().encode(`${line}\n`)
  const digits = line.replaceAll(/\s/g, '')
  if (!/^([0-9a-f]{2})+$/i.test(digits)) return null
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

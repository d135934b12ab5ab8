/** Headers for stored files: only pictures are shown inline; everything else is a download and cannot run on our origin. */
import { encodeExtended, format } from 'content-disposition'
import type { ReadableFile } from './files.queries.ts'

const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])
/** Types that a browser executes or renders with scripts. */
const active = /html|xml|svg|script|mhtml|xsl/

export function deliveryHeaders(file: ReadableFile, name: string): Record<string, string> {
  const inline = shown.has(file.type)
  return {
    'content-type': active.test(file.type) ? 'application/octet-stream' : file.type,
    'content-disposition': disposition(inline ? 'inline' : 'attachment', name),
    'x-content-type-options': 'nosniff',
    // Restricted files are revalidated on every request.
    'cache-control': file.shared ? 'public, max-age=604800, immutable' : 'private, no-cache',
    'accept-ranges': 'bytes',
    ...(!inline && { 'content-security-policy': 'sandbox' }),
  }
}

/** The name twice: in ASCII for old clients, and exactly. */
export function disposition(type: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const parameters = { filename: plain, 'filename*': encodeExtended(name.toWellFormed()) }
  return format({ type, parameters }, { extended: false })
}

export type Range = { readonly start: number; readonly end: number }

/** The range of a `Range` header: null for the whole file (none, several or another unit), `outside` if it starts after the end. */
export function rangeOf(header: string | undefined, size: number): Range | null | 'outside' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return null
  if (from === '') return Number(to) === 0 || size === 0 ? 'outside' : { start: Math.max(0, size - Number(to)), end: size - 1 }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < start) return null
  return start >= size ? 'outside' : { start, end }
}

/** How a stored file is handed out: only pictures are shown, everything else is downloaded and can run nothing on our origin. */
import type { ReadableFile } from './files.queries.ts'

const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])
/** Types that a browser would run or draw with scripts. */
const active = /html|xml|svg|script|mhtml|xsl/

export function deliveryHeaders(file: ReadableFile, name: string): Record<string, string> {
  const inline = shown.has(file.type)
  return {
    'content-type': active.test(file.type) ? 'application/octet-stream' : file.type,
    'content-disposition': disposition(inline ? 'inline' : 'attachment', name),
    'x-content-type-options': 'nosniff',
    // What only some may see is asked for again each time.
    'cache-control': file.shared ? 'public, max-age=604800, immutable' : 'private, no-cache',
    'accept-ranges': 'bytes',
    etag: `"${file.hash}"`,
    'last-modified': file.uploadedAt.toUTCString(),
    ...(!inline && { 'content-security-policy': 'sandbox' }),
  }
}

/** RFC 6266 with the name of RFC 5987 and a plain one for old clients. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`
}

interface Conditions {
  readonly 'if-none-match'?: string | undefined
  readonly 'if-modified-since'?: string | undefined
}

/** Does the reader have this file? The time is asked only where no tag is sent, and to the second, as it was told. */
export function isHeld(
  { 'if-none-match': tags, 'if-modified-since': since }: Conditions,
  { hash, uploadedAt }: Pick<ReadableFile, 'hash' | 'uploadedAt'>,
): boolean {
  if (tags === undefined) return since !== undefined && Math.floor(uploadedAt.getTime() / 1000) * 1000 <= Date.parse(since)
  return tags.split(',').some((tag) => ['*', `"${hash}"`].includes(tag.trim().replace(/^W\//, '')))
}

export type Range = { readonly start: number; readonly end: number }

/** The one range of a `Range` header: null for the whole file (none, several or another unit), `outside` when it lies behind the end. */
export function rangeOf(header: string | undefined, size: number): Range | null | 'outside' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return null
  if (from === '') return Number(to) === 0 || size === 0 ? 'outside' : { start: Math.max(0, size - Number(to)), end: size - 1 }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < start) return null
  return start >= size ? 'outside' : { start, end }
}

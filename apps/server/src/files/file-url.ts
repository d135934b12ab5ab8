/** Characters that break a link: separators, quotes, brackets, invisible characters, and outer blanks, which browsers drop. */
const breaking = /[%?#/\\"'`<>|^{}[\]]|[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|^ | $/gu

/** Escaped characters of a name, so that a path with any of them is below `pathMax` (http/path.ts). */
const escapedMax = 1900

/**
 * `/assets/{hash}/{name}`. Clients show the name, so blanks and all scripts stay readable; escapes only what would break the link.
 * A name whose path would be too long is shortened in the middle: any name reads the file.
 */
export function fileUrl(hash: string, name: string): string {
  // Browsers resolve these as folders, escaped or not.
  const safe = name === '' || name === '.' || name === '..' ? 'file' : name.toWellFormed()
  const fitting = encodeURIComponent(safe).length > escapedMax ? shortened(safe) : safe
  return `/assets/${hash}/${fitting.replace(breaking, escaped)}`
}

/** At most 211 characters of nine escaped ones; without the halves of a divided surrogate pair. */
const shortened = (name: string) => `${name.slice(0, 180)}…${name.slice(-30)}`.replace(/\p{Cs}/gu, '')

/** `encodeURIComponent` does not escape the apostrophe. */
const escaped = (signs: string) => encodeURIComponent(signs).replaceAll("'", '%27')

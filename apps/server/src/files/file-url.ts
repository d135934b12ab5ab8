/** What breaks a link: separators, quotes, brackets, signs that cannot be seen, and blanks at the end, which browsers drop. */
const breaking = /[%?#/\\"'`<>|^{}[\]]|[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|^ | $/gu

/**
 * The address of a stored file, `/assets/{hash}/{name}`. Other clients show its last part as the file's name, so blanks and letters of all
 * scripts stay readable; only what would break the link is escaped.
 */
export function fileUrl(hash: string, name: string): string {
  // Browsers would take these for folders, escaped or not.
  const safe = name === '' || name === '.' || name === '..' ? 'file' : name.toWellFormed()
  return `/assets/${hash}/${safe.replace(breaking, escaped)}`
}

/** Also the signs that `encodeURIComponent` leaves alone. */
const escaped = (signs: string) => encodeURIComponent(signs).replaceAll("'", '%27')

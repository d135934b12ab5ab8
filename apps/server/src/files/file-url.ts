/** Characters that break a link: separators, quotes, brackets, invisible characters, and outer blanks, which browsers drop. */
const breaking = /[%?#/\\"'`<>|^{}[\]]|[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|^ | $/gu

/** `/assets/{hash}/{name}`. Clients show the name, so blanks and all scripts stay readable; escapes only what would break the link. */
export function fileUrl(hash: string, name: string): string {
  // Browsers resolve these as folders, escaped or not.
  const safe = name === '' || name === '.' || name === '..' ? 'file' : name.toWellFormed()
  return `/assets/${hash}/${safe.replace(breaking, escaped)}`
}

/** `encodeURIComponent` does not escape the apostrophe. */
const escaped = (signs: string) => encodeURIComponent(signs).replaceAll("'", '%27')

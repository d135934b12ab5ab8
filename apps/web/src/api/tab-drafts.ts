/** Unsent input, kept for this tab only until it is closed or signed out; it survives a reload. */

const prefix = 'draft '

const ownerKey = 'drafts-of'

/** All drafts whose name begins so, by the rest of the name. Empty where storage is off. */
export function readDrafts(group: string): Map<string, string> {
  const found = new Map<string, string>()
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(prefix + group)) found.set(key.slice(prefix.length + group.length), sessionStorage.getItem(key) ?? '')
  } catch {
    // Storage is off: what is typed lives as long as the page.
  }
  return found
}

/** Keeps a draft; an empty one is thrown away. */
export function keepDraft(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, text)
  } catch {
    // As above.
  }
}

export function forgetDrafts(): void {
  for (const name of readDrafts('').keys()) keepDraft(name, '')
}

/** The drafts belong to this account from now on; those of another account are discarded, those of an expired session are restored. */
export function claimDrafts(person: string): void {
  try {
    if (sessionStorage.getItem(ownerKey) === person) return
    forgetDrafts()
    sessionStorage.setItem(ownerKey, person)
  } catch {
    // As above.
  }
}

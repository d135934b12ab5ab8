/** Unsent input, kept for this tab until it is closed or signed out; it survives a reload. */

const prefix = 'draft '

const ownerKey = 'drafts-of'

/** Drafts whose name starts with `group`, by the rest of the name. */
export function readDrafts(group: string): Map<string, string> {
  const found = new Map<string, string>()
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(prefix + group)) found.set(key.slice(prefix.length + group.length), sessionStorage.getItem(key) ?? '')
  } catch {
    // Storage is off: drafts are lost with the page.
  }
  return found
}

/** Stores a draft; an empty one is removed. */
export function keepDraft(name: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, text)
  } catch {
    // Storage is off.
  }
}

export function forgetDrafts(): void {
  for (const name of readDrafts('').keys()) keepDraft(name, '')
}

/** Assigns the drafts to this account: discards those of another account, keeps those of an expired session. */
export function claimDrafts(person: string): void {
  try {
    if (sessionStorage.getItem(ownerKey) === person) return
    forgetDrafts()
    sessionStorage.setItem(ownerKey, person)
  } catch {
    // Storage is off.
  }
}

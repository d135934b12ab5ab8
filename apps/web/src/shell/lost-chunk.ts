/** After a deployment the files of the former build are gone; one reload fetches the present ones (ERR-3). */

const marker = 'reloaded-at'

export function isLostChunk(error: unknown): boolean {
  const text = error instanceof Error ? error.message : ''
  return /dynamically imported module|importing a module script|module script failed|unable to preload/i.test(text)
}

/** Reloads unless that was tried in the last half minute. Says whether it does. */
export function reloadOnce(now = Date.now(), reload = () => location.reload()): boolean {
  try {
    const last = Number(sessionStorage.getItem(marker) ?? 0)
    if (now - last < 30_000) return false
    sessionStorage.setItem(marker, String(now))
  } catch {
    return false
  }
  reload()
  return true
}

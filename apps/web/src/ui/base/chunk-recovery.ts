/** Code and styles that fail to load: the platform is unreachable, or a deployment has replaced the files of this build. */
import { untilPlatformAnswers } from '../../api/connection.ts'

const marker = 'reloaded-at'

function isLostCode(error: unknown): boolean {
  const text = error instanceof Error ? error.message : ''
  return /dynamically imported module|importing a module script|unable to preload/i.test(text)
}

/** Reloads unless that was tried in the last 30 s. Returns whether it does. */
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

const lostStyles = new Set<HTMLLinkElement>()

/** Records style sheets that fail to load: the loader of the build requests each only once. Returns a function that stops it. */
export function watchStyles(): () => void {
  const note = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') lostStyles.add(target)
  }
  window.addEventListener('error', note, { capture: true })
  return () => {
    window.removeEventListener('error', note, { capture: true })
    lostStyles.clear()
  }
}

/** Requests the failed style sheets again, then the code. Rejects as their loader does. */
export const loadWithStyles = <T>(load: () => Promise<T>): Promise<T> =>
  lostStyles.size > 0 ? fetchLostStyles().then(load) : load()

async function fetchLostStyles(): Promise<void> {
  const fetchAgain = (lost: HTMLLinkElement) =>
    new Promise<void>((resolve, reject) => {
      const link = lost.cloneNode() as HTMLLinkElement
      link.nonce = lost.nonce
      link.addEventListener('load', () => resolve())
      link.addEventListener('error', () => reject(new Error(`Unable to preload CSS for ${lost.href}`)))
      lostStyles.delete(lost)
      lost.replaceWith(link)
    })
  await Promise.all([...lostStyles].map(fetchAgain))
}

/** Firefox aborts loads when the user leaves a page; a reload would bring the user back to it. */
const leftWithinMs = 1000

/**
 * Loads the code of a part drawn inside `Suspense`. While the platform is unreachable, waits for it and tries again. Code that fails
 * twice although the platform answers was replaced by a deployment: the page reloads once, and the promise never settles.
 */
export async function loadWithRetry<T>(load: () => Promise<T>, reload = reloadOnce): Promise<T> {
  for (let again = false; ; ) {
    try {
      return await loadWithStyles(load)
    } catch (error) {
      if (!isLostCode(error)) throw error
      if (await untilPlatformAnswers()) continue
      if (again) {
        if (!reload()) throw error
        return await new Promise<never>(() => {})
      }
      again = true
      await new Promise((resolve) => setTimeout(resolve, leftWithinMs))
    }
  }
}

/** Like loadWithRetry, for code that the page can do without: never reloads, and rejects when the files of this build no longer exist. */
export const loadWithoutReload = <T>(load: () => Promise<T>): Promise<T> => loadWithRetry(load, () => false)

/** `lazy(withRetry(() => import('./part.tsx')))` */
export const withRetry =
  <T>(load: () => Promise<T>) =>
  () =>
    loadWithRetry(load)

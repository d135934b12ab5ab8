/** Code and styles that do not come: the platform is away for a while, or a deployment has replaced the files of this build (ERR-3). */
import { untilPlatformAnswers } from '../../api/connection.ts'

const marker = 'reloaded-at'

function isLostCode(error: unknown): boolean {
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

const lostStyles = new Set<HTMLLinkElement>()

/**
 * Notes the style sheets that do not come. The build's own loader asks for each of them once: code that is asked for anew would come
 * without its styles. Returns how to stop.
 */
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

/** Asks anew for the style sheets that did not come, then for the code. Rejects as their loader does. */
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

/** A page that is being left loses what it was loading (Firefox). Loading it anew would bring the reader back to it. */
const leftWithinMs = 1000

/**
 * Loads the code of what is drawn inside `Suspense`. While the platform is away it waits for it and then asks anew, so that the screen comes
 * by itself (LIVE-8). Where the platform is there and the code does not come a second time either, it is gone after a deployment: the page
 * is loaded anew, once, and this never settles.
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

/** `lazy(withRetry(() => import('./part.tsx')))` */
export const withRetry =
  <T>(load: () => Promise<T>) =>
  () =>
    loadWithRetry(load)

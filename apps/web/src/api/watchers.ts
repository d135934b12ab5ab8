/** Parts that follow a value outside of React, by `useSyncExternalStore`. */
export interface Watchers {
  /** Returns a function that unsubscribes. */
  readonly subscribe: (watcher: () => void) => () => void
  readonly notify: () => void
}

export function makeWatchers(): Watchers {
  const all = new Set<() => void>()
  return {
    subscribe: (watcher) => {
      all.add(watcher)
      return () => void all.delete(watcher)
    },
    notify: () => {
      for (const watcher of all) watcher()
    },
  }
}

/** Watchers of a value in `localStorage`, which other tabs also change. */
export function makeStorageWatchers(): Watchers {
  const { subscribe, notify } = makeWatchers()
  return {
    subscribe: (watcher) => {
      const stop = subscribe(watcher)
      window.addEventListener('storage', watcher)
      return () => {
        stop()
        window.removeEventListener('storage', watcher)
      }
    },
    notify,
  }
}

import { useCallback, useMemo, useState } from 'react'

function read(key: string): readonly number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'number') : []
  } catch {
    return []
  }
}

/** Challenges opened on this device; others are marked as new. */
export function useSeen(gameId: number): { has: (challenge: number) => boolean; mark: (challenge: number) => void } {
  const key = `seen.${gameId}`
  const [seen, setSeen] = useState(() => read(key))
  const mark = useCallback(
    (challenge: number) =>
      setSeen((old) => {
        if (old.includes(challenge)) return old
        // Other tabs also mark challenges.
        const next = [...new Set([...read(key), ...old, challenge])]
        try {
          localStorage.setItem(key, JSON.stringify(next))
        } catch {
          // Storage is off: the mark is lost with the page.
        }
        return next
      }),
    [key],
  )
  return useMemo(() => ({ has: (challenge: number) => seen.includes(challenge), mark }), [seen, mark])
}

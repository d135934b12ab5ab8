/** Keeps every open page's title, words and colour those of the site. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { keys } from '../api/keys.ts'
import { jitter, useLive } from '../api/live.ts'
import { useSite } from './site.ts'

/** What was fetched just before the channel opened holds. */
const freshMs = 5000

export function SiteWatch() {
  const queries = useQueryClient()
  const { pathname } = useLocation()
  // The screens of a game listen to its hub anyway.
  const game = /^\/games\/([1-9]\d{0,9})(?:\/|$)/i.exec(pathname)?.[1]
  const refetch = () =>
    void setTimeout(() => {
      void queries.invalidateQueries({ queryKey: keys.config })
      void queries.invalidateQueries({ queryKey: keys.captcha })
    }, jitter())
  // Before set-up nothing but the config answers.
  const { known, setupRequired } = useSite()
  const live = useLive<'/hub/user' | '/hub/site'>({
    hub: game ? '/hub/user' : '/hub/site',
    ...(game && { game: Number(game) }),
    enabled: known && setupRequired !== true,
    hear: { VexilSettings: refetch },
    onReturn: refetch,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each channel that opens, whatever may have been said between two
  useEffect(() => {
    const { dataUpdatedAt = 0 } = queries.getQueryState(keys.config) ?? {}
    if (live === 'live' && Date.now() - dataUpdatedAt > freshMs) refetch()
  }, [live, game])

  return null
}

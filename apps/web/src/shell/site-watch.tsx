/** Keeps title, texts and colour of the site current on every page. */
import { useQueryClient } from '@tanstack/react-query'
import { settingsRepeatAfter } from '@vexil/core/limits'
import { useLocation } from 'react-router'
import { useJittered, useLive } from '../api/live.ts'
import { keys } from '../api/query-keys.ts'
import { useSite } from './site.ts'

const reads = [keys.config, keys.captcha]

export function SiteWatch() {
  const queries = useQueryClient()
  const { pathname } = useLocation()
  // The screens of a game listen to its hub anyway.
  const game = /^\/games\/([1-9]\d{0,9})(?:\/|$)/i.exec(pathname)?.[1]
  const refetch = useJittered(() => {
    for (const queryKey of reads) void queries.invalidateQueries({ queryKey })
  })
  // Before set-up only the config answers.
  const { known, setupRequired } = useSite()
  useLive<'/hub/user' | '/hub/site'>({
    hub: game ? '/hub/user' : '/hub/site',
    ...(game && { game: Number(game) }),
    enabled: known && setupRequired !== true,
    handlers: { VexilSettings: refetch },
    reads,
    repeatedFor: settingsRepeatAfter - 5000,
  })
  return null
}

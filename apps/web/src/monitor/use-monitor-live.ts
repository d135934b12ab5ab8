import type { Phase } from '@vexil/core/phases'
import { useEffect, useEffectEvent } from 'react'
import { type Listeners, type LiveState, useLive } from '../api/live.ts'
import { useTranslation } from '../ui/organiser-texts.ts'
import { toast } from '../ui/toast.tsx'
import { useMonitorStale } from './monitor.queries.ts'

/** Games whose channel was reported as connected; once is enough. */
const greeted = new Set<number>()

/** The monitor's channel, open until the game has ended (MON-2). */
export function useMonitorLive(id: number, phase: Phase, hear: Listeners<'/hub/monitor'>): LiveState {
  const { t } = useTranslation()
  const stale = useMonitorStale(id)
  const live = useLive({ hub: '/hub/monitor', game: id, enabled: phase !== 'ended', hear, onReturn: () => undefined })
  const begins = useEffectEvent(stale)
  // At the first connection too: what happened between the answer of the list and the connection was not told.
  useEffect(() => {
    if (live === 'live') begins()
  }, [live])
  useEffect(() => {
    if (live !== 'live' || greeted.has(id)) return
    greeted.add(id)
    toast({ id: 'monitor', kind: 'good', title: t('monitor.connected') })
  }, [live, id, t])
  return live
}

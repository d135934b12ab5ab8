import type { Phase } from '@vexil/core/phases'
import { useEffect } from 'react'
import { type Listeners, type LiveState, useLive } from '../api/live.ts'
import { keys } from '../api/query-keys.ts'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'

/** Games whose channel was reported as connected, so that it is reported once. */
const greeted = new Set<number>()

export function useMonitorLive(id: number, phase: Phase, handlers: Listeners<'/hub/monitor'>): LiveState {
  const { t } = useTranslation()
  const { activity, cheats, events, submissions } = keys.game(id)
  const reads = [activity, cheats, events(), submissions()]
  const live = useLive({ hub: '/hub/monitor', game: id, enabled: phase !== 'ended', handlers, reads })
  useEffect(() => {
    if (live !== 'live' || greeted.has(id)) return
    greeted.add(id)
    toast({ id: 'monitor', kind: 'good', title: t('monitor.connected') })
  }, [live, id, t])
  return live
}

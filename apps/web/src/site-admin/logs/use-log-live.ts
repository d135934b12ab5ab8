import type { LogMessage } from '@vexil/contract/live'
import { useEffect } from 'react'
import { type LiveState, pollWithout, useLive } from '../../api/live.ts'
import { keys } from '../../api/query-keys.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'

export function useLogLive(onEntry: (entry: LogMessage) => void): LiveState {
  const { t } = useTranslation()
  const live = useLive({ hub: '/hub/admin', handlers: { ReceivedLog: onEntry }, reads: [keys.admin.logs()] })
  useEffect(() => {
    if (live === 'live') toast({ id: 'logs', kind: 'good', title: t('admin.logs.connected') })
    if (live === 'reconnecting' || live === 'blocked') {
      const text = t('admin.logs.notLiveText', { seconds: Number(pollWithout(live)) / 1000 })
      toast({ id: 'logs', kind: 'bad', title: t('admin.logs.notLive'), text })
    }
  }, [live, t])
  return live
}

import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isOnline } from '../api/connection.ts'
import { useErrorText } from '../ui/base/use-action.ts'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'

/**
 * Shows a toast when a loaded list cannot be refreshed. Without data, the place of the list shows the error; while the platform is unreachable, the
 * shell does.
 */
export function useListError({ error, data }: Pick<UseQueryResult, 'error' | 'data'>): void {
  const { t } = useTranslation()
  const errorText = useErrorText()
  // biome-ignore lint/correctness/useExhaustiveDependencies: notified once per error
  useEffect(() => {
    if (error && data !== undefined && isOnline())
      toast({ id: 'monitor-list', kind: 'bad', title: t('monitor.notLoaded'), text: errorText(error) })
  }, [error])
}

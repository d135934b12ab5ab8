import { useEffect } from 'react'
import { useTranslation } from '../ui/organiser-texts.ts'
import { toast } from '../ui/toast.tsx'
import { useErrorText } from '../ui/use-action.ts'

/** A list that cannot be loaded says so in a toast, too, with the server's words if there are any (EV-4). */
export function useListError(error: unknown): void {
  const { t } = useTranslation()
  const errorText = useErrorText()
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each error
  useEffect(() => {
    if (error) toast({ id: 'monitor-list', kind: 'bad', title: t('monitor.notLoaded'), text: errorText(error) })
  }, [error])
}

import { type ContainerInstance, destroyInstance } from '@vexil/contract/instances'
import { call } from '../../api/client.ts'
import { useMany } from '../../shell/use-many.ts'
import type { Action } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useRemoveInstances } from '../site-admin.queries.ts'

export function useDestroyInstances(): Action<readonly ContainerInstance[]> {
  const { t } = useTranslation()
  const remove = useRemoveInstances()
  return useMany({
    id: 'destroy-instances',
    call: ({ containerGuid }: ContainerInstance) => call(destroyInstance, { params: { guid: containerGuid } }),
    already: 'instance.not_found',
    working: t('admin.instances.destroying'),
    done: ({ length: count }) => t('admin.instances.destroyed', { count }),
    failed: t('admin.instances.failed'),
    onDone: (removed) => remove(new Set(removed.map(({ containerGuid }) => containerGuid))),
  })
}

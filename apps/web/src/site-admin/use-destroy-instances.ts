/** Destroys instances, a few at the same time, and says how far it is. */
import { type ContainerInstance, destroyInstance } from '@vexil/contract/instances'
import { useTranslation } from 'react-i18next'
import { call, Refusal } from '../api/client.ts'
import { toast } from '../ui/toast.tsx'
import { type Action, useAction } from '../ui/use-action.ts'
import { useInstancesGone } from './site-admin.queries.ts'

const lanes = 4
const id = 'destroy-instances'

/** Nothing that another instance would fare better with. */
const endsAll = (error: unknown) => !(error instanceof Refusal) || [0, 401, 403, 429].includes(error.http)

export function useDestroyInstances(): Action<readonly ContainerInstance[]> {
  const { t } = useTranslation()
  const onGone = useInstancesGone()
  return useAction({
    id,
    call: async (instances: readonly ContainerInstance[]) => {
      const gone = new Set<string>()
      const refused: Refusal[] = []
      const waiting = [...instances]
      const lane = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          try {
            await call(destroyInstance, { params: { guid: next.containerGuid } })
            gone.add(next.containerGuid)
          } catch (error) {
            if (endsAll(error)) {
              waiting.length = 0
              throw error
            }
            // Somebody else was quicker, or it was over: what was wanted is so.
            if ((error as Refusal).code === 'instance.not_found') gone.add(next.containerGuid)
            else refused.push(error as Refusal)
          }
          const [done, total] = [gone.size + refused.length, instances.length]
          if (done < total) toast({ id, kind: 'work', title: t('admin.instances.progress', { done, total }) })
        }
      }
      const ends = await Promise.allSettled(Array.from({ length: lanes }, lane))
      await onGone(gone)
      const broken = ends.find((end) => end.status === 'rejected')
      if (broken) throw broken.reason
      if (gone.size === 0 && refused[0]) throw refused[0]
      return { gone: gone.size, refused: refused.length }
    },
    working: t('admin.instances.destroying'),
    done: ({ gone, refused }) =>
      [t('admin.instances.destroyed', { count: gone }), refused > 0 && t('admin.instances.notDestroyed', { count: refused })]
        .filter(Boolean)
        .join(' '),
    failed: t('admin.instances.failed'),
  })
}

import type { ErrorCode } from '@vexil/contract/errors'
import { Refusal } from '../api/client.ts'
import { type Action, useAction, useErrorText } from '../ui/base/use-action.ts'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'

const lanesMost = 4

interface Options<T> {
  readonly id: string
  readonly call: (item: T) => Promise<unknown>
  /** The refusal if another administrator has already done what is wanted. */
  readonly already?: ErrorCode
  /** Calls at the same time; 1 keeps the order of the entries. */
  readonly lanes?: number
  readonly working: string
  readonly done: (finished: readonly T[]) => string
  readonly failed: string
  /** Called with the processed entries, before the message. */
  readonly onDone: (done: readonly T[]) => Promise<void>
}

/** Errors that every other entry would meet, too. */
const isFatal = (error: unknown) => !(error instanceof Refusal) || [0, 401, 403, 429].includes(error.http)

export function useMany<T>({
  id,
  call,
  already,
  lanes = lanesMost,
  working,
  done,
  failed,
  onDone,
}: Options<T>): Action<readonly T[]> {
  const { t } = useTranslation()
  const errorText = useErrorText()
  return useAction({
    id,
    working,
    failed,
    call: async (items: readonly T[]) => {
      const finished: T[] = []
      const refused: Refusal[] = []
      const waiting = [...items]
      const lane = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          try {
            await call(next)
            finished.push(next)
          } catch (error) {
            if (isFatal(error)) {
              waiting.length = 0
              throw error
            }
            if (already !== undefined && (error as Refusal).code === already) finished.push(next)
            else refused.push(error as Refusal)
          }
          const counts = { done: finished.length + refused.length, total: items.length }
          if (counts.done < counts.total) toast({ id, kind: 'work', title: t('admin.progress', { working, ...counts }) })
        }
      }
      const ends = await Promise.allSettled(Array.from({ length: lanes }, lane))
      await onDone(finished)
      const broken = ends.find((end) => end.status === 'rejected')
      if (broken) throw broken.reason
      if (finished.length === 0 && refused[0]) throw refused[0]
      return { finished, refused }
    },
    done: ({ finished, refused }) =>
      refused[0]
        ? `${done(finished)} ${t('admin.refused', { count: refused.length, reason: errorText(refused[0]) })}`
        : done(finished),
  })
}

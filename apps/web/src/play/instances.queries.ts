import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { type ContainerInfo, createContainer, destroyContainer, extendContainer } from '@vexil/contract/challenges'
import { myInstances } from '@vexil/contract/instances'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { type Action, useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { formatTime, useFormats } from '../ui/time/time.ts'

export const instancesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.game(id).instances,
    queryFn: ({ signal }) => call(myInstances, { params: { id }, signal }),
    staleTime: 5000,
  })

export interface InstanceActions {
  readonly start: Action<void>
  readonly extend: Action<void>
  readonly destroy: Action<void>
  /** Cancels the start of an instance. */
  readonly cancel: Action<void>
  /** Reads the challenge and the list of instances again. */
  readonly refresh: () => void
}

export function useInstanceActions(game: number, challenge: number): InstanceActions {
  const { t } = useTranslation()
  const { language } = useFormats()
  const queries = useQueryClient()
  const params = { id: game, cid: challenge }
  const { challenge: key, instances } = keys.game(game)
  const show = (info: ContainerInfo | null) => {
    queries.setQueryData<ChallengeDetail>(
      key(challenge),
      (old) =>
        old && {
          ...old,
          context: {
            ...old.context,
            // The response always contains the address, for other clients.
            tlsEntry: info?.readiness === 'waiting' ? null : (info?.tlsEntry ?? null),
            instanceEntry: info?.readiness === 'waiting' ? null : (info?.entry ?? null),
            entries: info?.readiness === 'waiting' ? [] : (info?.entries ?? []),
            readiness: info?.readiness ?? null,
            closeTime: info?.expectStopAt ?? null,
            lastEnd: null,
            start: info?.start ?? null,
            startFailure: null,
          },
        },
    )
    void queries.invalidateQueries({ queryKey: instances })
  }
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: key(challenge) })
    void queries.invalidateQueries({ queryKey: instances })
  }
  const id = `instance-${challenge}`
  const ended = {
    id,
    // Another member was first, or the instance had already ended: the desired state is reached.
    call: () =>
      call(destroyContainer, { params }).catch((error) => {
        if (error.code !== 'container.none') throw error
      }),
    onDone: () => show(null),
  }
  return {
    start: useAction({
      id,
      call: () => call(createContainer, { params }),
      // The panel shows a start that is under way.
      done: ({ status }) => (status === 'Running' ? t('play.instanceStarted') : undefined),
      failed: t('play.instanceNotStarted'),
      onDone: show,
      onFail: (refusal) => {
        if (refusal.code === 'container.already_running') refresh()
        return false
      },
    }),
    extend: useAction({
      id,
      call: () => call(extendContainer, { params }),
      // The end of the game may limit it to less than the usual time.
      done: ({ expectStopAt }) => t('play.instanceExtended', { time: formatTime(expectStopAt, 'clock', language) }),
      onDone: show,
      onFail: (refusal) => {
        if (refusal.code === 'container.none') refresh()
        return false
      },
    }),
    destroy: useAction({ ...ended, done: t('play.instanceDestroyed') }),
    cancel: useAction({ ...ended, done: t('play.startCancelled') }),
    refresh,
  }
}

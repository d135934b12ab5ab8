import { useQueryClient } from '@tanstack/react-query'
import { type ParticipationInfo, setParticipation } from '@vexil/contract/games'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { call } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { participationsQuery } from '../game-admin.queries.ts'

interface Input {
  readonly teams: readonly ParticipationInfo[]
  readonly to: ParticipationStatus
}

export function useSetStatus(game: number) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useAction({
    id: 'participation',
    call: async ({ teams, to }: Input) => {
      for (const one of teams) {
        await call(setParticipation, { params: { id: one.id, status: to } })
        queries.setQueryData(participationsQuery(game).queryKey, (all) =>
          all?.map((each) => (each.id === one.id ? { ...each, status: to } : each)),
        )
      }
    },
    done: (_, { teams: [first, ...rest], to }) =>
      rest.length > 0
        ? t('admin.review.setMany', { count: rest.length + 1, status: t(`admin.status.${to}`) })
        : t('admin.review.setOne', { team: first?.team.name ?? '', status: t(`admin.status.${to}`) }),
    failed: t('admin.review.notSet'),
    onDone: () => queries.invalidateQueries({ queryKey: keys.game(game).all }),
  })
}

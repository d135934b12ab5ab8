import { useQueryClient } from '@tanstack/react-query'
import { type ParticipationInfo, setParticipation } from '@vexil/contract/games'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { call } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { useMany } from '../../shell/use-many.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { participationsQuery } from '../game-admin.queries.ts'

interface Input {
  readonly team: ParticipationInfo
  readonly to: ParticipationStatus
}

export function useSetStatus(game: number) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useMany<Input>({
    id: 'participation',
    call: async ({ team: { id }, to }) => {
      await call(setParticipation, { params: { id, status: to } })
      queries.setQueryData(participationsQuery(game).queryKey, (all) =>
        all?.map((each) => (each.id === id ? { ...each, status: to } : each)),
      )
    },
    working: t('admin.changing'),
    done: ([first, ...rest]) => {
      const status = first ? t(`admin.status.${first.to}`) : ''
      return rest.length > 0
        ? t('admin.review.setMany', { count: rest.length + 1, status })
        : t('admin.review.setOne', { team: first?.team.team.name ?? '', status })
    },
    failed: t('admin.review.notSet'),
    onDone: () => queries.invalidateQueries({ queryKey: keys.game(game).all }),
  })
}

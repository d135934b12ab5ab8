import { useQueryClient } from '@tanstack/react-query'
import { addFlags, type ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { challengeQuery } from '../game-admin.queries.ts'

type Rows = Parameters<typeof call<typeof addFlags>>[1]['body']

/** Adds flags and reloads the challenge, whose flags have ids then. */
export function useAddFlags(game: GameInfo, challenge: ChallengeEditDetail, onDone: () => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useAction({
    id: 'add-flags',
    call: async (body: Rows) => call(addFlags, { params: { id: game.id, cid: challenge.id }, body }),
    done: (_, { length }) => t('admin.flags.added', { count: length }),
    failed: t('admin.flags.notAdded'),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
      onDone()
    },
  })
}

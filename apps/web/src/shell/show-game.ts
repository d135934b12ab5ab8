import { useQueryClient } from '@tanstack/react-query'
import { editListChallenges } from '@vexil/contract/challenges'
import { type GameInfo, updateGame } from '@vexil/contract/games'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'

type Shown = Pick<GameInfo, 'id' | 'title' | 'start' | 'end'>

/** Asks before a hidden game is shown, and says who will see what. Resolves to the answer. */
export function useAskToShow(): (game: Shown) => Promise<boolean> {
  const { t } = useTranslation()
  const { time } = useFormats()
  const confirm = useConfirm()
  const queries = useQueryClient()
  return async ({ id, title, start, end }) => {
    const rows = await queries
      .fetchQuery({
        queryKey: keys.edit.challenges(id),
        queryFn: ({ signal }) => call(editListChallenges, { params: { id }, signal }),
      })
      .catch(() => undefined)
    const enabled = rows?.filter(({ isEnabled }) => isEnabled).length
    const lines = [
      t('admin.show.everybody'),
      t('admin.show.teams', { start: time(start), end: time(end) }),
      enabled !== undefined && t(enabled === 0 ? 'admin.show.noChallenge' : 'admin.show.challenges', { count: enabled }),
    ]
    return confirm({
      title: t('admin.show.title', { title }),
      text: lines.filter(Boolean).join(' '),
      confirm: t('admin.show.confirm'),
    })
  }
}

/** The call takes the whole game and ignores fields that only the server sets. */
export const setHidden = (game: GameInfo, hidden: boolean) =>
  call(updateGame, { params: { id: game.id }, body: { ...game, hidden } })

import { IconEye } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import { type ReadyChallenge, useConfirmShow, useShowGame } from '../../shell/show-game.tsx'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { editGameQuery, useGameChanged } from '../game-admin.queries.ts'

export function ShowButton({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const confirmShow = useConfirmShow()
  const showGame = useShowGame()
  const changed = useGameChanged(game.id)
  const show = useAction({
    id: 'show-game',
    call: (enable: readonly ReadyChallenge[]) => showGame(game.id, enable),
    done: (now) => t('admin.games.isShown', { title: now.title }),
    failed: t('admin.notSaved'),
    onDone: (now) => {
      queries.setQueryData(editGameQuery(game.id).queryKey, now)
      return changed()
    },
  })
  if (!game.hidden) return null
  return (
    <ActionButton
      action={show}
      variant="default"
      leftSection={<IconEye size={18} stroke={1.6} />}
      onClick={() => void confirmShow(game).then((enable) => enable && show.start(enable))}
    >
      {t('admin.show.button')}
    </ActionButton>
  )
}

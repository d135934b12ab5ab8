import type { DetailedGame } from '@vexil/contract/games'
import { leaveGame } from '@vexil/contract/games'
import { call } from '../api/client.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useParticipationChanged } from './games.queries.ts'

export function LeaveButton({ game }: { readonly game: DetailedGame }) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const changed = useParticipationChanged(game.id)
  const action = useAction({
    id: 'join',
    call: async () => call(leaveGame, { params: { id: game.id } }),
    done: t('games.leaveDone'),
    failed: t('games.leaveFailed'),
    onDone: changed,
  })
  const confirmAndLeave = async () => {
    const yes = await confirm({
      title: t('games.leaveTitle', { title: game.title }),
      text: t('games.leaveText'),
      confirm: t('games.leave'),
      harmful: true,
    })
    if (yes) await action.start()
  }
  return (
    <ActionButton action={action} variant="outline" color="bad" size="lg" onClick={() => void confirmAndLeave()}>
      {t('games.leave')}
    </ActionButton>
  )
}

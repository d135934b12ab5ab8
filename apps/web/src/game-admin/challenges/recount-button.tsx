import { recount } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { call } from '../../api/client.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useChallengesChanged } from '../game-admin.queries.ts'

/** Rebuilds the board from the solve log. Solve counts are always derived from it. */
export function RecountButton({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const changed = useChallengesChanged(game.id)
  const action = useAction({
    id: 'recount',
    call: async () => call(recount, { params: { id: game.id } }),
    working: t('admin.challenges.recounting'),
    done: t('admin.challenges.recounted'),
    failed: t('admin.challenges.notRecounted'),
    onDone: () => changed(),
  })
  return (
    <ActionButton action={action} variant="subtle" onClick={() => void action.start()}>
      {t('admin.challenges.recount')}
    </ActionButton>
  )
}

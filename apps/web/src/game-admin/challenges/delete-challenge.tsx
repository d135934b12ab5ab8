import { Button } from '@mantine/core'
import { type ChallengeEditDetail, deleteChallenge } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { useNavigate } from 'react-router'
import { call } from '../../api/client.ts'
import { paths } from '../../shell/paths.ts'
import { discardUnsaved } from '../../shell/unsaved.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useIsHere } from '../../ui/base/use-is-here.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useChallengesChanged } from '../game-admin.queries.ts'

interface Props {
  readonly game: GameInfo
  readonly challenge: ChallengeEditDetail
}

export function DeleteChallenge({ game, challenge }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const confirm = useConfirm()
  const changed = useChallengesChanged(game.id)
  const remove = useAction({
    id: 'delete-challenge',
    call: async () => call(deleteChallenge, { params: { id: game.id, cid: challenge.id } }),
    done: t('admin.challenge.deleted', { title: challenge.title }),
    failed: t('admin.notDeleted'),
    onDone: async () => {
      if (isHere()) {
        discardUnsaved()
        await navigate(paths.admin.game(game.id, 'challenges'))
      }
      void changed(challenge.id)
    },
  })
  const confirmAndDelete = async () => {
    const count = challenge.acceptedCount
    const yes = await confirm({
      title: t('admin.challenge.deleteTitle', { title: challenge.title }),
      text: count > 0 ? t('admin.challenge.deleteSolved', { count }) : t('admin.challenge.deleteText'),
      confirm: t('ui.delete'),
      harmful: true,
    })
    if (yes) await remove.start()
  }
  return (
    <Button variant="subtle" color="bad" loading={remove.busy} onClick={() => void confirmAndDelete()}>
      {t('ui.delete')}
    </Button>
  )
}

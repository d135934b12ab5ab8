import { Button } from '@mantine/core'
import { deleteGame, type GameInfo } from '@vexil/contract/games'
import { listSubmissions } from '@vexil/contract/submissions'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { call, Refusal } from '../../api/client.ts'
import { paths } from '../../shell/paths.ts'
import { discardUnsaved } from '../../shell/unsaved.tsx'
import { useAction, useErrorText } from '../../ui/base/use-action.ts'
import { useIsHere } from '../../ui/base/use-is-here.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useGameChanged } from '../game-admin.queries.ts'

/** Before the start of a game the server refuses to list its submissions; there are none yet. */
async function hasSubmissions(id: number): Promise<boolean> {
  try {
    return (await call(listSubmissions, { params: { id }, query: { count: 1 } })).length > 0
  } catch (error) {
    if (error instanceof Refusal && error.code === 'game.not_started') return false
    throw error
  }
}

/** Requires the title to be typed when the game has submissions. */
export function DeleteGame({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isHere = useIsHere()
  const confirm = useConfirm()
  const errorText = useErrorText()
  const changed = useGameChanged(game.id)
  const [looking, setLooking] = useState(false)
  const remove = useAction({
    id: 'delete-game',
    working: t('admin.info.deleting'),
    done: t('admin.info.deleted', { title: game.title }),
    failed: t('admin.info.notDeleted'),
    call: async () => call(deleteGame, { params: { id: game.id } }),
    onDone: async () => {
      if (isHere()) {
        discardUnsaved()
        await navigate(paths.admin.games)
      }
      void changed()
    },
  })
  const confirmAndDelete = async () => {
    setLooking(true)
    try {
      const heavy = await hasSubmissions(game.id).finally(() => setLooking(false))
      const yes = await confirm({
        title: t('admin.info.deleteTitle', { title: game.title }),
        text: t(heavy ? 'admin.info.deletePlayed' : 'admin.info.deleteText'),
        confirm: t('ui.delete'),
        harmful: true,
        ...(heavy && { typed: game.title }),
      })
      if (yes) void remove.start()
    } catch (error) {
      toast({ id: 'delete-game', kind: 'bad', title: t('admin.info.notDeleted'), text: errorText(error) })
    }
  }
  return (
    <Button variant="subtle" color="bad" loading={looking || remove.busy} onClick={() => void confirmAndDelete()}>
      {t('ui.delete')}
    </Button>
  )
}

import { Button } from '@mantine/core'
import { IconFileZip, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import { deleteWriteups, downloadWriteups } from '@vexil/contract/writeups'
import { call } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useDownload } from '../../ui/base/use-download.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { writeupsQuery } from '../game-admin.queries.ts'

export function WriteupTools({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const queries = useQueryClient()
  const count = useQuery(writeupsQuery(game.id)).data?.length ?? 0
  const all = useDownload(downloadWriteups, { params: { id: game.id } })
  const remove = useAction({
    id: 'delete-writeups',
    call: async () => call(deleteWriteups, { params: { id: game.id } }),
    done: t('admin.writeups.deleted'),
    failed: t('admin.writeups.notDeleted'),
    onDone: () => queries.invalidateQueries({ queryKey: keys.edit.writeups(game.id) }),
  })
  const confirmAndStart = async () => {
    const yes = await confirm({
      title: t('admin.writeups.deleteTitle', { count }),
      text: t('admin.writeups.deleteText'),
      confirm: t('ui.delete'),
      harmful: true,
      typed: game.title,
    })
    if (yes) await remove.start()
  }
  return (
    <>
      <Button
        variant="subtle"
        color="bad"
        leftSection={<IconTrash size={18} stroke={1.6} />}
        disabled={count === 0 || remove.busy || remove.wait > 0}
        onClick={() => void confirmAndStart()}
      >
        {t('admin.writeups.deleteAll')}
      </Button>
      <ActionButton
        action={all}
        variant="default"
        leftSection={<IconFileZip size={18} stroke={1.6} />}
        disabled={count === 0}
        onClick={() => void all.start()}
      >
        {t('admin.writeups.downloadAll')}
      </ActionButton>
    </>
  )
}

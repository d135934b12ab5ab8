import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { GameInfo, GameNotice } from '@vexil/contract/games'
import { useState } from 'react'
import { useKeys } from '../../ui/base/keyboard.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { Column, GameAdminFrame } from '../game-admin-frame.tsx'
import { NoticeDialog } from './notice-dialog.tsx'
import { NoticeList } from './notice-list.tsx'

export default function GameNoticesScreen() {
  const { t } = useTranslation()
  const [editing, setEditing] = useState<GameNotice | 'new'>()
  useKeys([{ key: 'n', name: t('admin.notices.create'), act: () => setEditing('new') }])
  const create = (
    <Button leftSection={<IconPlus size={18} stroke={1.8} />} onClick={() => setEditing('new')}>
      {t('admin.notices.create')}
    </Button>
  )
  return (
    <GameAdminFrame tab="Notices" tools={() => create}>
      {(game: GameInfo) => (
        <Column>
          <NoticeList game={game} onEdit={setEditing} create={create} />
          {editing && (
            <NoticeDialog
              key={editing === 'new' ? 'new' : editing.id}
              game={game}
              notice={editing === 'new' ? undefined : editing}
              onClose={() => setEditing(undefined)}
            />
          )}
        </Column>
      )}
    </GameAdminFrame>
  )
}

import { ActionIcon, Menu } from '@mantine/core'
import { IconCopy, IconDots, IconDownload } from '@tabler/icons-react'
import type { GameInfo } from '@vexil/contract/games'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useDuplicateGame, useExportGame } from './use-game-files.ts'

export function GameMenu({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const duplicate = useDuplicateGame()
  const save = useExportGame()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={t('admin.moreFor', { name: game.title })}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconCopy size={18} stroke={1.6} />}
          disabled={duplicate.busy}
          onClick={() => void duplicate.start(game)}
        >
          {t('admin.games.duplicate')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={18} stroke={1.6} />}
          disabled={save.busy}
          onClick={() => void save.start(game)}
        >
          {t('admin.games.export')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

import { Button } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useCopy } from '../../ui/base/copy.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { GameAdminFrame } from '../game-admin-frame.tsx'
import { DeleteGame } from './delete-game.tsx'
import { InfoForm } from './info-form.tsx'

export default function GameInfoScreen() {
  const { t } = useTranslation()
  const { copied, copy } = useCopy()
  return (
    <GameAdminFrame
      tab="Info"
      tools={(game) => (
        <>
          <Button variant="subtle" leftSection={<IconKey size={18} stroke={1.6} />} onClick={() => void copy(game.publicKey)}>
            {copied ? t('ui.copied') : t('admin.info.copyKey')}
          </Button>
          <DeleteGame game={game} />
        </>
      )}
    >
      {(game) => <InfoForm key={game.id} game={game} />}
    </GameAdminFrame>
  )
}

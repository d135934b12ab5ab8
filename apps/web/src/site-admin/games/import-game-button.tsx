import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { FileButton } from '../../ui/fields/file-button.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useImportGame } from './use-game-files.ts'

export function ImportGameButton() {
  const { t } = useTranslation()
  const action = useImportGame()
  return (
    <FileButton accept=".json,application/json" onFile={(file) => void action.start(file)}>
      {(props) => (
        <Button {...props} variant="default" loading={action.busy} leftSection={<IconUpload size={18} stroke={1.6} />}>
          {t('admin.games.import')}
        </Button>
      )}
    </FileButton>
  )
}

/** `?` shows the keys of the screen (KEYS-1). */
import { useHotkeys } from '@mantine/hooks'
import { useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { lettersListen, useKeys } from '../ui/keys.ts'
import { later } from '../ui/later.tsx'
import { useTranslation } from '../ui/texts.tsx'

const KeysList = later(() => import('./keys-list.tsx'))

export function KeysDialog() {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  // Where `?` needs Shift, the browser says both; where it does not, the sign alone.
  useKeys([{ key: 'shift+?', name: t('keys.show'), act: () => setOpened(true) }])
  useHotkeys([['?', () => lettersListen() && setOpened(true)]])
  return (
    <Dialog opened={opened} onClose={() => setOpened(false)} title={t('keys.title')} size={440}>
      <KeysList wanted={opened} />
    </Dialog>
  )
}

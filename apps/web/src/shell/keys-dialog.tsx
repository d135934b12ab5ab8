import { useHotkeys } from '@mantine/hooks'
import { useState } from 'react'
import { lettersListen, useKeys } from '../ui/base/keyboard.ts'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { useTranslation } from '../ui/text/texts.tsx'

const KeysList = lazyPart(() => import('./keys-list.tsx'))

export function KeysDialog() {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  // Where `?` needs Shift, the browser reports both; elsewhere only the character.
  useKeys([{ key: 'shift+?', name: t('keys.show'), act: () => setOpened(true) }])
  useHotkeys([['?', () => lettersListen() && setOpened(true)]])
  return <KeysList wanted={opened} opened={opened} onClose={() => setOpened(false)} />
}

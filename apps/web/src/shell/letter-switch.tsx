import { Switch } from '@mantine/core'
import { chooseLetters, useLettersListen } from '../ui/base/keyboard.ts'
import { useTranslation } from '../ui/text/texts.tsx'

export function LetterSwitch() {
  const { t } = useTranslation()
  const on = useLettersListen()
  return (
    <Switch
      label={t('keys.letters')}
      description={t('keys.lettersText')}
      checked={on}
      onChange={(event) => chooseLetters(event.currentTarget.checked)}
    />
  )
}

/** `?` shows the keys of the screen (KEYS-1). */
import { Kbd, Switch } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Fragment, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { chooseLetters, lettersListen, useKeys, useLettersListen, useShownKeys } from '../ui/keys.ts'
import { useTranslation } from '../ui/texts.tsx'
import c from './keys-dialog.module.css'

/** The switch for letters alone, here and in the profile. */
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

export function KeysDialog() {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const shown = useShownKeys()
  // Where `?` needs Shift, the browser says both; where it does not, the sign alone.
  useKeys([{ key: 'shift+?', name: t('keys.show'), act: () => setOpened(true) }])
  useHotkeys([['?', () => lettersListen() && setOpened(true)]])
  const named = [...new Map(shown.map((one) => [one.key, one])).values()]
  return (
    <Dialog opened={opened} onClose={() => setOpened(false)} title={t('keys.title')} size={440}>
      <dl className={c.keys}>
        {named.map(({ key, name }) => (
          <Fragment key={key}>
            <dt>
              <Kbd>{written(key)}</Kbd>
            </dt>
            <dd>{name}</dd>
          </Fragment>
        ))}
      </dl>
      <LetterSwitch />
    </Dialog>
  )
}

/** As it stands on the keys. */
export function written(key: string): string {
  const mac = /mac|iphone|ipad/i.test(navigator.userAgent)
  const names: Record<string, string> = {
    mod: mac ? '⌘' : 'Ctrl',
    alt: 'Alt',
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    'shift+?': '?',
  }
  return (
    names[key] ??
    key
      .split('+')
      .map((part) => names[part] ?? part.toUpperCase())
      .join(' + ')
  )
}

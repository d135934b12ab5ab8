import { Kbd } from '@mantine/core'
import { Fragment } from 'react'
import { useShownKeys } from '../ui/base/keyboard.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './keys-dialog.module.css'
import { LetterSwitch } from './letter-switch.tsx'
import { written } from './written-key.ts'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

export default function KeysList({ opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('keys.title')} size={440}>
      <Content />
    </Dialog>
  )
}

function Content() {
  const shown = useShownKeys()
  const named = [...new Map(shown.map((one) => [one.key, one])).values()]
  return (
    <>
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
    </>
  )
}

import { Button } from '@mantine/core'
import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from '../text/texts.tsx'
import c from './save-bar.module.css'

export interface SaveNote {
  readonly key: string
  readonly text: ReactNode
  /** Listed first; prevents saving. */
  readonly wrong?: boolean
  readonly icon?: ReactNode
}

interface Props {
  readonly notes: readonly SaveNote[]
  /** Label of the button: counts the changes or names the effect. */
  readonly save: string
  readonly changed: boolean
  readonly saving?: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
  readonly more?: ReactNode
}

export function SaveBar({ notes, save, changed, saving, onSave, onDiscard, more }: Props) {
  const { t } = useTranslation()
  const sorted = [...notes].sort((a, b) => Number(b.wrong ?? false) - Number(a.wrong ?? false))
  const wrong = notes.some((note) => note.wrong)
  return (
    <div className={c.bar} data-bottom-bar>
      <ul className={c.notes} aria-live="polite">
        {sorted.map((note) => (
          <li key={note.key} data-wrong={note.wrong || undefined}>
            {note.icon ?? (note.wrong ? <IconAlertCircle size={18} stroke={1.8} /> : <IconInfoCircle size={18} stroke={1.6} />)}
            <span>{note.text}</span>
          </li>
        ))}
      </ul>
      <div className={c.buttons}>
        <Button variant="default" disabled={!changed || saving} onClick={onDiscard}>
          {t('ui.discard')}
        </Button>
        <Button disabled={!changed || wrong} loading={saving} onClick={onSave}>
          {save}
        </Button>
        {more}
      </div>
    </div>
  )
}

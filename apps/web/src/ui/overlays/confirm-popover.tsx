import { Button, Popover } from '@mantine/core'
import { type MouseEvent, type ReactElement, useState } from 'react'
import { useTranslation } from '../text/texts.tsx'
import c from './confirm.module.css'
import type { Question } from './confirm-dialog.tsx'
import { FocusBack } from './focus-back.tsx'

interface Props extends Question {
  readonly onConfirm: () => void
  /** Renders the control, whose click calls `open`. */
  readonly children: (open: (event: MouseEvent) => void) => ReactElement
}

export function ConfirmPopover({ title, text, confirm, harmful, onConfirm, children }: Props) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  // The second click of a double click keeps it open.
  const open = (event: MouseEvent) => setOpened(!opened || event.detail > 1)
  return (
    <Popover opened={opened} onChange={setOpened} width={280} position="bottom-end" trapFocus returnFocus withinPortal>
      <Popover.Target>{children(open)}</Popover.Target>
      <Popover.Dropdown className={c.popover}>
        <FocusBack />
        <p className={c.question}>{title}</p>
        {text && <div className={c.small}>{text}</div>}
        <div className={c.buttons}>
          <Button size="sm" variant="default" data-autofocus={harmful || undefined} onClick={() => setOpened(false)}>
            {t('ui.cancel')}
          </Button>
          <Button
            size="sm"
            color={harmful ? 'bad' : undefined}
            onClick={() => {
              setOpened(false)
              onConfirm()
            }}
          >
            {confirm}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

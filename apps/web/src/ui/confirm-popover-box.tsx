import { Button, Popover } from '@mantine/core'
import { type Ref, type RefObject, useEffect, useImperativeHandle, useState } from 'react'
import c from './confirm.module.css'
import type { Question } from './confirm-dialog.tsx'
import { useTranslation } from './texts.tsx'

interface Props extends Question {
  /** Of its control. */
  readonly id: string
  /** It is placed there, and returns the focus to it. */
  readonly control: RefObject<HTMLElement | null>
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  readonly onConfirm: () => void
}

/** Replaces a control that is drawn elsewhere. */
function Place({ control, ref }: { readonly control: RefObject<HTMLElement | null>; readonly ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => control.current as HTMLElement, [control])
  return null
}

/** It begins closed, so that it opens as any later time: knowing what had the focus. */
export default function ConfirmPopoverBox({ id, title, text, confirm, harmful, control, opened, onChange, onConfirm }: Props) {
  const { t } = useTranslation()
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])
  return (
    <Popover
      id={id}
      opened={opened && ready}
      onChange={onChange}
      width={280}
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Place control={control} />
      </Popover.Target>
      <Popover.Dropdown className={c.popover}>
        <p className={c.question}>{title}</p>
        {text && <div className={c.small}>{text}</div>}
        <div className={c.buttons}>
          <Button size="sm" variant="default" data-autofocus={harmful || undefined} onClick={() => onChange(false)}>
            {t('ui.cancel')}
          </Button>
          <Button
            size="sm"
            color={harmful ? 'bad' : undefined}
            onClick={() => {
              onChange(false)
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

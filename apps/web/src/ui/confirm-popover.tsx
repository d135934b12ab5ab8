/** A question before what cannot be undone, at a control of a row (FB-5). Its code loads with the first one. */
import { cloneElement, type HTMLAttributes, type ReactElement, type Ref, useId, useRef, useState } from 'react'
import type { Question } from './confirm-dialog.tsx'
import { later } from './later.tsx'

const ConfirmPopoverBox = later(() => import('./confirm-popover-box.tsx'))

interface Props extends Question {
  readonly onConfirm: () => void
  /** Draws the control; `open` goes to its click. */
  readonly children: (open: () => void) => ReactElement<HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement> }>
}

/** The question of `useConfirm` as a pop-over at an icon of a row. */
export function ConfirmPopover({ children, ...question }: Props) {
  const id = useId()
  const [opened, setOpened] = useState(false)
  const [used, setUsed] = useState(false)
  const control = useRef<HTMLElement>(null)
  const open = () => {
    setUsed(true)
    setOpened(!opened)
  }
  const words = {
    ref: control,
    id,
    'aria-haspopup': 'dialog',
    'aria-expanded': opened,
    'aria-controls': opened ? `${id}-dropdown` : undefined,
  } as const
  const box = { ...question, id, control, opened, onChange: setOpened }
  return (
    <>
      {cloneElement(children(open), words)}
      {used && <ConfirmPopoverBox wanted onLost={() => setOpened(false)} {...box} />}
    </>
  )
}

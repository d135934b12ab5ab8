import type { DialogProps } from './dialog-box.tsx'
import { later } from './later.tsx'

const DialogBox = later(() => import('./dialog-box.tsx'))

/** A dialog: holds the focus, closes with Escape, gives the focus back, is named by its title (KEY-2). Its code loads when one is first opened. */
export function Dialog(props: DialogProps) {
  return <DialogBox wanted={props.opened} onLost={props.onClose} {...props} />
}

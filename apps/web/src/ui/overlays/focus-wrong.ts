/** Where the focus is after a form was refused: in the first field to be corrected, its text selected (FOCUS-1). */

const selectable = (field: Element): field is HTMLInputElement | HTMLTextAreaElement =>
  field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement

/** `before` gets the focus back if it was lost and no field is marked. */
export function focusWrong(within: Element | null | undefined, before: Element | null): void {
  const lost = document.activeElement === document.body
  const target = within?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? (lost && before?.isConnected ? before : null)
  if (!(target instanceof HTMLElement)) return
  target.focus()
  if (selectable(target)) target.select()
}

/** The form, or else the dialog, that an element belongs to. */
export const formOf = (element: Element | null): Element | null => element?.closest('form, [role="dialog"]') ?? null

/** Watches all forms for invalid fields before any call. Returns how to stop. */
export function watchForms(): () => void {
  const sent = ({ target }: Event) => {
    const before = document.activeElement
    setTimeout(() => focusWrong(target as Element, before))
  }
  document.addEventListener('submit', sent, true)
  return () => document.removeEventListener('submit', sent, true)
}

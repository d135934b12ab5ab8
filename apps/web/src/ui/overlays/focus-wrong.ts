/** Focus after a form was refused: the first invalid field, its text selected. */

const selectable = (field: Element): field is HTMLInputElement | HTMLTextAreaElement =>
  field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement

/** `before` gets the focus if it was lost and no field is invalid. */
export function focusWrong(within: Element | null | undefined, before: Element | null): void {
  const lost = document.activeElement === document.body
  const target = within?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? (lost && before?.isConnected ? before : null)
  if (!(target instanceof HTMLElement)) return
  target.focus()
  if (selectable(target)) target.select()
}

export const formOf = (element: Element | null): Element | null => element?.closest('form, [role="dialog"]') ?? null

/** Watches all forms for fields that are invalid before any call. Returns a function that stops it. */
export function watchForms(): () => void {
  const sent = ({ target }: Event) => {
    const before = document.activeElement
    setTimeout(() => focusWrong(target as Element, before))
  }
  document.addEventListener('submit', sent, true)
  return () => document.removeEventListener('submit', sent, true)
}

import { type RefObject, useEffect } from 'react'

/** `/` puts the cursor into the search field of the screen, unless somebody types or a dialog is open. Some keyboards need Shift for it. */
export function useSlash(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable], [role=dialog]')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
    }
    window.addEventListener('keydown', heard)
    return () => window.removeEventListener('keydown', heard)
  }, [field])
}

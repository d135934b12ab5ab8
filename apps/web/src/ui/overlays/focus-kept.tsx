import { useEffect, useRef } from 'react'

/**
 * For use inside a dialog. When the focused element is removed, as a form that is replaced by its result, the focus would be lost:
 * what asks for it by `data-autofocus` gets it, else the dialog (FOCUS-2).
 */
export function FocusKept() {
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const dialog = mark.current?.closest<HTMLElement>('[role="dialog"]')
    if (!dialog) return
    const page = document
    let last: EventTarget | null = null
    const remember = ({ target }: FocusEvent) => {
      last = target
    }
    const watch = new MutationObserver(() => {
      // What is only held while something runs is still there, and gets the focus again.
      if (!(last instanceof Element) || last.isConnected || page.activeElement !== page.body) return
      const next = dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog
      next.focus({ preventScroll: true })
    })
    dialog.addEventListener('focusin', remember)
    watch.observe(dialog, { childList: true, subtree: true })
    return () => {
      dialog.removeEventListener('focusin', remember)
      watch.disconnect()
    }
  }, [])
  return <span ref={mark} hidden />
}

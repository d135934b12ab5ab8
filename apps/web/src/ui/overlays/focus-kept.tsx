import { useEffect, useRef } from 'react'

/** Inside a dialog: when the focused element is removed, focuses `[data-autofocus]`, or the dialog. */
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
      // A control that is only disabled while something runs gets the focus again.
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

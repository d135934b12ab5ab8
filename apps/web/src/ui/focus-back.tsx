import { useEffect } from 'react'

/** What opened something: the element that had the focus, or the button of the menu that it was chosen from. */
function openerOf(active: Element | null): Element | null {
  const menu = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return menu ? document.getElementById(menu) : active
}

/** Longer than a dialog needs to fade. */
const settledMs = 200

/**
 * For use inside a dialog. When it is unmounted, for any reason, and the focus would be lost, the opener of the dialog gets it back; if that is
 * gone, the content of the page does (FOCUS-2).
 */
export function FocusBack() {
  useEffect(() => {
    // Kept: the page itself may be gone when the timer runs.
    const page = document
    const opener = openerOf(page.activeElement)
    return () =>
      void setTimeout(() => {
        const lost = page.activeElement === page.body || page.activeElement === null
        // Another dialog took the place of this one.
        if (!lost || page.querySelector('[role="dialog"]')) return
        const target = opener?.isConnected && opener !== page.body ? opener : page.getElementById('content')
        if (target && 'focus' in target) (target as HTMLElement | SVGElement).focus({ preventScroll: true })
      }, settledMs)
  }, [])
  return null
}

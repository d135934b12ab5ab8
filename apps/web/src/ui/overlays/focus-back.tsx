import { useEffect } from 'react'

/** What opened something: the element that had the focus, or the button of the menu that it was chosen from. */
function openerOf(active: Element | null): Element | null {
  const menu = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return menu ? document.getElementById(menu) : active
}

/** Longer than a dialog needs to fade. */
const settledMs = 200

const isLost = (page: Document) => page.activeElement === page.body || page.activeElement === null

/** Gives the focus to the content of the page when `opener` is removed while it has the focus, as by the answer to what was confirmed. */
function followRemoval(page: Document, opener: Element, content: HTMLElement | null) {
  const observer = new MutationObserver(() => {
    if (opener.isConnected && page.activeElement === opener) return
    observer.disconnect()
    if (!opener.isConnected && isLost(page)) content?.focus({ preventScroll: true })
  })
  observer.observe(page.body, { childList: true, subtree: true })
}

/**
 * For use inside a dialog. When it is unmounted, for any reason, and the focus would be lost, the opener of the dialog gets it back; if that is
 * gone, or removed before the focus moves on, the content of the page does (FOCUS-2).
 */
export function FocusBack() {
  useEffect(() => {
    // Kept: the page itself may be gone when the timer runs.
    const page = document
    const opener = openerOf(page.activeElement)
    return () =>
      void setTimeout(() => {
        // Another dialog took the place of this one.
        if (page.querySelector('[role="dialog"]')) return
        const content = page.getElementById('content')
        const target = opener?.isConnected && opener !== page.body ? opener : content
        if (isLost(page) && target && 'focus' in target) (target as HTMLElement | SVGElement).focus({ preventScroll: true })
        // Also where the dialog itself gave the focus back.
        if (opener && opener !== page.body && page.activeElement === opener) followRemoval(page, opener, content)
      }, settledMs)
  }, [])
  return null
}

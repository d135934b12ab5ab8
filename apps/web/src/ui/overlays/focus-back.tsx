import { useEffect, useRef } from 'react'

/** The focused element, or the button of the menu that contains it. */
function openerOf(active: Element | null): Element | null {
  const menu = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return menu ? document.getElementById(menu) : active
}

/** Longer than the fade of a dialog. */
const settledMs = 200

const isFocusLost = (page: Document) => page.activeElement === page.body || page.activeElement === null

/** Focuses the content of the page when `opener` is removed while it has the focus. */
function followRemoval(page: Document, opener: Element, content: HTMLElement | null) {
  const observer = new MutationObserver(() => {
    if (opener.isConnected && page.activeElement === opener) return
    observer.disconnect()
    if (!opener.isConnected && isFocusLost(page)) content?.focus({ preventScroll: true })
  })
  observer.observe(page.body, { childList: true, subtree: true })
}

interface Props {
  /** Ids of elements that get the focus if the opener no longer exists; the first one that exists. */
  readonly instead?: readonly string[]
}

/** Inside a dialog: if its unmounting loses the focus, focuses the opener, or the content of the page. */
export function FocusBack({ instead = [] }: Props) {
  const others = useRef(instead)
  useEffect(() => {
    // The global may no longer exist when the timer runs.
    const page = document
    const opener = openerOf(page.activeElement)
    return () =>
      void setTimeout(() => {
        // Another dialog replaced this one, unless the opener is in a dialog that was open below it.
        if (page.querySelector('[role="dialog"]') && !(opener?.isConnected && opener.closest('[role="dialog"]'))) return
        const content = page.getElementById('content')
        const other = others.current.map((id) => page.getElementById(id)).find((one) => one !== null)
        const target = opener?.isConnected && opener !== page.body ? opener : (other ?? content)
        if (isFocusLost(page) && target && 'focus' in target) (target as HTMLElement | SVGElement).focus({ preventScroll: true })
        // An opener that is disabled now does not take it.
        if (isFocusLost(page)) content?.focus({ preventScroll: true })
        // Applies also if the dialog itself restored the focus.
        if (opener && opener !== page.body && page.activeElement === opener) followRemoval(page, opener, content)
      }, settledMs)
  }, [])
  return null
}

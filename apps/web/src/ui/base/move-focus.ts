import type { KeyboardEvent } from 'react'

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** Moves the focus between the buttons of an element: arrow keys in a circle, Home and End. Such a group is one stop of Tab (WAI-ARIA, roving tabindex). */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  // Events of an opened menu arrive through the tree of React.
  if (!event.currentTarget.contains(event.target as Node)) return
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  const step = steps[event.key]
  if (at < 0 || (step === undefined && event.key !== 'Home' && event.key !== 'End')) return
  event.preventDefault()
  const next = step === undefined ? (event.key === 'Home' ? 0 : -1) : (at + step) % buttons.length
  buttons.at(next)?.focus()
}

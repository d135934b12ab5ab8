/** User actions on a tested page. Popovers and dialogs are outside the page's element. */
import { act } from 'react'
import { expect } from 'vitest'
import { waitInAct } from './page.tsx'

/** Waits for responses and renders in several turns, so that chains complete on a busy machine, too. */
export const settle = (ms = 20) =>
  waitInAct(async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, ms / 10))
  })

/** Confirmations of actions that cannot be undone. */
const harmful =
  /^(Ban|Delete|Destroy|Disband team|Discard|Generate new code|Leave|Leave team|Make captain|Reject|Remove|Reset|Reset logo|Suspend)$/

/** Clicks. FB-5: in a question about a harmful action the button that cancels has the focus. */
export async function click(element: Element | null | undefined): Promise<void> {
  expect(element).toBeTruthy()
  const cancels = element?.previousElementSibling
  if (cancels?.textContent === 'Cancel' && harmful.test(element?.textContent ?? ''))
    expect(cancels.hasAttribute('data-autofocus'), `the focus of the question "${element?.textContent}"`).toBe(true)
  await act(async () => element?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })))
  await settle()
}

/** The last button with this text. */
export const button = (text: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button')].filter((one) => one.textContent === text).at(-1)

/** The last control with this accessible name. */
export const named = <E extends HTMLElement = HTMLElement>(name: string) =>
  [...document.querySelectorAll<E>(`[aria-label="${name}"]`)].at(-1)

/** The last field with this label. */
export function field(label: string): HTMLInputElement & HTMLTextAreaElement {
  const found = [...document.querySelectorAll('label')].filter((one) => one.textContent?.replace(' *', '') === label).at(-1)
  const control = found && document.getElementById(found.htmlFor)
  expect(control, label).toBeTruthy()
  return control as HTMLInputElement & HTMLTextAreaElement
}

/** Types into a field: React observes only the native setter. */
export async function write(control: HTMLInputElement | HTMLTextAreaElement | undefined, text: string): Promise<void> {
  const kind = control instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement
  await act(async () => {
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(control, text)
    control?.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

export async function send(control: Element | null | undefined): Promise<void> {
  await act(async () => control?.closest('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
  await settle()
}

export const rows = (place: ParentNode = document) => [...place.querySelectorAll('tbody tr')].map((row) => row.textContent ?? '')

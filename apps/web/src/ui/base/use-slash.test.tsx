// @vitest-environment jsdom
import { act, useRef } from 'react'
import { expect, onTestFinished, test } from 'vitest'
import { button } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { chooseLetters, useShownKeys } from './keyboard.ts'
import { useSlash } from './use-slash.ts'

function Search() {
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  const keys = useShownKeys()
  return (
    <>
      <input ref={field} id="search" />
      <input type="checkbox" id="hide" />
      <input type="radio" id="kind" />
      <input id="text" />
      <textarea id="note" />
      <div role="dialog">
        <button type="button" id="cancel" />
      </div>
      {keys.map(({ key, name, act }) => (
        <button key={key} type="button" onClick={act}>
          {name}
        </button>
      ))}
    </>
  )
}
const focused = () => document.activeElement?.id

test('KEYS-1 the slash also leaves a switch and a choice, but not a text', async () => {
  await openPage(<Search />)
  for (const [id, to] of [
    ['hide', 'search'],
    ['kind', 'search'],
    ['text', 'text'],
    ['note', 'note'],
    ['cancel', 'cancel'],
  ] as const) {
    const from = document.getElementById(id)
    from?.focus()
    await act(async () => void from?.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true })))
    expect(focused()).toBe(to)
  }
})

test('KEYS-1 the slash and its entry in the list of keys focus the search', async () => {
  await openPage(<Search />)
  const slash = new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true })
  await act(async () => void document.body.dispatchEvent(slash))
  // Otherwise the browser types it.
  expect([focused(), slash.defaultPrevented]).toEqual(['search', true])
  await act(async () => document.getElementById('search')?.blur())
  // With another key it is a shortcut of the browser or of the system.
  for (const key of ['ctrlKey', 'metaKey', 'altKey']) {
    const init = { key: '/', bubbles: true, cancelable: true, [key]: true }
    await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', init)))
    expect([key, focused()]).toEqual([key, ''])
  }
  expect(focused()).toBe('')
  onTestFinished(() => chooseLetters(true))
  await act(async () => chooseLetters(false))
  await act(async () => void document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true })))
  expect(focused()).toBe('')
  await act(async () => button('Search')?.click())
  expect(focused()).toBe('search')
})

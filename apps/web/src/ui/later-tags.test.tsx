// @vitest-environment jsdom
// Alone: it looks at a field before its code was loaded.
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage, until } from '../../test/page.tsx'
import { laterParts } from './later.tsx'
import { LaterTags } from './later-tags.tsx'

const enter = () => new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })

test('before its code is there tags are shown and taken away; reached by the keyboard the field keeps the focus, Enter and what was typed', async () => {
  // Other tests have all code at once.
  laterParts.clear()
  const taken = vi.fn()
  const place = await openPage(<LaterTags label="Tags" value={['news', 'cup']} onChange={taken} />)
  const field = () => place.querySelector('input') as HTMLInputElement
  expect(place.textContent).toContain('news')
  await act(async () => place.querySelector<HTMLElement>('.mantine-Pill-remove')?.click())
  expect(taken.mock.calls).toEqual([[['cup']]])
  const first = field()
  await act(async () => {
    first.focus()
    first.value = ' sail '
    // The form around it must not be sent.
    expect(first.dispatchEvent(enter())).toBe(false)
    first.value = 'cup'
    first.dispatchEvent(enter())
    first.value = 'late'
  })
  expect(taken.mock.calls.slice(1)).toEqual([[['news', 'cup', 'sail']]])
  await until(() => expect(field()).not.toBe(first))
  expect(field().value).toBe('late')
  expect(document.activeElement).toBe(field())
  expect(place.textContent).toContain('newscup')
})

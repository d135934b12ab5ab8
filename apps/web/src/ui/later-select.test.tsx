// @vitest-environment jsdom
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage, until } from '../../test/page.tsx'
import { laterParts } from './later.tsx'
import { LaterSelect } from './later-select.tsx'

const data = [
  { value: 'a', label: 'Amber' },
  { value: 'b', label: 'Blue' },
]

test('before its code is there a field shows what is chosen; reached by the keyboard it keeps the focus, pressed it opens', async () => {
  // Other tests have all code at once.
  laterParts.clear()
  const taken = vi.fn()
  const place = await openPage(<LaterSelect label="Colour" data={data} value="b" onChange={taken} />)
  const field = () => place.querySelector('input[role=combobox]') as HTMLInputElement
  expect(field().value).toBe('Blue')
  expect(document.querySelector('[role=option]')).toBeNull()
  const first = field()
  await act(async () => {
    // The field that the button went down on is gone before it comes up: nothing is clicked.
    first.dispatchEvent(new Event('pointerdown', { bubbles: true }))
    first.focus()
  })
  await until(() => expect(field()).not.toBe(first))
  expect(document.activeElement).toBe(field())
  expect(field().value).toBe('Blue')
  await until(() => expect(document.querySelectorAll('[role=option]')).toHaveLength(2))
  await act(async () => document.querySelector<HTMLElement>('[role=option]')?.click())
  expect(taken).toHaveBeenCalledWith('a', expect.anything())
})

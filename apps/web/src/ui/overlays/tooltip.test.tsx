// @vitest-environment jsdom
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { settle } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { Tooltip } from './tooltip.tsx'

const tip = () => document.querySelector<HTMLElement>('[role=tooltip]')

test('a tooltip stays at its target when the window is resized or scrolled, and Escape hides it', async () => {
  const place = await openPage(
    <Tooltip label="Copy the flag" openDelay={0}>
      <button type="button">Copy</button>
    </Tooltip>,
  )
  const target = place.querySelector('button') as HTMLButtonElement
  let left = 100
  target.getBoundingClientRect = () => new DOMRect(left, 200, 40, 20)
  await act(async () => void target.dispatchEvent(new MouseEvent('pointerover', { bubbles: true })))
  await until(() => expect(tip()?.style.left).toBe('120px'))
  for (const type of ['resize', 'scroll']) {
    left += 50
    window.dispatchEvent(new Event(type))
    expect(tip()?.style.left, type).toBe(`${left + 20}px`)
  }
  await act(async () => void document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })))
  expect(tip()).toBeNull()
})

test('a tooltip disappears when the pointer leaves its target, which notices both moves, too', async () => {
  const [entered, left] = [vi.fn(), vi.fn()]
  const place = await openPage(
    <Tooltip label="Copy the flag" openDelay={0} onPointerEnter={entered} onPointerLeave={left}>
      <button type="button">Copy</button>
    </Tooltip>,
  )
  const move = (type: string) =>
    act(async () => void place.querySelector('button')?.dispatchEvent(new MouseEvent(type, { bubbles: true })))
  await move('pointerover')
  await until(() => expect(tip()).not.toBeNull())
  expect(entered).toHaveBeenCalledOnce()
  await move('pointerout')
  expect(tip()).toBeNull()
  expect(left).toHaveBeenCalledOnce()
  // Two pointers: each starts the delay.
  const target = place.querySelector('button')
  act(() => {
    for (const type of ['pointerover', 'pointerover', 'pointerout'])
      target?.dispatchEvent(new MouseEvent(type, { bubbles: true }))
  })
  await settle()
  expect(tip()).toBeNull()
})

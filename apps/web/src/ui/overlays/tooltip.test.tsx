// @vitest-environment jsdom
import { act } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('a tooltip is shown while its target has the focus of the keyboard', async () => {
  const [focused, blurred] = [vi.fn(), vi.fn()]
  const place = await openPage(
    <Tooltip label="Copy the flag" onFocus={focused} onBlur={blurred}>
      <button type="button">Copy</button>
    </Tooltip>,
  )
  const target = place.querySelector('button')
  await act(async () => target?.focus())
  await until(() => expect(tip()?.textContent).toBe('Copy the flag'))
  await act(async () => target?.blur())
  expect(tip()).toBeNull()
  expect([focused.mock.calls.length, blurred.mock.calls.length]).toEqual([1, 1])
  // A press of the mouse focuses it, too.
  Object.assign(target as object, { matches: (selector: string) => selector !== ':focus-visible' })
  await act(async () => target?.focus())
  expect(tip()).toBeNull()
})

test('the target of a tooltip keeps its own description and listeners', async () => {
  const own = { onPointerEnter: vi.fn(), onPointerLeave: vi.fn(), onFocus: vi.fn(), onBlur: vi.fn() }
  const place = await openPage(
    <Tooltip label="Copy the flag" openDelay={0}>
      <button type="button" aria-describedby="about" {...own}>
        Copy
      </button>
    </Tooltip>,
  )
  const target = place.querySelector('button')
  expect(target?.getAttribute('aria-describedby')).toBe('about')
  for (const type of ['pointerover', 'pointerout'])
    await act(async () => void target?.dispatchEvent(new MouseEvent(type, { bubbles: true })))
  await act(async () => target?.focus())
  expect(target?.getAttribute('aria-describedby')).toBe(tip()?.id)
  await act(async () => target?.blur())
  expect(target?.getAttribute('aria-describedby')).toBe('about')
  expect(Object.values(own).map((listener) => listener.mock.calls.length)).toEqual([1, 1, 1, 1])
})

test('a tooltip disappears when the pointer leaves its target, which notices both moves, too', async () => {
  const [entered, left] = [vi.fn(), vi.fn()]
  const place = await openPage(
    <>
      <Tooltip label="Copy the flag" openDelay={0} onPointerEnter={entered} onPointerLeave={left}>
        <button type="button">Copy</button>
      </Tooltip>
      <Tooltip label="Much later" openDelay={60_000}>
        <i />
      </Tooltip>
    </>,
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
  // The page is closed before this one is shown.
  await act(async () => void place.querySelector('i')?.dispatchEvent(new MouseEvent('pointerover', { bubbles: true })))
})

test.each([
  ['top', new DOMRect(100, 200, 40, 20), { left: '70px', top: '165px' }],
  ['top', new DOMRect(100, 20, 40, 20), { left: '70px', top: '45px' }],
  ['bottom', new DOMRect(0, 200, 40, 20), { left: '8px', top: '225px' }],
  ['bottom', new DOMRect(980, 740, 40, 20), { left: '916px', top: '705px' }],
  ['right', new DOMRect(100, 200, 40, 20), { left: '145px', top: '195px' }],
  ['right', new DOMRect(900, 0, 40, 20), { left: '795px', top: '8px' }],
] as const)('a tooltip at the %s of %j is at %j, within the window', async (position, box, style) => {
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(100)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(30)
  onTestFinished(() => void vi.restoreAllMocks())
  const place = await openPage(
    <Tooltip label="Copy the flag" position={position} openDelay={0}>
      <button type="button">Copy</button>
    </Tooltip>,
  )
  const target = place.querySelector('button') as HTMLButtonElement
  target.getBoundingClientRect = () => box
  await act(async () => void target.dispatchEvent(new MouseEvent('pointerover', { bubbles: true })))
  await until(() => expect(tip()).not.toBeNull())
  expect([innerWidth, innerHeight]).toEqual([1024, 768])
  expect({ left: tip()?.style.left, top: tip()?.style.top }).toEqual(style)
  expect(target.getAttribute('aria-describedby')).toBe(tip()?.id)
})

test('a finger, and a tooltip that is disabled, show none; the delay passes first', async () => {
  const place = await openPage(
    <>
      <Tooltip label="One" openDelay={0}>
        <button type="button">One</button>
      </Tooltip>
      <Tooltip label="Two" openDelay={0} disabled>
        <button type="button">Two</button>
      </Tooltip>
      <Tooltip label="Three">
        <button type="button">Three</button>
      </Tooltip>
    </>,
  )
  const [one, two, three] = place.querySelectorAll('button')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const enter = (target: Element | undefined, pointerType: string) =>
    act(async () => void target?.dispatchEvent(Object.assign(new Event('pointerover', { bubbles: true }), { pointerType })))
  const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))
  await enter(one, 'touch')
  await enter(two, 'mouse')
  await pass(1000)
  expect(tip()).toBeNull()
  await enter(three, 'mouse')
  await pass(299)
  expect(tip()).toBeNull()
  await pass(1)
  expect(tip()?.textContent).toBe('Three')
})

// @vitest-environment jsdom
import { notifications, notificationsStore } from '@mantine/notifications'
import { act, createElement } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPage, until } from '../../../test/page.tsx'
import { closeToast, toast } from './toast.tsx'
import ToastList, { freePlace } from './toast-list.tsx'

const message = { width: 380, height: 80 }
const window = { width: 1440, height: 800 }
const control = (top: number, bottom: number, left = 1200, right = 1300) => ({ top, bottom, left, right })
const all = (count: number) => Array.from({ length: count }, (_, index) => index)

test('TOAST-1 a message is at the lower edge, or above what it would cover', () => {
  const bottom = (...taken: ReturnType<typeof control>[]) => freePlace(message, window, taken)
  expect(bottom()).toEqual({ right: 16, bottom: 16 })
  // A control in the way; one below the message; one next to it; two with enough space between them; two without.
  expect(bottom(control(740, 780))).toEqual({ right: 16, bottom: 68 })
  expect(bottom(control(795, 799))).toEqual({ right: 16, bottom: 16 })
  expect(bottom(control(740, 780, 900, 1030))).toEqual({ right: 16, bottom: 16 })
  expect(bottom(control(600, 640), control(740, 780))).toEqual({ right: 16, bottom: 68 })
  expect(bottom(control(640, 660), control(740, 780))).toEqual({ right: 16, bottom: 168 })
  // Less than 8 px below the message is too near.
  expect(bottom(control(788, 800))).toEqual({ right: 16, bottom: 20 })
})

test('TOAST-1 beside a column of buttons it is to the left of them', () => {
  const rows = all(40).map((row) => control(row * 20, row * 20 + 19, 1370, 1400))
  expect(freePlace(message, window, rows)).toEqual({ right: 1440 - 1370 + 8, bottom: 16 })
})

test('TOAST-1 where no place is free there is no message', () => {
  const full = all(40).map((row) => control(row * 20, row * 20 + 19, 0, 1440))
  expect(freePlace(message, window, full)).toBeUndefined()
})

test('TOAST-1 a message gives way to a control as soon as that appears; where no place is free, only to the bottom bar', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(380)
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(80)
  const at = (left: number, top: number, width: number, height: number) => new DOMRect(left, top, width, height)
  const bottom = () => Number.parseFloat(document.documentElement.style.getPropertyValue('--toast-bottom'))
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    if (this.id === 'save') return at(innerWidth - 120, innerHeight - 50, 100, 40)
    if (this.id === 'higher') return at(innerWidth - 120, innerHeight - 130, 100, 20)
    if (this.id === 'all') return at(0, 0, innerWidth, innerHeight)
    if (this.hasAttribute('data-bottom-bar')) return at(0, innerHeight - 56, innerWidth, 56)
    // The button that closes the message is not a control in its way.
    return this.closest('aside [data-position=bottom-right]')
      ? at(innerWidth - 396, innerHeight - bottom() - 80, 380, 80)
      : at(0, 0, 0, 0)
  })
  const place = await openPage(createElement(ToastList))
  expect(place.querySelector('aside')?.getAttribute('aria-label')).toBe('Messages')
  let grow = () => {}
  vi.stubGlobal(
    'ResizeObserver',
    class {
      #hear: () => void
      constructor(hear: () => void) {
        this.#hear = hear
      }
      observe() {
        grow = this.#hear
      }
      disconnect() {}
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  await act(async () => void notifications.show({ title: 'Buoy created', message: '', autoClose: false }))
  expect(bottom()).toBe(16)
  const save = document.createElement('button')
  save.id = 'save'
  place.append(save)
  // The observer runs before the next paint, so no timer is needed.
  await Promise.resolve()
  expect(bottom()).toBe(58)
  // It stays where it is until a control is under it, also one that a style or scrolling has moved.
  save.id = ''
  place.append(document.createElement('p'))
  await Promise.resolve()
  expect(bottom()).toBe(58)
  save.id = 'higher'
  await until(() => expect(bottom()).toBe(16))
  save.id = 'save'
  grow()
  expect(bottom()).toBe(58)
  save.id = ''
  globalThis.dispatchEvent(new Event('resize'))
  expect(bottom()).toBe(16)
  save.id = 'save'
  // Controls behind a dialog are not in its way.
  const dialog = document.createElement('div')
  dialog.setAttribute('role', 'dialog')
  dialog.ariaModal = 'true'
  place.append(dialog)
  globalThis.dispatchEvent(new Event('resize'))
  expect(bottom()).toBe(16)
  dialog.remove()
  globalThis.dispatchEvent(new Event('resize'))
  expect(bottom()).toBe(58)
  const all = document.createElement('button')
  all.id = 'all'
  const bar = document.createElement('nav')
  bar.dataset.bottomBar = ''
  place.append(bar, all)
  await Promise.resolve()
  expect(bottom()).toBe(56 + 16)
  vi.restoreAllMocks()
})

test('a message that replaces another one of its kind is shown as long as a new one', async () => {
  vi.useFakeTimers()
  try {
    await openPage(null)
    const shown = () => notificationsStore.getState().notifications.map(({ title }) => title)
    const pass = (ms: number) => act(async () => vi.advanceTimersByTime(ms))
    for (const title of ['Registered', 'Signed out', 'Signed in']) {
      await act(async () => toast({ id: 'account', kind: 'good', title }))
      await pass(3_900)
      expect(shown()).toEqual([title])
    }
    await pass(200)
    expect(shown()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('five messages are shown at once; closing one leaves the others, and shows the next one', async () => {
  const place = await openPage(createElement(ToastList))
  const shown = () => notificationsStore.getState().notifications.map(({ title }) => title)
  await act(async () => {
    for (const id of ['1', '2', '3', '4', '5', '6']) toast({ id, kind: 'work', title: id })
  })
  expect(shown()).toEqual(['1', '2', '3', '4', '5'])
  // One that is not shown yet is replaced, too.
  await act(async () => toast({ id: '6', kind: 'work', title: 'the sixth' }))
  await act(async () => closeToast('1'))
  expect(shown()).toEqual(['2', '3', '4', '5', 'the sixth'])
  expect(place.querySelector('aside > div')?.getAttribute('style')).toContain('--notifications-container-width: calc(23.75rem')
})

test('a failure is red and read out at once; other messages have other colours and wait', async () => {
  await openPage(null)
  const looks = []
  for (const kind of ['good', 'plain', 'wary', 'work', 'bad'] as const) {
    await act(async () => toast({ id: 'one', kind, title: kind }))
    const { color, role, autoClose, withCloseButton, closeButtonProps } = notificationsStore.getState().notifications[0] ?? {}
    looks.push([kind, color, role, autoClose, withCloseButton])
    expect(closeButtonProps?.['aria-label']).toBe('Close')
  }
  expect(looks).toEqual([
    ['good', 'var(--ok)', 'status', 4000, true],
    ['plain', 'var(--accent-text)', 'status', 5000, true],
    ['wary', 'var(--warn)', 'status', 6000, true],
    ['work', 'var(--accent-text)', 'status', false, false],
    ['bad', 'var(--bad)', 'alert', 8000, true],
  ])
})

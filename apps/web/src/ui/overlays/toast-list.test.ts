import { expect, test } from 'vitest'
import { freePlace } from './toast-list.tsx'

const message = { width: 380, height: 80 }
const window = { width: 1440, height: 800 }
const control = (top: number, bottom: number, left = 1200, right = 1300) => ({ top, bottom, left, right })
const all = (count: number) => Array.from({ length: count }, (_, index) => index)

test('TOAST-1 a message is at the lower edge, or above what it would cover', () => {
  const bottom = (...taken: ReturnType<typeof control>[]) => freePlace(message, window, taken)
  expect(bottom()).toEqual({ right: 16, bottom: 16 })
  // A control in the way, one below the message, one beside it, and one that leaves no room below the next.
  expect(bottom(control(740, 780))).toEqual({ right: 16, bottom: 68 })
  expect(bottom(control(795, 799))).toEqual({ right: 16, bottom: 16 })
  expect(bottom(control(740, 780, 900, 1030))).toEqual({ right: 16, bottom: 16 })
  expect(bottom(control(600, 640), control(740, 780))).toEqual({ right: 16, bottom: 68 })
  expect(bottom(control(640, 660), control(740, 780))).toEqual({ right: 16, bottom: 168 })
})

test('TOAST-1 beside a column of buttons it is to the left of them', () => {
  const rows = all(40).map((row) => control(row * 20, row * 20 + 19, 1370, 1400))
  expect(freePlace(message, window, rows)).toEqual({ right: 1440 - 1370 + 8, bottom: 16 })
})

test('TOAST-1 where no place is free there is no message', () => {
  const full = all(40).map((row) => control(row * 20, row * 20 + 19, 0, 1440))
  expect(freePlace(message, window, full)).toBeUndefined()
})

import { expect, test } from 'vitest'
import { freePlace } from './toast-list.tsx'

test('TOAST-1 a message stands at the lower edge, and above what it would cover', () => {
  expect(freePlace(80, 800, [])).toBe(704)
  // A control in the way, one below the message, and one that leaves no room below the next.
  expect(freePlace(80, 800, [{ top: 740, bottom: 780 }])).toBe(652)
  expect(freePlace(80, 800, [{ top: 795, bottom: 799 }])).toBe(704)
  expect(
    freePlace(80, 800, [
      { top: 600, bottom: 640 },
      { top: 740, bottom: 780 },
    ]),
  ).toBe(652)
  expect(
    freePlace(80, 800, [
      { top: 640, bottom: 660 },
      { top: 740, bottom: 780 },
    ]),
  ).toBe(552)
})

test('TOAST-1 where every place is taken there is none', () => {
  const full = Array.from({ length: 40 }, (_, row) => ({ top: row * 20, bottom: row * 20 + 19 }))
  expect(freePlace(80, 800, full)).toBeUndefined()
})

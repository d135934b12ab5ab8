// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test } from 'vitest'
import { write } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { NumberField } from './number-field.tsx'

let value: number | string

function Field({
  first,
  ...rest
}: {
  readonly first: number | string
  readonly decimals?: number
  readonly step?: number
  readonly min?: number
  readonly max?: number
  readonly clamps?: boolean
  readonly unit?: string
}) {
  const [own, setOwn] = useState(first)
  value = own
  return <NumberField aria-label="Points" value={own} onChange={setOwn} min={0} max={100} {...rest} />
}

const open = async (first: number | string, rest: object = {}) => {
  const place = await openPage(<Field first={first} {...rest} />)
  const field = place.querySelector('input') as HTMLInputElement
  const says = async (text: string) => {
    await write(field, text)
    return [field.value, value]
  }
  const press = async (key: string, more: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
    await act(async () => void field.dispatchEvent(event))
    // The browser would move the cursor.
    expect(event.defaultPrevented).toBe(Object.keys(more).length === 0)
    return value
  }
  return { field, says, press }
}

test('a whole number accepts only digits, and an incomplete one is reported as text', async () => {
  const { says } = await open(7)
  expect(await says('12')).toEqual(['12', 12])
  expect(await says('12x')).toEqual(['12', 12])
  expect(await says('1.5')).toEqual(['12', 12])
  expect(await says('')).toEqual(['', ''])
  expect(await says('-')).toEqual(['-', '-'])
  expect(await says('-3')).toEqual(['-3', -3])
  expect(await says('007')).toEqual(['7', 7])
  expect(await says('1 2')).toEqual(['12', 12])
  // More digits would be rounded.
  expect(await says('1'.repeat(16))).toEqual(['12', 12])
  // The form refuses values out of range.
  expect(await says('500')).toEqual(['500', 500])
})

test('a field that clamps takes the nearest valid value when it is left; its unit is shown', async () => {
  const { field, says } = await open(7, { clamps: true, unit: 'points' })
  const leave = () => act(async () => void field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  expect(field.closest('div')?.parentElement?.textContent).toContain('points')
  expect(field.inputMode).toBe('numeric')
  for (const [typed, left] of [
    ['500', 100],
    ['-5', 0],
    ['60', 60],
  ] as const) {
    await says(typed)
    await leave()
    expect(value).toBe(left)
  }
  const free = await open(7)
  await free.says('500')
  await act(async () => void free.field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  expect(value).toBe(500)
})

test('full-width digits and a comma are accepted; decimals stay as typed', async () => {
  const { says, field } = await open(1, { decimals: 2 })
  expect(field.inputMode).toBe('decimal')
  expect(await says('２５')).toEqual(['25', 25])
  expect(await says('1,')).toEqual(['1.', 1])
  expect(await says('1.50')).toEqual(['1.50', 1.5])
  expect(await says('1.505')).toEqual(['1.50', 1.5])
})

test('arrow up and down change the value by the step and stop at the limits', async () => {
  const { says, press } = await open(0.1, { decimals: 2, step: 0.2 })
  expect(await press('ArrowUp')).toBe(0.3)
  expect(await press('ArrowUp')).toBe(0.5)
  await says('99.9')
  expect(await press('ArrowUp')).toBe(100)
  await says('0.1')
  expect(await press('ArrowDown')).toBe(0)
  await says('')
  expect(await press('ArrowUp')).toBe(0.2)
  // With another key they are shortcuts of the screen or of the system.
  for (const key of ['altKey', 'ctrlKey', 'metaKey']) expect(await press('ArrowUp', { [key]: true })).toBe(0.2)
})

test.each([
  [{ min: 0, max: undefined }, '0', 'ArrowDown', 0, '200', 'ArrowUp', 201],
  [{ min: undefined, max: 9 }, '0', 'ArrowDown', -1, '9', 'ArrowUp', 9],
  [{ min: undefined, max: undefined }, '0', 'ArrowDown', -1, '200', 'ArrowUp', 201],
] as const)('each limit holds without the other: %j', async (limits, low, down, lower, high, up, higher) => {
  const { says, press } = await open(5, limits)
  await says(low)
  expect(await press(down)).toBe(lower)
  await says(high)
  expect(await press(up)).toBe(higher)
})

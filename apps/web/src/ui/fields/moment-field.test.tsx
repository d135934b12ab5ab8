// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, onTestFinished, test } from 'vitest'
import { openPage, type, until } from '../../../test/page.tsx'
import { chooseLanguage } from '../../shell/i18n.ts'
import { MomentField } from './moment-field.tsx'

/** Not in the month of the machine's clock. */
const start = new Date(2031, 4, 22, 9, 30, 15).getTime()
let value = start

function Form() {
  const [at, setAt] = useState(start)
  value = at
  return (
    <>
      <MomentField label="Start" value={at} onChange={setAt} />
      <button type="button" onClick={() => setAt(start)}>
        Discard
      </button>
    </>
  )
}
const field = () => document.querySelector<HTMLInputElement>('input') as HTMLInputElement
const leave = () => act(async () => field().dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
const key = (name: string, options = {}) =>
  act(async () => void field().dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, ...options })))
const paste = (text: string) =>
  act(async () => {
    const event = new Event('paste', { bubbles: true, cancelable: true })
    Object.assign(event, { clipboardData: { getData: () => text } })
    field().dispatchEvent(event)
    prevented = event.defaultPrevented
  })
let prevented = false

test('DATE-1 a time is applied when the field is left or Enter is pressed, seconds are 00 unless typed, and UTC is shown below', async () => {
  const place = await openPage(<Form />)
  await type(field(), '2026-11-24 21:05')
  expect(field().value).toBe('2026-11-24 21:05')
  expect(value).toBe(start)
  await leave()
  expect(value).toBe(new Date(2026, 10, 24, 21, 5).getTime())
  expect(field().value).toBe('24 Nov 2026 21:05:00')
  expect(place.textContent).toContain(`${new Date(value).toISOString().slice(11, 19)} UTC`)
  await type(field(), '7:15')
  await key('Enter')
  expect(value).toBe(new Date(2026, 10, 24, 7, 15).getTime())
  await type(field(), '8:15')
  await key('s', { ctrlKey: true })
  expect(value).toBe(new Date(2026, 10, 24, 8, 15).getTime())
  await type(field(), '9:15')
  await key('S', { metaKey: true })
  expect(value).toBe(new Date(2026, 10, 24, 9, 15).getTime())
})

test('a time has its note and what is wrong with it; a disabled one can neither be typed nor picked', async () => {
  const place = await openPage(
    <MomentField label="Start" value={start} onChange={() => {}} note="in 3 days" error="Before the start" disabled />,
  )
  for (const text of ['UTC · in 3 days', 'Before the start']) expect(place.textContent).toContain(text)
  expect([field().disabled, place.querySelector('button')?.disabled]).toEqual([true, true])
})

test('DATE-1 a pasted time is applied at once', async () => {
  await openPage(<Form />)
  await paste('half')
  expect([value, prevented]).toEqual([start, false])
  // The browser does not insert it, too.
  await paste('2027-01-02T03:04:05Z')
  expect([value, prevented]).toEqual([Date.UTC(2027, 0, 2, 3, 4, 5), true])
})

test('DATE-1 an invalid time stays in the field with an example of a valid one, and gives no value; the old one can be restored', async () => {
  const place = await openPage(<Form />)
  await type(field(), 'next week')
  await leave()
  expect(value).toBeNaN()
  expect(field().value).toBe('next week')
  expect(field().getAttribute('aria-invalid')).toBe('true')
  expect(place.textContent).toContain('2026-11-24 09:00')
  await act(async () => place.querySelectorAll('button')[1]?.click())
  expect(field().value).toBe('22 May 2031 09:30:15')
})

test('DATE-1 a picked time replaces a typed one that is invalid', async () => {
  await openPage(<Form />)
  await type(field(), 'next week')
  await leave()
  await act(async () => document.querySelector<HTMLElement>('[aria-label="Select a date: Start"]')?.click())
  const time = () => document.querySelector<HTMLInputElement>('input[type=time]') ?? undefined
  await until(() => expect(time()).toBeTruthy())
  // Otherwise a browser shows no seconds.
  expect(time()?.step).toBe('1')
  await type(time(), '07:08:09')
  await leave()
  expect(field().value).toMatch(/ 07:08:09$/)
})

test('DATE-1 LANG-1 one button opens the calendar, which keeps the time and follows the language while it is open', async () => {
  await openPage(<Form />)
  await act(async () => document.querySelector<HTMLElement>('[aria-label="Select a date: Start"]')?.click())
  const day = () => [...document.querySelectorAll<HTMLElement>('table button')].filter((one) => one.textContent === '27').at(-1)
  await until(() => expect(day()).toBeTruthy())
  const month = () => document.querySelector('table')?.parentElement?.parentElement?.textContent
  expect(month()).toMatch(/May 2031MoTu/)
  onTestFinished(async () => act(() => chooseLanguage('en_US')))
  await act(() => chooseLanguage('ja_JP'))
  expect(month()).toMatch(/5月 2031日月/)
  await act(() => chooseLanguage('zh_CN'))
  expect(month()).toMatch(/五月 2031一二/)
  await act(() => chooseLanguage('ja_JP'))
  await act(async () => day()?.click())
  expect(value).toBe(new Date(2031, 4, 27, 9, 30, 15).getTime())
  await type(document.querySelector<HTMLInputElement>('input[type=time]') ?? undefined, '07:08:09')
  const picked = new Date(2031, 4, 27, 7, 8, 9).getTime()
  expect(value).toBe(picked)
  // An incomplete time changes nothing.
  await type(document.querySelector<HTMLInputElement>('input[type=time]') ?? undefined, '')
  expect(value).toBe(picked)
  await act(async () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === '完了')?.click())
  await until(() => expect(document.querySelector('table')).toBeNull())
  // The button that opens the calendar closes it, too.
  for (const opened of [true, false]) {
    await act(async () => document.querySelector<HTMLElement>('[aria-haspopup=dialog]')?.click())
    await until(() => expect(document.querySelector('table') !== null).toBe(opened))
  }
})

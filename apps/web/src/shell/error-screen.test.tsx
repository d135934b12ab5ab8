// @vitest-environment jsdom

import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { openPage, until } from '../../test/page.tsx'
import { answerCacheKey } from '../api/answer-cache.ts'
import { Refusal } from '../api/client.ts'
import { ErrorBoundary } from './error-screen.tsx'

let error: unknown
const Part = () => {
  if (error) throw error
  return <p>The part</p>
}
let moveTo = (_: string) => {}
function Page({ instead }: { readonly instead?: string }) {
  const [place, setPlace] = useState('/games')
  moveTo = setPlace
  return (
    <ErrorBoundary place={place} instead={instead}>
      <Part />
    </ErrorBoundary>
  )
}

// React reports a caught error there, too.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('ERR-1 a part that fails shows what happened, its details can be copied, and another try or another address shows it again', async () => {
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  error = new Refusal(500, { title: 'Out of order', status: 500, code: 'server.unknown', requestId: 'f6g7h8' } as never)
  const place = await openPage(<Page />)
  const alert = () => place.querySelector('[role=alert]')
  expect(alert()?.querySelector('h1')?.textContent).toBe('Something went wrong')
  expect(alert()?.textContent).toContain('f6g7h8')
  expect(alert()?.querySelector('pre')?.tabIndex).toBe(0)
  await click(button('Copy details'))
  await until(() => expect(button('Copied')).toBeTruthy())
  expect(copied[0]?.split('\n').slice(0, 4)).toEqual([
    expect.stringMatching(/^\w*(Error|Refusal): /),
    expect.stringMatching(/^Vexil/),
    location.pathname,
    'Request f6g7h8',
  ])
  expect(copied[0]).toContain('error-screen.test')
  await click(button('Try again'))
  expect(alert()).not.toBeNull()
  error = undefined
  await click(button('Try again'))
  expect(place.textContent).toContain('The part')
  error = 'a text'
  await act(async () => moveTo('/posts'))
  expect(alert()?.textContent).toContain('a text')
  error = undefined
  await act(async () => moveTo('/games'))
  expect(alert()).toBeNull()
  expect(place.textContent).toContain('The part')
})

test('ERR-1 the error screen clears the cache; a part that the page does not need is replaced', async () => {
  error = new Error('')
  error = Object.assign(error as Error, { name: 'TypeError' })
  const reload = vi.fn()
  const place = await openPage(<Page />)
  expect([...place.querySelectorAll('p')].map(({ textContent }) => textContent)).toContain('TypeError')
  localStorage.setItem(answerCacheKey, 'answers')
  vi.stubGlobal('location', { ...location, reload })
  await click(button('Clear cache'))
  expect([reload.mock.calls.length, localStorage.getItem(answerCacheKey)]).toEqual([1, null])
  place.remove()
  const small = await openPage(<Page instead="No chart" />)
  expect(small.textContent).toContain('No chart')
  expect(small.querySelector('[role=alert]')).toBeNull()
  error = undefined
})

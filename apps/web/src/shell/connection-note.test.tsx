// @vitest-environment jsdom
import { act } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage, until } from '../../test/page.tsx'
import { markReachable, watchConnection } from '../api/connection.ts'
import { keys } from '../api/query-keys.ts'
import { ConnectionNote } from './connection-note.tsx'

const note = () => document.querySelector('[role=status]')?.textContent

test('FB-1 while the platform is unreachable a line says so, with the age of what is shown, and its height is known to full screens', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  onTestFinished(watchConnection())
  const height = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(44)
  onTestFinished(() => height.mockRestore())
  const ofNote = () => document.documentElement.style.getPropertyValue('--note')
  await openPage(<ConnectionNote />, [[keys.profile, null]])
  await act(async () => markReachable())
  expect([note(), ofNote()]).toEqual([undefined, ''])
  const pass = (seconds: number) => act(async () => void vi.advanceTimersByTime(seconds * 1000))
  await pass(58)
  await act(async () => void window.dispatchEvent(new Event('offline')))
  for (const [seconds, age] of [
    [0, '58 seconds ago'],
    [1, '59 seconds ago'],
    [1, '1 minute ago'],
    [59, '1 minute ago'],
    [1, '2 minutes ago'],
  ] as const) {
    await pass(seconds)
    expect([note(), ofNote()]).toEqual([`Cannot reach the platform. Retrying. Showing data from ${age}.`, '44px'])
  }
  // Screen readers would repeat the age at each change.
  expect(document.querySelector('[role=status] span[aria-hidden]')?.textContent).toContain('Showing data')
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  await act(async () => void window.dispatchEvent(new Event('online')))
  await until(() => expect([note(), ofNote()]).toEqual([undefined, '']))
})

test('FB-1 a session that cannot be read has the same line', async () => {
  vi.stubGlobal('fetch', async () => json({}, 500))
  onTestFinished(() => void vi.unstubAllGlobals())
  await openPage(<ConnectionNote />)
  await until(() => expect(note()).toContain('Cannot reach the platform'))
})

test('FB-1 if the clock of the device was set back meanwhile, the data are not from the future', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  onTestFinished(watchConnection())
  await openPage(<ConnectionNote />, [[keys.profile, null]])
  await act(async () => markReachable())
  vi.setSystemTime(Date.now() - 5000)
  await act(async () => void window.dispatchEvent(new Event('offline')))
  expect(note()).toContain('Showing data from 0 seconds ago.')
  // The query library remembers for all pages that the browser was offline.
  await act(async () => void window.dispatchEvent(new Event('online')))
  await act(async () => markReachable())
})

import { expect, onTestFinished, test, vi } from 'vitest'
import { makeStorageWatchers, makeWatchers } from './watchers.ts'

test('watchers are notified of each change until they end', () => {
  const { subscribe, notify } = makeWatchers()
  const [first, second] = [vi.fn(), vi.fn()]
  const stop = subscribe(first)
  subscribe(second)
  notify()
  stop()
  notify()
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 2])
})

test('watchers of a stored value are notified of changes here and in other tabs, until they end', () => {
  const window = new EventTarget()
  vi.stubGlobal('window', window)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { subscribe, notify } = makeStorageWatchers()
  const change = () => {
    notify()
    window.dispatchEvent(new Event('storage'))
  }
  const [first, second] = [vi.fn(), vi.fn()]
  const stop = subscribe(first)
  subscribe(second)
  change()
  stop()
  change()
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 4])
})

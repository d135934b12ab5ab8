// @vitest-environment jsdom
import { act, createElement } from 'react'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openPage } from '../../test/page.tsx'
import { answerCacheKey } from '../api/answer-cache.ts'
import {
  chooseColour,
  chooseDensity,
  clearCache,
  colourInForce,
  readColour,
  readDensity,
  useColourChoice,
  useDensity,
} from './preferences.ts'

beforeEach(() => localStorage.clear())
// Other test files share the document.
afterAll(() => chooseDensity('comfortable'))

test('THEME-1 the own colour is kept and takes precedence over the site, which takes precedence over the platform', () => {
  chooseColour('#aa3300')
  expect(readColour()).toBe('#aa3300')
  expect(colourInForce('#aa3300', '#00ff00')).toBe('#aa3300')
  expect(colourInForce('', '#00Ff00')).toBe('#00Ff00')
  expect(colourInForce('brand', '#00ff00')).toBeNull()
  expect(colourInForce('', null)).toBeNull()
})

test('P5.14 THEME-2 a value that is not #RRGGBB is ignored', () => {
  for (const wrong of ['#123', 'red', '#12345g']) {
    localStorage.setItem('colour', wrong)
    expect(readColour()).toBe('')
    expect(colourInForce('', wrong)).toBeNull()
  }
})

test('density is kept on the device', () => {
  chooseDensity('compact')
  expect(readDensity()).toBe('compact')
  expect(document.documentElement.dataset.density).toBe('compact')
  chooseDensity('comfortable')
  expect(localStorage.getItem('density')).toBeNull()
})

test('a density or colour that another tab chooses is shown here at once', async () => {
  chooseDensity('comfortable')
  const place = await openPage(createElement(() => createElement('output', null, `${useDensity()} ${useColourChoice()}`)))
  localStorage.setItem('density', 'compact')
  localStorage.setItem('colour', '#aa3300')
  await act(async () => void window.dispatchEvent(new StorageEvent('storage')))
  expect(place.querySelector('output')?.textContent).toBe('compact #aa3300')
  expect(document.documentElement.dataset.density).toBe('compact')
})

test('NAV-3 clearing the cache removes fetched data, keeps preferences, and reloads the page', () => {
  const reload = vi.fn(() => expect(localStorage.getItem(answerCacheKey)).toBeNull())
  vi.stubGlobal('location', { reload })
  onTestFinished(() => void vi.unstubAllGlobals())
  localStorage.setItem(answerCacheKey, 'answers')
  chooseColour('#aa3300')
  clearCache()
  expect(reload).toHaveBeenCalledOnce()
  expect([localStorage.getItem(answerCacheKey), readColour()]).toEqual([null, '#aa3300'])
})

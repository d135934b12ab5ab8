// @vitest-environment jsdom
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { click, named, settle } from '../../test/acts.ts'
import { openPage, until, Where, where } from '../../test/page.tsx'
import { serve } from '../../test/server.ts'
import { answerCacheKey } from '../api/answer-cache.ts'
import { keys } from '../api/query-keys.ts'
import { t } from '../ui/text/texts.tsx'
import { Footer } from './footer.tsx'
import { Palette } from './palette.tsx'
import { chooseDensity, readDensity } from './preferences.ts'
import { TopBar } from './top-bar.tsx'

const entries = () => [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
const links = () => entries().flatMap((one) => (one.getAttribute('href') ? [[one.textContent, one.getAttribute('href')]] : []))
const tabs = [
  ['Home', '/'],
  ['Games', '/games'],
  ['Posts', '/posts'],
  ['Team', '/Teams'],
  ['About', '/About'],
]

test.each([
  [undefined, [...tabs, ['Sign in', '/account/Login?from=%2Fgames%2F7%3Fa%3D1']]],
  ['User', [...tabs, ['Profile', '/account/Profile']]],
  ['Monitor', [...tabs, ['Profile', '/account/Profile']]],
  ['Admin', [...tabs, ['Admin', '/admin/games'], ['Profile', '/account/Profile']]],
])('NAV-1 on a phone the menu of %s has every part of the platform and the settings of the device', async (role, expected) => {
  serve(() => ({}))
  await openPage(
    <>
      <Where />
      <TopBar />
    </>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, role ? { userId: 'u', userName: 'ann', role } : null],
    ],
    '/games/7?a=1',
  )
  await click(named('Menu'))
  await until(() => expect(entries().length).toBeGreaterThan(5))
  expect(links()).toEqual(expected)
  expect(entries().find((one) => one.getAttribute('aria-current'))?.textContent).toBe('Games')
  const words = entries().map(({ textContent }) => textContent)
  for (const always of [/^(Light|Dark) mode$/, /^Clear cache$/, /^Customise colour$/])
    expect(words.filter((one) => always.test(one ?? ''))).toHaveLength(1)
  expect(words.includes('Sign out')).toBe(role !== undefined)
  await click(entries().find(({ textContent }) => textContent === 'Posts'))
  expect(where()).toBe('/posts')
  await until(() => expect(entries()).toEqual([]))
})

test('NAV-1 the menu of a phone opens the palette, changes density and scheme, and opens the colours', async () => {
  serve(() => ({}))
  onTestFinished(() => chooseDensity('comfortable'))
  await openPage(
    <MantineProvider env="test" colorSchemeManager={localStorageColorSchemeManager()} defaultColorScheme="dark">
      <TopBar />
      <Palette />
    </MantineProvider>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, null],
    ],
    '/account/Register?from=%2FTeams',
  )
  expect(named('Harbour::CTF')?.getAttribute('href')).toBe('/')
  const choose = async (name: string) => {
    if (entries().length === 0) await click(named('Menu'))
    await until(() => expect(entries().some(({ textContent }) => textContent === name)).toBe(true))
    await click(entries().find(({ textContent }) => textContent === name))
    await until(() => expect(entries()).toEqual([]))
  }
  await choose('Compact')
  expect(readDensity()).toBe('compact')
  await choose('Comfortable')
  expect(readDensity()).toBe('comfortable')
  await choose('Light mode')
  expect(localStorage.getItem('mantine-color-scheme-value')).toBe('light')
  await choose('Dark mode')
  expect(localStorage.getItem('mantine-color-scheme-value')).toBe('dark')
  localStorage.setItem(answerCacheKey, 'answers')
  const reload = vi.fn()
  vi.stubGlobal('location', { ...location, reload })
  await choose('Clear cache')
  expect([reload.mock.calls.length, localStorage.getItem(answerCacheKey)]).toEqual([1, null])
  const dialog = () => document.querySelector('[role=dialog]')
  await choose('Customise colour')
  await until(() => expect(dialog()?.querySelector('h2')?.textContent).toContain('Customise colour'))
  await click(dialog()?.querySelector('[aria-label=Close]'))
  await until(() => expect(dialog()).toBeNull())
  await choose(t('keys.palette'))
  await until(() => expect(document.activeElement?.getAttribute('role')).toBe('combobox'))
  // The menu does not take the focus back.
  await settle(100)
  expect(document.activeElement?.getAttribute('role')).toBe('combobox')
  await click(dialog()?.querySelector('[aria-label=Close]'))
  await until(() => expect(dialog()).toBeNull())
  // A sign-in does not lead back to a page of the account.
  await click(named('Menu'))
  await until(() => expect(links().at(-1)).toEqual(['Sign in', '/account/Login']))
})

test('NAV-4 the text of the operator in the footer is Markdown that runs nothing', async () => {
  const footerInfo = 'By the **crew** <img src=x onerror=alert(1)><script>alert(1)</script> [us](javascript:alert(1)) $a$'
  const place = await openPage(<Footer />, [[keys.config, { title: 'Harbour', footerInfo }]])
  await until(() => expect(place.querySelector('footer strong')?.textContent).toBe('crew'))
  expect(place.querySelector('script, [onerror], a[href^=javascript], .katex')).toBeNull()
  expect(place.querySelector('footer')?.textContent).toContain('$a$')
  expect(place.querySelector('footer > span')?.textContent).toBe('Harbour::CTF')
  const without = await openPage(<Footer />, [[keys.config, { title: 'Harbour' }]])
  expect(without.querySelectorAll('footer > *')).toHaveLength(2)
})

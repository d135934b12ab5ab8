// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { click, named } from '../../test/acts.ts'
import { openPage, until, Where, where } from '../../test/page.tsx'
import { serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { Footer } from './footer.tsx'
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
  [undefined, [...tabs, ['Sign in', '/account/Login?from=%2Fgames%2F7']]],
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
    '/games/7',
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

test('NAV-4 the text of the operator in the footer is Markdown that runs nothing', async () => {
  const footerInfo = 'By the **crew** <img src=x onerror=alert(1)><script>alert(1)</script> [us](javascript:alert(1)) $a$'
  const place = await openPage(<Footer />, [[keys.config, { title: 'Harbour', footerInfo }]])
  await until(() => expect(place.querySelector('footer strong')?.textContent).toBe('crew'))
  expect(place.querySelector('script, [onerror], a[href^=javascript], .katex')).toBeNull()
  expect(place.querySelector('footer')?.textContent).toContain('$a$')
})

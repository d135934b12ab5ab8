// @vitest-environment jsdom
import { act } from 'react'
import { Link } from 'react-router'
import { expect, test } from 'vitest'
import { click, named } from '../../test/acts.ts'
import { openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { Content } from './frame.tsx'
import { Rail } from './rail.tsx'
import { TopBar } from './top-bar.tsx'
import { TopBarPlaceProvider } from './top-bar-place.tsx'

const all = [
  ['Home', '/'],
  ['Games', '/games'],
  ['Posts', '/posts'],
  ['Team', '/Teams'],
  ['About', '/About'],
  ['Admin', '/admin/games'],
]

test.each([
  ['Admin', '/admin/Logs', 'Admin', all],
  ['User', '/games/3/Scoreboard', 'Games', all.slice(0, 5)],
  [null, '/', 'Home', all.slice(0, 5)],
] as const)(
  'P2.38 NAV-1 for %s at %s the navigation of wide windows and the menu of phones have the tabs, with %s as the active one',
  async (role, address, active, tabs) => {
    const place = await openPage(
      <TopBarPlaceProvider>
        <Rail />
        <TopBar />
      </TopBarPlaceProvider>,
      [
        [keys.config, { title: 'GZ' }],
        [keys.profile, role && { userId: 'a', userName: 'Ann', role }],
      ],
      address,
    )
    const rail = [...place.querySelectorAll('nav a')]
    expect(rail.map((one) => [one.getAttribute('aria-label'), one.getAttribute('href')])).toEqual(tabs)
    const marked = (links: Element[]) => links.filter((one) => one.getAttribute('aria-current') === 'page')
    expect(marked(rail).map((one) => one.getAttribute('aria-label'))).toEqual([active])
    await click(named('Menu'))
    const list = () => [...document.querySelectorAll('a[role=menuitem]')].slice(0, tabs.length)
    await until(() => expect(list().map((one) => [one.textContent, one.getAttribute('href')])).toEqual(tabs))
    expect(marked([...document.querySelectorAll('a[role=menuitem]')]).map(({ textContent }) => textContent)).toEqual([active])
  },
)

test('FOCUS-2 the first screen takes no focus; each later screen gets it, unless the focus is in its content already', async () => {
  const part = (
    <>
      <Link to="/games">games</Link>
      <Content>
        <Link to="/posts">posts</Link>
      </Content>
    </>
  )
  const place = await openPage(part)
  const main = () => place.querySelector('main')
  expect(document.activeElement).toBe(document.body)
  await click(place.querySelector('a'))
  expect(document.activeElement).toBe(main())
  const inside = main()?.querySelector('a')
  await act(async () => inside?.focus())
  await click(inside)
  expect(document.activeElement).toBe(inside)
})

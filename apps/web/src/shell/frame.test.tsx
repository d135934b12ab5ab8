// @vitest-environment jsdom
import { act } from 'react'
import { Link } from 'react-router'
import { expect, test } from 'vitest'
import { click, named } from '../../test/acts.ts'
import { device, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { Content, Frame } from './frame.tsx'
import { Palette } from './palette.tsx'
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
    expect(place.querySelector('[role=toolbar] button:last-child')?.getAttribute('aria-label')).toBe(
      role ? 'Account: Ann' : 'Account',
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

test('KEY-4 the tools below the tabs are one stop of Tab, moved through by arrows; a wide window names the tabs', async () => {
  const known: [readonly unknown[], unknown][] = [
    [keys.config, { title: 'GZ' }],
    [keys.profile, null],
  ]
  const narrow = await openPage(<Rail />, known)
  // In the dark.
  expect([named('Light mode'), named('Dark mode')].map(Boolean)).toEqual([true, false])
  expect(narrow.querySelector('nav')?.textContent).toBe('')
  device.width = 1440
  const place = await openPage(
    <>
      <Rail />
      <Palette />
    </>,
    known,
  )
  device.width = undefined
  expect(place.querySelector('nav')?.textContent).toBe('HomeGamesPostsTeamAbout')
  const tools = [...place.querySelectorAll<HTMLButtonElement>('[role=toolbar] button')]
  expect(tools).toHaveLength(4)
  expect(tools.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1])
  tools[0]?.focus()
  for (const [key, next] of [
    ['ArrowUp', 3],
    ['ArrowDown', 0],
    ['ArrowDown', 1],
    ['Enter', 1],
  ] as const) {
    await act(async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
    expect(tools.indexOf(document.activeElement as HTMLButtonElement)).toBe(next)
  }
  await click(tools[0])
  await until(() => expect(document.querySelector('[role=dialog] [role=combobox]')).not.toBeNull())
})

test('NAV-6 only the challenge board has a second link, to its cards', async () => {
  for (const [address, links] of [
    ['/games/3/Challenges', ['#content', '#challenges']],
    ['/games/3/challenges/', ['#content', '#challenges']],
    ['/games/3/Scoreboard', ['#content']],
  ] as const) {
    const place = await openPage(
      <Frame />,
      [
        [keys.config, { title: 'GZ' }],
        [keys.profile, null],
      ],
      address,
    )
    expect(
      [...place.querySelectorAll('a')].slice(0, 2).flatMap((link) => link.getAttribute('href')?.match(/^#.*/) ?? []),
    ).toEqual([...links])
    place.remove()
  }
})

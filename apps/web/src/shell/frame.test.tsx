// @vitest-environment jsdom

import { act } from 'react'
import { Link, useLocation } from 'react-router'
import { expect, onTestFinished, test, vi } from 'vitest'
import { click, named, settle } from '../../test/acts.ts'
import { device, openPage, until } from '../../test/page.tsx'
import { recordServerTime } from '../api/clock.ts'
import { keys } from '../api/query-keys.ts'
import { Avatar } from '../ui/base/avatar.tsx'
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
    const links = [...document.querySelectorAll('a[role=menuitem]')]
    expect(marked(links).map(({ textContent }) => textContent)).toEqual([active])
    // A sign-in on the home page leads back to it without an address.
    expect(links.at(-1)?.getAttribute('href')).toBe(role ? '/account/Profile' : '/account/Login')
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
  const moved = vi.spyOn(HTMLElement.prototype, 'focus')
  onTestFinished(() => moved.mockRestore())
  await click(place.querySelector('a'))
  expect(document.activeElement).toBe(main())
  expect(moved.mock.calls).toEqual([[{ preventScroll: true }]])
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
  const point = (name: 'pointerover' | 'pointerout', target: Element | null | undefined) =>
    act(async () => void target?.dispatchEvent(new Event(name, { bubbles: true })))
  const tip = () => document.querySelector('[role=tooltip]')?.textContent
  device.width = 1279
  const narrow = await openPage(<Rail />, known)
  // In the dark.
  expect([named('Light mode'), named('Dark mode')].map(Boolean)).toEqual([true, false])
  expect(named('Light mode')?.querySelector('.tabler-icon-sun')).not.toBeNull()
  expect(narrow.querySelector('nav')?.textContent).toBe('')
  await point('pointerover', narrow.querySelector('nav a'))
  await until(() => expect(tip()).toBe('Home'))
  await point('pointerout', narrow.querySelector('nav a'))
  expect(tip()).toBeUndefined()
  device.width = 1280
  const place = await openPage(
    <>
      <Rail />
      <Palette />
    </>,
    known,
  )
  device.width = undefined
  expect(place.querySelector('nav')?.textContent).toBe('HomeGamesPostsTeamAbout')
  await point('pointerover', place.querySelector('nav a'))
  await settle(350)
  expect(tip()).toBeUndefined()
  await point('pointerover', place.querySelector('[role=toolbar] button'))
  await until(() => expect(tip()).toBe('Search or jump to… (Ctrl + K)'))
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

test('LIVE-5 both the navigation of wide windows and the bar of phones say that the clock of the device is wrong', async () => {
  recordServerTime(new Date(Date.now() - 7_200_000).toUTCString(), Date.now(), Date.now())
  onTestFinished(() => recordServerTime(new Date().toUTCString(), Date.now(), Date.now()))
  const place = await openPage(
    <TopBarPlaceProvider>
      <Rail />
      <TopBar />
    </TopBarPlaceProvider>,
    [
      [keys.config, { title: 'Harbour' }],
      [keys.profile, null],
    ],
  )
  const badges = [...place.querySelectorAll('header')].map((bar) => bar.querySelectorAll('.tabler-icon-clock-exclamation').length)
  expect(badges).toEqual([1, 1])
  expect([...place.querySelectorAll('header')].map(({ textContent }) => textContent)).toEqual(['', 'Harbour'])
})

test('NAV-2 the menu of the account has its name and its profile; that of a visitor has neither', async () => {
  for (const role of ['User', null]) {
    const page = (
      <>
        <Rail />
        <p>
          <Avatar name="Ann" id="a" size={24} />
        </p>
      </>
    )
    const place = await openPage(page, [
      [keys.config, { title: 'GZ' }],
      [keys.profile, role && { userId: 'a', userName: 'Ann', role }],
    ])
    const opener = () => place.querySelector('[role=toolbar] button:last-child')
    expect(opener()?.querySelectorAll('.tabler-icon-user-circle')).toHaveLength(role ? 0 : 1)
    // Ids of clipping paths differ.
    const drawn = (parent: Element | null) => parent?.innerHTML.replaceAll(/_r_\w+?_/g, '')
    if (role) expect(drawn(opener())).toBe(drawn(place.querySelector('p')))
    await click(opener())
    const menu = () => [...document.querySelectorAll('[role=menu]')].at(-1)
    await until(() => expect(menu()?.textContent).toMatch(role ? /^AnnProfile/ : /^Customise colour/))
    const links = [...(menu()?.querySelectorAll('a') ?? [])]
    expect(links.map((one) => one.getAttribute('href'))).toEqual([role ? '/account/Profile' : '/account/Login'])
    expect(menu()?.textContent?.includes('Sign out')).toBe(role !== null)
    place.remove()
  }
})

test('ERR-1 the error of one screen is gone on the next one', async () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => reported.mockRestore())
  function Screen() {
    if (useLocation().pathname === '/games') throw new Error('Out of order')
    return <p>Latest posts</p>
  }
  const part = (
    <>
      <Link to="/posts">posts</Link>
      <Content>
        <Screen />
      </Content>
    </>
  )
  const place = await openPage(part, [], '/games')
  expect(place.querySelector('[role=alert]')?.textContent).toContain('Out of order')
  await click(place.querySelector('a'))
  expect(place.querySelector('main')?.textContent).toBe('Latest posts')
})

test('NAV-6 only the challenge board has a second link, to its cards; every screen of a member has the watermark', async () => {
  for (const [address, links] of [
    ['/games/3/Challenges', ['#content', '#challenges']],
    ['/games/3/challenges/', ['#content', '#challenges']],
    ['/games/3/Scoreboard', ['#content']],
  ] as const) {
    const place = await openPage(
      <Frame />,
      [
        [keys.config, { title: 'GZ', watermark: true }],
        [keys.profile, { userId: 'u-7', userName: 'Ann', role: 'User' }],
      ],
      address,
    )
    expect(place.querySelector('[data-watermark]')?.getAttribute('data-watermark')).toBe('u-7')
    expect(
      [...place.querySelectorAll('a')].slice(0, 2).flatMap((link) => link.getAttribute('href')?.match(/^#.*/) ?? []),
    ).toEqual([...links])
    place.remove()
  }
})

// @vitest-environment jsdom

import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { act } from 'react'
import { useLocation } from 'react-router'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage, type } from '../../test/page.tsx'
import { answerCacheKey } from '../api/answer-cache.ts'
import { keys } from '../api/query-keys.ts'
import { chooseLetters, useKeys, useNamed } from '../ui/base/keyboard.ts'
import { t } from '../ui/text/organiser-texts.ts'
import { inAllLanguages } from '../ui/text/texts.tsx'
import { matchScore } from './fuzzy.ts'
import { chooseLanguage } from './i18n.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { openPalette, Palette } from './palette.tsx'
import { chooseDensity, readDensity } from './preferences.ts'
import { written } from './written-key.ts'

const did: string[] = []
const requests: { readonly address: string; readonly signal: AbortSignal | null | undefined }[] = []
beforeEach(() => {
  did.length = 0
  localStorage.clear()
  requests.length = 0
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    requests.push({ address, signal: init?.signal })
    // The search for two letters never completes.
    if (address.endsWith('hint=is')) return new Promise(() => {})
    return json(address.includes('/users/search') ? { data: [{ id: 'u', userName: 'Ishmael' }], length: 1, total: 1 } : {})
  })
})
afterEach(() => {
  chooseLetters(true)
  vi.unstubAllGlobals()
})

function Screen() {
  useKeys([
    { key: 'n', name: 'New buoy', act: () => did.push('new') },
    { key: 'mod+s', name: 'Save the buoy', act: () => did.push('saved') },
  ])
  return (
    <>
      <p id="place">{useLocation().pathname + useLocation().search}</p>
      <input id="elsewhere" />
    </>
  )
}
/** The palette, and a part with a key that the screen has, too. */
function InFront() {
  useNamed([{ key: 'mod+s', name: 'Save the reef', act: () => {} }])
  return <Palette />
}
const role = { Admin: { userId: 'a', userName: 'Chief', role: 'Admin' }, User: { userId: 'b', userName: 'Ann', role: 'User' } }
const times = (from: number, to: number) => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  return { start: at(from), end: at(to) }
}
const ofMember: Parameters<typeof openPage>[1] = [
  [keys.myGames, [8, 9].map((gameId) => ({ gameId, status: 'Accepted', teamId: 3, teamName: 'Amber crew', organization: null }))],
  [keys.teams.mine, [{ id: 3, name: 'Amber crew' }]],
]
const open = (who: keyof typeof role | null, address = '/', more = <Palette />) =>
  openPage(
    <main id="content" tabIndex={-1}>
      <Screen />
      {more}
      <KeysDialog />
    </main>,
    [
      [keys.config, { title: 'Harbour', setupRequired: false }],
      [keys.profile, who && role[who]],
      [
        keys.games.list,
        [
          { id: 7, title: 'Regatta', ...times(-1, 1) },
          { id: 8, title: '潮見杯', ...times(-1, 1) },
          { id: 9, title: 'Autumn Cup', ...times(-2, -1) },
          { id: 10, title: 'Foreign Cup', ...times(-1, 1) },
        ],
      ],
      ...(who ? ofMember : []),
      [keys.game(7).play, { challenges: { Misc: [{ id: 5, title: 'Lost anchor' }] } }],
      [keys.game(8).play, { challenges: { Web: [{ id: 6, title: 'Found lantern' }] } }],
      [keys.game(9).play, { challenges: { Web: [{ id: 16, title: 'Ended lantern' }] } }],
      [keys.game(10).play, { challenges: { Web: [{ id: 26, title: 'Foreign lantern' }] } }],
    ],
    address,
  )
/** Returns whether the page handled the key, so that the browser does not. */
async function press(key: string, more: KeyboardEventInit = {}, target: Element = document.body): Promise<boolean> {
  const event = new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true, ...more })
  await act(async () => void target.dispatchEvent(event))
  return event.defaultPrevented
}
const field = () => document.querySelector<HTMLInputElement>('[role=combobox]') ?? undefined
const options = () => [...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent)
const place = () => document.querySelector('#place')?.textContent
async function look(typed: string) {
  // The palette's code is loaded when it is first opened.
  await vi.waitFor(() => expect(field()).toBeDefined(), 10_000)
  await type(field(), typed)
  return options()
}

test('PAL-1 Ctrl+K opens it; typed text finds screens, games, challenges of this game and teams, and Enter opens the result', async () => {
  await open('User', '/games/7/Challenges')
  await press('k', { ctrlKey: true, code: 'KeyK' })
  await vi.waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('combobox'))
  expect((await look('lstanc'))[0]).toContain('Lost anchor')
  // It ends the composition of a character.
  await press('Enter', { isComposing: true }, field())
  expect(place()).toBe('/games/7/Challenges')
  await press('Enter', {}, field())
  await vi.waitFor(() => expect(place()).toBe('/games/7/Challenges?c=5'))
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await act(async () => openPalette())
  expect(document.activeElement).toBe(field())
  expect((await look('regata'))[0]).toContain('Regatta')
  const ofGame = async (part: string) => (await look(part)).filter((one) => one?.includes('· Regatta'))
  expect(await ofGame('Scoreboard')).toEqual([expect.stringMatching(/^Scoreboard · Regatta/)])
  expect(await ofGame('Challenges')).toEqual([expect.stringMatching(/^Challenges · Regatta/)])
  expect(await ofGame('Monitoring')).toEqual([])
  expect((await look('amb'))[0]).toContain('Amber crew')
  expect((await look('prof'))[0]).toContain(t('shell.profile'))
  expect(await look('zzzz')).toEqual([])
  expect(document.querySelector('[role=dialog]')?.textContent).toContain(t('palette.none'))
  await press('Escape', {}, field())
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).toBeNull())
})

test.each([
  [null, true],
  ['User', false],
  ['Admin', false],
] as const)(
  'PAL-1 the sign-in is found only without a session, the challenges of a game only with one: %s',
  async (who, found) => {
    await open(who, '/games/7/Scoreboard')
    await act(async () => openPalette())
    expect((await look('Sign in')).some((one) => one?.startsWith('Sign in'))).toBe(found)
    expect((await look('Challenges')).some((one) => one?.startsWith('Challenges · Regatta'))).toBe(!found)
    expect((await look('Scoreboard')).some((one) => one?.startsWith('Scoreboard · Regatta'))).toBe(true)
    // Teams and own games are those of an account.
    expect(requests.filter(({ address }) => /^\/api\/(team|account)/.test(address))).toEqual([])
  },
)

test('PAL-3 challenges of running games of the own teams are found from anywhere, with their game; the best match of any kind is first', async () => {
  await open('User', '/posts')
  await act(async () => openPalette())
  expect(await look('lantern')).toEqual(['Found lantern 潮見杯Challenge'])
  expect((await look('regatta'))[0]).toContain('Regatta')
  // A game and a team: a match of consecutive letters ranks before one of scattered letters.
  expect((await look('amb')).map((one) => one?.slice(0, 5))[0]).toBe('Amber')
  expect((await look('Cup'))[0]).toMatch(/Cup/)
  await look('lantern')
  // An entry that no longer exists.
  localStorage.setItem('recent', '["gone"]')
  await press('Enter', {}, field())
  await vi.waitFor(() => expect(place()).toBe('/games/8/Challenges?c=6'))
  expect(localStorage.getItem('recent')).toBe('["challenge 6","gone"]')
  await act(async () => openPalette())
  // Recently opened entries are first, below their heading.
  await vi.waitFor(() => expect(options()[0]).toContain('Found lantern'))
  const [heading, , next] = document.querySelector('[role=listbox]')?.children ?? []
  expect([heading?.textContent, next?.textContent]).toEqual([t('palette.recent'), t('palette.all')])
  expect(document.querySelectorAll('[role=option] svg')).toHaveLength(options().length)
  // Results of a search have no headings, although one of them is recent.
  await look('lantern')
  expect(document.querySelector('[role=listbox] p')).toBeNull()
  expect([...(document.querySelector('[role=option] svg')?.classList ?? [])]).toContain('tabler-icon-flag')
  // The last eight are kept, each once.
  localStorage.setItem('recent', JSON.stringify(['1', '2', 'team 3', '4', '5', '6', '7', '8']))
  await look('amb')
  await press('Enter', {}, field())
  await vi.waitFor(() => expect(place()).toBe('/Teams'))
  expect(localStorage.getItem('recent')).toBe('["team 3","1","2","4","5","6","7","8"]')
  localStorage.setItem('recent', JSON.stringify(['1', '2', '3', '4', '5', '6', '7', '8']))
  await act(async () => openPalette())
  await look('posts')
  await press('Enter', {}, field())
  await vi.waitFor(() => expect(place()).toBe('/posts'))
  expect(localStorage.getItem('recent')).toBe('["/posts","1","2","3","4","5","6","7"]')
})

test('PAL-3 challenges of the game on screen and of at most five others are requested', async () => {
  const ids = Array.from({ length: 60 }, (_, at) => 21 + at)
  const known: Parameters<typeof openPage>[1] = [
    [keys.config, { title: 'Harbour', setupRequired: false }],
    [keys.profile, role.User],
    [keys.games.list, ids.map((id) => ({ id, title: id === 80 ? 'Cup 80 of the harbour' : `Cup ${id}`, ...times(-1, 1) }))],
    [keys.myGames, ids.map((gameId) => ({ gameId, status: 'Accepted' }))],
    [keys.teams.mine, []],
  ]
  localStorage.setItem('recent', '["game 80"]')
  await openPage(<Palette />, known, '/games/27')
  await act(async () => openPalette())
  await vi.waitFor(() => expect(field()).toBeDefined(), 10_000)
  const games = requests.flatMap(({ address }) => /game\/(\d+)\/details/.exec(address)?.[1] ?? [])
  expect(games).toEqual(['27', '21', '22', '23', '24', '25'])
  // The best fifty results are listed.
  expect(await look('cup')).toHaveLength(50)
  // Among nearly equal matches a recent one is first, although its name is longer.
  expect(options()[0]).toContain('Cup 80 of the harbour')
})

test('PAL-1 names are found in all three languages', async () => {
  await open('User')
  await act(async () => openPalette())
  await vi.waitFor(() => expect(inAllLanguages('shell.tabs.posts')).toHaveLength(3))
  const [, zh = '', ja = ''] = inAllLanguages('shell.tabs.posts')
  for (const [language, typed] of [
    ['zh_CN', zh],
    ['ja_JP', ja],
  ] as const) {
    expect(typed, language).not.toBe('Posts')
    expect(
      (await look(typed)).some((one) => one?.includes('Posts')),
      language,
    ).toBe(true)
  }
})

test('PAL-1 arrow keys choose, recent entries come first, and only an administrator finds people and settings', async () => {
  await open('User')
  await act(async () => openPalette())
  expect((await look('settings')).join()).not.toContain(t('admin.tabs.settings'))
  expect(requests.filter(({ address }) => address.includes('/users/search'))).toEqual([])
  const [, second] = await look('')
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
  expect(await press('ArrowDown', {}, field())).toBe(true)
  expect(scrolled.mock.lastCall).toEqual([{ block: 'nearest' }])
  expect(scrolled.mock.contexts.at(-1)).toBe(document.querySelector('[aria-selected=true]'))
  scrolled.mockRestore()
  expect(await press('a', {}, field())).toBe(false)
  // For another text its best match is selected.
  await look('prof')
  expect(document.querySelector('[aria-selected=true]')).toBe(document.querySelector('[role=option]'))
  await look('')
  await press('ArrowDown', {}, field())
  expect(document.querySelector('[aria-selected=true]')?.textContent).toBe(second)
  expect(document.getElementById(field()?.getAttribute('aria-activedescendant') ?? '')?.textContent).toBe(second)
  await press('ArrowUp', {}, field())
  await press('ArrowUp', {}, field())
  expect(document.querySelector('[aria-selected=true]')?.textContent).toBe(options().at(-1))
  await press('ArrowDown', {}, field())
  await press('ArrowDown', {}, field())
  await press('Enter', {}, field())
  await act(async () => openPalette())
  await vi.waitFor(() => expect(options()[0]).toBe(second))
})

test('PAL-1 an administrator finds people and settings', async () => {
  await open('Admin', '/games/7/Scoreboard')
  await act(async () => openPalette())
  expect((await look('Monitoring'))[0]).toMatch(/^Monitoring · Regatta/)
  expect((await look('settings')).join()).toContain(t('admin.tabs.settings'))
  await look('i')
  await look('is')
  await look('ishm')
  // Typing again does not wait for the search of the earlier text.
  expect(requests.find(({ address }) => address.endsWith('hint=is'))?.signal?.aborted).toBe(true)
  await vi.waitFor(() => expect(options().join()).toContain('Ishmael'))
  await press('Enter', {}, field())
  await vi.waitFor(() => expect(place()).toBe('/admin/Users?search=Ishmael'))
  // A single letter would find too many.
  expect(requests.flatMap(({ address }) => /hint=(.*)/.exec(address)?.[1] ?? [])).toEqual([
    'Monitoring',
    'settings',
    'is',
    'ishm',
  ])
})

test('PAL-2 KEYS-1 an action of the palette calls the function of the screen', async () => {
  await open(null)
  await act(async () => openPalette())
  expect((await look('save buoy'))[0]).toBe('Save the buoyCtrl + S')
  await press('Enter', {}, field())
  await vi.waitFor(() => expect(did).toEqual(['saved']))
  await act(async () => openPalette())
  expect((await look('logout')).join()).not.toContain(t('shell.logout'))
})

test('PAL-2 language, density, scheme and sign-out are actions of the palette, by key or by mouse', async () => {
  const palette = (
    <MantineProvider env="test" colorSchemeManager={localStorageColorSchemeManager()} defaultColorScheme="dark">
      <Palette />
    </MantineProvider>
  )
  await open('User', '/', palette)
  onTestFinished(() => chooseLanguage('en_US'))
  onTestFinished(() => chooseDensity('comfortable'))
  const run = async (name: string) => {
    await act(async () => openPalette())
    await look(name)
    await act(async () => document.querySelector<HTMLElement>('[role=option]')?.click())
  }
  await run('日本語')
  await vi.waitFor(() => expect(document.documentElement.lang).toBe('ja-JP'))
  await act(() => chooseLanguage('en_US'))
  await run(t('shell.compact'))
  await vi.waitFor(() => expect(readDensity()).toBe('compact'))
  await run(t('shell.comfortable'))
  await vi.waitFor(() => expect(readDensity()).toBe('comfortable'))
  await run(t('shell.light'))
  await vi.waitFor(() => expect(localStorage.getItem('mantine-color-scheme-value')).toBe('light'))
  await run(t('shell.dark'))
  await vi.waitFor(() => expect(localStorage.getItem('mantine-color-scheme-value')).toBe('dark'))
  localStorage.setItem(answerCacheKey, 'answers')
  const reload = vi.fn()
  vi.stubGlobal('location', { ...location, reload })
  await run(t('shell.clearCache'))
  await vi.waitFor(() => expect([reload.mock.calls.length, localStorage.getItem(answerCacheKey)]).toEqual([1, null]))
  await run(t('shell.logout'))
  await vi.waitFor(() => expect(requests.map(({ address }) => address)).toContain('/api/account/logout'))
})

test('KEYS-1 `?` shows the keys of the screen; single-letter keys can be switched off there, and stay off', async () => {
  await open('User', '/', <InFront />)
  await press('n', { code: 'KeyN' })
  expect(did).toEqual(['new'])
  await press('n', { code: 'KeyN' }, document.querySelector('#elsewhere') as Element)
  expect(did).toEqual(['new'])
  // On some keyboards it needs no Shift.
  await press('?', { code: 'Minus' })
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  await press('Escape', {}, document.querySelector('[role=dialog]') as Element)
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await press('?', { shiftKey: true, code: 'Slash' })
  const dialog = await vi.waitFor(() => {
    const found = document.querySelector('[role=dialog]')
    if (!found) throw new Error('no dialog')
    return found
  })
  for (const word of ['New buoy', 'Save the reef', 'Ctrl + S', 'Ctrl + K']) expect(dialog.textContent).toContain(word)
  // A key of two parts is listed once, with the newest name.
  expect(dialog.textContent?.match(/Ctrl \+ S|Save the (?:buoy|reef)/g)).toEqual(['Ctrl + S', 'Save the reef'])
  await act(async () => dialog.querySelector<HTMLInputElement>('input[role=switch], input[type=checkbox]')?.click())
  expect(localStorage.getItem('letter-keys')).toBe('off')
  await press('Escape', {}, dialog)
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')).toBeNull())
  await press('n', { code: 'KeyN' })
  await press('?', { code: 'Minus' })
  expect([did, document.querySelector('[role=dialog]')]).toEqual([['new'], null])
  await press('s', { ctrlKey: true, code: 'KeyS' })
  expect(did).toEqual(['new', 'saved'])
})

test('keys are written as on the keyboard of the device', () => {
  expect(['mod+s', 'alt+ArrowLeft', 'shift+?', 'n', 'ArrowUp'].map(written)).toEqual(['Ctrl + S', 'Alt + ←', '?', 'N', '↑'])
  const device = vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)')
  onTestFinished(() => device.mockRestore())
  expect(written('mod+k')).toBe('⌘ + K')
})

test('PAL-1 characters in order match; words, adjacent characters and short names match better', () => {
  expect(matchScore('sb', 'Scoreboard')).toBeGreaterThan(0)
  expect(matchScore('bs', 'Score')).toBe(0)
  expect(matchScore('ss', 'Score')).toBe(0)
  expect(matchScore('cup', 'Autumn Cup 2026')).toBeGreaterThan(matchScore('cup', 'Cauxp'))
  expect(matchScore('bc', 'abcdefgh')).toBeGreaterThan(matchScore('bc', 'abdc'))
  expect(matchScore('score', 'Scoreboard')).toBeGreaterThan(matchScore('score', 'School of centaurs reaching east'))
  expect(matchScore('game', 'Game')).toBeGreaterThan(matchScore('game', 'Game of the year'))
  expect(matchScore('ÉCLAIR', 'eclair')).toBeGreaterThan(0)
  expect(matchScore('潮見', '第一回潮見杯')).toBeGreaterThan(0)
})

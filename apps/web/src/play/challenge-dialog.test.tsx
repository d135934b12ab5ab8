// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notificationsStore } from '@mantine/notifications'
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click, named, send, settle, write } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { challenge, details, feed, game, here, minute, notice, openInGame, refused, solve } from '../../test/in-game.tsx'
import { Back, json, toasts, until } from '../../test/page.tsx'
import { forgetDrafts } from '../api/tab-drafts.ts'
import ChallengesScreen from './challenges.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

beforeEach(forgetDrafts)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const open = (scene: Parameters<typeof openInGame>[2] = {}) =>
  openInGame(ChallengesScreen, 'Challenges', { address: '?c=7', ...scene })
const dialog = () => document.querySelector<HTMLElement>('section[role=dialog], [role=dialog]')
const cardOf = (title: string) =>
  [...document.querySelectorAll<HTMLElement>('ul li > button')].find(({ textContent }) => textContent?.includes(title))
const flag = () => dialog()?.querySelector<HTMLInputElement>('form input')
const said = () => dialog()?.querySelector('form + p')?.textContent ?? ''
const key = (name: string) =>
  act(async () => void flag()?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })))
/** Types and submits an answer. */
async function answer(text: string): Promise<void> {
  await write(flag() ?? undefined, text)
  await send(flag())
}

test('CD-1 title and points are shown at once, placeholder lines until the text is loaded', async () => {
  let reply: (response: Response) => void = () => {}
  await open({ answers: { 'GET /api/game/3/challenges/7': () => new Promise((resolve) => (reply = resolve)) } })
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Buoy')
  expect(dialog()?.querySelector('h2')?.parentElement?.textContent).toContain('480 pts')
  expect(dialog()?.querySelectorAll('[class*=Skeleton-root]').length).toBeGreaterThan(1)
  // The solvers follow with the text, to avoid a layout shift.
  expect(dialog()?.textContent).not.toContain('Solved by')
  await act(async () => reply(json(challenge())))
  await until(() => expect(dialog()?.textContent).toContain('What the buoy says.'))
  expect(dialog()?.textContent).toContain('Solved by')
  expect(dialog()?.querySelectorAll('[class*=Skeleton-root]')).toHaveLength(0)
})

test.each([
  [480, true],
  [500, false],
  [undefined, false],
])('CD-1 beside 500 points, the %s of the next solve are shown: %s', async (nextScore, shown) => {
  const { challenges } = details()
  const web = (challenges.Web ?? []).map((card) => ({ ...card, nextScore }))
  const answers = {
    'GET /api/game/3/details': { ...details(), challenges: { ...challenges, Web: web } },
    'GET /api/game/3/scoreboard/feed': feed([]),
  }
  await open({ answers })
  expect(dialog()?.textContent).toContain('500 pts0 solves')
  expect(dialog()?.textContent?.includes(`next solve: ${nextScore}`)).toBe(shown)
  expect(dialog()?.textContent?.includes('next solve')).toBe(shown)
  expect(dialog()?.textContent).not.toContain('Solved by')
})

test('CD-2 a challenge that is closed meanwhile shows a message and returns to a board that is requested again', async () => {
  const { answers } = await open({ address: '' })
  const { challenges } = details()
  answers['GET /api/game/3/challenges/7'] = refused('challenge.not_found', 'Not found', 404)
  answers['GET /api/game/3/details'] = { ...details(), challenges: { Crypto: challenges.Crypto } }
  await click(cardOf('Buoy'))
  await until(() => expect(here()).toBe('/games/3/Challenges'))
  await until(() => expect(cardOf('Buoy')).toBeUndefined())
  expect(cardOf('Keel')).toBeTruthy()
  expect(dialog()).toBeNull()
  const title = 'This challenge is not available'
  expect(toasts().filter((one) => one.title === title)).toEqual([expect.objectContaining({ role: 'status' })])
})

test('CD-2 any other failure is shown inside, with a way to try again', async () => {
  const { answers } = await open({ answers: { 'GET /api/game/3/challenges/7': refused('server.unknown', 'Out of order', 500) } })
  expect(dialog()?.textContent).toContain('Out of order')
  answers['GET /api/game/3/challenges/7'] = challenge()
  await click([...(dialog()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Retry'))
  await until(() => expect(dialog()?.textContent).toContain('What the buoy says.'))
})

test.each([
  ['a', ['The old hint']],
  ['the first', null],
])('CD-3 %s new hint appears in the open dialog marked as new, and a message announces it', async (_, old) => {
  const { answers } = await open({ answers: { 'GET /api/game/3/challenges/7': challenge(7, { hints: old }) } })
  answers['GET /api/game/3/challenges/7'] = challenge(7, { hints: [...(old ?? []), 'The fresh hint'] })
  await hub.say('/hub/user', 'ReceivedGameNotice', notice(5, 'NewHint', ['Buoy'], 0))
  await until(() => expect(dialog()?.textContent).toContain('The fresh hint'))
  const hint = (text: string) =>
    [...(dialog()?.querySelectorAll('[aria-label="Hints"] > div') ?? [])].find((one) => one.textContent?.includes(text))
      ?.textContent
  expect(hint('The fresh hint')).toMatch(old ? /^Hint 2 new/ : /^Hint 1 new/)
  expect(hint('The old hint') ?? '').toMatch(old ? /^Hint 1The/ : /^$/)
  expect(toasts()).toContainEqual(expect.objectContaining({ title: 'New hint', message: 'Buoy' }))
  // An address or a hash in a hint would otherwise leave its box and the dialog.
  const styles = readFileSync(join(import.meta.dirname, '../ui/game/challenge-frame.module.css'), 'utf8')
  expect(styles).toMatch(/\n\.hint \{[^}]*overflow-wrap: anywhere;/)
})

test('CD-4 Escape or a click outside closes the dialog; typed text is kept for its own challenge only', async () => {
  const { answers } = await open()
  answers['GET /api/game/3/challenges/8'] = challenge(8, { title: 'Reef' })
  answers['GET /api/game/3/challenges/8/tries'] = []
  await write(flag() ?? undefined, 'half a fl')
  await key('Escape')
  await until(() => expect(dialog()).toBeNull())
  await click(cardOf('Reef'))
  expect(flag()?.value).toBe('')
  await click(document.querySelector('[class*=Modal-overlay]'))
  await until(() => expect(dialog()).toBeNull())
  await click(cardOf('Buoy'))
  expect(flag()?.value).toBe('half a fl')
})

test('the buttons in the header lead to the next challenge of the board and back, an instance of the tray to its own', async () => {
  const at = new Date(Date.now() + 60 * minute).toISOString()
  const instance = { challengeId: 9, status: 'Running', startedAt: at, expectStopAt: at, entry: 'a:1' }
  await open({
    answers: {
      'GET /api/game/3/instances': [instance],
      'GET /api/game/3/details': details({ containerCountLimit: 1 }),
      'GET /api/game/3/challenges/7': challenge(7, { type: 'StaticContainer' }),
      'GET /api/game/3/challenges/8': challenge(8, { title: 'Reef', hints: ['The old hint'] }),
    },
    beside: <Back />,
  })
  // The instance that takes the place of another one has its title.
  await until(() =>
    expect([...(dialog()?.querySelectorAll('aside li') ?? [])].map(({ textContent }) => textContent)).toEqual(['KeelDestroy']),
  )
  const disabled = () => ['Previous', 'Next'].map((name) => named<HTMLButtonElement>(`${name} challenge`)?.disabled)
  expect(disabled()).toEqual([true, false])
  // A step names its challenge.
  await act(async () => void named('Next challenge')?.dispatchEvent(new Event('pointerover', { bubbles: true })))
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Reef'))
  await click(named('Next challenge'))
  await until(() => expect(dialog()?.textContent).toContain('Hint 1The old hint'))
  expect(here()).toBe('/games/3/Challenges?c=8')
  // Steps are not in the history.
  await click(button('Back'))
  expect(here()).toBe('/games/3/Challenges?c=8')
  await click(named('Previous challenge'))
  await until(() => expect(here()).toBe('/games/3/Challenges?c=7'))
  const trays = () => [...document.querySelectorAll('section[aria-label="Instances"]')]
  expect(trays().map((tray) => tray.querySelector('header')?.textContent)).toEqual(['Instances1 of 1'])
  expect(trays()[0]?.closest('#cards')).not.toBeNull()
  await click(trays()[0]?.querySelector('li button'))
  await until(() => expect(here()).toBe('/games/3/Challenges?c=9'))
  expect(disabled()).toEqual([false, true])
  // The opened challenge stays between its neighbours when a filter hides it.
  await click([...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent?.startsWith('Web')))
  expect(disabled()).toEqual([false, true])
})

test('FOCUS-2 after steps the card of the last challenge gets the focus, or that of the first one if the last one is hidden', async () => {
  await open({ address: '', beside: <main id="content" tabIndex={-1} /> })
  const cardOf = (id: number) => document.getElementById(`card-${id}`)
  const leave = () =>
    act(async () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  const choose = (name: string) =>
    click([...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent?.startsWith(name)))
  for (const [from, steps, hidden, to] of [
    [7, 1, '', 'card-8'],
    [7, 2, 'Web', 'card-7'],
    // The steps of the dialog before it do not count.
    [9, 0, 'Web', 'content'],
  ] as const) {
    await choose('All')
    cardOf(from)?.focus()
    await click(cardOf(from))
    for (let step = 0; step < steps; step++) await click(named('Next challenge'))
    if (hidden) await choose(hidden)
    await until(() => expect(dialog()?.contains(document.activeElement)).toBe(true))
    // The dialogs before it have ended.
    await settle(250)
    await leave()
    await until(() => expect(document.activeElement?.id).toBe(to))
  }
})

test('CD-5 the solvers are listed with time and the marks of the first three; solvers of the own team with their user names', async () => {
  const board = feed(
    [
      [1, 0, 5],
      [2, 0, 6],
      [3, 0, 7],
      [4, 0, 8],
      [0, 0, 9],
      // The own team is first on the board.
      [0, 1, 10],
    ],
    {
      teams: {
        id: [21, 22, 23, 24, 25],
        participationId: [11, 12, 13, 14, 15],
        // Names of teams need not be unique.
        name: ['Danes', 'Danes', 'Blue', 'Green', 'Danes'],
        bio: [null, null, null, null, null],
        avatar: [null, null, null, null, null],
        division: [-1, -1, -1, -1, -1],
      },
    },
  )
  await open({ answers: { 'GET /api/game/3/scoreboard/feed': board } })
  const lines = () => [...(dialog()?.querySelector('ol')?.children ?? [])]
  const words = () => lines().map((line) => line.querySelector('span:nth-of-type(2), time')?.parentElement?.textContent ?? '')
  expect(dialog()?.textContent).toContain('5 of 5 teams')
  expect(words().map((line) => /Danes · ann|Danes|Blue|Green/.exec(line)?.[0])).toEqual(['Danes', 'Blue', 'Green', 'Danes · ann'])
  expect(lines().every((line) => line.querySelector('time')?.dateTime)).toBe(true)
  expect(lines().map((line) => line.getAttribute('value'))).toEqual(['1', '2', '3', '5'])
  expect(lines().map((line) => line.querySelector('[aria-label]')?.getAttribute('aria-label'))).toEqual(
    [expect.stringMatching(/first/i), expect.stringMatching(/second/i), expect.stringMatching(/third/i), null].map(
      (one) => one ?? undefined,
    ),
  )
  const all = () => [...(dialog()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'All solvers')
  await click(all())
  expect(lines()).toHaveLength(5)
  expect(all()).toBeUndefined()
  // After the first three, only the own solve has a pennant.
  const drawn = lines().map((line) => line.querySelector('path')?.getAttribute('d'))
  expect(drawn[4]).toBe(cardOf('Buoy')?.querySelector('[aria-label="solved by your team"] path')?.getAttribute('d'))
  expect(drawn[3]).not.toBe(drawn[4])
})

test.each([
  ['a text of 600 characters', 'x'.repeat(600), false, null],
  ['a text of 601 characters', 'x'.repeat(601), true, null],
  ['a picture', '![A buoy](/assets/a/b.png)', true, null],
  ['long hints', 'What the buoy says.', true, ['Look at the buoy. '.repeat(40)]],
])('CD-25 beside %s the solvers are below the text or beside it, never in both places', async (_, content, beside, hints) => {
  const shown = challenge(7, { content, hints })
  await open({ answers: { 'GET /api/game/3/challenges/7': shown } })
  await until(() => expect(dialog()?.querySelector('ol')).not.toBeNull())
  expect(dialog()?.querySelectorAll('aside ol')).toHaveLength(beside ? 1 : 0)
  // A narrow window shows the other copy below the text.
  expect(dialog()?.querySelectorAll('[class*=read] ol')).toHaveLength(1)
})

test('CD-6 a file has its name and size, a link its host, both open in a new tab without referrer; without either there is no row', async () => {
  const context = {
    closeTime: null,
    instanceEntry: null,
    readiness: null,
    tlsEntry: null,
    entries: [],
    lastEnd: null,
    start: null,
    startFailure: null,
  }
  const link = async (url: string | null, fileSize: number | null) => {
    const { place } = await open({
      answers: { 'GET /api/game/3/challenges/7': challenge(7, { context: { ...context, url, fileSize } }) },
    })
    const found = dialog()?.querySelector<HTMLAnchorElement>('aside a[target=_blank]')
    const all = found && [found.getAttribute('href'), found.rel, found.download, found.textContent]
    const row = dialog()?.textContent?.includes('Attachment')
    expect(dialog()?.textContent).not.toContain('instance')
    await key('Escape')
    place.remove()
    return { all, row }
  }
  expect((await link('/assets/abc/chart%20one.zip', 1_572_864)).all).toEqual([
    '/assets/abc/chart%20one.zip',
    'noopener noreferrer',
    'chart one.zip',
    expect.stringMatching(/chart one\.zip1\.5 MiB/),
  ])
  expect((await link('https://files.example.org/a/b?c=d', null)).all).toEqual([
    'https://files.example.org/a/b?c=d',
    'noopener noreferrer',
    '',
    expect.stringMatching(/External linkfiles\.example\.org/),
  ])
  // What is not known is not shown.
  expect((await link('/assets/abc/chart.zip', null)).all?.at(-1)).toMatch(/chart\.zip$/)
  expect((await link('files.example.org', null)).all?.at(-1)).toMatch(/External linkfiles\.example\.org$/)
  expect(await link(null, null)).toEqual({ all: null, row: false })
})

test('CD-16 the field takes an answer as typed: monospace, no completion or correction, outer blanks dropped, 127 characters', async () => {
  const { answers } = await open()
  await until(() => expect(document.activeElement).toBe(flag()))
  const posted: string[] = []
  answers['POST /api/game/3/challenges/7'] = () => refused('game.ended')()
  const attributes = ['autocomplete', 'autocapitalize', 'autocorrect', 'spellcheck'].map((name) => flag()?.getAttribute(name))
  expect(attributes).toEqual(['off', 'off', 'off', 'false'])
  expect(flag()?.placeholder).not.toBe('')
  await write(flag() ?? undefined, 'x'.repeat(128))
  expect(said()).toContain('A flag can have at most 127 characters')
  expect(flag()?.getAttribute('aria-invalid')).toBe('true')
  expect(button('Submit flag')?.disabled).toBe(true)
  await write(flag() ?? undefined, `  ${'x'.repeat(127)} `)
  expect(said()).not.toContain('at most')
  const real = globalThis.fetch
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (init?.method !== 'POST') return real(input, init)
    posted.push(JSON.parse(String(init.body)).flag)
    return json(41)
  })
  await send(flag())
  expect(posted).toEqual(['x'.repeat(127)])
})

test.each([false, true])(
  'FLAGF-2 the answers of the team are listed; a wrong one is taken to the field, but not when the challenge is solved (%s)',
  async (solved) => {
    const wrong = { status: 'WrongAnswer', time: new Date().toISOString(), user: 'jun' }
    const tries = [0, 1, 2, 3, 4].map((number) => ({ ...wrong, answer: `flag{${number}}` }))
    if (solved) tries[1] = { ...wrong, status: 'Accepted', answer: 'flag{1}' }
    const board = feed(solved ? [[0, 0, 5]] : [])
    await open({ answers: { 'GET /api/game/3/challenges/7/tries': tries, 'GET /api/game/3/scoreboard/feed': board } })
    const lines = () =>
      [...(dialog()?.querySelectorAll('[class*=read] ol:last-of-type li') ?? [])].filter((one) =>
        one.textContent?.startsWith('flag'),
      )
    await until(() => expect(lines()).toHaveLength(4))
    await click(
      [...(dialog()?.querySelectorAll('[class*=read] button') ?? [])].find(({ textContent }) => textContent === 'Show all'),
    )
    expect(lines().map((line) => line.querySelector('[aria-label]')?.getAttribute('aria-label'))).toEqual(
      tries.map(({ status }) => (status === 'Accepted' ? 'Flag correct' : 'Flag wrong.')),
    )
    expect(button('flag{0}') === undefined).toBe(solved)
    if (solved) return
    await click(button('flag{4}'))
    expect(flag()?.value).toBe('flag{4}')
  },
)

test('P5.4 CD-17 P8.14 an empty or blank flag is refused in place and not sent', async () => {
  const { requests } = await open()
  for (const text of ['', '   ']) {
    await answer(text)
    expect(said()).toBe('The flag cannot be empty')
  }
  expect(requests.filter((line) => line.startsWith('POST'))).toEqual([])
})

/** A server that accepts answers as submission 41 and returns `results` one by one; it repeats the last one. */
async function judging(results: string[], scene: Parameters<typeof openInGame>[2] = {}) {
  const opened = await open(scene)
  opened.answers['POST /api/game/3/challenges/7'] = 41
  opened.answers['GET /api/game/3/challenges/7/status/41'] = () => json(results.length > 1 ? results.shift() : results[0])
  const polls = () => opened.requests.filter((line) => line.endsWith('/status/41')).length
  return { ...opened, polls }
}

test('CD-18 one click sends once; the status is requested every half second, after ten every two, after a minute it is unknown', async () => {
  const { requests, polls, answers } = await judging(['FlagSubmitted'])
  answers['GET /api/game/3/challenges/7/tries'] = () => new Promise(() => {})
  await write(flag() ?? undefined, 'flag{a}')
  vi.useFakeTimers()
  const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms))
  const form = flag()?.form
  for (let click = 0; click < 2; click++)
    await act(async () => void form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
  await wait(10)
  expect(requests.filter((line) => line.startsWith('POST'))).toEqual(['POST /api/game/3/challenges/7'])
  expect(button('Submit flag')?.getAttribute('aria-busy')).toBe('true')
  expect(flag()?.readOnly).toBe(true)
  expect(polls()).toBe(1)
  await wait(500)
  expect(polls()).toBe(2)
  await wait(9_000)
  expect(polls()).toBe(20)
  await wait(1000)
  const slow = polls()
  await wait(10_000)
  expect(polls() - slow).toBe(5)
  await wait(42_000)
  const given = polls()
  await wait(10_000)
  expect(polls()).toBe(given)
  expect(said()).toContain('Flag status unknown, contact an admin with the submission id 41')
  expect(button('Submit flag')?.getAttribute('aria-busy')).toBeNull()
  expect(flag()?.readOnly).toBe(false)
  // It is not listed among the answers, whose result is known.
  expect(dialog()?.querySelector('[title="flag{a}"]')).toBeNull()
})

test.each([
  ['WrongAnswer', 'Flag wrong.', 'alert', /./],
  ['Accepted', 'Flag correct', 'status', /The scoreboard updates shortly/],
])(
  'CD-18 closing the dialog does not end the requests, nor does a failed one: a message shows %s',
  async (result, title, role, text) => {
    const { answers, polls } = await judging([])
    const results = [() => json('FlagSubmitted'), refused('server.unknown', 'Out of order', 500)]
    answers['GET /api/game/3/challenges/7/status/41'] = () => (results.shift() ?? (() => json(result)))()
    await answer('flag{a}')
    await key('Escape')
    await until(() => expect(dialog()).toBeNull())
    await until(() => expect(toasts()).toMatchObject([{ title, role, message: expect.stringMatching(text) }]))
    expect(polls()).toBe(3)
  },
)

test('CD-19 a correct flag leaves the dialog open as solved; card, filter and own numbers change at once, the board later', async () => {
  const { place, requests } = await judging(['Accepted'])
  const before = requests.filter((line) => line === 'GET /api/game/3/details').length
  await answer('flag{a}')
  const views = () => requests.filter((line) => line === 'GET /api/game/3/details').length
  await until(() => expect(said() || dialog()?.textContent).toContain('Well done. The scoreboard updates shortly.'))
  await until(() => expect(views()).toBe(before + 1))
  expect(here()).toContain('c=7')
  // The field that had the focus is removed.
  expect(document.activeElement?.className).toContain('read')
  expect(cardOf('Buoy')?.querySelector('[aria-label="solved by your team"]')).not.toBeNull()
  expect(place.querySelector('[aria-label="Own team"]')?.textContent).toContain('1of 3 solved')
  await hub.say('/hub/user', 'VexilSolves', solve(1, 11, 7, 'ann', 460))
  await until(() => expect(dialog()?.textContent).toMatch(/Solved by ann.*460 points for your team/))
  // The own rank is the same as before.
  expect(moment()?.textContent).toBe('Second blood460 points for your team. Rank 2')
  expect(moment()?.querySelector('b > [role=img]')?.getAttribute('aria-label')).toBe('Second blood')
  expect(moment()?.className).not.toContain('first')
  expect([...(dialog()?.querySelectorAll('[role=status]') ?? [])].at(-1)?.textContent).toContain('Solved by ann')
  expect(requests.filter((line) => line.startsWith('DELETE'))).toEqual([])
})

const moment = () => dialog()?.querySelector<HTMLElement>('section[aria-label="Flag correct"]')
/** Red and Blue are ahead with 460 points each; Buoy is unsolved. */
const behind = {
  answers: {
    'GET /api/game/3/scoreboard/feed': feed([
      [1, 1, 10],
      [2, 1, 11],
    ]),
  },
}

test.each(['answer', 'board'])(
  'CD-26 a correct flag raises the own pennant and shows the change of rank when the board has it (the %s is first)',
  async (first) => {
    let reply: (response: Response) => void = () => {}
    const status = () => new Promise<Response>((resolve) => (reply = resolve))
    const { answers } = await judging(['Accepted'], behind)
    if (first === 'board') answers['GET /api/game/3/challenges/7/status/41'] = status
    await answer('flag{a}')
    if (first === 'answer') {
      await until(() => expect(moment()?.querySelector('svg')).not.toBeNull())
      expect(moment()?.textContent).toBe('Flag correct')
    }
    await hub.say('/hub/user', 'VexilSolves', solve(2, 11, 7, 'ann', 480))
    if (first === 'board') {
      expect(moment()).toBeFalsy()
      await act(async () => reply(json('Accepted')))
    }
    await until(() => expect(moment()?.textContent).toContain('480 points for your team. Rank 3 → 1'))
    expect(moment()?.querySelector('[aria-live]')?.textContent).toContain('First blood')
    expect(moment()?.className).toContain('first')
  },
)

test('CD-26 a team whose rank was not known when it sent the flag sees the new rank only', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const board = () => promise.then(() => json(feed([[0, 0, 5]])))
  await judging(['Accepted'], { answers: { 'GET /api/game/3/scoreboard/feed': board } })
  await answer('flag{a}')
  await until(() => expect(moment()?.textContent).toBe('Flag correct'))
  resolve()
  await until(() => expect(moment()?.textContent).toBe('First blood480 points for your team. Rank 1'))
})

test('CD-26 a wrong flag, and a solve of a team mate, raise nothing; the latter does not move the focus', async () => {
  await judging(['WrongAnswer'], behind)
  await answer('flag{a}')
  await until(() => expect(said()).toContain('Flag wrong.'))
  expect(moment()).toBeFalsy()
  const other = named('Next challenge')
  other?.focus()
  await hub.say('/hub/user', 'VexilSolves', solve(2, 11, 7, 'bob', 480))
  await until(() => expect(dialog()?.textContent).toContain('Solved by bob'))
  expect(moment()).toBeFalsy()
  // Only the focus of the removed form moves to the text.
  expect(document.activeElement).toBe(other)
})

test('CD-19 after the end a correct flag shows that it is not scored', async () => {
  const ended = game({ practiceMode: true, end: new Date(Date.now() - minute).toISOString() })
  const practised = { 'GET /api/game/3/details': details({ practiceSolves: [8] }) }
  const { answers } = await judging(['Accepted'], { game: ended, answers: practised })
  expect(said()).toBe('Practice: correct answers are not scored.')
  answers['GET /api/game/3/details'] = details({ practiceSolves: [7, 8] })
  await answer('flag{a}')
  await until(() => expect(dialog()?.textContent).toContain('Answers after the end of the game are not scored.'))
  expect(dialog()?.textContent).not.toContain('The scoreboard updates')
  // The pennant rises only for a solve that counts.
  await until(() => expect(moment()).toBeFalsy())
  await click(named('Next challenge'))
  await until(() => expect(dialog()?.querySelector('footer')?.textContent).toContain('Solved by your team'))
  expect(dialog()?.querySelector('footer')?.textContent).toContain('are not scored')
})

test('P4.19 CD-21 P8.16 any other answer stays, yellow, with the number of the submission and a button to copy it, even after the dialog was closed', async () => {
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  const words = 'Flag status unknown, contact an admin with the submission id 41'
  await judging(['NotFound'])
  await answer('flag{a}')
  await until(() => expect(said()).toContain(words))
  await click(dialog()?.querySelector('form + p button'))
  await until(() => expect(copied).toEqual(['41']))
  await key('Escape')
  await click(cardOf('Buoy'))
  expect(said()).toContain(words)
  await key('Escape')
  await judging(['FlagSubmitted', 'NotFound'])
  await answer('flag{b}')
  await key('Escape')
  await until(() => expect(toasts().at(-1)).toMatchObject({ title: 'Flag status unknown', role: 'status' }))
  const shown = notificationsStore.getState().notifications.at(-1)
  expect(shown).toMatchObject({ autoClose: false, color: 'var(--warn)', withCloseButton: true })
  const message = [...document.querySelectorAll('.mantine-Notification-root')].at(-1)
  expect(message?.textContent).toContain(words)
  await click(message?.querySelector('button[aria-label*="opy"]'))
  await until(() => expect(copied).toEqual(['41', '41']))
})

test('CD-23 a solved challenge accepts no flag; its file and its instance stay available', async () => {
  const context = {
    closeTime: new Date(Date.now() + 60 * minute).toISOString(),
    instanceEntry: 'tide:1',
    url: '/assets/abc/chart.zip',
    fileSize: 10,
    readiness: null,
    tlsEntry: null,
    entries: [],
    lastEnd: null,
    start: null,
    startFailure: null,
  }
  const { challenges } = details()
  const web = (challenges.Web ?? []).map((card) => ({ ...card, solved: 1, nextScore: 460 }))
  await open({
    answers: {
      'GET /api/game/3/details': { ...details(), challenges: { ...challenges, Web: web } },
      'GET /api/game/3/scoreboard/feed': feed([[0, 0, 5]]),
      'GET /api/game/3/challenges/7': challenge(7, { type: 'StaticContainer', context }),
    },
  })
  expect(flag()).toBeNull()
  // The next solve is worth nothing to a team that has solved it.
  expect(dialog()?.textContent).toMatch(/^BuoyWeb480 pts1 solve Solved/)
  expect(dialog()?.querySelector('footer')?.textContent).toMatch(/Solved by ann/)
  const solved = [...(dialog()?.querySelectorAll<HTMLButtonElement>('footer button') ?? [])]
  expect(solved.map(({ textContent, disabled }) => [textContent, disabled])).toEqual([['Solved', true]])
  const links = [...(dialog()?.querySelectorAll('aside a[target=_blank]') ?? [])].map((one) => one.getAttribute('href'))
  expect(links).toEqual(expect.arrayContaining(['/assets/abc/chart.zip', 'http://tide:1']))
  expect(button('Destroy')?.disabled).toBe(false)
})

test('CD-24 P8.9 a team that is suspended while the dialog is open is redirected to the game, with the reason', async () => {
  const { answers } = await open()
  answers['POST /api/game/3/challenges/7'] = refused('participation.suspended', 'Suspended', 403)
  answers['GET /api/game/3'] = game({ status: 'Suspended' })
  await answer('flag{a}')
  await until(() => expect(here()).toBe('/games/3'))
  expect(toasts().map(({ title }) => title)).toContain('You have been banned')
})

test('CD-24 FRAME-3 P8.8 a game that the server has ended redirects there, too, even if the local clock differs', async () => {
  const { answers } = await open()
  answers['POST /api/game/3/challenges/7'] = refused('game.ended', 'Ended')
  answers['GET /api/game/3/details'] = refused('game.ended', 'Ended')
  await answer('flag{a}')
  await until(() => expect(here()).toBe('/games/3'))
  expect(toasts().map(({ title }) => title)).toContain('Game ended')
  await settle()
  expect(named('Flag')).toBeUndefined()
})

// @vitest-environment jsdom
import { act, useState } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click, named } from '../../test/acts.ts'
import { feed, game, minute, openInGame } from '../../test/in-game.tsx'
import { device, openPage, until } from '../../test/page.tsx'
import { openFeed } from '../api/board.ts'
import { BoardChart } from './board-chart.tsx'
import ScoreboardScreen from './scoreboard.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

/** The latest parameters of the drawing. */
const requests = vi.hoisted(() => ({ ends: 0, until: 0, start: '', lines: [] as readonly { id: number; strong: boolean }[] }))
const measured = vi.hoisted(() => ({ width: 800 }))
vi.mock('./use-chart.ts', () => ({
  useChart: (_: unknown, facts: typeof requests) => {
    Object.assign(requests, facts)
    return { width: measured.width, showAll() {}, savePicture() {} }
  },
}))
afterEach(() => {
  measured.width = 800
})

/** The chart of a running game. */
const draw = (shown: Parameters<typeof openFeed>[0]) =>
  openPage(
    <BoardChart
      game={game()}
      phase="running"
      state={openFeed(shown)}
      division={null}
      own={null}
      added={null}
      moment={null}
      height={138}
    />,
  )
const times = (before: number, after: number, now = Date.now()) => ({
  startsAt: now - before * minute,
  endsAt: now + after * minute,
})

test('a chart has its names under it below 600 pixels, and its menu once its width is known', async () => {
  for (const [width, names, hasMenu] of [
    [0, [], false],
    [599, ['Red', 'Danes', 'Blue'], true],
    [600, [], true],
  ] as const) {
    measured.width = width
    const place = await draw(feed(undefined, times(60, 180)))
    const listed = [...place.querySelectorAll('figure li')].map(({ textContent }) => textContent)
    expect([width, listed]).toEqual([width, names])
    expect([width, place.querySelector('figure')?.hasAttribute('data-narrow')]).toEqual([width, width === 599])
    expect([width, named('Chart')?.closest('[hidden]') === null]).toEqual([width, hasMenu])
    // Beside names that are under the chart, the button has no place at its lower edge.
    expect([width, button('Whole game')?.style.top]).toEqual([width, width === 599 ? '' : '116px'])
    place.remove()
  }
})

test('a chart without a solve says so, one with a solve does not; both have a table of the points', async () => {
  for (const [solves, says, points] of [
    [[], true, ['Danes0', 'Red0', 'Blue0']],
    [[[1, 0, 10]], false, ['Red480', 'Danes0', 'Blue0']],
  ] as const) {
    const place = await draw(feed(solves))
    expect(place.textContent?.includes('No points yet')).toBe(says)
    expect([...place.querySelectorAll('figcaption tr')].map(({ textContent }) => textContent)).toEqual(points)
    place.remove()
  }
})

test.each([
  ['by a pixel at a time', 240, 18_005],
  ['every ten seconds at most', 120, 10_005],
])('the line of now moves %s', async (_, duration, wait) => {
  const hour = 60 * minute
  // The waits end at multiples of their length.
  const now = Math.ceil(Date.now() / hour) * hour
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now })
  try {
    const place = await draw(feed(undefined, times(60, duration - 60, now)))
    const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
    expect(requests.until).toBe(now)
    await pass(wait - 1)
    expect(requests.until).toBe(now)
    await pass(1)
    expect(requests.until).toBe(now + wait)
    place.remove()
  } finally {
    vi.useRealTimers()
  }
})

test('new solves are drawn after two seconds at most, however many arrive; the first ones at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const startsAt = Date.now() - 120 * minute
  const stateOf = (count: number) =>
    openFeed(
      feed(
        (
          [
            [1, 0, 10],
            [1, 1, 20],
            [1, 2, 30],
            [2, 0, 40],
            [2, 1, 50],
          ] as const
        ).slice(0, count),
        { startsAt, endsAt: startsAt + 60 * minute },
      ),
    )
  let show = (_: number) => {}
  function Board() {
    const [count, setCount] = useState(1)
    show = setCount
    const [division, own, added, moment] = [null, null, null, null]
    return <BoardChart game={game()} phase="ended" state={stateOf(count)} {...{ division, own, added, moment }} height={138} />
  }
  const place = await openPage(<Board />)
  const solved = () => [...place.querySelectorAll('figcaption td')].filter(({ textContent }) => textContent !== '0').length
  const points = () => place.querySelector('figcaption td')?.textContent
  const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
  const arrive = (count: number) => act(async () => show(count))
  expect([points(), solved()]).toEqual(['480', 1])
  await arrive(2)
  await pass(0)
  expect(points()).toBe('960')
  await pass(500)
  await arrive(3)
  await pass(1000)
  await arrive(5)
  await pass(499)
  expect([points(), solved()]).toEqual(['960', 1])
  await pass(1)
  expect([points(), solved()]).toEqual(['1400', 2])
  // After a pause the next one is drawn at once.
  await arrive(1)
  await pass(2000)
  await pass(2000)
  await arrive(2)
  await pass(0)
  expect(points()).toBe('960')
})

test('SB-22 before half time the chart ends now and shows its start as text; one click shows the whole game, and another goes back', async () => {
  const early = times(60, 180)
  const place = await draw(feed(undefined, early))
  expect(requests.ends).toBe(requests.until)
  expect(Math.abs(requests.ends - Date.now())).toBeLessThan(minute)
  expect(requests.start).toMatch(/^Start .*\d\d:\d\d$/)
  await click(button('Whole game'))
  expect(requests.ends).toBe(early.endsAt)
  await click(button('Since the start'))
  expect(requests.ends).toBe(requests.until)
  place.remove()
  const late = times(180, 60)
  await draw(feed(undefined, late))
  expect(requests.ends).toBe(late.endsAt)
  expect(button('Whole game')).toBeUndefined()
})

test('SB-25 legend and tie rule are behind a button; the chart can be hidden, on the next visit, too', async () => {
  device.width = 1440
  onTestFinished(() => {
    device.width = undefined
  })
  const { place } = await openInGame(ScoreboardScreen, 'Scoreboard', { answers: { 'GET /api/game/3/scoreboard/feed': feed() } })
  expect(document.body.textContent).not.toContain('Ties: the earlier last solve ranks higher.')
  await click(button('Legend'))
  expect(document.body.textContent).toContain('Ties: the earlier last solve ranks higher.')
  const chart = () => named('Points of the leading teams over time') as HTMLElement
  const tip = async () => {
    for (const type of ['pointerout', 'pointerover'])
      await act(async () => void chart().dispatchEvent(new Event(type, { bubbles: true })))
    await until(() => expect(document.querySelector('[role=tooltip]')).not.toBeNull())
    return document.querySelector('[role=tooltip]')?.textContent
  }
  expect([chart().getAttribute('aria-pressed'), await tip()]).toEqual(['true', 'Hide the chart'])
  await until(() => expect(document.querySelector<HTMLElement>('figure > div')?.style.height).toBe('138px'))
  await click(chart())
  expect([chart().getAttribute('aria-pressed'), await tip()]).toEqual(['false', 'Show the chart'])
  expect(document.querySelector('figure')).toBeNull()
  place.remove()
  await openInGame(ScoreboardScreen, 'Scoreboard', { answers: { 'GET /api/game/3/scoreboard/feed': feed() } })
  expect(chart().getAttribute('aria-pressed')).toBe('false')
  await click(chart())
  expect(localStorage.getItem('chart')).toBeNull()
})

test('SC-4 a team whose row is pressed is emphasised in the chart', async () => {
  device.width = 1440
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(330)
  onTestFinished(() => {
    device.width = undefined
    vi.restoreAllMocks()
  })
  const four = { id: [31, 32, 33, 34], participationId: [1, 2, 3, 4], name: ['A', 'B', 'C', 'D'] }
  const none = [null, null, null, null]
  const teams = { ...four, bio: none, avatar: none, division: [-1, -1, -1, -1] }
  await openInGame(ScoreboardScreen, 'Scoreboard', { answers: { 'GET /api/game/3/scoreboard/feed': feed([], { teams }) } })
  const strong = () => requests.lines.flatMap((line) => (line.strong ? [line.id] : []))
  await until(() => expect(strong()).toEqual([31, 32, 33]))
  await click(document.querySelector('tr[data-team="34"] button'))
  await until(() => expect(strong()).toEqual([31, 32, 33, 34]))
})

test('where there is no room above the table, the chart opens in a dialog, which can be closed', async () => {
  await openInGame(ScoreboardScreen, 'Scoreboard', { answers: { 'GET /api/game/3/scoreboard/feed': feed() } })
  const dialog = () => document.querySelector('[role=dialog]')
  expect([dialog(), document.querySelector('figure')]).toEqual([null, null])
  await click(named('Points of the leading teams over time'))
  await until(() => expect(dialog()?.querySelector<HTMLElement>('figure > div')?.style.height).toBe('260px'))
  // A button that opens a dialog is not a switch.
  expect(named('Points of the leading teams over time')?.hasAttribute('aria-pressed')).toBe(false)
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Points of the leading teams over time')
  await click(dialog()?.querySelector('button[aria-label=Close]'))
  await until(() => expect(dialog()).toBeNull())
})

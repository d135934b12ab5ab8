// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { device, openPage, type, until } from '../../test/page.tsx'
import { applySolves, type BoardState, openFeed } from '../api/board.ts'
import { BoardTable } from './board-table.tsx'

/** Names of the teams whose rows were rendered. */
const drawn = vi.hoisted(() => [] as string[])
vi.mock('../ui/base/avatar.tsx', () => ({
  Avatar: ({ name }: { readonly name: string }) => {
    drawn.push(name)
    return null
  },
}))

const teams = 200
const challenges = 100
const all = (count: number) => Array.from({ length: count }, (_, index) => index)
/** The first 60 teams have 60, 59, … 1 solves, each from the first challenge on. */
const solves = all(60).flatMap((team) => all(60 - team).map((challenge) => ({ team, challenge })))
const feed = {
  gameId: 1,
  epoch: 1,
  head: solves.length,
  roster: 0,
  startsAt: 1000,
  endsAt: 100_000_000,
  changedAt: 2000,
  bloodBonus: 0,
  divisions: ['A division with a very long name'],
  challenges: {
    id: all(challenges).map((index) => index + 1),
    title: all(challenges).map((index) => `Challenge ${String(index).padStart(2, '0')}`),
    category: all(challenges).map(() => 3),
    bloodBonus: all(challenges).map(() => null),
    values: all(challenges).map(() => [100, 100]),
  },
  teams: {
    id: all(teams).map((index) => index + 1),
    participationId: all(teams).map((index) => index + 1),
    name: all(teams).map((index) => `Team ${index}`),
    bio: all(teams).map(() => null),
    avatar: all(teams).map(() => null),
    division: all(teams).map(() => 0),
  },
  users: ['ann'],
  solves: {
    number: solves.map((_, index) => index + 1),
    team: solves.map(({ team }) => team),
    challenge: solves.map(({ challenge }) => challenge),
    user: solves.map(() => 0),
    after: solves.map(() => 1),
    raised: solves.map(() => 0),
  },
}

beforeEach(() => {
  own = 0
  drawn.length = 0
  // Mocked layout: a window of ten rows.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(330)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200)
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(480 + challenges * 24)
  Object.assign(Element.prototype, { scrollTo() {} })
})
afterEach(() => void vi.restoreAllMocks())

let change = (_: (state: BoardState) => BoardState) => {}
const opened: number[] = []
/** Participation of the reader's own team; 0 in most tests. */
let own = 0
/** `known`: number of loaded rows; the own row is then the last but four, or none for an own team of -1. */
function Board({ known }: { readonly known?: number }) {
  const [state, setState] = useState(() => openFeed(feed))
  change = setState
  return (
    <BoardTable
      game={3}
      state={state}
      rows={state.rows.slice(0, known)}
      own={
        (known === undefined || own < 0 ? state.rows.find(({ team }) => team.participationId === own) : state.rows.at(-5)) ?? null
      }
      division={null}
      badge={null}
      replay={null}
      count={state.rows.length}
      whole={known === undefined}
      onReplay={() => {}}
      onDivision={() => {}}
      chart={true}
      onChart={() => {}}
      onOpen={(team) => opened.push(team)}
    />
  )
}
const rowsShown = () => [...document.querySelectorAll<HTMLElement>('tbody tr[data-team]')]
const solved = (team: number, challenge: number, number = solves.length + 1) => ({
  gameId: 1,
  epoch: 1,
  from: number - 1,
  to: number,
  solves: [[number, team, challenge, 'ann', 5000, 5000, 100] as const],
})
const hear = (...of: Parameters<typeof solved>) =>
  act(async () => change((state) => applySolves(state, solved(...of), 1) as BoardState))

test('P2.29 SB-9 SB-23 rows and columns outside the view are not rendered', async () => {
  const place = await openPage(<Board />)
  // Ten are in view, and one more is there for the Tab key.
  expect(rowsShown()).toHaveLength(11)
  // Each challenge keeps 24 pixels; the columns beside them and the end of the slanted titles have their own.
  expect(place.querySelector('table')?.style.getPropertyValue('--least')).toBe(`${480 + challenges * 24 + 32}px`)
  expect(drawn.length).toBe(rowsShown().length)
  expect(rowsShown()[0]?.querySelectorAll('td').length).toBeLessThan(60)
  // Omitted columns still take up their space.
  const width = [...(rowsShown()[0]?.children ?? [])].reduce((sum, cell) => sum + (cell as HTMLTableCellElement).colSpan, 0)
  expect(width).toBe(5 + challenges + 1)
  expect(place.querySelectorAll('col')).toHaveLength(5 + challenges + 1)
  const gaps = () =>
    [...(rowsShown()[0]?.children ?? [])].flatMap((cell) =>
      (cell as HTMLTableCellElement).colSpan > 1 ? [(cell as HTMLTableCellElement).colSpan] : [],
    )
  const scroller = place.querySelector('section') as HTMLElement
  await act(async () => {
    scroller.scrollLeft = 1200
    scroller.dispatchEvent(new Event('scroll'))
  })
  expect([gaps(), rowsShown()[0]?.children.length]).toEqual([[44, 12], 5 + 1 + 44 + 1 + 1])
})

test('SB-23 a solve of a team out of view renders no row; a solve that changes places renders the rows that moved', async () => {
  await openPage(<Board />)
  drawn.length = 0
  await hear(180, 100)
  expect(drawn).toEqual([])
  // The fifth team solves two more challenges and passes the fourth.
  await hear(5, 90, solves.length + 2)
  await hear(5, 91, solves.length + 3)
  expect(new Set(drawn)).toEqual(new Set(['Team 3', 'Team 4']))
  expect(
    rowsShown()
      .slice(3, 5)
      .map((row) => row.getAttribute('data-team')),
  ).toEqual(['5', '4'])
})

test('a row of a new solve is marked, again by each further one, and keeps the focus', async () => {
  await openPage(<Board />)
  const marks = () => rowsShown().flatMap((row) => (row.getAttribute('data-live') === null ? [] : [row.dataset.live]))
  const name = rowsShown()[0]?.querySelector<HTMLElement>('th button')
  name?.focus()
  for (const [place, mark] of ['', 'again', ''].entries()) {
    await hear(1, 90 + place, solves.length + 1 + place)
    expect(marks()).toEqual([mark])
    expect(document.activeElement).toBe(name)
  }
})

test('SB-23 rendering the same board again renders no row', async () => {
  await openPage(<Board />)
  drawn.length = 0
  await act(async () => change((state) => ({ ...state, changedAt: 3000 })))
  expect(drawn).toEqual([])
})

test('KEY-1 a click anywhere on a row, or its button, opens the team', async () => {
  await openPage(<Board />)
  await act(async () => rowsShown()[2]?.querySelector<HTMLElement>('td:last-child')?.click())
  await act(async () => rowsShown()[1]?.querySelector<HTMLElement>('th button')?.click())
  expect(opened).toEqual([3, 2])
})

test('SB-4 the own row is pinned while it is out of view; "Mine" scrolls to it and marks it', async () => {
  own = 150
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(teams * 33 + 100)
  const place = await openPage(<Board />)
  const scroller = place.querySelector('section') as HTMLElement
  const rowsOfOwn = () => [...place.querySelectorAll('tr[data-team="150"]')]
  expect(rowsOfOwn().map(({ className }) => /pinned/.test(className))).toEqual([true])
  expect([...place.querySelectorAll('tr[data-team]')].at(-1)).toBe(rowsOfOwn()[0])
  const scrolled = vi.spyOn(scroller, 'scrollTo').mockImplementation(((to: ScrollToOptions) => {
    scroller.scrollTop = to.top ?? 0
    scroller.dispatchEvent(new Event('scroll'))
  }) as typeof scroller.scrollTo)
  // Its first solve moves it to the 61st place.
  await hear(150, 100)
  await act(async () => place.querySelector<HTMLElement>('button[aria-label=Mine]')?.click())
  // The middle of the row is in the middle of the window.
  expect(scrolled.mock.calls.map(([to]) => (to as ScrollToOptions).top)).toEqual([60 * 33 + 33 / 2 - 330 / 2])
  await until(() => expect(rowsOfOwn().map(({ className }) => /pinned/.test(className))).toEqual([false]))
  expect(rowsOfOwn()[0]?.className).toMatch(/marked/)
  expect(rowsOfOwn()[0]?.querySelector('[aria-label="Your team"]')).not.toBeNull()
  // Its index is 60, and eight rows are in view below the head: the first and the last of them are not pinned.
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return this.tagName === 'THEAD' ? 66 : 0
  })
  for (const [first, isPinned] of [
    [60, false],
    [61, true],
    [53, false],
    [52, true],
  ] as const) {
    await act(async () => scroller.scrollTo({ top: first * 33 }))
    expect([first, place.querySelector('tr[class*=pinned]') !== null]).toEqual([first, isPinned])
  }
})

test('SB-4 the first team is pinned like any other', async () => {
  own = 1
  const place = await openPage(<Board />)
  const scroller = place.querySelector('section') as HTMLElement
  const isPinned = () => place.querySelector('tr[class*=pinned]') !== null
  expect(isPinned()).toBe(false)
  await act(async () => {
    scroller.scrollTop = 20 * 33
    scroller.dispatchEvent(new Event('scroll'))
  })
  expect(isPinned()).toBe(true)
})

test('SB-4 SB-20 the search finds a team beyond the view, and only that; its full name and division can be read where they are cut off', async () => {
  own = 180
  const place = await openPage(<Board />)
  await type(place.querySelector<HTMLInputElement>('thead input[placeholder]') ?? undefined, ' team 150 ')
  expect(place.querySelector('tfoot')).toBeNull()
  expect([...place.querySelectorAll<HTMLElement>('tbody tr[aria-hidden]')].map(({ style }) => style.height)).toEqual(['0px'])
  expect(rowsShown().map((row) => row.querySelector('th button')?.getAttribute('title'))).toEqual(['Team 150'])
  expect(rowsShown()[0]?.querySelector('[title="A division with a very long name"]')).not.toBeNull()
  // The division shrinks a thousand times as much as the name.
  const styles = readFileSync(join(import.meta.dirname, 'board.module.css'), 'utf8')
  expect(styles).toMatch(/\n\.division \{\n {2}flex: 0 1000 auto;/)
  expect(styles).toMatch(/\n\.words \{\n {2}flex: 0 1 auto;/)
  // The column of ranks is too narrow for "In division" in one line.
  expect(styles).toMatch(/\n\.table \.labels \.rank \{[^}]*white-space: normal;/)
})

test('the search is cleared beside its message, and its field then has the focus', async () => {
  const place = await openPage(<Board />)
  const field = place.querySelector('input[aria-label="Find a team"]') as HTMLInputElement
  await type(field, 'nobody')
  expect(rowsShown()).toHaveLength(0)
  const clear = [...place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Clear search')
  clear?.focus()
  await act(async () => clear?.click())
  expect([field.value, rowsShown().length > 0, document.activeElement]).toEqual(['', true, field])
})

test('SB-3 all teams are one list: scrolling to its end shows the last one, without a pager', async () => {
  const place = await openPage(<Board />)
  const scroller = place.querySelector('section') as HTMLElement
  const heights = [...document.querySelectorAll<HTMLElement>('tbody tr[aria-hidden]')].map(({ style }) =>
    Number.parseFloat(style.height),
  )
  expect(heights.reduce((sum, one) => sum + one, 0) + rowsShown().length * 33).toBe(teams * 33)
  await act(async () => {
    scroller.scrollTop = (teams - 10) * 33
    scroller.dispatchEvent(new Event('scroll'))
  })
  expect(rowsShown().at(-1)?.querySelector('th button')?.textContent).toBe(`Team ${teams - 1}`)
  expect(rowsShown().length).toBeLessThan(30)
  expect(place.querySelector('[aria-label="Next page"]')).toBeNull()
})

test('rows are lower in the compact density and higher on a phone, also when that changes while the board is open', async () => {
  const { dataset } = document.documentElement
  onTestFinished(() => void delete dataset.density)
  await openPage(<Board />)
  const height = () =>
    [...document.querySelectorAll<HTMLElement>('tbody tr[aria-hidden]')].reduce(
      (sum, { style }) => sum + Number.parseFloat(style.height),
      0,
    )
  await act(async () => {
    dataset.density = 'compact'
  })
  await until(() => expect(height() + rowsShown().length * 27).toBe(teams * 27))
  device.width = 767
  onTestFinished(() => {
    device.width = undefined
  })
  await act(async () => void window.dispatchEvent(new Event('resize')))
  await until(() => expect(height() + rowsShown().length * 56).toBe(teams * 56))
})

test('rows that are not loaded yet keep their space for a reader without a team, too', async () => {
  own = -1
  const place = await openPage(<Board known={50} />)
  expect([rowsShown().length, place.querySelector('tfoot')]).toEqual([11, null])
})

test('rows that are not loaded yet keep their space, the own one at its place; a rank scrolls to them', async () => {
  const place = await openPage(<Board known={50} />)
  const scroller = place.querySelector('section') as HTMLElement
  const names = () => rowsShown().map((row) => row.querySelector('th button')?.textContent)
  const total = () =>
    [...document.querySelectorAll<HTMLElement>('tbody tr')].reduce(
      (sum, { style }) => sum + (style.height === '' ? 33 : Number.parseFloat(style.height)),
      0,
    )
  expect([total(), document.querySelector('tfoot')?.textContent?.slice(0, 3)]).toEqual([teams * 33, '196'])
  await act(async () => {
    scroller.scrollTop = (teams - 10) * 33
    scroller.dispatchEvent(new Event('scroll'))
  })
  expect([total(), names(), document.querySelector('tfoot')]).toEqual([teams * 33, ['Team 195'], null])
  const field = place.querySelector('input[aria-label="Find a team"]') as HTMLInputElement
  const marked = () => place.querySelector('tr[class*=marked] th button')?.textContent ?? null
  for (const [rank, name] of [
    ['201', null],
    ['196', 'Team 195'],
  ] as const) {
    await type(field, rank)
    await act(async () => void field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift', bubbles: true })))
    expect(field.value).toBe(rank)
    await act(async () => void field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })))
    await act(() => new Promise((later) => setTimeout(later)))
    expect(marked()).toBe(name)
  }
})

// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage, until } from '../../test/page.tsx'
import { HomeBoard } from './home-board.tsx'

afterEach(() => void vi.unstubAllGlobals())

const at = Date.now() - 60_000
const row = (
  id: number,
  name: string,
  points: number,
  solves: readonly (readonly [challenge: number, type: number, minute: number])[],
) => ({
  team: { id, participationId: id + 100, name, bio: null, avatar: null, division: null },
  rank: id,
  divisionRank: null,
  points,
  solves: solves.map(([challenge, type, minute], index) => [
    id * 10 + index,
    challenge,
    100,
    type,
    'ann',
    at,
    at + minute * 1000,
  ]),
})
const start = (rows: object[]) => ({
  ...{
    epoch: 1,
    head: 9,
    roster: 1,
    startsAt: at - 3_600_000,
    endsAt: at + 3_600_000,
    changedAt: at,
    bloodBonus: 0,
    divisions: [],
  },
  teamCount: rows.length,
  challenges: [7, 8].map((id) => ({ id, title: `Buoy ${id}`, category: 'Web', bloodBonus: null, value: 100, solved: 1 })),
  rows,
})

test('HOME-8 the home page of a running game lists the first five teams, and the newest solves with their bloods', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const requests: string[] = []
  const rows = Array.from({ length: 7 }, (_, index) =>
    row(index + 1, `Crew ${index + 1}`, 1700 - index, index === 6 ? [[8, 1, 9]] : [[7, [2, 3][5 - index] ?? 4, index]]),
  )
  Object.assign(rows[0]?.team ?? {}, { avatar: '/assets/crew' })
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address)
    return json(start(rows))
  })
  const place = await openPage(<HomeBoard game={3} />)
  const lists = () =>
    [...place.querySelectorAll('ol')].map((list) => [...list.children].map(({ textContent }) => textContent ?? ''))
  await until(() => expect(lists()).toHaveLength(2))
  const [teams, solves] = lists()
  expect(place.querySelector('li img')?.getAttribute('src')).toBe('/assets/crew')
  expect(teams).toEqual(['1Crew 11,700', '2Crew 21,699', '3Crew 31,698', '4Crew 41,697', '5Crew 51,696'])
  expect(solves?.map((line) => line.slice(0, 13))).toEqual([
    'Crew 7 Buoy 8',
    'Crew 6 Buoy 7',
    'Crew 5 Buoy 7',
    'Crew 4 Buoy 7',
    'Crew 3 Buoy 7',
  ])
  const bloods = [...place.querySelectorAll('section:last-child li')].map((line) => line.querySelector('[aria-label]'))
  expect(bloods.map((one) => one?.getAttribute('aria-label'))).toEqual([
    'First blood',
    'Second blood',
    'Third blood',
    undefined,
    undefined,
  ])
  const heads = [...place.querySelectorAll('h2')].map(({ textContent }) => textContent)
  expect(heads).toEqual([expect.stringMatching(/^Leading teams/), 'Latest solves'])
  const times = [...place.querySelectorAll<HTMLTimeElement>('section:last-child time')].map(({ dateTime }) => dateTime)
  expect(times).toEqual([9, 5, 4, 3, 2].map((second) => new Date(at + second * 1000).toISOString()))
  expect(place.textContent).not.toMatch(/No solves yet|No teams yet/)
  expect(place.querySelector('a')?.getAttribute('href')).toBe('/games/3/Scoreboard')
  expect(requests).toEqual(['/api/game/3/scoreboard/start'])
  await act(() => vi.advanceTimersByTimeAsync(30_000))
  expect(requests).toHaveLength(2)
})

test('HOME-8 before the first solve it says that there is none', async () => {
  vi.stubGlobal('fetch', async () => json(start([row(1, 'Crew', 0, [])])))
  const place = await openPage(<HomeBoard game={3} />)
  await until(() => expect(place.textContent).toContain('No solves yet'))
  expect(place.textContent).not.toContain('No teams yet')
})

test('HOME-8 before the first team it says that there is none', async () => {
  vi.stubGlobal('fetch', async () => json(start([])))
  const place = await openPage(<HomeBoard game={3} />)
  await until(() => expect(place.textContent).toContain('No teams yet'))
})

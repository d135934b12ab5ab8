// @vitest-environment jsdom
import { useQueryClient } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import { act } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { GameAlert } from './game-alert.tsx'
import { HomeStanding } from './home-standing.tsx'
import type { MainButton } from './main-button.ts'

const game = { id: 7, teamName: 'Gulls', organization: null, teamCount: 40 } as DetailedGame

test.each(['{{name}}', '{{team}}', '$t(games.rank)', '<l>x</l>', '</b>'])(
  'a team named %s is shown by that name',
  async (name) => {
    for (const [main, kind, icon] of [
      ['pending', 'wary', 'clock-pause'],
      ['again', 'bad', 'alert-triangle'],
      ['banned', 'bad', 'ban'],
      ['approved', 'good', 'circle-check'],
    ] as [MainButton, string, string][]) {
      const place = await openPage(<GameAlert game={{ ...game, teamName: name }} phase="before" main={main} />)
      expect([main, place.querySelector('b')?.textContent]).toEqual([main, name])
      const alert = place.querySelector<HTMLElement>('[role=status]')
      expect([alert?.dataset.kind, alert?.querySelector('svg')?.classList[1]]).toEqual([kind, `tabler-icon-${icon}`])
      expect(place.querySelector('a')).toBeNull()
    }
  },
)

test('the standing counts teams with a rank, not teams that wait for a review; a team that is not listed has its name and no rank', async () => {
  const rank = { id: 1, name: 'Gulls', avatar: null, organization: null, rank: 3, score: 1234, solvedCount: 1 }
  const place = await openPage(<HomeStanding game={game} />, [[keys.game(7).play, { rank, challengeCount: 5, teamCount: 12 }]])
  expect(place.textContent).toContain('of 12')
  expect(place.querySelector('section')?.textContent).toMatch(/3 of 12rank1,234points1 of 5solved$/)
  expect(place.textContent).not.toContain('40')
  expect(place.querySelector('section')?.getAttribute('aria-label')).toBe('Your standing')
  const unlisted = { ...rank, name: '', rank: 0, avatar: '/assets/gulls' }
  // Its division is known from the game.
  const placed = { ...game, organization: 'South' }
  const other = await openPage(<HomeStanding game={placed} />, [[keys.game(7).play, { rank: unlisted, challengeCount: 5 }]])
  expect(other.querySelector('section')?.textContent).toMatch(/^GullsYour team, South- of 40/)
  expect(other.querySelector('img')?.getAttribute('src')).toBe('/assets/gulls')
})

test('what is below the standing waits for its first answer, but not for another try after a failure', async () => {
  const replies: ((error: Error) => void)[] = []
  vi.stubGlobal('fetch', () => new Promise((_, reject) => replies.push(reject)))
  onTestFinished(() => void vi.unstubAllGlobals())
  function Tried() {
    useQueryClient().setDefaultOptions({ queries: { retry: 1, retryDelay: 0 } })
    return <HomeStanding game={game} />
  }
  const place = await openPage(<Tried />)
  expect(place.querySelector('section[data-waiting]')).not.toBeNull()
  await act(async () => replies[0]?.(new TypeError('down')))
  await until(() => expect(replies).toHaveLength(2))
  expect(place.querySelector('section')).toBeNull()
})

test('the standing names the division of the team, and is read every half minute', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const rank = { id: 1, name: 'Gulls', avatar: null, organization: 'North', rank: 3, score: 10, solvedCount: 1 }
  const read = vi.fn(async (_: string) => json({ rank: { ...rank, rank: 2 }, challengeCount: 5, teamCount: 12 }))
  vi.stubGlobal('fetch', read)
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const place = await openPage(<HomeStanding game={game} />, [[keys.game(7).play, { rank, challengeCount: 5, teamCount: 12 }]])
  expect(place.textContent).toContain('GullsYour team, North3 of 12')
  await act(() => vi.advanceTimersByTimeAsync(30_000))
  expect(read.mock.calls.map(([path]) => path)).toEqual(['/api/game/7/details'])
})

// @vitest-environment jsdom
import type { DetailedGame } from '@vexil/contract/games'
import { act } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { json, openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { GameAlert } from './game-alert.tsx'
import { HomeStanding } from './home-standing.tsx'
import type { MainButton } from './main-button.ts'

const game = { id: 7, teamName: 'Gulls', organization: null, teamCount: 40 } as DetailedGame

test.each(['{{name}}', '{{team}}', '$t(games.rank)', '<l>x</l>', '</b>'])(
  'a team named %s is shown by that name',
  async (name) => {
    for (const main of ['pending', 'again', 'banned', 'approved'] as MainButton[]) {
      const place = await openPage(<GameAlert game={{ ...game, teamName: name }} phase="before" main={main} />)
      expect([main, place.querySelector('b')?.textContent]).toEqual([main, name])
      expect(place.querySelector('a')).toBeNull()
    }
  },
)

test('the standing counts teams with a rank, not teams that wait for a review; a team that is not listed has its name and no rank', async () => {
  const rank = { id: 1, name: 'Gulls', avatar: null, organization: null, rank: 3, score: 10, solvedCount: 1 }
  const place = await openPage(<HomeStanding game={game} />, [[keys.game(7).play, { rank, challengeCount: 5, teamCount: 12 }]])
  expect(place.textContent).toContain('of 12')
  expect(place.querySelector('section')?.textContent).toMatch(/3 of 12rank10points1 of 5solved$/)
  expect(place.textContent).not.toContain('40')
  const unlisted = { ...rank, name: '', rank: 0 }
  const other = await openPage(<HomeStanding game={game} />, [[keys.game(7).play, { rank: unlisted, challengeCount: 5 }]])
  expect(other.querySelector('section')?.textContent).toMatch(/^GullsYour team- of 40/)
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

// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import i18next from 'i18next'
import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { beforeAll, expect, test } from 'vitest'
import en from '../../locales/en_US.json' with { type: 'json' }
import { keys } from '../api/keys.ts'
import { GameAlert } from './game-alert.tsx'
import { HomeStanding } from './home-standing.tsx'
import type { MainButton } from './main-button.ts'

beforeAll(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  window.matchMedia = ((query: string) => ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  })) as never
  await i18next.use(initReactI18next).init({
    lng: 'en_US',
    cleanCode: false,
    interpolation: { escapeValue: false },
    resources: { en_US: { translation: en } },
  })
})

async function shown(part: ReactNode, queries = new QueryClient()): Promise<HTMLElement> {
  const place = document.createElement('div')
  await act(async () =>
    createRoot(place).render(
      <MantineProvider env="test">
        <QueryClientProvider client={queries}>
          <MemoryRouter>{part}</MemoryRouter>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  )
  return place
}

const game = { id: 7, teamName: 'Gulls', organization: null, teamCount: 40 } as DetailedGame

test.each(['{{name}}', '{{team}}', '$t(games.rank)', '<l>x</l>', '</b>'])(
  'a team named %s is shown by that name',
  async (name) => {
    for (const main of ['pending', 'again', 'banned', 'approved'] as MainButton[]) {
      const place = await shown(<GameAlert game={{ ...game, teamName: name }} phase="before" main={main} />)
      expect([main, place.querySelector('b')?.textContent]).toEqual([main, name])
      expect(place.querySelector('a')).toBeNull()
    }
  },
)

test('who has no team is led to the teams', async () => {
  const place = await shown(<GameAlert game={game} phase="running" main="noTeam" />)
  expect(place.querySelector('a')?.getAttribute('href')).toBe('/Teams')
})

test('the standing counts the teams that have a rank, not those that wait for a review', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const rank = { id: 1, name: 'Gulls', avatar: null, organization: null, rank: 3, score: 10, solvedCount: 1 }
  queries.setQueryData(keys.game(7).play, { rank, challengeCount: 5, teamCount: 12 })
  const place = await shown(<HomeStanding game={game} />, queries)
  expect(place.textContent).toContain('of 12')
  expect(place.textContent).not.toContain('40')
})

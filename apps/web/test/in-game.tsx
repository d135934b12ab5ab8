import type { ProfileUserInfo } from '@vexil/contract/accounts'
import type { DetailedGame, GameNotice } from '@vexil/contract/games'
import type { ChallengeDetail, Feed, FeedTail, GameDetail } from '@vexil/contract/scoreboard'
import type { ClientConfig } from '@vexil/contract/site'
import type { ComponentType, ReactNode } from 'react'
import { Route, Routes, useLocation } from 'react-router'
import { vi } from 'vitest'
import { keys } from '../src/api/query-keys.ts'
import { settle } from './acts.ts'
import { json, openPage } from './page.tsx'

export const minute = 60_000
export const ago = (minutes: number) => new Date(Date.now() - minutes * minute).toISOString()

export const game = (more: Partial<DetailedGame> = {}) =>
  ({
    id: 3,
    title: 'Harbour Cup',
    start: ago(60),
    end: ago(-60),
    status: 'Accepted',
    teamName: 'Danes',
    organization: null,
    organizations: null,
    practiceMode: false,
    writeupRequired: false,
    writeupDeadline: ago(-120),
    teamCount: 3,
    registered: { 21: 1 },
    ...more,
  }) as DetailedGame

const value = [500, 480, 460, 440]
/** By default Red has solved Buoy; solves are [team, challenge, minutes after the start], by index. */
export const feed = (solves: readonly (readonly [number, number, number])[] = [[1, 0, 10]], more: Partial<Feed> = {}): Feed => ({
  gameId: 3,
  epoch: 1,
  head: solves.length,
  roster: 1,
  startsAt: Date.now() - 60 * minute,
  endsAt: Date.now() + 60 * minute,
  changedAt: Date.now() - 5 * minute,
  bloodBonus: 0,
  divisions: [],
  challenges: {
    id: [7, 8, 9],
    title: ['Buoy', 'Reef', 'Keel'],
    category: [3, 3, 1],
    bloodBonus: [null, null, null],
    values: [value, value, value],
  },
  teams: {
    id: [21, 22, 23],
    participationId: [11, 12, 13],
    name: ['Danes', 'Red', 'Blue'],
    bio: [null, null, null],
    avatar: [null, null, null],
    division: [-1, -1, -1],
  },
  users: ['ann'],
  solves: {
    number: solves.map((_, place) => place + 1),
    team: solves.map(([team]) => team),
    challenge: solves.map(([, challenge]) => challenge),
    user: solves.map(() => 0),
    after: solves.map(([, , at], place) => (at - (solves[place - 1]?.[2] ?? 0)) * minute),
    raised: solves.map(() => 0),
  },
  ...more,
})

/** A live message: one solve on top of `head`. */
export const solve = (head: number, participation: number, challenge: number, user = 'bob', points = 480) => ({
  gameId: 3,
  epoch: 1,
  from: head,
  to: head + 1,
  solves: [[head + 1, participation, challenge, user, Date.now(), Date.now(), points]],
})

const card = (id: number, title: string) => ({ id, title, score: 500, solved: 0, bloods: [], originalScore: 500, nextScore: 480 })
export const details = (more: Partial<GameDetail> = {}) =>
  ({
    challenges: {
      Web: [
        { ...card(7, 'Buoy'), category: 'Web' },
        { ...card(8, 'Reef'), category: 'Web' },
      ],
      Crypto: [{ ...card(9, 'Keel'), category: 'Crypto' }],
    },
    challengeCount: 3,
    rank: {
      id: 21,
      name: 'Danes',
      bio: null,
      organization: null,
      avatar: null,
      score: 0,
      rank: 2,
      organizationRank: null,
      lastSubmissionTime: ago(60),
      solvedChallenges: [],
      solvedCount: 0,
    },
    teamToken: '21:secret',
    writeupRequired: false,
    writeupDeadline: ago(-120),
    practiceSolves: [],
    containerCountLimit: 3,
    participationId: 11,
    teamCount: 3,
    ...more,
  }) as GameDetail

export const challenge = (id = 7, more: Partial<ChallengeDetail> = {}) =>
  ({
    id,
    title: 'Buoy',
    content: 'What the buoy says.',
    category: 'Web',
    hints: null,
    score: 480,
    type: 'StaticAttachment',
    context: { closeTime: null, instanceEntry: null, url: null, fileSize: null },
    ...more,
  }) as ChallengeDetail

export const notice = (id: number, type: GameNotice['type'], values: string[], minutes: number): GameNotice => ({
  id,
  type,
  values,
  time: ago(minutes),
})

export const refused =
  (code: string, title = code, status = 400) =>
  () =>
    json({ code, title, status }, status)

type Answer = object | string | number | (() => Response | Promise<Response>)

interface Scene {
  readonly game?: DetailedGame
  readonly role?: ProfileUserInfo['role']
  /** Keys are "GET /api/…" without the query; a function returns the whole response. */
  readonly answers?: Record<string, Answer>
  readonly address?: string
  /** Replaces parts of the site's configuration. */
  readonly site?: Partial<ClientConfig>
  /** Shown next to the screen. */
  readonly beside?: ReactNode
  /** Whether the game is in the query cache; true by default. */
  readonly known?: boolean
}

const feedCall = 'GET /api/game/3/scoreboard/feed'

/** The tail of the feed after a number. */
function tailOf({ gameId, epoch, roster, head, startsAt, challenges, teams, users, solves }: Feed, after: number): FeedTail {
  let shownAt = startsAt
  const solved = new Map<number, number>()
  const rows = solves.number.map((number, i): FeedTail['solves'][number] => {
    shownAt += solves.after[i] ?? 0
    const place = solves.challenge[i] ?? 0
    const count = (solved.get(place) ?? 0) + 1
    solved.set(place, count)
    const value = challenges.values[place]?.[count] ?? challenges.values[place]?.at(-1) ?? 0
    const participation = teams.participationId[solves.team[i] ?? 0] ?? 0
    return [number, participation, challenges.id[place] ?? 0, users[solves.user[i] ?? 0] ?? null, shownAt, shownAt, value]
  })
  return { gameId, epoch, roster, from: after, to: head, solves: rows.filter(([number]) => number > after) }
}

/** Opens a screen at `/games/3/` plus `path`. `answers` may be changed while it is open; `asked` holds calls with their query. */
export async function openInGame(Screen: ComponentType, path: string, scene: Scene = {}) {
  const shown = scene.game ?? game()
  const requests: string[] = []
  const answers: Record<string, Answer> = {
    'GET /api/game/3': shown,
    'GET /api/game/3/details': details(),
    [feedCall]: feed(),
    'GET /api/game/3/notices': [],
    'GET /api/game/3/instances': [],
    'GET /api/game/3/challenges/7': challenge(),
    'GET /api/game/3/challenges/8': challenge(8, { title: 'Reef' }),
    'GET /api/game/3/challenges/9': challenge(9, { title: 'Keel', category: 'Crypto' }),
    ...scene.answers,
  }
  vi.stubGlobal('scrollTo', () => {})
  Object.assign(Element.prototype, { scrollTo() {} })
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    requests.push(line)
    const [path = '', query] = line.split('?')
    const answer = answers[line] ?? answers[path] ?? []
    const response = typeof answer === 'function' ? await answer() : json(answer)
    if (path !== feedCall || query === undefined || !response.ok) return response
    return json(tailOf(await response.json(), Number(new URLSearchParams(query).get('after'))))
  })
  const place = await openPage(
    <>
      <Routes>
        <Route path={`/games/:id/${path}`} element={<Screen />} />
        <Route path="*" element={<p>Another screen</p>} />
      </Routes>
      <Here />
      {scene.beside}
    </>,
    [
      [
        keys.config,
        { title: 'GZ', containers: 'Default', defaultLifetime: 120, renewalWindow: 10, extensionDuration: 120, ...scene.site },
      ],
      [keys.profile, { userName: 'ann', role: scene.role ?? 'User' }],
      ...(scene.known === false ? [] : [[keys.game(3).detail, shown] as [readonly unknown[], unknown]]),
    ],
    `/games/3/${path}${scene.address ?? ''}`,
  )
  await settle()
  return { place, requests, answers }
}

function Here() {
  const { pathname, search } = useLocation()
  return <output>{`${pathname}${search}`}</output>
}
export const here = () => document.querySelector('output')?.textContent

/** Messages about notices and changes that listeners of a game receive. The database and the hub are fakes. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Live } from '../http/live.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import { gamesLive } from './games.live.ts'

const rows = vi.hoisted(() => ({ notices: new Map<string, unknown>(), asked: [] as string[], startsAt: 0 as number | null }))
vi.mock('./games.queries.ts', async (original) => ({
  ...(await original<object>()),
  findClock: async (_db: unknown, id: number) => {
    rows.asked.push(`clock ${id}`)
    if (Number.isNaN(rows.startsAt)) throw new Error('the clock is unreachable')
    return rows.startsAt === null ? undefined : { startsAt: rows.startsAt, endsAt: 9, now: 1 }
  },
  findNotice: async (_db: unknown, game: number, id: number) => {
    rows.asked.push(`${game} ${id}`)
    await new Promise((later) => setTimeout(later, 20 - id))
    if (id === 13) throw new Error('the database is unreachable')
    return rows.notices.get(`${game} ${id}`)
  },
  playersOf: async (_db: unknown, participation: number) => {
    if (participation === 13) throw new Error('the players are unreachable')
    return new Set([`player of ${participation}`])
  },
}))

const notice = (id: number, type: string, started: boolean) => ({
  id,
  type,
  values: [`text ${id}`],
  createdAt: new Date(0),
  started,
})
const to = { hub: '/hub/user', game: 7 }
let sent: unknown[]
let listeners: number
let visitors: number
let reported: unknown[]
let bus: ReturnType<typeof openInProcessBus>
afterEach(() => void vi.useRealTimers())
beforeEach(() => {
  ;[sent, reported, rows.asked, listeners, visitors] = [[], [], [], 1, 0]
  rows.notices = new Map([
    ['7 1', notice(1, 'NewHint', true)],
    ['7 2', notice(2, 'Normal', true)],
    ['7 3', notice(3, 'NewHint', false)],
    ['7 4', notice(4, 'Normal', false)],
  ])
  const live = {
    send: (...message: unknown[]) => void sent.push(message),
    count: ({ hub, game, only }: { hub: string; game: number; only?: string }) =>
      hub === '/hub/user' && game === 7 ? (only === 'visitors' ? visitors : listeners) : 0,
  } as unknown as Live
  bus = openInProcessBus(() => undefined)
  gamesLive({ db: {} as never, bus, onError: (error) => void reported.push(error) }, live)
})

test('notices are sent one after the other; before the start only normal ones, none without listeners, and a failure does not stop the next', async () => {
  for (const noticeId of [1, 3, 4, 12, 13, 2]) bus.publish('notice.added', { gameId: 7, noticeId })
  bus.publish('notice.added', { gameId: 8, noticeId: 1 })
  const of = (id: number, type: string) => [
    to,
    'ReceivedGameNotice',
    { id, type, values: [`text ${id}`], time: '1970-01-01T00:00:00+00:00' },
  ]
  await expect.poll(() => sent).toEqual([of(1, 'NewHint'), of(4, 'Normal'), of(2, 'Normal')])
  expect(rows.asked).toEqual(['7 1', '7 3', '7 4', '7 12', '7 13', '7 2'])
  expect(reported).toEqual([new Error('the database is unreachable')])
})

test('each change is sent with its type to its game', async () => {
  bus.publish('game.changed', { gameId: 7 })
  bus.publish('challenge.changed', { gameId: 7, challengeId: 1 })
  bus.publish('participation.changed', { gameId: 7, participationId: 1 })
  // This game has no listeners.
  bus.publish('participation.changed', { gameId: 8, participationId: 1 })
  bus.publish('notice.changed', { gameId: 8 })
  await expect
    .poll(() => sent)
    .toEqual([
      [{ ...to, only: 'accounts' }, 'VexilGame', { gameId: 7, what: 'game' }],
      [{ ...to, only: 'accounts' }, 'VexilGame', { gameId: 7, what: 'challenges' }],
      [{ ...to, only: 'accounts' }, 'VexilGame', { gameId: 7, what: 'participations' }],
      [{ hub: '/hub/user', game: 8, only: 'accounts' }, 'VexilGame', { gameId: 8, what: 'notices' }],
    ])
  expect(rows.asked).toEqual([])
})

test.each([
  [1, 10_000],
  [5000, 15_000],
])(
  'GD-6 a change of a participation reaches its team and who left it at once, and all %i listeners of the game at most every %i ms',
  async (count, ms) => {
    listeners = count
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const changed = async (participationId: number, more: { leaverId?: string } = {}) => {
      sent.length = 0
      bus.publish('participation.changed', { gameId: 7, participationId, ...more })
      await vi.advanceTimersByTimeAsync(0)
      return sent.map((message) => (message as [{ only: unknown }])[0].only)
    }
    expect(await changed(1)).toEqual(['accounts'])
    expect(await changed(2)).toEqual([new Set(['player of 2'])])
    expect([await changed(13), reported]).toEqual([[], [new Error('the players are unreachable')]])
    expect(await changed(3, { leaverId: 'bob' })).toEqual([new Set(['player of 3', 'bob'])])
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(sent.slice(1)).toEqual([[{ ...to, only: 'accounts' }, 'VexilGame', { gameId: 7, what: 'participations' }]])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toHaveLength(2)
    expect(await changed(4)).toEqual(['accounts'])
  },
)

test('visitors receive changes from the start on, also when the start is moved, and that the game was deleted', async () => {
  visitors = 1
  const toVisitors = () => sent.filter((message) => (message as [{ only: string }])[0].only === 'visitors')
  const received = (what: string) => [{ ...to, only: 'visitors' }, 'VexilGame', { gameId: 7, what }]
  rows.startsAt = 5
  bus.publish('challenge.changed', { gameId: 7, challengeId: 1 })
  bus.publish('notice.changed', { gameId: 7 })
  await expect.poll(() => rows.asked).toEqual(['clock 7', 'clock 7'])
  expect(toVisitors()).toEqual([])
  rows.startsAt = 1
  bus.publish('game.changed', { gameId: 7 })
  await expect.poll(toVisitors).toEqual([received('game')])
  // From here on the game is cached.
  bus.publish('challenge.changed', { gameId: 7, challengeId: 1 })
  await expect.poll(toVisitors).toEqual([received('game'), received('challenges')])
  expect(rows.asked).toHaveLength(3)
  rows.startsAt = 5
  bus.publish('game.changed', { gameId: 7 })
  bus.publish('challenge.changed', { gameId: 7, challengeId: 1 })
  await expect.poll(() => rows.asked).toHaveLength(5)
  expect(toVisitors()).toHaveLength(2)
  rows.startsAt = Number.NaN
  bus.publish('notice.changed', { gameId: 7 })
  await expect.poll(() => reported).toEqual([new Error('the clock is unreachable')])
  expect(toVisitors()).toHaveLength(2)
  rows.startsAt = null
  bus.publish('game.changed', { gameId: 7 })
  await expect.poll(toVisitors).toEqual([received('game'), received('challenges'), received('game')])
})

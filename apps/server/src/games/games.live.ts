/** Pushes new notices and changes of games to the live channel. */
import type { GameChanged } from '@vexil/contract/live'
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { type Paced, paced } from '../paced.ts'
import { findClock, findNotice, playersOf } from './games.queries.ts'
import { noticeView } from './games.view.ts'

/**
 * Interval at which all listeners of a game are notified of teams that join, leave or are reviewed. Each of them then sends requests, which count
 * against its limit: without an interval, one user who joins and leaves repeatedly would use up the limits of all.
 */
const participationsEveryMs = (listeners: number): number => Math.max(10_000, listeners * 3)

interface GameListeners {
  readonly hub: '/hub/user'
  readonly game: number
}

/** Pushes the notices of organisers at any time, and all others only after the start of the game. */
export function gamesLive({ db, bus, onError }: Pick<Deps, 'db' | 'bus' | 'onError'>, live: Live): void {
  // In sequence, so that listeners receive notices in order.
  let pushed: Promise<void> = Promise.resolve()
  bus.subscribe('notice.added', ({ gameId, noticeId }) => {
    if (live.count({ hub: '/hub/user', game: gameId }) === 0) return
    pushed = pushed.then(() => push(gameId, noticeId)).catch(onError)
  })

  async function push(gameId: number, noticeId: number): Promise<void> {
    const notice = await findNotice(db, gameId, noticeId)
    if (notice?.started || notice?.type === 'Normal')
      live.send({ hub: '/hub/user', game: gameId }, 'ReceivedGameNotice', noticeView(notice))
  }

  /** Games known to have started. */
  const started = new Set<number>()

  async function sendToVisitors(to: GameListeners, change: GameChanged): Promise<void> {
    if (!started.has(to.game)) {
      const clock = await findClock(db, to.game)
      if (clock && clock.now < clock.startsAt) return
      // A deleted game is not kept: its number is not used again.
      if (clock) started.add(to.game)
    }
    live.send({ ...to, only: 'visitors' }, 'VexilGame', change)
  }

  const changed =
    (what: GameChanged['what']) =>
    ({ gameId }: { gameId: number }) => {
      const to = { hub: '/hub/user', game: gameId } as const
      live.send({ ...to, only: 'accounts' }, 'VexilGame', { gameId, what })
      // Before the start, visitors must not learn that a game changes, only that it was deleted.
      if (live.count({ ...to, only: 'visitors' }) > 0) void sendToVisitors(to, { gameId, what }).catch(onError)
    }
  // The start may have changed.
  bus.subscribe('game.changed', ({ gameId }) => void started.delete(gameId))
  bus.subscribe('game.changed', changed('game'))
  bus.subscribe('challenge.changed', changed('challenges'))
  bus.subscribe('notice.changed', changed('notices'))

  /** The team and who left it receive each change at once. */
  async function sendToPlayers(to: GameListeners, participationId: number, leaverId: string | undefined): Promise<void> {
    const only = new Set(await playersOf(db, participationId))
    if (leaverId !== undefined) only.add(leaverId)
    live.send({ ...to, only }, 'VexilGame', { gameId: to.game, what: 'participations' })
  }

  const participations = new Map<number, Paced>()
  bus.subscribe('participation.changed', ({ gameId, participationId, leaverId }) => {
    const to = { hub: '/hub/user', game: gameId } as const
    if (live.count(to) === 0) return
    let toAll = participations.get(gameId)
    if (!toAll) {
      toAll = paced(
        () => participationsEveryMs(live.count(to)),
        () => changed('participations')({ gameId }),
      )
      participations.set(gameId, toAll)
    }
    if (!toAll.soon()) void sendToPlayers(to, participationId, leaverId).catch(onError)
  })
}

/** What this room tells the live channel: notices as they are made, and that something of a game changed. */
import type { GameChanged } from '@vexil/contract/live'
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { findClock, findNotice } from './games.queries.ts'
import { noticeView } from './games.view.ts'

/**
 * Binds the events of games to their listeners. A notice is pushed from the start of its game on, as the call answers it; before, only
 * administrators see it, by their own calls.
 */
export function gamesLive({ db, bus, onError }: Pick<Deps, 'db' | 'bus' | 'onError'>, live: Live): void {
  // One after the other, so that listeners see notices in the order they were made.
  let pushed: Promise<void> = Promise.resolve()
  bus.subscribe('notice.added', ({ gameId, noticeId }) => {
    if (live.count({ hub: '/hub/user', game: gameId }) === 0) return
    pushed = pushed.then(() => push(gameId, noticeId)).catch(onError)
  })

  async function push(gameId: number, noticeId: number): Promise<void> {
    const notice = await findNotice(db, gameId, noticeId)
    if (notice?.started) live.send({ hub: '/hub/user', game: gameId }, 'ReceivedGameNotice', noticeView(notice))
  }

  /** Games that have started, as far as visitors had to be told of them. */
  const started = new Set<number>()

  async function tellVisitors(to: { readonly hub: '/hub/user'; readonly game: number }, change: GameChanged): Promise<void> {
    if (!started.has(to.game)) {
      const clock = await findClock(db, to.game)
      if (!clock || clock.now < clock.startsAt) return
      started.add(to.game)
    }
    live.send({ ...to, only: 'visitors' }, 'VexilGame', change)
  }

  const changed =
    (what: GameChanged['what']) =>
    ({ gameId }: { gameId: number }) => {
      const to = { hub: '/hub/user', game: gameId } as const
      live.send({ ...to, only: 'accounts' }, 'VexilGame', { gameId, what })
      // Before the start visitors do not learn when organisers work on a game.
      if (live.count({ ...to, only: 'visitors' }) > 0) void tellVisitors(to, { gameId, what }).catch(onError)
    }
  // Its start may have moved.
  bus.subscribe('game.changed', ({ gameId }) => void started.delete(gameId))
  bus.subscribe('game.changed', changed('game'))
  bus.subscribe('challenge.changed', changed('challenges'))
  bus.subscribe('participation.changed', changed('participations'))
  bus.subscribe('notice.changed', changed('notices'))
}

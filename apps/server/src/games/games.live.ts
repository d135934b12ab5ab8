/** What this room tells the live channel: notices as they are made, and that something of a game changed. */
import type { GameChanged } from '@vexil/contract/live'
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { findNotice } from './games.queries.ts'
import { noticeView } from './games.view.ts'

/**
 * Binds the events of games to their listeners. A notice is pushed from the start of its game on, as the call answers it; before, only
 * administrators see it, by their own calls.
 */
export function gamesLive({ db, bus, report }: Pick<Deps, 'db' | 'bus' | 'report'>, live: Live): void {
  // One after the other, so that listeners see notices in the order they were made.
  let pushed: Promise<void> = Promise.resolve()
  bus.subscribe('notice.added', ({ gameId, noticeId }) => {
    if (live.count({ hub: '/hub/user', game: gameId }) === 0) return
    pushed = pushed.then(() => push(gameId, noticeId)).catch(report)
  })

  async function push(gameId: number, noticeId: number): Promise<void> {
    const notice = await findNotice(db, gameId, noticeId)
    if (notice?.started) live.send({ hub: '/hub/user', game: gameId }, 'ReceivedGameNotice', noticeView(notice))
  }

  const changed =
    (what: GameChanged['what']) =>
    ({ gameId }: { gameId: number }) =>
      live.send({ hub: '/hub/user', game: gameId }, 'VexilGame', { gameId, what })
  bus.subscribe('game.changed', changed('game'))
  bus.subscribe('challenge.changed', changed('challenges'))
  bus.subscribe('participation.changed', changed('participations'))
  bus.subscribe('notice.changed', changed('notices'))
}

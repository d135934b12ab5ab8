import type { Deps } from '../deps.ts'
import { findEvent, playersOf } from '../games/games.queries.ts'
import { eventView } from '../games/games.view.ts'
import type { Live } from '../http/live.ts'
import { findStart } from './starts.queries.ts'

export function instancesLive(
  { db, bus, onError }: Pick<Deps, 'db' | 'bus' | 'onError'>,
  live: Live,
): { close(): Promise<void> } {
  let pushed: Promise<void> = Promise.resolve()
  const inTurn = (push: () => Promise<void>) => {
    pushed = pushed.then(push).catch(onError)
  }

  bus.subscribe('event.recorded', ({ gameId, eventId }) => {
    const to = { hub: '/hub/monitor', game: gameId } as const
    if (live.count(to) === 0) return
    inTurn(async () => {
      const event = await findEvent(db, eventId)
      if (event) live.send(to, 'ReceivedGameEvent', eventView(event))
    })
  })

  bus.subscribe('instance.changed', ({ gameId, challengeId, participationId }) => {
    if (participationId === null || live.count({ hub: '/hub/user', game: gameId }) === 0) return
    inTurn(async () => {
      const only = await playersOf(db, participationId)
      live.send({ hub: '/hub/user', game: gameId, only }, 'VexilInstances', { gameId, challengeId })
    })
  })

  bus.subscribe('start.changed', ({ gameId, challengeId, participationId }) => {
    if (live.count({ hub: '/hub/user', game: gameId }) === 0) return
    inTurn(async () => {
      const [only, start] = [await playersOf(db, participationId), await findStart(db, { challengeId, participationId })]
      live.send({ hub: '/hub/user', game: gameId, only }, 'VexilStart', { gameId, challengeId, ...start })
    })
  })

  return { close: () => pushed }
}

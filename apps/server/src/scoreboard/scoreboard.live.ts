import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { type Paced, paced } from '../paced.ts'
import { type BoardClient, openBoardClient } from './board-client.ts'
import type { BoardGame } from './board-facts.queries.ts'
import type { Change } from './kept-board.ts'

/** Interval at which solves of one game are read, in one query and one message. Longer for many listeners, so that sending takes about a third of the thread at most. */
const solvesEveryMs = (listeners: number): number => Math.min(Math.max(100, listeners / 40), 300)
const rosterEveryMs = 1000
/** Maximum time over which many listeners spread their fetches of the feed. */
const spreadMostMs = 5000

/** Opens the boards of this node, updates them on events of the bus, and pushes their changes from the start of each game on. */
export function liveBoards(
  { database, bus, versions, onError }: Pick<Deps, 'database' | 'bus' | 'versions' | 'onError'>,
  live: Live,
): BoardClient {
  const boards = openBoardClient({
    source: database.source,
    changed: boardPushes(live, versions.now),
    listened: () => live.gamesOf('/hub/user'),
    onError,
  })
  const hints = new Map<number, Paced>()
  bus.subscribe('submission.judged', ({ gameId, solve }) => {
    if (solve === null) return
    let hint = hints.get(gameId)
    if (!hint) {
      hint = paced(
        () => solvesEveryMs(live.count({ hub: '/hub/user', game: gameId })),
        () => boards.hint(gameId),
      )
      hints.set(gameId, hint)
    }
    hint.soon()
  })
  const moved = ({ gameId }: { gameId: number }) => boards.moved(gameId)
  bus.subscribe('game.changed', moved)
  bus.subscribe('challenge.changed', moved)
  bus.subscribe('participation.changed', moved)
  return boards
}

/** Sends changes of boards to listeners. Boards are not public before the start of the game, so nothing is sent. */
export function boardPushes(live: Live, now: () => number): (of: { readonly game: BoardGame }, change: Change) => void {
  const pushers = new Map<number, (change: Change) => void>()
  return ({ game }, change) => {
    if (now() < game.startsAt) return
    let push = pushers.get(game.id)
    if (!push) {
      push = pusher(live, game.id)
      pushers.set(game.id, push)
    }
    push(change)
  }
}

type Solves = Change & { kind: 'solves' }
type Roster = Change & { kind: 'roster' }

function pusher(live: Live, gameId: number): (change: Change) => void {
  const to = { hub: '/hub/user', game: gameId } as const
  let rosters: Roster[] = []

  const pushRoster = paced(
    () => rosterEveryMs,
    () => {
      const last = rosters.at(-1)
      if (last) {
        const { epoch, roster } = last.log
        const teams = new Map(rosters.flatMap((change) => change.teams).map((team) => [team.participationId, team]))
        const steps = rosters.map(({ from, solvers }) => ({ from, solvers: [...solvers] }))
        live.send(to, 'VexilRoster', { gameId, epoch, roster, teams: [...teams.values()], steps })
      }
      rosters = []
    },
  )

  /** True if a solve belongs to a team in an unsent roster: listeners drop solves of unknown teams. */
  const waitsFor = ({ solves: drawn }: Solves) =>
    rosters.some(({ teams }) => teams.some((team) => drawn.some(([, participation]) => participation === team.participationId)))

  return (change) => {
    switch (change.kind) {
      case 'solves': {
        if (waitsFor(change)) pushRoster.now()
        const { kind: _, ...solves } = change
        return live.send(to, 'VexilSolves', solves)
      }
      case 'roster':
        rosters.push(change)
        return pushRoster.soon()
      case 'drawn': {
        // Clients reload everything, so the collected changes are obsolete.
        rosters = []
        const { epoch, head, roster } = change.log
        live.send(to, 'VexilBoard', { gameId, epoch, head, roster, withinMs: Math.min(spreadMostMs, live.count(to) * 5) })
      }
    }
  }
}

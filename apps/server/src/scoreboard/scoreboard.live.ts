/** What this room tells the live channel: what a board did. */
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { type BoardClient, openBoardClient } from './board-client.ts'
import type { BoardGame } from './board-facts.queries.ts'
import type { Change } from './kept-board.ts'

/**
 * Solves of one game are gathered for so long before the thread reads them, which costs a query; what it read goes out at once as one message. For many
 * listeners longer, so that writing takes about a third of the thread at most.
 */
const solvesEveryMs = (listeners: number): number => Math.min(Math.max(100, listeners / 40), 300)
/** Names are gathered, too. */
const rosterEveryMs = 1000
/** With so many listeners a fetch of the feed is spread over the full time. */
const spreadMostMs = 5000

/** Opens the boards of this node, kept by the events of the bus, and pushes their changes from the start of each game on. */
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

/** Sends changes of boards to listeners. Before its start a board may not be read, so nothing is sent. */
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

interface Paced {
  now(): void
  /** At once after a pause of this length, else when it is over. */
  soon(): void
}

/** Runs `send`, not more often than every `everyMs` unless it must be now. */
function paced(everyMs: () => number, send: () => void): Paced {
  let timer: NodeJS.Timeout | null = null
  let sentAt = Number.NEGATIVE_INFINITY
  const now = () => {
    if (timer) clearTimeout(timer)
    timer = null
    sentAt = performance.now()
    send()
  }
  return {
    now,
    soon() {
      const rest = sentAt + everyMs() - performance.now()
      if (rest <= 0) now()
      else timer ??= setTimeout(now, rest)
    },
  }
}

/** Tells the listeners of one game what its board did. Names that come together go in one message. */
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

  /** A listener drops the solve of a team that it does not know yet. */
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
        // Everything is loaded again; what was gathered is in it.
        rosters = []
        const { epoch, head, roster } = change.log
        live.send(to, 'VexilBoard', { gameId, epoch, head, roster, withinMs: Math.min(spreadMostMs, live.count(to) * 5) })
      }
    }
  }
}

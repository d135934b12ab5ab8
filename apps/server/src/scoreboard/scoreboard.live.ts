/** What this room tells the live channel: what a board did. */
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { type Boards, type Change, keepBoards } from './keep-board.ts'

/** Solves of one game are gathered for this long into one message. */
const gatherMs = 100
/** With so many listeners a fetch of the feed is spread over the full time. */
const spreadMostMs = 5000

/** Opens the boards of this node, kept by the events of the bus, and pushes their changes from the start of each game on. */
export function openBoards({ db, bus, versions, report }: Pick<Deps, 'db' | 'bus' | 'versions' | 'report'>, live: Live): Boards {
  const pushers = new Map<number, (change: Change) => void>()
  const boards = keepBoards(
    db,
    ({ game }, change) => {
      // Before its start nobody may read the board, so nothing of it is said.
      if (versions.now() < game.startsAt) return
      let push = pushers.get(game.id)
      if (!push) {
        push = pusher(live, game.id)
        pushers.set(game.id, push)
      }
      push(change)
    },
    report,
    () => live.gamesOf('/hub/user'),
  )
  const refresh = ({ gameId }: { gameId: number }) => void boards.refresh(gameId).catch(report)
  bus.subscribe('submission.judged', ({ gameId, solve }) => {
    if (solve !== null) refresh({ gameId })
  })
  bus.subscribe('game.changed', refresh)
  bus.subscribe('challenge.changed', refresh)
  bus.subscribe('participation.changed', refresh)
  return boards
}

/** Tells the listeners of one game what its board did; solves that come together go in one message. */
function pusher(live: Live, gameId: number): (change: Change) => void {
  const to = { hub: '/hub/user', game: gameId } as const
  let gathered: (Change & { kind: 'solves' }) | null = null
  let timer: NodeJS.Timeout | null = null
  let sentAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    sentAt = performance.now()
    if (gathered) {
      const { kind, ...message } = gathered
      live.send(to, 'VexilSolves', message)
    }
    gathered = null
  }
  return (change) => {
    if (change.kind === 'solves') {
      gathered = gathered ? { ...change, from: gathered.from, solves: [...gathered.solves, ...change.solves] } : change
      const rest = sentAt + gatherMs - performance.now()
      // The first solve after a pause goes at once.
      if (rest <= 0) flush()
      else timer ??= setTimeout(flush, rest)
      return
    }
    if (gathered) flush()
    const { epoch, head, roster } = change.log
    if (change.kind === 'roster') live.send(to, 'VexilRoster', { gameId, epoch, roster, teams: [...change.teams] })
    else live.send(to, 'VexilBoard', { gameId, epoch, head, roster, withinMs: Math.min(spreadMostMs, live.count(to) * 5) })
  }
}

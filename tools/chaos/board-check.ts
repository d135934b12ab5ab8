/** What "a wrong board" is: a state that the log of solves never had. Boards and messages are compared with the log at their own place in it. */
import { isDeepStrictEqual } from 'node:util'
import type { BoardSolves } from '@vexil/contract/live'
import type { Scoreboard } from '@vexil/contract/scoreboard'
import type { Facts } from '../../apps/server/src/scoreboard/board-facts.queries.ts'
import { appendSolves, drawKept } from '../../apps/server/src/scoreboard/kept-board.ts'
import { scoreboardView } from '../../apps/server/src/scoreboard/scoreboard.view.ts'

/** The board of the log up to `head`. O(solves). */
const drawnAt = (facts: Facts, head: number) =>
  drawKept({ ...facts, log: { ...facts.log, head }, solves: facts.solves.filter(({ number }) => number <= head) })

/** Messages that say something else than the log between their two numbers, or than its epoch. */
export function wrongSolves(facts: Facts, messages: Iterable<BoardSolves>): string[] {
  const all = appendSolves(drawnAt(facts, 0), facts.log, facts.solves)
  const columns = all?.kind === 'solves' ? all.solves : []
  return [...messages].flatMap((message) => {
    const { epoch, from, to, solves } = message
    const expected = columns.filter(([number]) => number > from && number <= to)
    const isRight = epoch === facts.log.epoch && from < to && to <= facts.log.head && isDeepStrictEqual(solves, expected)
    return isRight
      ? []
      : [`message ${JSON.stringify(message).slice(0, 300)}, the log has ${JSON.stringify(expected).slice(0, 300)}`]
  })
}

/** Teams without a solve join at any time and have no place in the log. */
const rowsOf = ({ items }: Scoreboard) =>
  items
    .filter(({ solvedCount }) => solvedCount > 0)
    .map(({ id, score, rank, solvedCount, solvedChallenges }) => [id, score, rank, solvedCount, solvedChallenges])

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Boards whose teams, points, ranks or solves differ from the log at the number of solves that they show. */
export function wrongBoards(facts: Facts, boards: Iterable<Scoreboard>): string[] {
  const drawn = new Map<number, unknown>()
  return [...boards].flatMap((board) => {
    const head = board.items.reduce((sum, { solvedCount }) => sum + solvedCount, 0)
    if (!drawn.has(head)) drawn.set(head, rowsOf(plain(scoreboardView(drawnAt(facts, head)))))
    const [found, expected] = [rowsOf(board), drawn.get(head)]
    if (head <= facts.log.head && isDeepStrictEqual(found, expected)) return []
    return [
      `board at ${head} of ${facts.log.head}: ${JSON.stringify(found).slice(0, 300)}, the log has ${JSON.stringify(expected).slice(0, 300)}`,
    ]
  })
}

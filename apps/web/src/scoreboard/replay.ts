/**
 * The board at an earlier moment, from what the page holds already (decision 0027). Forwards it is carried on by the solves between; backwards it
 * begins anew without solves. Both are the functions that draw the board itself.
 */
import { addSolves, type Board, type BoardSolve, emptied, solvesAbove } from '@vexil/core/scoreboard'
import { type BoardState, readBoard } from '../api/board.ts'

interface Made {
  /** Epoch and roster of the log that it was made of. */
  readonly of: string
  /** What counts, in the order of the log. */
  readonly log: BoardSolve[]
  engine: Board
  /** So many of the log are on it. */
  shown: number
}

const none: ReadonlyMap<number, never> = new Map<number, never>()

/** How many of these were shown by a moment; the times of a log never run backwards. */
export function shownBy(log: readonly BoardSolve[], moment: number): number {
  let [low, high] = [0, log.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((log[middle]?.shownAt ?? 0) <= moment) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A replay of one game. It is given the newest board each time, which stays as it is, and a moment (ms). Costs a drawing at first and
 * backwards, and only the solves between forwards.
 */
export function openReplay(): (state: BoardState, moment: number) => BoardState {
  let made: Made | null = null
  return (state, moment) => {
    const of = `${state.epoch}.${state.roster}`
    if (made?.of !== of) made = { of, log: [], engine: emptied(state.engine), shown: 0 }
    for (const { solve } of solvesAbove(state.engine, made.log.at(-1)?.number ?? 0)) made.log.push(solve)
    const shown = shownBy(made.log, moment)
    if (shown < made.shown) Object.assign(made, { engine: emptied(made.engine), shown: 0 })
    addSolves(made.engine, made.log.slice(made.shown, shown))
    made.shown = shown
    const changedAt = made.log[shown - 1]?.shownAt ?? state.startsAt
    return { ...state, ...readBoard(made.engine), changedAt, recent: none, moves: none }
  }
}

const second = 1000
const minute = 60 * second
const steps = [second, 5 * second, 10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute]
/** More places a slider needs not have. */
const mostSteps = 1500

/** How far one press of an arrow key goes, ms. */
export const stepOf = (span: number): number => steps.find((step) => span / step <= mostSteps) ?? 60 * minute

/** A moment as written in an address, to the second. */
export const momentText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/** The moment of an address, ms; null for none and for what is none of this game. */
export function readMomentText(
  text: string | null,
  { startsAt, endsAt }: Pick<BoardState, 'startsAt' | 'endsAt'>,
): number | null {
  const at = text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN
  // An address tells whole seconds, which count to their end; a start or an end need not be one.
  return at > startsAt - second && at <= endsAt ? Math.min(at + second - 1, endsAt) : null
}

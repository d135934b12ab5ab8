/** The board at an earlier moment (decision 0027), computed from loaded data by the functions of the live board. */
import { addSolves, type Board, type BoardSolve, emptied, solvesAbove } from '@vexil/core/scoreboard'
import { type BoardState, readBoard } from '../api/board.ts'

interface Made {
  /** Epoch and roster of the log. */
  readonly of: string
  /** Solves that count, in the order of the log. */
  readonly log: BoardSolve[]
  engine: Board
  shown: number
}

const none: ReadonlyMap<number, never> = new Map<number, never>()

/** Number of these solves up to a moment; the times of a log never decrease. */
export function shownBy(log: readonly BoardSolve[], moment: number): number {
  let [low, high] = [0, log.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((log[middle]?.shownAt ?? 0) <= moment) low = middle + 1
    else high = middle
  }
  return low
}

/** A replay of one game; `moment` in ms. A step forwards applies the solves between; other calls cost a full drawing. */
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
/** Most steps of the slider. */
const mostSteps = 1500

/** Step of an arrow key, ms. */
export const stepOf = (span: number): number => steps.find((step) => span / step <= mostSteps) ?? 60 * minute

/** A moment in the address, to the second. */
export const momentText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/** The moment of an address, ms; null when absent or outside of the game. */
export function readMomentText(
  text: string | null,
  { startsAt, endsAt }: Pick<BoardState, 'startsAt' | 'endsAt'>,
): number | null {
  const at = text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN
  // An address has whole seconds and means their end; start and end may have fractions.
  return at > startsAt - second && at <= endsAt ? Math.min(at + second - 1, endsAt) : null
}

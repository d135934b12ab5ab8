import { type ScoreCurve, scoreOf } from '@vexil/core/scoring'

export const plot = { left: 44, right: 384, top: 40, bottom: 196 } as const

export interface CurveDrawing {
  /** At most seven counts of solves in equal steps of whole solves, from 0. */
  readonly labels: readonly { readonly count: number; readonly x: number }[]
  readonly path: string
  readonly floor: number
  readonly pin: { readonly x: number; readonly y: number; readonly score: number }
}

/** Six times the difficulty (6 to 6000), and more than the current count. */
export const mostSolves = (difficulty: number, solves: number) =>
  Math.max(6, Math.min(6000, Math.ceil(difficulty * 6)), Math.ceil((solves * 11) / 10))

export function drawCurve(curve: ScoreCurve, solves: number): CurveDrawing {
  const most = mostSolves(curve.difficulty, solves)
  const top = Math.max(1, curve.originalScore)
  const x = (count: number) => plot.left + (count / most) * (plot.right - plot.left)
  const y = (score: number) => plot.bottom - (score / top) * (plot.bottom - plot.top)
  const step = Math.max(1, Math.ceil(most / 160))
  const points: string[] = []
  for (let count = 0; count <= most; count += step) {
    points.push(`${x(count).toFixed(1)},${y(scoreOf(curve, count)).toFixed(1)}`)
  }
  const score = scoreOf(curve, solves)
  const gap = Math.ceil(most / 6)
  return {
    labels: Array.from({ length: Math.floor(most / gap) + 1 }, (_, at) => ({ count: at * gap, x: x(at * gap) })),
    path: `M${points.join('L')}`,
    floor: y(Math.floor(curve.originalScore * curve.minScoreRate)),
    pin: { x: x(solves), y: y(score), score },
  }
}

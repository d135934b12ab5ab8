import { expect, test } from 'vitest'
import { drawCurve, mostSolves, plot } from './score-curve.ts'

const curve = { originalScore: 500, minScoreRate: 0.2, difficulty: 12 }

test('the curve spans six times the difficulty and never hides the current count', () => {
  expect(mostSolves(12, 15)).toBe(72)
  expect(mostSolves(0.1, 0)).toBe(6)
  expect(mostSolves(5, 200)).toBe(220)
  expect(mostSolves(1001, 0)).toBe(6000)
  // A long curve has at most 161 points.
  expect(drawCurve({ ...curve, difficulty: 1000 }, 0).path.split('L')).toHaveLength(158)
})

test.each([
  [1.5, 0, [0, 2, 4, 6, 8], 9],
  [5, 0, [0, 5, 10, 15, 20, 25, 30], 30],
  [1, 0, [0, 1, 2, 3, 4, 5, 6], 6],
  [0.1, 7, [0, 2, 4, 6, 8], 8],
])('with difficulty %f and %i solves the labels are whole counts at their places', (difficulty, solves, counts, most) => {
  const { labels } = drawCurve({ ...curve, difficulty }, solves)
  expect(labels.map(({ count }) => count)).toEqual(counts)
  for (const { count, x } of labels) expect(x).toBeCloseTo(plot.left + (count / most) * (plot.right - plot.left))
})

test('the pin is at the current count and score, the floor at the minimum', () => {
  const { pin, floor } = drawCurve(curve, 15)
  expect(pin.score).toBe(224)
  expect(pin.x).toBeCloseTo(plot.left + (15 / 72) * (plot.right - plot.left))
  expect(floor).toBeCloseTo(plot.bottom - 0.2 * (plot.bottom - plot.top))
})

test('it starts at the original score and ends at the right edge', () => {
  const { path } = drawCurve(curve, 0)
  expect(path.startsWith(`M${plot.left}.0,${plot.top}.0L`)).toBe(true)
  expect(path).toMatch(new RegExp(`L${plot.right}\\.0,[\\d.]+$`))
  expect(drawCurve({ ...curve, originalScore: 0 }, 0).pin.y).toBe(plot.bottom)
})

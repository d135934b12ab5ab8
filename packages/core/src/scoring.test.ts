import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultBloodBonus } from './limits.ts'
import {
  bloodAt,
  cleanBloodBonus,
  mustBeGoodCurve,
  packBloodBonus,
  perMilleOf,
  pointsOf,
  scoreOf,
  scoreTable,
  unpackBloodBonus,
} from './scoring.ts'

const solves = [0, 1, 2, 3, 4, 5, 6, 10, 20, 50, 100]
const worked: [originalScore: number, minScoreRate: number, difficulty: number, scores: number[]][] = [
  [1000, 0.25, 5, [1000, 1000, 864, 752, 661, 586, 525, 373, 266, 250, 250]],
  [500, 0.1, 10, [500, 500, 457, 418, 383, 351, 322, 232, 117, 53, 50]],
  [1000, 0.8, 1, [1000, 1000, 873, 827, 809, 803, 801, 800, 800, 800, 800]],
  [300, 0.5, 3.5, [300, 300, 262, 234, 213, 197, 185, 161, 150, 150, 150]],
  [1000, 0, 20, [1000, 1000, 951, 904, 860, 818, 778, 637, 386, 86, 7]],
  [1000, 1, 5, [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]],
  [999, 0.333, 7.7, [999, 999, 917, 846, 783, 729, 680, 539, 389, 333, 332]],
  [100, 0.2, 0.1, [100, 100, 20, 20, 20, 20, 20, 20, 20, 20, 20]],
  [250, 0.4, 8, [250, 250, 232, 216, 203, 190, 180, 148, 113, 100, 100]],
]

const curve = fc.record({
  originalScore: fc.integer({ min: 0, max: 2 ** 24 }),
  minScoreRate: fc.double({ min: 0, max: 1, noNaN: true }),
  difficulty: fc.double({ min: 0.05, max: 500, noNaN: true }),
})

describe('score of a challenge', () => {
  test.each(worked)(
    'P3.19 a challenge of %d with floor %d and difficulty %d has the scores of the example table',
    (o, r, d, scores) => {
      const of = { originalScore: o, minScoreRate: r, difficulty: d }
      expect(solves.map((n) => scoreOf(of, n))).toEqual(scores)
      const table = scoreTable(of, 100)
      expect(solves.map((n) => table[n] ?? table.at(-1))).toEqual(scores)
    },
  )

  test('P3.19 with difficulty 0 the second solve drops to the floor', () => {
    expect(scoreTable({ originalScore: 1000, minScoreRate: 0.3, difficulty: 0 }, 50)).toEqual([1000, 1000, 300])
  })

  test('P3.19 more solves never raise a score, and it stays between its floor and its maximum', () => {
    fc.assert(
      fc.property(curve, fc.integer({ min: 0, max: 5000 }), (of, n) => {
        const now = scoreOf(of, n)
        expect(scoreOf(of, n + 1)).toBeLessThanOrEqual(now)
        expect(now).toBeLessThanOrEqual(of.originalScore)
        expect(now).toBeGreaterThanOrEqual(Math.floor(of.originalScore * of.minScoreRate))
      }),
    )
  })

  test('P3.19 a table of scores that ends early keeps its last value for every higher number of solves', () => {
    fc.assert(
      fc.property(curve, fc.integer({ min: 0, max: 300 }), (of, upTo) => {
        const table = scoreTable(of, upTo)
        for (let n = 0; n <= upTo; n++) expect(table[n] ?? table.at(-1)).toBe(scoreOf(of, n))
        if (table.length <= upTo) expect(scoreOf(of, 1_000_000)).toBe(table.at(-1))
      }),
    )
  })

  test('P3.19 curves that cannot be computed are refused when they are saved', () => {
    const good = { originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }
    expect(() => mustBeGoodCurve(good)).not.toThrow()
    for (const originalScore of [-1, 0.5, 2 ** 24 + 1, Number.NaN])
      expect(() => mustBeGoodCurve({ ...good, originalScore })).toThrow('challenge.score_out_of_range')
    for (const minScoreRate of [-0.1, 1.1, Number.NaN])
      expect(() => mustBeGoodCurve({ ...good, minScoreRate })).toThrow('challenge.score_rate_out_of_range')
    for (const difficulty of [0, -1, Number.POSITIVE_INFINITY, Number.NaN])
      expect(() => mustBeGoodCurve({ ...good, difficulty })).toThrow('challenge.difficulty_out_of_range')
  })
})

describe('blood bonus', () => {
  test.each([
    [50, 30, 10, 52459530],
    [100, 60, 20, 104919060],
    [100, 60, 25, 104919065],
    [50, 0, 0, 52428800],
    [1000, 1000, 1000, 1049601000],
    [0, 0, 0, 0],
  ])('P3.26 bonuses of %d, %d and %d per mille are packed into one number and read back', (first, second, third, packed) => {
    expect(packBloodBonus({ first, second, third })).toBe(packed)
    expect(unpackBloodBonus(packed)).toEqual({ first, second, third })
  })

  test('P3.26 the default is 5, 3 and 1 percent, and it replaces a value with a part above 1000', () => {
    expect(unpackBloodBonus(defaultBloodBonus)).toEqual({ first: 50, second: 30, third: 10 })
    for (const bad of [1001 << 20, 1001 << 10, 1001, 2 ** 30 - 1]) expect(cleanBloodBonus(bad)).toBe(defaultBloodBonus)
    expect(cleanBloodBonus(2 ** 31 + 52428800)).toBe(52428800)
    expect(cleanBloodBonus(2 ** 40 + 104919065)).toBe(104919065)
  })

  // Computed by test/points.c with `float`: the first five differ without the inner rounding.
  test.each([
    [111, 724750692],
    [116, 1705487987],
    [134, 3734866229],
    [139, 3230475374],
    [157, 2490355464],
    [10, 3506033732],
    [30, 2188249132],
    [50, 4227123169],
    [1000, 370383520],
  ])(
    'P3.26 with a bonus of %d per mille the points of all scores to 100,000 equal those of single precision',
    (perMille, sum) => {
      let found = 0
      for (let score = 1; score <= 100_000; score++) found = (Math.imul(found, 31) + pointsOf(score, perMille)) >>> 0
      expect(found).toBe(sum)
    },
  )

  test('P3.26 every percentage with one decimal becomes its tenths', () => {
    for (let tenths = 0; tenths <= 1000; tenths++) expect(perMilleOf(tenths / 10)).toBe(tenths)
    expect(perMilleOf(2.39)).toBe(23)
  })

  test.each([
    [1000, 1050, 1030, 1010],
    [752, 790, 775, 760],
    [661, 694, 681, 668],
    [500, 525, 515, 505],
    [250, 262, 258, 252],
    [950, 997, 978, 960],
    [150, 158, 154, 152],
    [50, 52, 52, 50],
    [30, 31, 31, 30],
    [10, 10, 10, 10],
  ])('P9.7 the first three solvers of a challenge of %d points get %d, %d and %d', (score, first, second, third) => {
    expect([50, 30, 10].map((perMille) => pointsOf(score, perMille))).toEqual([first, second, third])
  })

  test('P9.7 other bonuses follow the same arithmetic, and a bonus of 0 leaves the score unchanged', () => {
    expect([100, 60, 25].map((perMille) => pointsOf(373, perMille))).toEqual([410, 395, 382])
    expect(pointsOf(864, 1000)).toBe(1728)
    expect(pointsOf(864, 0)).toBe(864)
  })

  test('P9.7 a bonus never costs points and never more than doubles them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 24 }), fc.integer({ min: 0, max: 1000 }), (score, perMille) => {
        const points = pointsOf(score, perMille)
        expect(points).toBeGreaterThanOrEqual(score)
        expect(points).toBeLessThanOrEqual(2 * score)
      }),
    )
  })

  test('P3.58 the first three solves are bloods, all later ones are normal', () => {
    expect([0, 1, 2, 3, 99].map(bloodAt)).toEqual(['FirstBlood', 'SecondBlood', 'ThirdBlood', 'Normal', 'Normal'])
  })
})

test('a curve may have each of its limits, but nothing beyond', () => {
  const good = { originalScore: 1000, minScoreRate: 0.25, difficulty: 5 }
  for (const change of [
    { originalScore: 0 },
    { originalScore: 2 ** 24 },
    { minScoreRate: 0 },
    { minScoreRate: 1 },
    { difficulty: 1e-9 },
  ])
    expect(() => mustBeGoodCurve({ ...good, ...change })).not.toThrow()
  for (const originalScore of [-1, 2 ** 24 + 1, 0.5, Number.NaN])
    expect(() => mustBeGoodCurve({ ...good, originalScore })).toThrow(expect.objectContaining({ data: { max: 2 ** 24 } }))
  for (const minScoreRate of [-0.01, 1.01, Number.NaN])
    expect(() => mustBeGoodCurve({ ...good, minScoreRate })).toThrow('challenge.score_rate_out_of_range')
  for (const difficulty of [0, -1, Number.POSITIVE_INFINITY, Number.NaN])
    expect(() => mustBeGoodCurve({ ...good, difficulty })).toThrow('challenge.difficulty_out_of_range')
})

test('without a bonus the points are the score, exact beyond single precision and with a fraction', () => {
  expect([pointsOf(2 ** 24 + 1, 0), pointsOf(0.5, 0)]).toEqual([2 ** 24 + 1, 0.5])
})

test('a table of growing scores does not end where its first score is the floor', () => {
  expect(scoreTable({ originalScore: 100, minScoreRate: 1, difficulty: -1 }, 3)).toEqual([100, 100, 100, 100])
  const grown = scoreTable({ originalScore: 100, minScoreRate: 0.5, difficulty: -1 }, 3)
  expect([grown.length, (grown[3] as number) > (grown[2] as number)]).toEqual([4, true])
})

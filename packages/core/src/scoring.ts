/** Scores of challenges and bonuses of the first solvers. docs/scoring.md describes the exact arithmetic. */
import { challengeLimits, defaultBloodBonus } from './limits.ts'
import { DifficultyOutOfRange, ScoreOutOfRange, ScoreRateOutOfRange } from './rules.ts'
import type { SubmissionType } from './vocabulary.ts'

export interface ScoreCurve {
  readonly originalScore: number
  /** Minimum share of the original score, 0..1. */
  readonly minScoreRate: number
  /** A larger value makes the score fall more slowly. */
  readonly difficulty: number
}

/** Score of a challenge with `solves` solves. The form of the expression determines the last digit: keep it. */
export function scoreOf({ originalScore, minScoreRate, difficulty }: ScoreCurve, solves: number): number {
  if (solves <= 1) return originalScore
  return Math.floor(originalScore * (minScoreRate + (1 - minScoreRate) * Math.exp((1 - solves) / difficulty)))
}

/** Scores at 0, 1, … `upTo` solves. Ends early if the score stays at the floor; then the last value applies for ever. Never empty. */
export function scoreTable(curve: ScoreCurve, upTo: number): number[] {
  const floor = Math.floor(curve.originalScore * curve.minScoreRate)
  // Old rows may have a negative difficulty, with which scores grow.
  const falls = curve.difficulty >= 0
  const values = [scoreOf(curve, 0)]
  for (let solves = 1; solves <= upTo; solves++) {
    if (falls && values.at(-1) === floor) break
    values.push(scoreOf(curve, solves))
  }
  return values
}

/** Checked when a challenge is saved; older values may exceed the limits. @throws ScoreOutOfRange, ScoreRateOutOfRange, DifficultyOutOfRange */
export function mustBeGoodCurve({ originalScore, minScoreRate, difficulty }: ScoreCurve): void {
  const max = challengeLimits.originalScoreMax
  if (!Number.isInteger(originalScore) || originalScore < 0 || originalScore > max) throw new ScoreOutOfRange({ max })
  if (!(minScoreRate >= 0 && minScoreRate <= 1)) throw new ScoreRateOutOfRange()
  if (!(difficulty > 0 && Number.isFinite(difficulty))) throw new DifficultyOutOfRange()
}

// ---- bloods

/** Bonuses in 1/1000 of the current score. */
export interface BloodBonus {
  readonly first: number
  readonly second: number
  readonly third: number
}

const partMax = 1000

export const packBloodBonus = ({ first, second, third }: BloodBonus): number => (first << 20) + (second << 10) + third

/** Reads the lower 30 bits; if a part is above 1000, returns the default of all three. */
export function unpackBloodBonus(packed: number): BloodBonus {
  const parts = { first: (packed >> 20) & 1023, second: (packed >> 10) & 1023, third: packed & 1023 }
  return Math.max(parts.first, parts.second, parts.third) > partMax ? unpackBloodBonus(defaultBloodBonus) : parts
}

/** The stored form: 30 bits, the default for values out of range. */
export const cleanBloodBonus = (packed: number): number => packBloodBonus(unpackBloodBonus(packed))

/** From a percentage with one decimal. Rounded to three decimals first, because 0.1 is not exact in binary. */
export const perMilleOf = (percent: number): number => Math.floor(Math.round(percent * 1000) / 100)

const bloodTypes = ['FirstBlood', 'SecondBlood', 'ThirdBlood'] as const

/** Blood rank by position, from 0, among the solves of a challenge. */
export const bloodAt = (place: number): SubmissionType => bloodTypes[place] ?? 'Normal'

/** Bonus by position, from 0. */
export function perMilleAt(bonus: BloodBonus, place: number): number {
  if (place === 0) return bonus.first
  if (place === 1) return bonus.second
  return place === 2 ? bonus.third : 0
}

/** In single precision, for compatibility with existing boards. */
const bonusFactor = (perMille: number): number => Math.fround(Math.fround(perMille / 1000) + 1)

/** Points of a solve: product in single precision, rounded half to even. Exact for scores below 2^24. */
export const pointsOf = (score: number, perMille: number): number =>
  perMille === 0 ? score : roundHalfEven(Math.fround(score * bonusFactor(perMille)))

function roundHalfEven(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1
  return rest < 0.5 ? below : below + 1
}

import { packBloodBonus, perMilleOf, unpackBloodBonus } from '@vexil/core/scoring'

/** A string while it is not a number. */
export type Percents = readonly [first: number | string, second: number | string, third: number | string]

export function percentsOf(packed: number): Percents {
  const { first, second, third } = unpackBloodBonus(packed)
  return [first / 10, second / 10, third / 10]
}

export const isPercent = (value: number | string): value is number => typeof value === 'number' && value >= 0 && value <= 100

/** Undefined while one is not a percentage. */
export function packPercents([first, second, third]: Percents): number | undefined {
  if (!isPercent(first) || !isPercent(second) || !isPercent(third)) return undefined
  return packBloodBonus({ first: perMilleOf(first), second: perMilleOf(second), third: perMilleOf(third) })
}

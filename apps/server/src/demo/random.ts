/** Reproducible random values: the same seed gives the same demo. */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number
  /** `low` ≤ x < `high`. */
  between(low: number, high: number): number
  below(n: number): number
  likely(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** A random duration with this mean: mostly shorter, sometimes up to four times as long. */
  around(mean: number): number
}

/** Mulberry32: small, fast and good enough for a demo. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    below,
    likely: (share) => next() < share,
    pick: (list) => list[below(list.length)]!,
    around: (mean) => mean * Math.min(4, 0.2 - 0.8 * Math.log(1 - next())),
  }
}

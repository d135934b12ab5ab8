import type { every } from '../src/every.ts'

/**
 * `every` without periodic work at intervals from five seconds up. For files whose tests call the sweeps that they need: on a busy machine a test
 * takes longer than such an interval, and a sweep in the middle of it would have unexpected effects.
 */
export const withoutSlow = (real: { readonly every: typeof every }): { every: typeof every } => ({
  every: (ms, ...rest) => (ms < 5_000 ? real.every(ms, ...rest) : { close: async () => undefined }),
})

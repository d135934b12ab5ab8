export interface Beats {
  readonly every: number
  readonly deadAfter: number
  readonly firstWithin: number
  readonly lateBy: number
}
export const beats: Beats
export function beat(say: () => void, figures?: Beats): void
export function watchBeats(dead: () => void, figures?: Beats, now?: () => number): { received(): void; stop(): void }

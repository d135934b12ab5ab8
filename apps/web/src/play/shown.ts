import type { Card } from './play.queries.ts'

/** A card with what is known of it now. */
export interface Shown extends Card {
  readonly isSolved: boolean
  /** Solved after the end; the board does not know it. */
  readonly practised: boolean
  readonly ownPlace: 1 | 2 | 3 | null
  /** Our solve as the board has it. */
  readonly own: { readonly by: string | null; readonly at: number; readonly points: number } | null
  readonly fresh: boolean
}

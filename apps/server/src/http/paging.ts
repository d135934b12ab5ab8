import { parseInstant } from '@vexil/contract/wire'

/** Bounds `count` and `skip`: an absent count is `size`, a larger one than `max` is reduced; the schema refuses negative values. */
export function pageOf(
  query: { count?: number; skip?: number },
  { size, max }: { size: number; max: number },
): { count: number; skip: number } {
  return { count: Math.min(query.count ?? size, max), skip: Math.max(0, query.skip ?? 0) }
}

export interface SpanOf {
  readonly from: Date | null
  readonly before: Date | null
}

/** Time bounds of a list, null if absent. The contract has validated their format. */
export const spanOf = ({ from, before }: { from?: string | undefined; before?: string | undefined }): SpanOf => ({
  from: from === undefined ? null : parseInstant(from),
  before: before === undefined ? null : parseInstant(before),
})

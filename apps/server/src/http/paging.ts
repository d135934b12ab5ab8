import { parseInstant } from '@vexil/contract/wire'

/** `count` and `skip` within the bounds of a list: an absent count is `size`, one above `max` is cut; the schema refuses a negative one. */
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

/** Bounds in time of a list; null where the request names none. The contract has tested their form. */
export const spanOf = ({ from, before }: { from?: string | undefined; before?: string | undefined }): SpanOf => ({
  from: from === undefined ? null : parseInstant(from),
  before: before === undefined ? null : parseInstant(before),
})

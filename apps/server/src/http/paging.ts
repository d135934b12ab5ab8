import { parseInstant } from '@vexil/contract/wire'
import { FieldInvalid } from './faults.ts'

/** `count` and `skip` within the bounds of a list: an absent count is `size`, a larger one than `max` is cut, a negative one refused. */
export function pageOf(
  query: { count?: number; skip?: number },
  { size, max }: { size: number; max: number },
): { count: number; skip: number } {
  if (query.count !== undefined && query.count < 0) throw new FieldInvalid('count', 'tooSmall', 0)
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

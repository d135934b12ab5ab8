/** Names for repeated statements (the hash of the text): planning took most of the time of short queries. */
import { createHash } from 'node:crypto'

/** Limited because the server keeps each named statement in memory per connection. */
const NAMED_MAX = 300
/** Statements used once or twice, at a start or by an import, get no name. */
const NAMED_FROM = 3
/** Longer statements insert lists, with a different length each time. */
const TEXT_MAX = 20_000
const COUNTED_MAX = 5_000

export interface Names {
  /** The name of a repeated text; undefined if it has none (yet). Costs one map lookup. */
  of(text: string): string | undefined
}

/** One per process: a text has the same name on every connection. */
export function openNames(): Names {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  return {
    of(text) {
      const name = names.get(text)
      if (name !== undefined || names.size === NAMED_MAX || text.length > TEXT_MAX) return name
      const count = (counts.get(text) ?? 0) + 1
      if (count < NAMED_FROM) {
        if (counts.size === COUNTED_MAX) counts.clear()
        counts.set(text, count)
        return undefined
      }
      counts.delete(text)
      const made = `s_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
      names.set(text, made)
      return made
    },
  }
}

/** Whether a schema change invalidated a prepared statement. It was not executed; affects only this name on this connection. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '0A000' && error.message.includes('cached plan')

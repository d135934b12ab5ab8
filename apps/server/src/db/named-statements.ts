/**
 * Names for statements that come again, so that the server parses and plans each once per connection instead of at every call: planning took
 * most of the time of short queries. A name is the hash of its text, so two texts never share one.
 */
import { createHash } from 'node:crypto'

/** A server keeps each named statement in the memory of each connection. */
const NAMED_MAX = 300
/** What is asked once or twice, at a start or by an import, is not worth a name. */
const NAMED_FROM = 3
/** The longest are lists of rows that are inserted, of another length each time. */
const TEXT_MAX = 20_000
const COUNTED_MAX = 5_000

export interface Names {
  /** The name of a text that comes again; undefined for one that is not named (yet). Costs one look into a map. */
  of(text: string): string | undefined
}

/** One for each process: a text has the same name on every connection. */
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

/**
 * A prepared statement whose columns are no longer those it was prepared with: the schema was changed. Nothing was carried out, and it
 * holds for this name on this connection alone.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '0A000' && error.message.includes('cached plan')

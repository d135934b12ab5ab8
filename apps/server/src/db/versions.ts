/** The one row of versions, polled four times a second: what must act at once is compared here; hints only make it quicker. */
import { sql } from 'kysely'
import { every } from '../every.ts'
import type { Db } from './transaction.ts'

const everyMs = 250
const slowMs = 1000

/** After a pause of this length all rights count as changed: rows that say which sessions ended are kept for some minutes only. */
const pauseMs = 5_000

export interface Versions {
  /** Milliseconds since 1970 by the database's clock. */
  now(): number
  /** The rights of an account changed, or a session ended. */
  onSecurity(listeners: () => void): void
  /** Hashes of sessions that ended, hexadecimal; null: rights changed, and any may have. Before `onSecurity`. */
  onEnded(listeners: (hashes: readonly string[] | null) => void): void
  onSettings(listeners: () => void): void
  /** What the polls have seen so far. */
  seen(): SecurityVersion
  /** Rights were changed a moment ago, here or by what another node says: nothing that was read before counts until the next poll. */
  invalidate(): void
  /** Did the last poll begin after rights were changed last, as far as is known here, and less than a second ago? Costs nothing. */
  isFresh(): boolean
  /** Did the database answer when it was asked last, and within a second? Costs nothing. */
  answers(): boolean
  /** Asks at once, as after a hint. */
  poll(): Promise<void>
  close(): void
}

export interface SecurityVersion {
  readonly security: number
  readonly sessions: number
}

interface Row extends SecurityVersion {
  readonly settings: number
  readonly now: number
  readonly ended: string[]
}

export async function watchVersions(db: Db, onError: (error: unknown) => void): Promise<Versions> {
  let seen: SecurityVersion | null = null
  let settings: number | null = null
  let offset = 0
  /** When the last poll began that was answered. */
  let begun = Number.NEGATIVE_INFINITY
  let distrusted = Number.NEGATIVE_INFINITY
  const listeners = {
    security: [] as (() => void)[],
    ended: [] as ((hashes: readonly string[] | null) => void)[],
    settings: [] as (() => void)[],
  }

  async function poll(): Promise<void> {
    const asked = performance.now()
    const { rows } = await sql<Row>`
      select security, sessions, settings, extract(epoch from clock_timestamp()) * 1000 as now,
        array(select encode(e.token_hash, 'hex') from ended_sessions e where e.number > ${seen?.sessions ?? null}::bigint) as ended
      from versions`.execute(db)
    const row = rows[0]
    if (!row) return
    offset = Number(row.now) - (asked + performance.now()) / 2
    tell(row, asked)
    if (settings !== null && row.settings !== settings) for (const listener of listeners.settings) listener()
    settings = row.settings
    begun = Math.max(begun, asked)
  }

  /** An answer that a later one overtook says nothing new. */
  function tell(row: Row, asked: number): void {
    const last = seen
    seen = last ? { security: Math.max(last.security, row.security), sessions: Math.max(last.sessions, row.sessions) } : row
    if (!last) return
    const changed = row.security > last.security || asked - begun > pauseMs
    if (!changed && row.sessions <= last.sessions) return
    for (const listener of listeners.ended) listener(changed ? null : row.ended)
    for (const listener of listeners.security) listener()
  }

  await poll()
  /** Since when an answer is awaited; null while none is. */
  let asking: number | null = null
  let failed = false
  async function pollNext(): Promise<void> {
    asking = performance.now()
    try {
      await poll()
      failed = false
    } catch (error) {
      // Four a second would fill the log; the first one says it.
      if (!failed) onError(error)
      failed = true
    } finally {
      asking = null
    }
  }
  const timer = every(everyMs, pollNext, onError)

  return {
    now: () => offset + performance.now(),
    onSecurity: (listener) => listeners.security.push(listener),
    onEnded: (listener) => listeners.ended.push(listener),
    onSettings: (listener) => listeners.settings.push(listener),
    seen: () => seen ?? { security: 0, sessions: 0 },
    invalidate: () => {
      distrusted = performance.now()
    },
    isFresh: () => begun > distrusted && performance.now() - begun < slowMs,
    answers: () => !failed && (asking === null || performance.now() - asking < slowMs),
    poll,
    close: () => void timer.close(),
  }
}

/** The row of versions, polled four times a second: detects changes that must take effect at once; hints only make this faster. */
import { sql } from 'kysely'
import { every } from '../every.ts'
import type { Db } from './transaction.ts'

const everyMs = 250
const slowMs = 1000

/** After a pause this long all rights count as changed, since rows of ended sessions are kept only for minutes. */
const pauseMs = 5_000

export interface Versions {
  /** Milliseconds since 1970 by the database's clock. */
  now(): number
  /** The rights of an account changed, or a session ended. */
  onSecurity(listeners: () => void): void
  /** Called before `onSecurity` with the hexadecimal hashes of ended sessions, or null if rights of any session may have changed. */
  onEnded(listeners: (hashes: readonly string[] | null) => void): void
  onSettings(listeners: () => void): void
  seen(): SecurityVersion
  /** Rights have just changed on this or another node: reads from before are invalid until the next poll. */
  invalidate(): void
  /** Whether the last poll began after the last known change of rights and less than a second ago. Costs nothing. */
  isFresh(): boolean
  /** Whether the database answered the last poll within a second. Costs nothing. */
  answers(): boolean
  /** Polls at once, as after a hint. */
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
  /** Start time of the last answered poll. */
  let pollBegun = Number.NEGATIVE_INFINITY
  let invalidatedAt = Number.NEGATIVE_INFINITY
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
    applyRow(row, asked)
    if (settings !== null && row.settings !== settings) for (const listener of listeners.settings) listener()
    settings = row.settings
    pollBegun = Math.max(pollBegun, asked)
  }

  /** Ignores an answer that a later one overtook. */
  function applyRow(row: Row, asked: number): void {
    const last = seen
    seen = last ? { security: Math.max(last.security, row.security), sessions: Math.max(last.sessions, row.sessions) } : row
    if (!last) return
    const changed = row.security > last.security || asked - pollBegun > pauseMs
    if (!changed && row.sessions <= last.sessions) return
    for (const listener of listeners.ended) listener(changed ? null : row.ended)
    for (const listener of listeners.security) listener()
  }

  await poll()
  /** Start time of the pending poll, or null. */
  let asking: number | null = null
  let failed = false
  async function pollNext(): Promise<void> {
    asking = performance.now()
    try {
      await poll()
      failed = false
    } catch (error) {
      // Logs only the first failure: four a second would fill the log.
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
      invalidatedAt = performance.now()
    },
    isFresh: () => pollBegun > invalidatedAt && performance.now() - pollBegun < slowMs,
    answers: () => !failed && (asking === null || performance.now() - asking < slowMs),
    poll,
    close: () => void timer.close(),
  }
}

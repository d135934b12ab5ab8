/** The row of versions, polled four times a second: detects changes that must take effect at once; hints only make this faster. */
import { setTimeout as sleep } from 'node:timers/promises'
import { RuleError } from '@vexil/core/rules'
import { sql } from 'kysely'
import { every } from '../every.ts'
import type { Db } from './transaction.ts'

const everyMs = 250
const slowMs = 1000
/** On a busy machine a poll takes longer than a second; its answer is still from after the call began. */
const waitMs = 3_000

/** A process that did not run for this long was stopped. A busy one may be late by a second; it only polls again. */
const stoppedMs = 2_000

/** After a pause this long all rights count as changed, since rows of ended sessions are kept only for minutes. */
const pauseMs = 5_000

export interface Versions {
  /** Milliseconds since 1970 by the database's clock. */
  now(): number
  /** The rights of an account changed, or a session ended. */
  onSecurity(listeners: () => void): void
  /** Called before `onSecurity` with the hexadecimal hashes of ended sessions, or null if rights of any session may have changed. */
  onEnded(listeners: (hashes: readonly string[] | null) => void): void
  /** A poll waits for the listeners, and fails with them. */
  onSettings(listeners: () => Promise<void>): void
  seen(): SecurityVersion
  /** Rights have just changed on this or another node: reads from before are invalid until the next poll. */
  invalidate(): void
  /** Whether the last poll began after the last known change of rights and less than a second ago. Costs nothing. */
  isFresh(): boolean
  /** Whether the database answered the last poll within a second. Costs nothing. */
  answers(): boolean
  /**
   * Null if the last answered poll began less than a second ago; costs nothing. Otherwise waits at most three seconds for a poll that all
   * callers share. @throws `server.unavailable`
   */
  catchUp(): Promise<void> | null
  /** Polls at once, as after a hint. */
  poll(): Promise<void>
  /** Waits for the poll under way. */
  close(): Promise<void>
}

export interface SecurityVersion {
  readonly security: number
  readonly sessions: number
}

const unavailable = () => new RuleError('server.unavailable', { retryAfter: 1 })

interface Row extends SecurityVersion {
  readonly settings: number
  readonly now: number
  readonly ended: string[]
}

/** `stopped`: called with the milliseconds when this process, or its event loop, did not run for two seconds or more. */
export async function watchVersions(
  db: Db,
  onError: (error: unknown) => void,
  stopped: (ms: number) => void = () => undefined,
): Promise<Versions> {
  let seen: SecurityVersion | null = null
  let settings: number | null = null
  let offset = 0
  /** Start time of the last answered poll. */
  let polledAt = Number.NEGATIVE_INFINITY
  /** Start time of the poll that `seen` is from. */
  let appliedPollAt = Number.NEGATIVE_INFINITY
  let invalidatedAt = Number.NEGATIVE_INFINITY
  const listeners = {
    security: [] as (() => void)[],
    ended: [] as ((hashes: readonly string[] | null) => void)[],
    settings: [] as (() => Promise<void>)[],
  }

  async function poll(): Promise<void> {
    const sentAt = performance.now()
    const { rows } = await sql<Row>`
      select security, sessions, settings, extract(epoch from clock_timestamp()) * 1000 as now,
        array(select encode(e.token_hash, 'hex') from ended_sessions e where e.number > ${seen?.sessions ?? null}::bigint) as ended
      from versions`.execute(db)
    const row = rows[0]
    if (!row) return
    const answered = performance.now()
    // A slow answer says little about the clock.
    if (seen === null || answered - sentAt < slowMs) offset = Number(row.now) - (sentAt + answered) / 2
    applyRow(row, sentAt)
    if (settings !== null && row.settings !== settings) await Promise.all(listeners.settings.map((listener) => listener()))
    settings = row.settings
    polledAt = Math.max(polledAt, sentAt)
  }

  /** Ignores an answer that a later one overtook. After a fail-over the counters may be lower than before: then all rights count as changed. */
  function applyRow(row: Row, sentAt: number): void {
    if (sentAt < appliedPollAt) return
    appliedPollAt = sentAt
    const last = seen
    seen = { security: row.security, sessions: row.sessions }
    if (!last) return
    const changed = row.security !== last.security || row.sessions < last.sessions || sentAt - polledAt > pauseMs
    if (!changed && row.sessions === last.sessions) return
    for (const listener of listeners.ended) listener(changed ? null : row.ended)
    for (const listener of listeners.security) listener()
  }

  await poll()
  /** The pending poll and its start time, or null. */
  let pending: Promise<void> | null = null
  let pendingSince: number | null = null
  let failed = false
  async function pollNext(): Promise<void> {
    pendingSince = performance.now()
    try {
      await poll()
      failed = false
    } catch (error) {
      failed = true
      throw error
    } finally {
      pendingSince = null
      pending = null
    }
  }
  function pollOnce(): Promise<void> {
    pending ??= pollNext()
    return pending
  }

  let ranAt = performance.now()
  function noteStop(): void {
    const [before, at] = [ranAt, performance.now()]
    ranAt = at
    if (at - before >= stoppedMs) stopped(at - before)
  }
  const stops = every(everyMs, noteStop, onError)
  // Four failures a second would fill the log.
  const timer = every(everyMs, pollOnce, onError, { firstOnly: true })

  /** Start of the last catch-up without an answer. */
  let gaveUpAt = Number.NEGATIVE_INFINITY
  let catchingUp: Promise<void> | null = null
  async function pollNow(): Promise<void> {
    // A request may be read before the timer: the report precedes its answer.
    noteStop()
    const since = performance.now()
    // The timer repeats the poll until one is answered.
    if (failed || gaveUpAt > polledAt) throw unavailable()
    // What arrived while this process was stopped is read before the timer counts.
    const late = sleep(waitMs, undefined, { ref: false }).then(() => new Promise(setImmediate))
    // The pending poll may have started before this process was stopped.
    for (let polls = 0; polls < 2 && polledAt < since; polls++) await Promise.race([pollOnce().catch(() => undefined), late])
    if (polledAt >= since) return
    gaveUpAt = since
    throw unavailable()
  }

  return {
    now: () => offset + performance.now(),
    onSecurity: (listener) => listeners.security.push(listener),
    onEnded: (listener) => listeners.ended.push(listener),
    onSettings: (listener) => listeners.settings.push(listener),
    seen: () => seen ?? { security: 0, sessions: 0 },
    invalidate: () => {
      invalidatedAt = performance.now()
    },
    isFresh: () => polledAt > invalidatedAt && performance.now() - polledAt < slowMs,
    answers: () => !failed && (pendingSince === null || performance.now() - pendingSince < slowMs),
    catchUp() {
      if (performance.now() - polledAt < slowMs) return null
      catchingUp ??= pollNow().finally(() => {
        catchingUp = null
      })
      return catchingUp
    },
    poll,
    async close() {
      void stops.close()
      await timer.close()
      await pending?.catch(() => undefined)
    },
  }
}

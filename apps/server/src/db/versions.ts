/** The one row of versions, polled four times a second: what must act at once is compared here; hints only make it quicker. */
import { sql } from 'kysely'
import type { Db } from './transaction.ts'

const everyMs = 250
const slowMs = 1000

export interface Versions {
  /** Milliseconds since 1970 by the database's clock. */
  now(): number
  onSecurity(heard: () => void): void
  onSettings(heard: () => void): void
  /** Did the database answer when it was asked last, and within a second? Costs nothing. */
  answers(): boolean
  /** Asks at once, as after a hint. */
  poll(): Promise<void>
  close(): void
}

export async function watchVersions(db: Db, report: (error: unknown) => void): Promise<Versions> {
  let security: number | null = null
  let settings: number | null = null
  let offset = 0
  const heard = { security: [] as (() => void)[], settings: [] as (() => void)[] }

  async function poll(): Promise<void> {
    const asked = performance.now()
    const { rows } = await sql<{ security: number; settings: number; now: number }>`
      select security, settings, extract(epoch from clock_timestamp()) * 1000 as now from versions`.execute(db)
    const row = rows[0]
    if (!row) return
    offset = Number(row.now) - (asked + performance.now()) / 2
    if (security !== null && row.security !== security) for (const tell of heard.security) tell()
    if (settings !== null && row.settings !== settings) for (const tell of heard.settings) tell()
    security = row.security
    settings = row.settings
  }

  await poll()
  /** Since when an answer is awaited; null while none is. */
  let asking: number | null = null
  let failed = false
  const timer = setInterval(() => {
    if (asking !== null) return
    asking = performance.now()
    poll()
      .then(
        () => {
          failed = false
        },
        (error) => {
          // Four a second would fill the log; the first one says it.
          if (!failed) report(error)
          failed = true
        },
      )
      .finally(() => {
        asking = null
      })
  }, everyMs)
  timer.unref()

  return {
    now: () => offset + performance.now(),
    onSecurity: (tell) => heard.security.push(tell),
    onSettings: (tell) => heard.settings.push(tell),
    answers: () => !failed && (asking === null || performance.now() - asking < slowMs),
    poll,
    close: () => clearInterval(timer),
  }
}

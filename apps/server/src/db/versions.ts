/** The one row of versions, polled four times a second: what must act at once is compared here; hints only make it quicker. */
import { sql } from 'kysely'
import type { Db } from './transaction.ts'

const everyMs = 250

export interface Versions {
  /** Milliseconds since 1970 by the database's clock. */
  now(): number
  onSecurity(heard: () => void): void
  onSettings(heard: () => void): void
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
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    poll()
      .catch(report)
      .finally(() => {
        busy = false
      })
  }, everyMs)
  timer.unref()

  return {
    now: () => offset + performance.now(),
    onSecurity: (tell) => heard.security.push(tell),
    onSettings: (tell) => heard.settings.push(tell),
    poll,
    close: () => clearInterval(timer),
  }
}

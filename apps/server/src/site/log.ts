/** The log for administrators: collected in memory, written once a second, then pushed. */
import { logLimits } from '@vexil/core/limits'
import { readable } from '@vexil/core/names'
import { sql } from 'kysely'
import type { Log, LogEntry } from '../audit.ts'
import { pgArrayLiteral } from '../db/pg-array-literal.ts'
import type { Db } from '../db/transaction.ts'
import { every } from '../every.ts'
import type { Bus } from '../ports/bus/bus.ts'
import { currentRequest } from '../request-trace.ts'

const everyMs = 1000
/** Maximum queued entries while the database is unavailable; the oldest are dropped. */
const waitingMost = 10_000

/** `time`: milliseconds. */
type Waiting = LogEntry & { readonly time: number; readonly requestId: string | null }

interface LogOutput {
  readonly onError: (error: unknown) => void
  /** Prints an entry at once. */
  readonly print?: ((entry: LogEntry) => void) | undefined
}

/** Ranges without gaps: ids in a gap belong to another process that wrote at the same time, which publishes them too. */
function rangesOf(ids: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.to === id - 1) last.to = id
    else ranges.push({ from: id, to: id })
  }
  return ranges
}

export function openLog(db: Db, bus: Bus, { onError, print }: LogOutput): Log {
  let waiting: Waiting[] = []
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    // Removed first, so that trimming does not affect the entries being written.
    const batch = waiting.splice(0, 500)
    if (batch.length === 0) return
    const rows = await insert(batch).catch((error: unknown) => {
      waiting = [...batch, ...waiting].slice(-waitingMost)
      throw error
    })
    for (const range of rangesOf(rows.map((row) => row.id))) bus.publish('log.written', range)
    if (waiting.length > 0) await write()
  }

  /** One statement for all rows, with asynchronous commit: a crash of the database may lose the last half second. */
  async function insert(batch: readonly Waiting[]): Promise<{ readonly id: number }[]> {
    const column = <T>(take: (entry: Waiting) => T) => batch.map(take)
    const { rows } = await sql<{ id: number }>`
      with quick as (select set_config('synchronous_commit', 'off', true))
      insert into logs (time, level, status, name, ip, message, request_id, route)
      select to_timestamp(e.time / 1000), e.level, e.status, e.name, e.ip, e.message, e.request_id, e.route from quick, unnest(
        ${pgArrayLiteral(column(({ time }) => time))}::float8[],
        ${pgArrayLiteral(column(({ level = 'Information' }) => level))}::text[],
        ${column(({ status }) => status)}::text[],
        ${column(({ name }) => readable(name.slice(0, logLimits.userNameMax)))}::text[],
        ${column(({ ip = '' }) => ip.slice(0, logLimits.ipMax))}::text[],
        ${column(({ message }) => readable(message.slice(0, 4000)))}::text[],
        ${column(({ requestId }) => requestId)}::text[],
        ${column(({ route = null }) => route)}::text[]
      ) as e (time, level, status, name, ip, message, request_id, route)
      returning id`.execute(db)
    return rows
  }

  const flush = () => {
    writing = writing.then(write).catch(onError)
    return writing
  }
  const writes = every(everyMs, flush, onError)

  return {
    write(entry) {
      print?.(entry)
      waiting.push({ ...entry, time: Date.now(), requestId: currentRequest()?.id ?? null })
      if (waiting.length > waitingMost) waiting = waiting.slice(-waitingMost)
    },
    flush,
    async close() {
      await writes.close()
      await flush()
    },
  }
}

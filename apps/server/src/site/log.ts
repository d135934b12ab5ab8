/** The log that administrators read: gathered in memory, written once a second, pushed as it is written. */
import { logLimits } from '@vexil/core/limits'
import { readable } from '@vexil/core/names'
import type { Log, LogEntry } from '../audit.ts'
import type { Db } from '../db/transaction.ts'
import type { Bus } from '../ports/bus/bus.ts'

const everyMs = 1000
/** Entries that may wait while the database does not answer; the oldest go first. */
const waitingMost = 10_000

type Waiting = LogEntry & { readonly time: Date }

export function openLog(db: Db, bus: Bus, report: (error: unknown) => void): Log {
  let waiting: Waiting[] = []
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    // Taken out first: what is trimmed meanwhile is not what is being written.
    const batch = waiting.splice(0, 500)
    if (batch.length === 0) return
    const rows = await insert(batch).catch((error: unknown) => {
      waiting = [...batch, ...waiting].slice(-waitingMost)
      throw error
    })
    const ids = rows.map((row) => row.id)
    bus.publish('log.written', { from: Math.min(...ids), to: Math.max(...ids) })
    if (waiting.length > 0) await write()
  }

  const insert = (batch: readonly Waiting[]) =>
    db
      .insertInto('logs')
      .values(
        batch.map(({ time, level = 'Information', status, name, ip = '', message }) => ({
          time,
          level,
          status,
          name: readable(name.slice(0, logLimits.userNameMax)),
          ip: ip.slice(0, logLimits.ipMax),
          message: readable(message.slice(0, 4000)),
        })),
      )
      .returning('id')
      .execute()

  const flush = () => {
    writing = writing.then(write).catch(report)
    return writing
  }
  const timer = setInterval(flush, everyMs)
  timer.unref()

  return {
    write(entry) {
      waiting.push({ ...entry, time: new Date() })
      if (waiting.length > waitingMost) waiting = waiting.slice(-waitingMost)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

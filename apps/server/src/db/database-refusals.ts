/** PostgreSQL's refusals for lack of disk, memory, time or a lock, and of a read-only database: the caller gets a 503, the log one line a minute per state. */
import { sql } from 'kysely'
import { every } from '../every.ts'
import { codeOf } from '../start-error.ts'
import { isConnectionLost, readOnly } from './connections.ts'
import type { FailedStatement } from './retrying-dialect.ts'
import type { Db } from './transaction.ts'

const lineEveryMs = 60_000
const probeEveryMs = 1_000

const canceled = '57014'
const noLock = '55P03'
const diskFull = '53100'
const outOfMemory = '53200'

/** 53: the class of insufficient resources. */
export const isRefusal = (error: unknown): boolean => {
  const code = codeOf(error)
  return code.startsWith('53') || [canceled, noLock, readOnly].includes(code)
}

const cannotWrite = (error: unknown): boolean => [diskFull, outOfMemory, readOnly].includes(codeOf(error))

export interface RefusalLine {
  /** SQLSTATE. */
  readonly state: string
  readonly reason: string
  /** Refusals of this state since the previous line. */
  readonly refused: number
  /** Only for a statement timeout (57014), with `err`: the slow query. */
  readonly statement?: string
  readonly err?: unknown
}

export interface Refusals {
  /** Records a failure. @returns whether it is a refusal, which must not be logged elsewhere */
  record(error: unknown): boolean
  /** False from a refusal for lack of disk or memory, or of a read-only database, until a probe, tried each second, succeeds. Costs nothing. */
  isWritable(): boolean
  close(): void
}

export function watchRefusals(db: Db, log: (line: RefusalLine) => void): Refusals {
  const states = new Map<string, { loggedAt: number; refused: number }>()
  let probe: { close(): Promise<void> } | null = null

  const write = () =>
    db.transaction().execute((tx) => sql`create temporary table vexil_probe on commit drop as select 1 as n`.execute(tx))

  async function tryToWrite(): Promise<void> {
    const failure = await write().then(
      () => null,
      (error: unknown) => error,
    )
    // A role that may not create temporary tables cannot probe; then only requests show it.
    if (failure === null || !(cannotWrite(failure) || isConnectionLost(failure))) close()
  }

  function close(): void {
    void probe?.close()
    probe = null
  }

  function logLine(error: unknown): void {
    const state = codeOf(error)
    const known = states.get(state) ?? { loggedAt: Number.NEGATIVE_INFINITY, refused: 0 }
    states.set(state, known)
    known.refused++
    if (performance.now() - known.loggedAt < lineEveryMs) return
    const reason = (error as Error).message
    log({
      state,
      reason,
      refused: known.refused,
      ...(state === canceled && { statement: (error as FailedStatement).statement, err: error }),
    })
    known.loggedAt = performance.now()
    known.refused = 0
  }

  return {
    record(error) {
      if (!isRefusal(error)) return false
      logLine(error)
      if (cannotWrite(error)) probe ??= every(probeEveryMs, tryToWrite, () => undefined)
      return true
    },
    isWritable: () => probe === null,
    close,
  }
}

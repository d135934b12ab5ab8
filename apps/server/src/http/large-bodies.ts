/** Large JSON bodies are parsed and checked beside the main thread, which goes on answering meanwhile. */
import { MessageChannel } from 'node:worker_threads'
import { RuleError } from '@vexil/core/rules'
import { Piscina } from 'piscina'
import { FieldInvalid, RequestFault } from './faults.ts'
import type { Judged, LargeBody, Refused } from './json-worker.ts'

const waitingMost = 4
const judgedWithinMs = 30_000
const heapMb = 512
/** The memory of a thread that parsed 30 MB goes with it; starting one takes a fraction of a second. */
const quietMs = 500

export interface LargeBodies {
  /** The accepted value. Throws what is wrong with it, `request.too_large` for what needs too much memory or time, `server.unavailable` when too many wait. */
  judge(call: string, pieces: Uint8Array<ArrayBuffer>[]): Promise<unknown>
  close(): Promise<void>
}

/** One thread, started by a large body and ended when none came for a while. */
export function openLargeBodies(report: (error: unknown) => void): LargeBodies {
  let pool: Piscina<LargeBody, Judged> | null = null
  const open = () => {
    const opened = new Piscina<LargeBody, Judged>({
      filename: new URL('./json-worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      maxQueue: waitingMost,
      idleTimeout: quietMs,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    opened.on('error', report)
    return opened
  }
  return {
    async judge(call, pieces) {
      pool ??= open()
      if (pool.queueSize >= waitingMost) throw new RequestFault('server.unavailable', { retryAfter: 5 })
      const { port1: taking, port2: rows } = new MessageChannel()
      const list: unknown[] = []
      taking.on('message', (some: unknown[]) => {
        for (const row of some) list.push(row)
        taking.postMessage(null)
      })
      try {
        const transferList = [rows, ...pieces.map(({ buffer }) => buffer)]
        const judged = await pool.run({ call, pieces, rows }, { transferList, signal: AbortSignal.timeout(judgedWithinMs) })
        if ('refused' in judged) throw refusalOf(judged.refused)
        return 'list' in judged ? list : judged.value
      } catch (error) {
        throw tookTooMuch(error) ? new RequestFault('request.too_large') : error
      } finally {
        taking.close()
      }
    },
    close: async () => pool?.destroy(),
  }
}

function refusalOf({ code, data, problem }: Refused): RuleError {
  const { field, limit } = (data ?? {}) as { field?: string; limit?: number | string }
  return problem && field !== undefined ? new FieldInvalid(field, problem, limit) : new RuleError(code, data)
}

const tookTooMuch = (error: unknown) =>
  error instanceof Error && (error.name === 'AbortError' || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')

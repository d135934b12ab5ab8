/**
 * Large JSON bodies are parsed and checked beside the platform, which keeps answering meanwhile: in a process, not in a thread, because
 * only the end of a process gives the memory of a 30 MB body back to the system.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { RuleError } from '@vexil/core/rules'
import { openSemaphore } from '../semaphore.ts'
import type { Answered, ParserInput, Refused } from './json-process.ts'
import { FieldInvalid, RequestError } from './request-errors.ts'

const waitingMost = 4
const judgedWithinMs = 30_000
const heapMb = 512
/** Starting the process takes a third of a second; lists that are sent in parts find it running. */
const quietMs = 2000

export interface LargeBodies {
  /** The accepted value. Throws what is wrong with it, `request.too_large` for what needs too much memory or time, `server.unavailable` when too many wait. */
  judge(call: string, pieces: readonly Uint8Array[]): Promise<unknown>
  close(): void
}

/** One process, started by a large body and ended when none came for a while. */
export function openLargeBodies(): LargeBodies {
  const semaphore = openSemaphore(1, waitingMost)
  let beside: ChildProcess | null = null
  let quiet: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(quiet)
    beside?.kill('SIGKILL')
    beside = null
  }
  return {
    judge: (call, pieces) =>
      semaphore(async () => {
        clearTimeout(quiet)
        beside ??= start()
        try {
          return await ask(beside, call, pieces)
        } catch (error) {
          if (!(error instanceof RuleError) || error.code === 'request.too_large') end()
          throw error
        } finally {
          quiet = setTimeout(end, quietMs).unref()
        }
      }),
    close: end,
  }
}

const start = () =>
  fork(fileURLToPath(new URL('./json-process.ts', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heapMb}`],
    env: {},
    // What V8 prints when the heap is full says nothing that the answer does not.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

/** Sends a body and collects the answer. A process that ends or takes too long had too much to do. */
async function ask(beside: ChildProcess, call: string, pieces: readonly Uint8Array[]): Promise<unknown> {
  const list: unknown[] = []
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const tooMuch = () => reject(new RequestError('request.too_large'))
  const take = (answered: Answered) => {
    if ('rows' in answered) {
      for (const row of answered.rows) list.push(row)
      beside.send({ taken: true } satisfies ParserInput, () => undefined)
    } else if ('refused' in answered) reject(refusalOf(answered.refused))
    else if ('fault' in answered) reject(answered.fault)
    else resolve('list' in answered ? list : answered.value)
  }
  const late = setTimeout(tooMuch, judgedWithinMs)
  beside.on('message', take).on('exit', tooMuch).on('error', reject)
  try {
    await Promise.race([sendAll(beside, [...pieces, call]), promise])
    return await promise
  } finally {
    clearTimeout(late)
    beside.off('message', take).off('exit', tooMuch).off('error', reject)
  }
}

/** One piece after the other, so that calls are answered between them. */
async function sendAll(beside: ChildProcess, all: readonly ParserInput[]): Promise<void> {
  for (const asked of all) await new Promise<void>((resolve) => beside.send(asked, () => resolve()))
}

function refusalOf({ code, data, problem }: Refused): RuleError {
  const { field, limit } = (data ?? {}) as { field?: string; limit?: number | string }
  return problem && field !== undefined ? new FieldInvalid(field, problem, limit) : new RuleError(code, data)
}

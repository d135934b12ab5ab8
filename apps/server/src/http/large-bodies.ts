/** Parses large JSON bodies in a separate process, since only its end returns the memory of a 30 MB body to the system. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { RuleError } from '@vexil/core/rules'
import { openSemaphore } from '../semaphore.ts'
import type { Answered, ParserInput, Refused } from './json-process.ts'
import { FieldInvalid, RequestError } from './request-errors.ts'

const waitingMost = 4
const validateWithinMs = 30_000
const heapMb = 512
/** Idle time before the process ends: starting it takes a third of a second, and lists may be sent in parts. */
const idleMs = 2000

export interface LargeBodies {
  /** Throws the first problem, `request.too_large` for excessive memory or time, `server.unavailable` when the queue is full. */
  validate(call: string, pieces: readonly Uint8Array[]): Promise<unknown>
  close(): void
}

export function openLargeBodies(): LargeBodies {
  const semaphore = openSemaphore(1, waitingMost)
  let parser: ChildProcess | null = null
  let quiet: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(quiet)
    parser?.kill('SIGKILL')
    parser = null
  }
  function begin(): ChildProcess {
    const child = start()
    // The system kills large processes first when memory is short, also unused ones.
    child.once('exit', () => {
      if (parser === child) parser = null
    })
    // Without a listener, an error that comes when no body is validated would end the node.
    return child.on('error', () => undefined)
  }
  return {
    validate: (call, pieces) =>
      semaphore(async () => {
        clearTimeout(quiet)
        parser ??= begin()
        try {
          return await parse(parser, call, pieces)
        } catch (error) {
          if (!(error instanceof RuleError) || error.code === 'request.too_large') end()
          throw error
        } finally {
          quiet = setTimeout(end, idleMs).unref()
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
    // Hides V8's output about a full heap; the answer has the same information.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

/** Sends a body and collects the answer. If the process ends or times out, the body is too large. */
async function parse(parser: ChildProcess, call: string, pieces: readonly Uint8Array[]): Promise<unknown> {
  const list: unknown[] = []
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const tooMuch = () => reject(new RequestError('request.too_large'))
  const receive = (answered: Answered) => {
    if ('rows' in answered) {
      for (const row of answered.rows) list.push(row)
      parser.send({ received: true } satisfies ParserInput, () => undefined)
    } else if ('refused' in answered) reject(refusalOf(answered.refused))
    else if ('fault' in answered) reject(answered.fault)
    else resolve('list' in answered ? list : answered.value)
  }
  const late = setTimeout(tooMuch, validateWithinMs)
  parser.on('message', receive).on('exit', tooMuch).on('error', reject)
  try {
    await Promise.race([sendAll(parser, [...pieces, call]), promise])
    return await promise
  } finally {
    clearTimeout(late)
    parser.off('message', receive).off('exit', tooMuch).off('error', reject)
  }
}

async function sendAll(parser: ChildProcess, all: readonly ParserInput[]): Promise<void> {
  // A process that could not be started for lack of file descriptors has no channel; its error follows.
  if (!('send' in parser)) return
  for (const input of all) await new Promise<void>((resolve) => parser.send(input, () => resolve()))
}

function refusalOf({ code, data, problem }: Refused): RuleError {
  const { field, limit } = (data ?? {}) as { field?: string; limit?: number | string }
  return problem && field !== undefined ? new FieldInvalid(field, problem, limit) : new RuleError(code, data)
}

/**
 * Numbered requests between processes. Those of one turn of the event loop share a message, so each costs microseconds. They are acknowledged at
 * once, since an answer may take long.
 */
import { RuleError } from '@vexil/core/rules'
import { coalesce } from './coalesce.ts'
import { beats } from './heartbeat.mjs'
import { RequestError } from './http/request-errors.ts'

/** Number (0: no answer expected), name, arguments: JSON values. */
export type ChannelRequest = readonly [id: number, name: string, args: readonly unknown[]]
type Answer = readonly [id: number, value: unknown, refusal?: Refusal]
/** `acknowledged`: the number of the last request received. */
export interface ChannelAnswers {
  readonly answers: readonly Answer[]
  readonly acknowledged: number
}

/** Milliseconds within which the other process must acknowledge a request. */
const acknowledgedWithin = 2_000

/** A rule by its code; null: an unexpected error, by its message. */
type Refusal = { readonly code: RequestCode; readonly data: object | null } | { readonly code: null; readonly message: string }
type RequestCode = ConstructorParameters<typeof RequestError>[0]

const lost = () => new RequestError('server.unavailable', { retryAfter: 1 })

const errorOf = (refusal: Refusal) =>
  refusal.code === null ? new Error(refusal.message) : new RequestError(refusal.code, refusal.data ?? undefined)

const refusalOf = (error: unknown): Refusal =>
  error instanceof RuleError
    ? { code: error.code as RequestCode, data: (error.data as object | undefined) ?? null }
    : { code: null, message: String(error) }

export interface RequestClient {
  /** Rejects with the other's `RequestError`, or with `server.unavailable` without a channel or acknowledgement; the request may still arrive. */
  request<T>(name: string, ...args: unknown[]): Promise<T>
  /** As `request`, without an answer. */
  notify(name: string, ...args: unknown[]): void
  receive(answers: ChannelAnswers): void
  close(): void
}

export function openRequestClient(send: (requests: readonly ChannelRequest[]) => void): RequestClient {
  const waiting = new Map<number, { resolve(value: never): void; reject(reason: unknown): void }>()
  const unacknowledged = new Map<number, number>()
  let last = 0
  let closed = false
  let timer: NodeJS.Timeout | undefined

  function checkAfter(milliseconds: number): void {
    const due = performance.now() + milliseconds
    // Reads arrived messages before the check.
    timer = setTimeout(() => setImmediate(checkDue, due), milliseconds).unref()
  }

  function checkDue(due: number): void {
    timer = undefined
    const at = performance.now()
    // After a delay of this process, it cannot judge the other one.
    const wasLate = at - due > beats.lateBy
    for (const [id, sentAt] of unacknowledged) {
      if (wasLate || at - sentAt < acknowledgedWithin) {
        checkAfter(wasLate ? acknowledgedWithin : acknowledgedWithin - (at - sentAt))
        break
      }
      unacknowledged.delete(id)
      waiting.get(id)?.reject(lost())
      waiting.delete(id)
    }
  }

  const enqueue = coalesce<ChannelRequest>((requests) => {
    if (!closed) send(requests)
  })
  return {
    request(name, ...args) {
      if (closed) return Promise.reject(lost())
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        unacknowledged.set(id, performance.now())
        if (!timer) checkAfter(acknowledgedWithin)
        enqueue([id, name, args])
      })
    },
    notify: (name, ...args) => enqueue([0, name, args]),
    receive({ answers, acknowledged }) {
      for (const id of unacknowledged.keys()) {
        if (id > acknowledged) break
        unacknowledged.delete(id)
      }
      for (const [id, value, refusal] of answers) {
        const pending = waiting.get(id)
        waiting.delete(id)
        if (refusal) pending?.reject(errorOf(refusal))
        else pending?.resolve(value as never)
      }
    },
    close() {
      closed = true
      clearTimeout(timer)
      unacknowledged.clear()
      for (const { reject } of waiting.values()) reject(lost())
      waiting.clear()
    },
  }
}

export type RequestHandlers = Readonly<Record<string, (...args: never[]) => unknown>>

/** Receives requests, acknowledges them, and sends each answer as soon as it is known. */
export function openRequestServer(
  answers: RequestHandlers,
  send: (answers: ChannelAnswers) => void,
): (requests: readonly ChannelRequest[]) => void {
  let acknowledged = 0
  const enqueue = coalesce<Answer | null>((all) => send({ answers: all.filter((answer) => answer !== null), acknowledged }))

  async function answer([id, name, args]: ChannelRequest): Promise<Answer> {
    try {
      return [id, await answers[name]?.(...(args as never[]))]
    } catch (error) {
      return [id, null, refusalOf(error)]
    }
  }

  return (requests) => {
    for (const request of requests) {
      const answered = answer(request)
      if (request[0] === 0) continue
      acknowledged = request[0]
      enqueue(null)
      void answered.then(enqueue)
    }
  }
}

/**
 * Numbered requests between processes. Those of one turn of the event loop share a message, so each costs microseconds. They are acknowledged at
 * once, since an answer may take long.
 */
import { RuleError } from '@vexil/core/rules'
import { coalesce } from './coalesce.ts'
import { beats } from './heartbeat.mjs'
import { RequestError } from './http/request-errors.ts'

/** Number (0: no answer expected), name, arguments: JSON values. */
export type Question = readonly [id: number, name: string, args: readonly unknown[]]
type Answer = readonly [id: number, value: unknown, refusal?: Refusal]
/** `acknowledged`: the number of the last request received. */
export interface Replies {
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

export interface Asker {
  /** Rejects with the other's `RequestError`, or with `server.unavailable` without a channel or acknowledgement; the request may still arrive. */
  ask<T>(name: string, ...args: unknown[]): Promise<T>
  /** As `ask`, without an answer. */
  tell(name: string, ...args: unknown[]): void
  hear(replies: Replies): void
  close(): void
}

export function openAsker(send: (questions: readonly Question[]) => void): Asker {
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
    for (const [id, askedAt] of unacknowledged) {
      if (wasLate || at - askedAt < acknowledgedWithin) {
        checkAfter(wasLate ? acknowledgedWithin : acknowledgedWithin - (at - askedAt))
        break
      }
      unacknowledged.delete(id)
      waiting.get(id)?.reject(lost())
      waiting.delete(id)
    }
  }

  const say = coalesce<Question>((questions) => {
    if (!closed) send(questions)
  })
  return {
    ask(name, ...args) {
      if (closed) return Promise.reject(lost())
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        unacknowledged.set(id, performance.now())
        if (!timer) checkAfter(acknowledgedWithin)
        say([id, name, args])
      })
    },
    tell: (name, ...args) => say([0, name, args]),
    hear({ answers, acknowledged }) {
      for (const id of unacknowledged.keys()) {
        if (id > acknowledged) break
        unacknowledged.delete(id)
      }
      for (const [id, value, refusal] of answers) {
        const asked = waiting.get(id)
        waiting.delete(id)
        if (refusal) asked?.reject(errorOf(refusal))
        else asked?.resolve(value as never)
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

export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

/** Receives requests, acknowledges them, and sends each answer as soon as it is known. */
export function openAnswerer(answers: Answers, send: (replies: Replies) => void): (asked: readonly Question[]) => void {
  let acknowledged = 0
  const say = coalesce<Answer | null>((all) => send({ answers: all.filter((answer) => answer !== null), acknowledged }))

  async function answer([id, name, args]: Question): Promise<Answer> {
    try {
      return [id, await answers[name]?.(...(args as never[]))]
    } catch (error) {
      return [id, null, refusalOf(error)]
    }
  }

  return (asked) => {
    for (const question of asked) {
      const answered = answer(question)
      if (question[0] === 0) continue
      acknowledged = question[0]
      say(null)
      void answered.then(say)
    }
  }
}

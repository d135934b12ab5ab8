/**
 * Questions of one process to another, as numbered messages. What is asked in one turn of the event loop goes as one message, and so do the
 * answers, so that a question among many costs microseconds. Questions are looked at in the order in which they were asked. That they have come
 * is said at once, with the answers that are known by then: a question may wait long for its answer, but not for that.
 */
import { RuleError } from '@vexil/core/rules'
import { coalesce } from './coalesce.ts'
import { beats } from './heartbeat.mjs'
import { RequestError } from './http/request-errors.ts'

/** Number (0: the answer is not awaited), name, arguments: what JSON can hold. */
export type Question = readonly [id: number, name: string, args: readonly unknown[]]
type Answer = readonly [id: number, value: unknown, refusal?: Refusal]
/** `acknowledged`: the number of the last question that has come. */
export interface Replies {
  readonly answers: readonly Answer[]
  readonly acknowledged: number
}

/** Milliseconds within which the other process says that a question has come. */
const acknowledgedWithin = 2_000

/** A rule by its code; null: an unexpected fault, by its message. */
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
  /**
   * The other's answer; rejects with its refusal as a `RequestError`, and with `server.unavailable` when the channel is closed or the other does
   * not say within two seconds that the question has come. It may come later all the same.
   */
  ask<T>(name: string, ...args: unknown[]): Promise<T>
  /** The same without an answer. */
  tell(name: string, ...args: unknown[]): void
  hear(replies: Replies): void
  /** The channel is closed: nothing is answered any more. */
  close(): void
}

export function openAsker(send: (questions: readonly Question[]) => void): Asker {
  const waiting = new Map<number, { resolve(value: never): void; reject(reason: unknown): void }>()
  /** When questions were asked that have not come yet, as far as is known; the oldest first. */
  const unacknowledged = new Map<number, number>()
  let last = 0
  let closed = false
  let looking: NodeJS.Timeout | undefined

  function lookAfter(milliseconds: number): void {
    const due = performance.now() + milliseconds
    // What has arrived meanwhile is read before the look.
    looking = setTimeout(() => setImmediate(look, due), milliseconds).unref()
  }

  function look(due: number): void {
    looking = undefined
    const at = performance.now()
    // Who was suspended or starved cannot say of the other that it is.
    const wasLate = at - due > beats.lateBy
    for (const [id, askedAt] of unacknowledged) {
      if (wasLate || at - askedAt < acknowledgedWithin) {
        lookAfter(wasLate ? acknowledgedWithin : acknowledgedWithin - (at - askedAt))
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
        if (!looking) lookAfter(acknowledgedWithin)
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
      clearTimeout(looking)
      unacknowledged.clear()
      for (const { reject } of waiting.values()) reject(lost())
      waiting.clear()
    },
  }
}

export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

/** Hears questions and sends that they have come and what `answers` says to them, each as soon as it is known. */
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

/**
 * Questions of one process to another, as numbered messages. What is asked in one turn of the event loop goes as one message, and so do the
 * answers, so that a question among many costs microseconds. Questions are looked at in the order in which they were asked.
 */
import { RuleError } from '@vexil/core/rules'
import { RequestFault } from './http/faults.ts'

/** Number (0: nobody waits for the answer), name, arguments: what JSON can hold. */
export type Question = readonly [id: number, name: string, args: readonly unknown[]]
export type Answer = readonly [id: number, value: unknown, refusal?: Refusal]

/** A rule by its code; null: a fault that nobody expected, by its message. */
type Refusal = { readonly code: RequestCode; readonly data: object | null } | { readonly code: null; readonly message: string }
type RequestCode = ConstructorParameters<typeof RequestFault>[0]

const lost = () => new RequestFault('server.unavailable', { retryAfter: 1 })

const errorOf = (refusal: Refusal) =>
  refusal.code === null ? new Error(refusal.message) : new RequestFault(refusal.code, refusal.data ?? undefined)

const refusalOf = (error: unknown): Refusal =>
  error instanceof RuleError
    ? { code: error.code as RequestCode, data: (error.data as object | undefined) ?? null }
    : { code: null, message: String(error) }

function gatherTurn<T>(send: (all: readonly T[]) => void): (one: T) => void {
  let waiting: T[] = []
  return (one) => {
    if (waiting.push(one) > 1) return
    setImmediate(() => {
      const all = waiting
      waiting = []
      send(all)
    })
  }
}

export interface Asker {
  /** The other's answer; rejects with its refusal as a `RequestFault`, and with `server.unavailable` when the channel is closed. */
  ask<T>(name: string, ...args: unknown[]): Promise<T>
  /** The same without an answer. */
  tell(name: string, ...args: unknown[]): void
  hear(answers: readonly Answer[]): void
  /** The channel is closed: nothing is answered any more. */
  close(): void
}

export function openAsker(send: (questions: readonly Question[]) => void): Asker {
  const waiting = new Map<number, { resolve(value: never): void; reject(reason: unknown): void }>()
  let last = 0
  let closed = false
  const say = gatherTurn<Question>((questions) => {
    if (!closed) send(questions)
  })
  return {
    ask(name, ...args) {
      if (closed) return Promise.reject(lost())
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        say([id, name, args])
      })
    },
    tell: (name, ...args) => say([0, name, args]),
    hear(answers) {
      for (const [id, value, refusal] of answers) {
        const asked = waiting.get(id)
        waiting.delete(id)
        if (refusal) asked?.reject(errorOf(refusal))
        else asked?.resolve(value as never)
      }
    },
    close() {
      closed = true
      for (const { reject } of waiting.values()) reject(lost())
      waiting.clear()
    },
  }
}

export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

/** Hears questions and sends what `answers` says to them, each as soon as it is known. */
export function openAnswerer(
  answers: Answers,
  send: (answered: readonly Answer[]) => void,
): (asked: readonly Question[]) => void {
  const say = gatherTurn(send)

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
      if (question[0] !== 0) void answered.then(say)
    }
  }
}

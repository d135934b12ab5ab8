/** Runs in a worker thread: parses a large JSON body and holds it against the description of its call. */
import type { MessagePort } from 'node:worker_threads'
import { endpoints } from '@vexil/contract/endpoint'
import { nameOf } from '@vexil/contract/interface'
import { RuleError } from '@vexil/core/rules'
import type { ValidateFunction } from 'ajv'
import { FieldInvalid, type RequestFault } from './faults.ts'
import { parseJson } from './parse-json.ts'
import { accept } from './tolerance.ts'
import { check, compile } from './validate.ts'

export interface LargeBody {
  /** `POST /api/admin/users` */
  readonly call: string
  readonly pieces: readonly Uint8Array[]
  /** The rows of a list leave here, some at a time, each after the one before was taken. */
  readonly rows: MessagePort
}

/** A refusal as data: error classes do not survive the way between threads. */
export interface Refused {
  readonly code: string
  readonly data: unknown
  readonly problem?: FieldInvalid['problem']
}
export type Judged = { readonly value: unknown } | { readonly list: true } | { readonly refused: Refused }

/** Taking this many over costs the main thread a few milliseconds at most. */
const rowsAtOnce = 250

const compiled = new Map<string, ValidateFunction>()

function judge(call: string, pieces: readonly Uint8Array[]): unknown {
  const schema = endpoints.find((one) => nameOf(one) === call)?.shape.body
  const fits = compiled.get(call) ?? compile(schema)
  compiled.set(call, fits)
  const value = accept(schema, parseJson(pieces))
  check(fits, value, 'body')
  return value
}

export default async function judgeLargeBody({ call, pieces, rows }: LargeBody): Promise<Judged> {
  try {
    const value = judge(call, pieces)
    if (!Array.isArray(value)) return { value }
    for (let i = 0; i < value.length; i += rowsAtOnce) {
      const taken = new Promise((resolve) => rows.once('message', resolve))
      rows.postMessage(value.slice(i, i + rowsAtOnce))
      await taken
    }
    return { list: true }
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    const { code, data } = error as RequestFault
    return { refused: { code, data, ...(error instanceof FieldInvalid && { problem: error.problem }) } }
  } finally {
    rows.close()
  }
}

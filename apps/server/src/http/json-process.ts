/** Entry of the parser process: parses large JSON bodies in sequence and validates each against its call's schema. */
import { once } from 'node:events'
import { endpoints } from '@vexil/contract/endpoint'
import { nameOf } from '@vexil/contract/interface'
import { RuleError } from '@vexil/core/rules'
import type { ValidateFunction } from 'ajv'
import { parseJson } from './parse-json.ts'
import { FieldInvalid, type RequestError } from './request-errors.ts'
import { accept } from './tolerance.ts'
import { check, compile } from './validate.ts'

/** The bytes of a body, in order, followed by its call, such as `POST /api/admin/users`. */
export type ParserInput = Uint8Array | string | RowsReceived
/** Acknowledges the last `rows`; the next may be sent. */
interface RowsReceived {
  readonly received: true
}

/** An error as data: error classes cannot be sent between processes. */
export interface Refused {
  readonly code: string
  readonly data: unknown
  readonly problem?: FieldInvalid['problem']
}
/** Rows of an accepted list in parts, followed by `list`. */
export type Answered = { readonly rows: unknown[] } | Validated
export type Validated =
  | { readonly value: unknown }
  | { readonly list: true }
  | { readonly refused: Refused }
  | { readonly fault: unknown }

/** Receiving this many costs the main thread a few milliseconds at most. */
const rowsAtOnce = 250

const compiled = new Map<string, ValidateFunction>()

function validate(call: string, pieces: readonly Uint8Array[]): unknown {
  const schema = endpoints.find((one) => nameOf(one) === call)?.shape.body
  const fits = compiled.get(call) ?? compile(schema)
  compiled.set(call, fits)
  const value = accept(schema, parseJson(pieces))
  check(fits, value, 'body')
  return value
}

const answer = (message: Answered) => process.send?.(message)

async function validated(call: string, pieces: readonly Uint8Array[]): Promise<Validated> {
  try {
    const value = validate(call, pieces)
    if (!Array.isArray(value)) return { value }
    for (let i = 0; i < value.length; i += rowsAtOnce) {
      const received = once(process, 'message')
      answer({ rows: value.slice(i, i + rowsAtOnce) })
      await received
    }
    return { list: true }
  } catch (error) {
    if (!(error instanceof RuleError)) return { fault: error }
    const { code, data } = error as RequestError
    return { refused: { code, data, ...(error instanceof FieldInvalid && { problem: error.problem }) } }
  }
}

let pieces: Uint8Array[] = []
process.on('message', async (input: ParserInput) => {
  if (input instanceof Uint8Array) pieces.push(input)
  if (typeof input !== 'string') return
  const whole = pieces
  pieces = []
  answer(await validated(input, whole))
})
// The platform handles signals to the process group; this process ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())

/** Validates input; reports the first problem of the first invalid field, in alphabetical order. */
import { statusOf } from '@vexil/contract/errors'
import type { Problem } from '@vexil/contract/messages/text'
import { notBlank } from '@vexil/contract/shapes'
import { parseInstant } from '@vexil/contract/wire'
import { cleanPhone, isEmail } from '@vexil/core/accounts'
import { RuleError } from '@vexil/core/rules'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { FieldInvalid } from './request-errors.ts'

function isPhone(text: string): boolean {
  try {
    cleanPhone(text)
    return true
  } catch {
    return false
  }
}

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  // Lengths count UTF-16 code units, as existing clients do.
  unicode: false,
  // Hides a deprecation warning about `unicode`.
  logger: false,
  verbose: true,
  formats: {
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    instant: (text: string) => parseInstant(text) !== null,
    mail: isEmail,
    phone: isPhone,
  },
})

export const compile = (schema: unknown): ValidateFunction => ajv.compile(schema as object)

/** Throws the first problem. `whole` names the value itself. */
export function check(fits: ValidateFunction, value: unknown, whole: string): void {
  if (fits(value)) return
  const first = [...(fits.errors ?? [])]
    .filter((error) => error.keyword !== 'anyOf' && !(error.keyword === 'type' && error.params.type === 'null'))
    .sort((a, b) => compareText(fieldOf(a, whole), fieldOf(b, whole)))[0]
  if (!first) throw new FieldInvalid(whole, 'wrongForm')
  const { problem, limit } = problemOf(first)
  const code = rulesOf(first)[problem]
  // A field with a specific rule for this problem uses that rule's code and text.
  if (code && code in statusOf) throw new RuleError(code, { ...boundsOf(first), limit })
  throw new FieldInvalid(fieldOf(first, whole), problem, limit)
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

interface Annotated {
  readonly 'x-rules'?: Partial<Record<Problem, string>>
  readonly properties?: Readonly<Record<string, Annotated>>
  readonly minLength?: number
  readonly maxLength?: number
}

function annotated(error: ErrorObject): Annotated {
  const schema = (error.parentSchema ?? {}) as Annotated
  return error.keyword === 'required' ? (schema.properties?.[error.params.missingProperty as string] ?? {}) : schema
}

const rulesOf = (error: ErrorObject) => annotated(error)['x-rules'] ?? {}
const boundsOf = (error: ErrorObject) => ({ min: annotated(error).minLength, max: annotated(error).maxLength })

function fieldOf(error: ErrorObject, whole: string): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const missing = error.keyword === 'required' ? String(error.params.missingProperty) : ''
  return [path, missing].filter(Boolean).join('.') || whole
}

function problemOf({ keyword, params, data }: ErrorObject): { problem: Problem; limit?: number } {
  switch (keyword) {
    case 'required':
      return { problem: 'required' }
    case 'minLength':
      return data === '' ? { problem: 'required' } : { problem: 'tooShort', limit: params.limit }
    case 'pattern':
      return { problem: params.pattern === notBlank ? 'required' : 'wrongForm' }
    case 'maxLength':
      return { problem: 'tooLong', limit: params.limit }
    case 'minimum':
    case 'exclusiveMinimum':
      return { problem: 'tooSmall', limit: params.limit }
    case 'maximum':
    case 'exclusiveMaximum':
      return { problem: 'tooLarge', limit: params.limit }
    case 'maxItems':
      return { problem: 'tooMany', limit: params.limit }
    case 'enum':
      return { problem: 'unknownWord' }
    case 'type':
      return { problem: data === null ? 'required' : 'wrongType' }
    default:
      return { problem: 'wrongForm' }
  }
}

import { accountLimits } from '@vexil/core/limits'
import type { RuleCode } from '@vexil/core/rules'
import { answerResults, challengeCategories, numberOfAnswerResult, participationStatuses, roles } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import type { Problem } from './messages/text.ts'

/** Marks a member that GZ::CTF 0.24 does not have, in the API description. */
export const vexil = { 'x-vexil': true } as const

export const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of a list of words; requests may use any letter case or the word's number (http/tolerance.ts). */
export const OneOf = <const T extends readonly string[]>(words: T, options: Type.TSchemaOptions = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: words, ...options })

export const int32 = { minimum: -2147483648, maximum: 2147483647 } as const
export const Int = Type.Integer(int32)
export const Id = Int
export const Long = Type.Integer()
export const Guid = Type.String({ format: 'uuid' })
export const AnswerResult = OneOf(answerResults, { 'x-numbers': numberOfAnswerResult })
export const DateTime = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?\\+00:00$',
})
/** An instant in a request with any offset; without one, UTC. */
export const Instant = Type.String({ format: 'instant', maxLength: 64 })
export const Span = {
  from: Type.Optional(Type.String({ format: 'instant', maxLength: 64, ...vexil })),
  before: Type.Optional(Type.String({ format: 'instant', maxLength: 64, ...vexil })),
}
export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** A character that PostgreSQL does not count as white space either, with any of its locales: titles are checked there too. */
export const notBlank = '[^\\s\\u001c-\\u001f\\u0085]'
/** A required text that is not blank. */
export const Filled = (maxLength: number, minLength = 1, options: Type.TSchemaOptions = {}) =>
  Type.String({ minLength, maxLength, pattern: notBlank, ...options })

/** Codes that replace `request.invalid` for problems with this field (http/validate.ts); `{min}` and `{max}` fill its text. */
export const says = (rules: Partial<Record<Problem, RuleCode>>): Type.TSchemaOptions => ({ 'x-rules': rules })
/** The same code for all problems. */
export const saysAlways = (code: RuleCode): Type.TSchemaOptions =>
  says({ required: code, tooShort: code, tooLong: code, wrongForm: code })
/** Optional text, not null. */
export const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
/** Optional or null text, which both mean unchanged or none. */
export const OptionalText = (maxLength: number, minLength = 0) => Type.Optional(Nullable(Type.String({ maxLength, minLength })))

/** A new password: only its length is enforced, and that it is not blank (docs/wire.md, sessions); the maximum limits the cost of hashing. */
export const Password = Filled(
  accountLimits.passwordMax,
  accountLimits.passwordMin,
  says({ required: 'account.password_too_short', tooShort: 'account.password_too_short' }),
)

export const Role = OneOf(roles)
export const Category = OneOf(challengeCategories)
export const Status = OneOf(participationStatuses)

export const InGame = Type.Object({ id: Id })
export const InChallenge = Type.Object({ id: Id, cid: Id })

export const Count = Type.Optional(Type.Integer({ minimum: 0, maximum: 2147483647 }))

/** `count` and `skip` of a list: a count above the maximum of the list is reduced, a negative skip counts as 0 (http/paging.ts). */
export const Page = Type.Object({
  count: Type.Optional(Type.Integer({ minimum: 0, maximum: 2147483647 })),
  skip: Type.Optional(Int),
})

export const ArrayOf = <T extends Type.TSchema>(item: T) => Type.Object({ data: Type.Array(item), length: Int, total: Int })

export const Confirmation = Type.Object({ title: Type.String(), status: Int })
export const ConfirmationWith = <T extends Type.TSchema>(data: T) => Type.Object({ title: Type.String(), data, status: Int })

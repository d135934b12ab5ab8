/** What texts there are: a language that lacks one does not compile. */
import type { ErrorCode } from '../errors.ts'

/** What can be wrong with one field. */
export type Problem =
  | 'required'
  | 'tooShort'
  | 'tooLong'
  | 'tooSmall'
  | 'tooLarge'
  | 'tooMany'
  | 'wrongType'
  | 'wrongForm'
  | 'unknownWord'
  | 'badText'

export interface Messages {
  readonly errors: Record<ErrorCode, string>
  readonly problems: Record<Problem, string>
  readonly said: Record<'registered' | 'awaitsAdmin' | 'awaitsMail' | 'recoverySent' | 'changeMailSent', string>
}

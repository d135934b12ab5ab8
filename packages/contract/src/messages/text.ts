/** What texts there are: a language that lacks one does not compile. */
import type { AnswerResult } from '@vexil/core/vocabulary'
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

type SheetWord =
  | 'scoreboard'
  | 'submissions'
  | 'rank'
  | 'team'
  | 'division'
  | 'captain'
  | 'members'
  | 'studentNumbers'
  | 'phones'
  | 'solved'
  | 'lastSolve'
  | 'points'
  | 'result'
  | 'time'
  | 'user'
  | 'challenge'
  | 'answer'
  | 'email'

export interface Messages {
  readonly errors: Record<ErrorCode, string>
  readonly problems: Record<Problem, string>
  readonly said: Record<'registered' | 'awaitsAdmin' | 'awaitsMail' | 'recoverySent' | 'changeMailSent', string>
  /** Names of sheets (at most 31 characters) and headings of their columns. */
  readonly sheets: Record<SheetWord, string>
  readonly results: Record<AnswerResult, string>
}

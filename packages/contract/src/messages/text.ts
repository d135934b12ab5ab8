/** The texts of the server: a language that lacks one does not compile. */
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
  | 'olderLeftOut'

/** What a check of the platform found. */
export type Finding =
  | 'databaseState'
  | 'clockAhead'
  | 'clockBehind'
  | 'diskSpace'
  | 'filesInFolder'
  | 'filesInBucket'
  | 'fileLostInFolder'
  | 'fileLostInBucket'
  | 'folderRefuses'
  | 'bucketRefuses'
  | 'mailOff'
  | 'mailAccepts'
  | 'mailRefuses'
  | 'captchaOff'
  | 'captchaWithoutProvider'
  | 'captchaAccepts'
  | 'captchaRefuses'
  | 'captchaUnreachable'
  | 'captchaUnchecked'
  | 'engineOff'
  | 'engineAnswers'
  | 'engineNotIsolated'
  | 'engineUnreachable'
  | 'proxyNotTrusted'
  | 'captureNeedsProxy'
  | 'webNeedsProxy'
  | 'tlsNeedsProxy'
  | 'backupOff'
  | 'backupNone'
  | 'backupMade'
  | 'backupFailed'
  | 'backupNeverMade'
  | 'unknownSetting'
  | 'noFaults'
  | 'faults'
  | 'noAnswer'
  | 'checkFailed'

/** What to do about it. */
export type Remedy =
  | 'connections'
  | 'locale'
  | 'clock'
  | 'disk'
  | 'samePlace'
  | 'folder'
  | 'bucket'
  | 'mail'
  | 'captchaProvider'
  | 'captcha'
  | 'captchaSecret'
  | 'network'
  | 'isolation'
  | 'engine'
  | 'proxy'
  | 'proxyPorts'
  | 'backup'
  | 'backupFirst'
  | 'spelling'
  | 'log'

export interface Messages {
  readonly errors: Record<ErrorCode, string>
  readonly problems: Record<Problem, string>
  readonly confirmations: Record<'registered' | 'awaitsAdmin' | 'awaitsMail' | 'recoverySent' | 'changeMailSent', string>
  /** Names of sheets (at most 31 characters), headings of their columns, and a last row. */
  readonly sheets: Record<SheetWord, string>
  readonly results: Record<AnswerResult, string>
  readonly findings: Record<Finding, string>
  readonly remedies: Record<Remedy, string>
}

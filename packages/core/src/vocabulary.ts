/**
 * The dictionary of the product. The wire carries the names; where a list starts at 0 the number of a word is its place
 * in the list, otherwise a `numberOf…` record beside it says.
 *
 * Words of our own:
 * - *instance*: a team's running container, nothing else.
 * - *team flag*: the flag or file that a participation was given for a challenge. Other descriptions of this kind of
 *   platform call it an instance too, so it has a different word here.
 * - *board*: ranks and points, drawn from the solve log. *Solve*: the first right answer of a participation to a challenge.
 * - *division*: called `organization` on the wire.
 */

/** Ordered: each role may do what the ones before it may. */
export const roles = ['Banned', 'User', 'Monitor', 'Admin'] as const
export type Role = (typeof roles)[number]

/** How a registration ended. */
export const registerStatuses = ['LoggedIn', 'AdminConfirmationRequired', 'EmailConfirmationRequired'] as const
export type RegisterStatus = (typeof registerStatuses)[number]

/** How a piece of work ended, in log records and in the answer of a flag's removal. */
export type TaskStatus = 'Success' | 'Failed' | 'Duplicate' | 'Denied' | 'NotFound' | 'Exit' | 'Pending'

/** `Unsubmitted` means "takes no part"; a stored one (only an administrator makes it) counts like `Rejected`. */
export const participationStatuses = ['Pending', 'Accepted', 'Rejected', 'Suspended', 'Unsubmitted'] as const
export type ParticipationStatus = (typeof participationStatuses)[number]

/** In the order in which boards and lists show them. */
export const challengeCategories = [
  'Misc',
  'Crypto',
  'Pwn',
  'Web',
  'Reverse',
  'Blockchain',
  'Forensics',
  'Hardware',
  'Mobile',
  'PPC',
  'AI',
  'Pentest',
  'OSINT',
] as const
export type ChallengeCategory = (typeof challengeCategories)[number]

export const challengeTypes = ['StaticAttachment', 'StaticContainer', 'DynamicAttachment', 'DynamicContainer'] as const
export type ChallengeType = (typeof challengeTypes)[number]

interface ChallengeTraits {
  /** `shared`: each flag of the list is right for every team; `listed`: a team takes one of the list; `generated`: it gets one made from the template. */
  readonly flags: 'shared' | 'listed' | 'generated'
  /** Does every team get an instance? */
  readonly container: boolean
  /** What an attachment belongs to: the challenge (all teams get the same), or one flag of the list. */
  readonly attachmentOf: 'challenge' | 'flag'
}

/** Everything that depends on the type of a challenge is read from this table. */
const challengeTraits: Readonly<Record<ChallengeType, ChallengeTraits>> = {
  StaticAttachment: { flags: 'shared', container: false, attachmentOf: 'challenge' },
  StaticContainer: { flags: 'shared', container: true, attachmentOf: 'challenge' },
  DynamicAttachment: { flags: 'listed', container: false, attachmentOf: 'flag' },
  DynamicContainer: { flags: 'generated', container: true, attachmentOf: 'challenge' },
}

/** Challenges of this type have an instance. */
export const hasContainer = (type: ChallengeType): boolean => challengeTraits[type].container

/** In challenges of this type every team has its own flag. */
export const hasOwnFlags = (type: ChallengeType): boolean => challengeTraits[type].flags !== 'shared'

/** Flags of this type are made from a template, so a challenge of this type has no list of flags. */
export const generatesFlags = (type: ChallengeType): boolean => challengeTraits[type].flags === 'generated'

/** Each flag of the list has its own attachment; the challenge has none. */
export const hasAttachmentPerFlag = (type: ChallengeType): boolean => challengeTraits[type].attachmentOf === 'flag'

export const attachmentTypes = ['None', 'Local', 'Remote'] as const
export type AttachmentType = (typeof attachmentTypes)[number]

export const noticeTypes = ['Normal', 'FirstBlood', 'SecondBlood', 'ThirdBlood', 'NewHint', 'NewChallenge'] as const
export type NoticeType = (typeof noticeTypes)[number]

/** Filters of the administrator's notices: game = Normal, events = bloods, challenge = the other two. */
export const noticeFilters = ['all', 'challenge', 'events', 'game'] as const
export type NoticeFilter = (typeof noticeFilters)[number]

export const eventTypes = ['Normal', 'ContainerStart', 'ContainerDestroy', 'FlagSubmit', 'CheatDetected'] as const
export type EventType = (typeof eventTypes)[number]

/** Blood rank of a solve. `Unaccepted` is only a name: a solve never has it. */
export const submissionTypes = ['Unaccepted', 'FirstBlood', 'SecondBlood', 'ThirdBlood', 'Normal'] as const
export type SubmissionType = (typeof submissionTypes)[number]

export const answerResults = ['FlagSubmitted', 'Accepted', 'WrongAnswer', 'CheatDetected', 'NotFound'] as const
export type AnswerResult = (typeof answerResults)[number]
export const numberOfAnswerResult: Readonly<Record<AnswerResult, number>> = {
  FlagSubmitted: 0,
  Accepted: 1,
  WrongAnswer: 2,
  CheatDetected: 3,
  NotFound: -1,
}

/** What the submitter may see: that the answer was another team's flag is for monitors. */
export const shownToPlayer = (result: AnswerResult): AnswerResult => (result === 'CheatDetected' ? 'WrongAnswer' : result)

/** How containers are reached: not at all, at a published port, or through the platform. */
export const containerModes = ['None', 'Default', 'PlatformProxy'] as const

/** Ours: may a container reach out, to everything but the denied ranges, or nothing at all? */
export const containerNetworks = ['Open', 'Isolated'] as const
export type ContainerNetwork = (typeof containerNetworks)[number]

export const containerStatuses = ['Pending', 'Running', 'Destroyed'] as const
export type ContainerStatus = (typeof containerStatuses)[number]

export const captchaProviders = ['None', 'GoogleRecaptcha', 'CloudflareTurnstile'] as const
export type CaptchaProvider = (typeof captchaProviders)[number]

/** Levels that are stored; the filter of the log also takes `All`. */
const logLevels = ['Information', 'Warning', 'Error', 'Fatal'] as const
export type LogLevel = (typeof logLevels)[number]
export const logLevelFilters = ['All', ...logLevels] as const
export type LogLevelFilter = (typeof logLevelFilters)[number]

/** What a mail is for. */
export const mailKinds = ['Verify', 'Reset', 'ChangeEmail', 'EmailChanging', 'Test'] as const
export type MailKind = (typeof mailKinds)[number]
/** What became of a mail. */
export const mailStates = ['Waiting', 'Sent', 'Failed'] as const
export type MailState = (typeof mailStates)[number]

export const languages = ['en_US', 'zh_CN', 'ja_JP'] as const
export type Language = (typeof languages)[number]

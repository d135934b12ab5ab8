/**
 * The vocabulary of the product. If a list starts at 0, the number of a word is its index, otherwise a `numberOf…` record defines it.
 * - *instance*: a team's running container.
 * - *team flag*: the flag or file assigned to a participation for a challenge; similar platforms call it an instance too.
 * - *board*: ranks and points, computed from the solve log. *Solve*: the first correct answer of a participation to a challenge.
 * - *division*: called `organization` in the API.
 */

/** Ordered: each role includes the rights of the previous ones. */
export const roles = ['Banned', 'User', 'Monitor', 'Admin'] as const
export type Role = (typeof roles)[number]

export const registerStatuses = ['LoggedIn', 'AdminConfirmationRequired', 'EmailConfirmationRequired'] as const
export type RegisterStatus = (typeof registerStatuses)[number]

/** Outcome of a task, in log records and in the response to the removal of a flag. */
export type TaskStatus = 'Success' | 'Failed' | 'Duplicate' | 'Denied' | 'NotFound' | 'Exit' | 'Pending'

/** `Unsubmitted`: does not take part; a stored one (set by an administrator) counts as `Rejected`. */
export const participationStatuses = ['Pending', 'Accepted', 'Rejected', 'Suspended', 'Unsubmitted'] as const
export type ParticipationStatus = (typeof participationStatuses)[number]

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
  /** `shared`: each flag of the list is correct for every team; `listed`: each team gets one of the list; `generated`: one is made from the template. */
  readonly flags: 'shared' | 'listed' | 'generated'
  readonly container: boolean
  /** Whether the attachment belongs to the challenge (the same for all teams) or to one flag of the list. */
  readonly attachmentOf: 'challenge' | 'flag'
}

const challengeTraits: Readonly<Record<ChallengeType, ChallengeTraits>> = {
  StaticAttachment: { flags: 'shared', container: false, attachmentOf: 'challenge' },
  StaticContainer: { flags: 'shared', container: true, attachmentOf: 'challenge' },
  DynamicAttachment: { flags: 'listed', container: false, attachmentOf: 'flag' },
  DynamicContainer: { flags: 'generated', container: true, attachmentOf: 'challenge' },
}

export const hasContainer = (type: ChallengeType): boolean => challengeTraits[type].container

export const hasOwnFlags = (type: ChallengeType): boolean => challengeTraits[type].flags !== 'shared'

/** Whether flags are made from a template, so that the challenge has no list of flags. */
export const generatesFlags = (type: ChallengeType): boolean => challengeTraits[type].flags === 'generated'

/** Whether each flag of the list has its own attachment; the challenge has none. */
export const hasAttachmentPerFlag = (type: ChallengeType): boolean => challengeTraits[type].attachmentOf === 'flag'

/** What a stored file belongs to. */
export const fileUses = ['Account', 'Team', 'Game', 'Challenge', 'Writeup', 'Site'] as const
export type FileUse = (typeof fileUses)[number]

export const attachmentTypes = ['None', 'Local', 'Remote'] as const
export type AttachmentType = (typeof attachmentTypes)[number]

export const noticeTypes = ['Normal', 'FirstBlood', 'SecondBlood', 'ThirdBlood', 'NewHint', 'NewChallenge'] as const
export type NoticeType = (typeof noticeTypes)[number]

/** Filters of notices for administrators: game = Normal, events = bloods, challenge = the other two. */
export const noticeFilters = ['all', 'challenge', 'events', 'game'] as const
export type NoticeFilter = (typeof noticeFilters)[number]

export const eventTypes = ['Normal', 'ContainerStart', 'ContainerDestroy', 'FlagSubmit', 'CheatDetected'] as const
export type EventType = (typeof eventTypes)[number]

/** Blood rank of a solve. `Unaccepted` is never used for a solve. */
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

/** The result for the submitter: only monitors see that the answer was another team's flag. */
export const shownToPlayer = (result: AnswerResult): AnswerResult => (result === 'CheatDetected' ? 'WrongAnswer' : result)

/** Access to containers: none, at a published port, or through the platform. */
export const containerModes = ['None', 'Default', 'PlatformProxy'] as const

/** Ours. Outgoing connections of containers: all but those to denied ranges, or none. */
export const containerNetworks = ['Open', 'Isolated'] as const
export type ContainerNetwork = (typeof containerNetworks)[number]

/** Ours. What programs of a container may do: `strict` removes all capabilities and root. */
export const containerProfiles = ['default', 'strict'] as const
export type ContainerProfile = (typeof containerProfiles)[number]

/** Targets that containers must not reach, as the isolation probe tries them. */
export const isolationTargets = [
  'host',
  'gateway',
  'linkLocal',
  'platform',
  'database',
  'engine',
  'metadata',
  'neighbour',
  'publishedPort',
  'apiServer',
  'kubelet',
  'clusterDns',
  'resolver',
] as const
export type IsolationTarget = (typeof isolationTargets)[number]

/** `untried`: the control did not reach it either, so that a refusal would prove nothing. */
export const isolationResults = ['reached', 'refused', 'untried'] as const
export type IsolationResult = (typeof isolationResults)[number]

export const containerStatuses = ['Pending', 'Running', 'Destroyed'] as const
export type ContainerStatus = (typeof containerStatuses)[number]

export const captchaProviders = ['None', 'GoogleRecaptcha', 'CloudflareTurnstile'] as const
export type CaptchaProvider = (typeof captchaProviders)[number]

/** Stored levels; the filter of the log also accepts `All`. */
const logLevels = ['Information', 'Warning', 'Error', 'Fatal'] as const
export type LogLevel = (typeof logLevels)[number]
export const logLevelFilters = ['All', ...logLevels] as const
export type LogLevelFilter = (typeof logLevelFilters)[number]

export const mailKinds = ['Verify', 'Reset', 'ChangeEmail', 'EmailChanging', 'Test'] as const
export type MailKind = (typeof mailKinds)[number]
export const mailStates = ['Waiting', 'Sent', 'Failed'] as const
export type MailState = (typeof mailStates)[number]

export const languages = ['en_US', 'zh_CN', 'ja_JP'] as const
export type Language = (typeof languages)[number]

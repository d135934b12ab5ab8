/** The form of a challenge: its fields, what is wrong with them, and what saving them will do. */
import type { ChallengeEdit, ChallengeEditDetail } from '@vexil/contract/challenges'
import { challengeLimits } from '@vexil/core/limits'
import type { ScoreCurve } from '@vexil/core/scoring'
import {
  type ChallengeCategory,
  type ChallengeType,
  type ContainerNetwork,
  hasAttachmentPerFlag,
  hasContainer,
} from '@vexil/core/vocabulary'
import { type Percents, packPercents, percentsOf } from './blood-bonus.ts'

/** A hint keeps its number while it is edited and moved, so that its field keeps the focus. */
export interface HintDraft {
  readonly key: number
  readonly text: string
}

/** Numbers are texts while they are none. */
export interface ChallengeFields {
  readonly title: string
  readonly category: ChallengeCategory
  readonly content: string
  readonly hints: readonly HintDraft[]
  readonly originalScore: number | string
  readonly difficulty: number | string
  /** Whole percent. */
  readonly minRate: number
  /** null: the game's holds. */
  readonly bloodBonus: Percents | null
  readonly fileName: string
  readonly containerImage: string
  readonly containerExposePort: number | string
  readonly cpuCount: number | string
  readonly memoryLimit: number | string
  readonly storageLimit: number | string
  readonly enableTrafficCapture: boolean
  readonly containerNetwork: ContainerNetwork
}

export const challengeFields = (challenge: ChallengeEditDetail): ChallengeFields => ({
  title: challenge.title,
  category: challenge.category,
  content: challenge.content,
  hints: challenge.hints.map((text, key) => ({ key, text })),
  originalScore: challenge.originalScore,
  difficulty: challenge.difficulty,
  minRate: Math.round(challenge.minScoreRate * 1000) / 10,
  bloodBonus: challenge.bloodBonus === null ? null : percentsOf(challenge.bloodBonus),
  fileName: challenge.fileName ?? '',
  containerImage: challenge.containerImage ?? '',
  containerExposePort: challenge.containerExposePort ?? '',
  cpuCount: challenge.cpuCount ?? '',
  memoryLimit: challenge.memoryLimit ?? '',
  storageLimit: challenge.storageLimit ?? '',
  enableTrafficCapture: challenge.enableTrafficCapture,
  containerNetwork: challenge.containerNetwork,
})

const isWhole = (value: number | string, min: number, max: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max

export type WrongChallenge =
  | 'title'
  | 'originalScore'
  | 'difficulty'
  | 'bloodBonus'
  | 'fileName'
  | 'containerImage'
  | 'containerExposePort'
  | 'cpuCount'
  | 'memoryLimit'
  | 'storageLimit'

/** Fields that hold the saving back, in the order of the form (CE-1). */
export function wrongChallenge(fields: ChallengeFields, type: ChallengeType): WrongChallenge[] {
  const wrong: WrongChallenge[] = []
  const must = (name: WrongChallenge, fine: boolean) => {
    if (!fine) wrong.push(name)
  }
  const limits = challengeLimits
  must('title', fields.title.trim() !== '')
  must('originalScore', isWhole(fields.originalScore, 0, limits.originalScoreMax))
  must('difficulty', typeof fields.difficulty === 'number' && fields.difficulty >= 0.1 && fields.difficulty <= 1e9)
  must('bloodBonus', fields.bloodBonus === null || packPercents(fields.bloodBonus) !== undefined)
  if (hasAttachmentPerFlag(type)) must('fileName', fields.fileName.trim() !== '')
  if (hasContainer(type)) {
    must('containerImage', fields.containerImage.trim() !== '')
    must('containerExposePort', isWhole(fields.containerExposePort, limits.portMin, limits.portMax))
    must('cpuCount', isWhole(fields.cpuCount, limits.cpuMin, limits.cpuMax))
    must('memoryLimit', isWhole(fields.memoryLimit, limits.memoryMin, limits.memoryMax))
    must('storageLimit', isWhole(fields.storageLimit, limits.storageMin, limits.storageMax))
  }
  return wrong
}

/** Blank hints are dropped on the way (CE-2). */
export const writtenHints = (hints: readonly HintDraft[]): string[] =>
  hints.map(({ text }) => text.trim()).filter((text) => text !== '')

/** Only the changed fields, so that changes of others are not undone; never `isEnabled` (CE-1). */
export function challengeBody(fields: ChallengeFields, changed: readonly (keyof ChallengeFields)[]): ChallengeEdit {
  const whole = (value: number | string) => Number(value)
  const parts: { readonly [K in keyof ChallengeFields]: () => ChallengeEdit } = {
    title: () => ({ title: fields.title.trim() }),
    category: () => ({ category: fields.category }),
    content: () => ({ content: fields.content }),
    hints: () => ({ hints: writtenHints(fields.hints) }),
    originalScore: () => ({ originalScore: whole(fields.originalScore) }),
    difficulty: () => ({ difficulty: whole(fields.difficulty) }),
    minRate: () => ({ minScoreRate: Math.round(fields.minRate * 10) / 1000 }),
    bloodBonus: () =>
      fields.bloodBonus === null ? { ownBloodBonus: false } : { bloodBonus: packPercents(fields.bloodBonus) ?? null },
    fileName: () => ({ fileName: fields.fileName.trim() }),
    containerImage: () => ({ containerImage: fields.containerImage.trim() }),
    containerExposePort: () => ({ containerExposePort: whole(fields.containerExposePort) }),
    cpuCount: () => ({ cpuCount: whole(fields.cpuCount) }),
    memoryLimit: () => ({ memoryLimit: whole(fields.memoryLimit) }),
    storageLimit: () => ({ storageLimit: whole(fields.storageLimit) }),
    enableTrafficCapture: () => ({ enableTrafficCapture: fields.enableTrafficCapture }),
    containerNetwork: () => ({ containerNetwork: fields.containerNetwork }),
  }
  return Object.assign({}, ...changed.map((name) => parts[name]()))
}

/** The curve of the fields; nothing while they are not numbers. */
export function curveOf({ originalScore, difficulty, minRate }: ChallengeFields): ScoreCurve | undefined {
  if (typeof originalScore !== 'number' || typeof difficulty !== 'number') return undefined
  if (!(originalScore >= 0 && difficulty > 0)) return undefined
  return { originalScore: Math.floor(originalScore), difficulty, minScoreRate: minRate / 100 }
}

/** Hints that saving would show to players: new ones and changed ones. */
export function newHints(hints: readonly HintDraft[], before: readonly HintDraft[]): number {
  const known = new Set(writtenHints(before))
  return writtenHints(hints).filter((text) => !known.has(text)).length
}

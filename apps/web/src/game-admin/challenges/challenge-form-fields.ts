import {
  type ChallengeField,
  type ChallengeFieldOf,
  type ChallengeFieldValues,
  challengeField,
  challengeFieldNames,
} from '@vexil/contract/challenge-fields'
import type { ChallengeEdit, ChallengeEditDetail } from '@vexil/contract/challenges'
import { checkLimits } from '@vexil/core/limits'
import type { ScoreCurve } from '@vexil/core/scoring'
import { type ChallengeCategory, type ChallengeType, hasContainer } from '@vexil/core/vocabulary'
import { type Percents, packPercents, percentsOf } from './blood-bonus.ts'
import {
  type ContainerDraft,
  containerDrafts,
  containerProblems,
  type PortDraft,
  portDrafts,
  portProblems,
  sentContainers,
  sentPorts,
} from './container-drafts.ts'

/** The key stays while a hint is edited and moved, so that its field keeps the focus. */
export interface HintDraft {
  readonly key: number
  readonly text: string
}

/** Fields of contract/challenge-fields.ts that the form shows unchanged. */
type TableField = Exclude<ChallengeField, 'minScoreRate'>
const tableFields = challengeFieldNames.filter((name) => name !== 'minScoreRate')

/** Numbers are strings while they are invalid. */
type TableValues = {
  readonly [F in TableField]: ChallengeFieldValues[F] extends number ? number | string : ChallengeFieldValues[F]
}

export interface ChallengeFields extends TableValues {
  readonly title: string
  readonly category: ChallengeCategory
  readonly hints: readonly HintDraft[]
  readonly additionalContainers: readonly ContainerDraft[]
  readonly namedPorts: readonly PortDraft[]
  /** Whole percent. */
  readonly minRate: number
  /** null: the bonus of the game. */
  readonly bloodBonus: Percents | null
}

export const challengeFields = (challenge: ChallengeEditDetail): ChallengeFields => ({
  ...(Object.fromEntries(tableFields.map((name) => [name, challenge[name] ?? ''])) as unknown as TableValues),
  title: challenge.title,
  category: challenge.category,
  hints: challenge.hints.map((text, key) => ({ key, text })),
  additionalContainers: containerDrafts(challenge.additionalContainers),
  namedPorts: portDrafts(challenge.namedPorts),
  minRate: Math.round(challenge.minScoreRate * 1000) / 10,
  bloodBonus: challenge.bloodBonus === null ? null : percentsOf(challenge.bloodBonus),
})

export type WrongChallenge =
  | 'title'
  | 'bloodBonus'
  | 'runtime'
  | 'checkImage'
  | 'additionalContainers'
  | 'namedPorts'
  | Exclude<ChallengeFieldOf<'line' | 'whole' | 'number'>, 'minScoreRate'>

/** Minimum of the form; the server accepts any value above 0. */
const difficultyMin = 0.1

function isGood(name: TableField, value: number | string | boolean): boolean {
  const { kind, min = 0, max = 0, pattern } = challengeField(name)
  if (pattern !== undefined) return pattern.test(String(value))
  if (kind === 'line') return String(value).trim() !== ''
  const least = name === 'difficulty' ? difficultyMin : min
  // The interval of a solver check is 0 (never) or at least the minimum of the server.
  if (name === 'checkMinutes' && typeof value === 'number' && value > 0 && value < checkLimits.minutesMin) return false
  if (kind === 'whole' || kind === 'number')
    return typeof value === 'number' && value >= least && value <= max && (kind === 'number' || Number.isInteger(value))
  return true
}

/** Invalid fields, in the order of the form. */
export function wrongChallenge(fields: ChallengeFields, type: ChallengeType): WrongChallenge[] {
  const wrong = tableFields.filter((name) => {
    const { usedBy } = challengeField(name)
    return (!usedBy || usedBy(type)) && !isGood(name, fields[name])
  }) as WrongChallenge[]
  if (fields.title.trim() === '') wrong.unshift('title')
  const { additionalContainers, namedPorts, containerExposePort } = fields
  if (hasContainer(type)) {
    if (namedPorts.some((one) => portProblems(one, namedPorts, containerExposePort).size > 0)) wrong.push('namedPorts')
    if (additionalContainers.some((one) => containerProblems(one, additionalContainers).size > 0))
      wrong.push('additionalContainers')
  }
  if (fields.bloodBonus !== null && packPercents(fields.bloodBonus) === undefined) wrong.push('bloodBonus')
  return wrong
}

export const writtenHints = (hints: readonly HintDraft[]): string[] =>
  hints.map(({ text }) => text.trim()).filter((text) => text !== '')

function sent(name: TableField, value: number | string | boolean): unknown {
  const { kind } = challengeField(name)
  if (kind === 'whole' || kind === 'number') return Number(value)
  return kind === 'line' ? String(value).trim() : value
}

/** Only the changed fields, so that changes of others are kept; never `isEnabled`. */
export function challengeBody(fields: ChallengeFields, changed: readonly (keyof ChallengeFields)[]): ChallengeEdit {
  const others: { readonly [K in Exclude<keyof ChallengeFields, TableField>]: () => ChallengeEdit } = {
    title: () => ({ title: fields.title.trim() }),
    category: () => ({ category: fields.category }),
    hints: () => ({ hints: writtenHints(fields.hints) }),
    additionalContainers: () => ({ additionalContainers: sentContainers(fields.additionalContainers) }),
    namedPorts: () => ({ namedPorts: sentPorts(fields.namedPorts) }),
    minRate: () => ({ minScoreRate: Math.round(fields.minRate * 10) / 1000 }),
    bloodBonus: () =>
      fields.bloodBonus === null ? { ownBloodBonus: false } : { bloodBonus: packPercents(fields.bloodBonus) ?? null },
  }
  const isOther = (name: keyof ChallengeFields): name is keyof typeof others => name in others
  return Object.assign({}, ...changed.map((name) => (isOther(name) ? others[name]() : { [name]: sent(name, fields[name]) })))
}

/** Undefined while the fields are invalid. */
export function curveOf({ originalScore, difficulty, minRate }: ChallengeFields): ScoreCurve | undefined {
  if (typeof originalScore !== 'number' || typeof difficulty !== 'number') return undefined
  if (!(originalScore >= 0 && difficulty > 0)) return undefined
  return { originalScore: Math.floor(originalScore), difficulty, minScoreRate: minRate / 100 }
}

/** Number of new and changed hints, which saving would publish. */
export function newHints(hints: readonly HintDraft[], before: readonly HintDraft[]): number {
  const known = new Set(writtenHints(before))
  return writtenHints(hints).filter((text) => !known.has(text)).length
}

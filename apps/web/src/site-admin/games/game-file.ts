/** A game with its challenges as a file, for export and import. The server checks each value again. */
import type { ChallengeEdit, ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameEdit, GameInfo } from '@vexil/contract/games'
import { type ChallengeCategory, type ChallengeType, challengeCategories, challengeTypes } from '@vexil/core/vocabulary'

/** A link, or a stored file by its hash; the bytes are not exported. */
export type FileLink = { readonly fileHash: string } | { readonly remoteUrl: string }

export interface ChallengeFile {
  readonly title: string
  readonly category: ChallengeCategory
  readonly type: ChallengeType
  readonly isEnabled: boolean
  readonly fields: Omit<ChallengeEdit, 'title' | 'category' | 'isEnabled'>
  readonly attachment: FileLink | null
  readonly flags: readonly { readonly flag: string; readonly attachment: FileLink | null }[]
}

export interface GameFile {
  readonly format: 'vexil-game'
  readonly version: 1
  readonly game: GameEdit & { readonly start: string; readonly end: string }
  readonly challenges: readonly ChallengeFile[]
}

function linkOf(attachment: ChallengeEditDetail['attachment']): FileLink | null {
  if (!attachment?.url) return null
  const hash = /^\/assets\/([0-9a-f]{64})\//.exec(attachment.url)?.[1]
  return hash ? { fileHash: hash } : { remoteUrl: attachment.url }
}

/** All fields except those of one platform or event: ids, keys, poster, teams and results. */
export function gameFileOf(game: GameInfo, challenges: readonly ChallengeEditDetail[]): GameFile {
  const { id: _id, poster: _poster, publicKey: _key, ...fields } = game
  return { format: 'vexil-game', version: 1, game: fields, challenges: challenges.map(challengeFileOf) }
}

function challengeFileOf(detail: ChallengeEditDetail): ChallengeFile {
  const {
    id: _id,
    title,
    category,
    type,
    isEnabled,
    acceptedCount: _solves,
    testContainer: _test,
    attachment,
    flags,
    ...rest
  } = detail
  // Absent means unchanged, which for a new challenge is the default.
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  return {
    title,
    category,
    type,
    isEnabled,
    fields,
    attachment: linkOf(attachment),
    flags: flags.map(({ flag, attachment: file }) => ({ flag, attachment: linkOf(file) })),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))

/** Undefined for anything but an exported game. */
export function readGameFile(text: string): GameFile | undefined {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(file) || file.format !== 'vexil-game' || file.version !== 1) return undefined
  const { game, challenges } = file
  if (!isObject(game) || !isText(game.title) || !isTime(game.start) || !isTime(game.end)) return undefined
  return Array.isArray(challenges) && challenges.every(isChallenge) ? (file as unknown as GameFile) : undefined
}

const isChallenge = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.title) &&
  challengeCategories.some((one) => one === value.category) &&
  challengeTypes.some((one) => one === value.type) &&
  isObject(value.fields) &&
  Array.isArray(value.flags) &&
  value.flags.every((flag) => isObject(flag) && isText(flag.flag))

/** The game as a new one: hidden, its times shifted to start at `start` (milliseconds since 1970). */
export function asNewGame({ game }: GameFile, title: string, start: number): GameEdit {
  const shift = start - Date.parse(game.start)
  const moved = (time: string) => new Date(Date.parse(time) + shift).toISOString()
  return {
    ...game,
    title,
    hidden: true,
    start: moved(game.start),
    end: moved(game.end),
    ...(isTime(game.writeupDeadline) && { writeupDeadline: moved(game.writeupDeadline) }),
  }
}

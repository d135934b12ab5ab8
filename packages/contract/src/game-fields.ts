/** Fields of a game that have one name on the wire, in the store and in the form: a new one is a row here, a column and an input. */
import { gameDefaults, gameLimits, textLimits } from '@vexil/core/limits'

const flag = (value: boolean) => ({ default: value })
const text = (max: number) => ({ default: '', max })

/** `default` when an edit leaves the field out, `max` signs of a text. Their schemas are made in game-field-schemas.ts. */
export const gameFields = {
  hidden: flag(false),
  summary: text(gameLimits.summaryMax),
  content: text(textLimits.markdownMax),
  acceptWithoutReview: flag(false),
  writeupRequired: flag(false),
  practiceMode: flag(gameDefaults.practiceMode),
  writeupNote: text(textLimits.markdownMax),
}

type Fields = typeof gameFields
export type GameField = keyof Fields
export type GameFieldValues = { [F in GameField]: Fields[F]['default'] }

export const gameFieldNames = Object.keys(gameFields) as readonly GameField[]

/** One value for each field. The caller's `of` gives each its type. */
export const eachGameField = <T>(of: (name: GameField) => unknown): T =>
  Object.fromEntries(gameFieldNames.map((name) => [name, of(name)])) as T

/** The fields of a game, nothing else of it. */
export const pickGameFields = (game: GameFieldValues): GameFieldValues => eachGameField((name) => game[name])

/** The fields of an edit; what is left out takes its default. */
export const gameFieldsOf = (edit: Partial<{ [F in GameField]: GameFieldValues[F] | null | undefined }>): GameFieldValues =>
  eachGameField((name) => edit[name] ?? gameFields[name].default)

/** Fields of a game with one name in the API, the database and the form. A new one is a row here, a column and an input. */
import { gameDefaults, gameLimits, textLimits } from '@vexil/core/limits'

const flag = (value: boolean) => ({ default: value })
const text = (max: number) => ({ default: '', max })

/** `default`: value if an edit omits the field; `max`: UTF-16 units of a text. Schemas are in game-field-schemas.ts. */
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

/** An object with one value per field, of the caller's type. */
export const eachGameField = <T>(of: (name: GameField) => unknown): T =>
  Object.fromEntries(gameFieldNames.map((name) => [name, of(name)])) as T

export const pickGameFields = (game: GameFieldValues): GameFieldValues => eachGameField((name) => game[name])

/** The fields of an edit, with defaults for omitted ones. */
export const gameFieldsOf = (edit: Partial<{ [F in GameField]: GameFieldValues[F] | null | undefined }>): GameFieldValues =>
  eachGameField((name) => edit[name] ?? gameFields[name].default)

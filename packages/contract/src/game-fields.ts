/** Fields of a game that have one name on the wire, in the store and in the form: a new one is a row here, a column and an input. */
import { gameDefaults, gameLimits, textLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { Text } from './shapes.ts'

const flag = (value: boolean) => ({ shown: Type.Boolean(), taken: Type.Optional(Type.Boolean()), default: value })
const text = (max: number) => ({ shown: Type.String(), taken: Text(max), default: '' })

/** `shown` in answers, `taken` in edits, `default` when an edit leaves the field out. */
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
const eachField = <T>(of: (name: GameField) => unknown): T =>
  Object.fromEntries(gameFieldNames.map((name) => [name, of(name)])) as T

export const shownFields = eachField<{ [F in GameField]: Fields[F]['shown'] }>((name) => gameFields[name].shown)
export const takenFields = eachField<{ [F in GameField]: Fields[F]['taken'] }>((name) => gameFields[name].taken)

/** The fields of a game, nothing else of it. */
export const pickGameFields = (game: GameFieldValues): GameFieldValues => eachField((name) => game[name])

/** The fields of an edit; what is left out takes its default. */
export const gameFieldsOf = (edit: Partial<{ [F in GameField]: GameFieldValues[F] | null | undefined }>): GameFieldValues =>
  eachField((name) => edit[name] ?? gameFields[name].default)

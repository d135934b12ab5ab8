/** Schemas of the fields in game-fields.ts, in a separate file so that the browser's bundle excludes the schema library. */
import * as Type from 'typebox'
import { eachGameField, type GameField, type GameFieldValues, gameFields } from './game-fields.ts'
import { Text } from './shapes.ts'

type OfKind<Flag, Words> = { [F in GameField]: GameFieldValues[F] extends boolean ? Flag : Words }

const eachKind = <Flag, Words>(flag: () => Flag, text: (max: number) => Words) =>
  eachGameField<OfKind<Flag, Words>>((name) => {
    const field = gameFields[name]
    return 'max' in field ? text(field.max) : flag()
  })

export const shownFields = eachKind(
  () => Type.Boolean(),
  () => Type.String(),
)
export const takenFields = eachKind(() => Type.Optional(Type.Boolean()), Text)

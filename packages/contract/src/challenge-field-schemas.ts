/** Schemas of the fields in challenge-fields.ts, in a separate file so that the browser's bundle excludes the schema library. */
import * as Type from 'typebox'
import {
  type ChallengeField,
  type ChallengeFieldValues,
  challengeField,
  type challengeFields,
  eachChallengeField,
} from './challenge-fields.ts'
import { int32, Nullable, OneOf, vexil } from './shapes.ts'

type Fields = typeof challengeFields
type Shown = {
  [F in ChallengeField]: Type.TUnsafe<ChallengeFieldValues[F] | (Fields[F] extends { nullable: true } ? null : never)>
}
type Taken = { [F in ChallengeField]: Type.TOptional<Type.TUnsafe<ChallengeFieldValues[F] | null>> }

function schemaOf(
  name: ChallengeField,
  limits: { readonly text?: Type.TStringOptions; readonly number?: Type.TNumberOptions },
): Type.TSchema {
  const { kind, words = [], addition } = challengeField(name)
  const mark = addition ? vexil : {}
  if (kind === 'text' || kind === 'line') return Type.String({ ...limits.text, ...mark })
  if (kind === 'whole') return Type.Integer({ ...(limits.number ?? int32), ...mark })
  if (kind === 'number') return Type.Number({ ...limits.number, ...mark })
  return kind === 'flag' ? Type.Boolean(mark) : OneOf(words, mark)
}

export const shownChallengeFields = eachChallengeField<Shown>((name, { nullable }) =>
  nullable ? Nullable(schemaOf(name, {})) : schemaOf(name, {}),
)

/** For edits: absent and null mean unchanged. */
export const takenChallengeFields = eachChallengeField<Taken>((name, { min, above, max, pattern }) => {
  const least = above ? { exclusiveMinimum: min } : { minimum: min }
  return Type.Optional(
    Nullable(
      schemaOf(name, {
        text: { maxLength: max, ...(pattern && { pattern: pattern.source }) },
        number: { ...least, maximum: max },
      }),
    ),
  )
})

/** Schemas of the settings in site-settings.ts, in a separate file so that the browser's bundle excludes the schema library. */
import * as Type from 'typebox'
import { Int, int32, Nullable, vexil } from './shapes.ts'
import { type SettingGroup, type SettingRow, settingRows, type siteSettings } from './site-settings.ts'

type Groups = typeof siteSettings
type Plain<V> = V extends boolean ? boolean : V extends number ? number : string
type OrNull<O> = O extends { nullable: true } ? null : never
type Shown<G extends SettingGroup> = {
  [N in keyof Groups[G]]: Groups[G][N] extends { default: infer V; options: infer O } ? Plain<V> | OrNull<O> : never
}
type Taken<G extends SettingGroup> = {
  [N in keyof Groups[G] as Groups[G][N] extends { options: { changedBy: 'call' } } ? never : N]?: Groups[G][N] extends {
    default: infer V
  }
    ? Plain<V> | null
    : never
}

const rowsOf = (group: SettingGroup) => settingRows.filter((row) => row.group === group)
const mark = ({ options }: SettingRow) => (options.addition ? vexil : {})

function shown(row: SettingRow): Type.TSchema {
  const { options } = row
  if (typeof row.default === 'boolean') return Type.Boolean(mark(row))
  if (typeof row.default === 'number') return Type.Integer({ ...int32, ...mark(row) })
  return options.nullable ? Nullable(Type.String(mark(row))) : Type.String(mark(row))
}

function taken({ default: value, options: { min, max, pattern } }: SettingRow): Type.TSchema {
  if (typeof value === 'boolean') return Type.Boolean()
  if (typeof value === 'number') return min === undefined ? Int : Type.Integer({ minimum: min, maximum: 2147483647 })
  return Type.String({ ...(max !== undefined && { maxLength: max }), ...(pattern && { pattern }) })
}

export const shownGroup = <G extends SettingGroup>(group: G) =>
  Type.Unsafe<Shown<G>>(Type.Object(Object.fromEntries(rowsOf(group).map((row) => [row.name, shown(row)]))))

/** Shape of a group in edits. Absent and null mean unchanged. */
export const takenGroup = <G extends SettingGroup>(group: G) => {
  const rows = rowsOf(group).filter(({ options }) => options.changedBy !== 'call')
  const fields = rows.map((row) => [row.name, Type.Optional(Nullable(taken(row)))])
  return Type.Optional(Nullable(Type.Unsafe<Taken<G>>(Type.Object(Object.fromEntries(fields)))))
}

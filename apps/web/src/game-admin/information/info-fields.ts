import { type GameFieldValues, gameFieldNames, gameFieldsOf, pickGameFields } from '@vexil/contract/game-fields'
import type { GameEdit, GameInfo } from '@vexil/contract/games'
import { gameLimits } from '@vexil/core/limits'
import { type Phase, phaseOf, writeupDeadlineAfter } from '@vexil/core/phases'
import { changedKeys } from '../../ui/fields/use-draft.ts'

export interface InfoFields extends GameFieldValues {
  readonly title: string
  readonly start: number
  readonly end: number
  readonly organizations: readonly string[]
  /** A string while it is not a number. */
  readonly teamMemberCountLimit: number | string
  readonly containerCountLimit: number | string
  readonly inviteCode: string
  /** After the end, two decimals. */
  readonly writeupHours: number | string
}

const hour = 3_600_000
const hoursAfter = (end: number, deadline: number) => Math.max(0, Math.round(((deadline - end) / hour) * 100) / 100)

export const infoFields = (game: GameInfo): InfoFields => ({
  ...pickGameFields(game),
  title: game.title,
  start: Date.parse(game.start),
  end: Date.parse(game.end),
  organizations: game.organizations ?? [],
  teamMemberCountLimit: game.teamMemberCountLimit,
  containerCountLimit: game.containerCountLimit,
  inviteCode: game.inviteCode ?? '',
  writeupHours: hoursAfter(Date.parse(game.end), Date.parse(game.writeupDeadline)),
})

const isCount = (value: number | string) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100_000
const isHours = (value: number | string) => typeof value === 'number' && value >= 0 && value <= 1_000_000

export type WrongInfo = 'title' | 'end' | 'organizations' | 'teamMemberCountLimit' | 'containerCountLimit' | 'writeupHours'

/** Invalid fields, in the order of the form. */
export function wrongInfo(fields: InfoFields): WrongInfo[] {
  const wrong: WrongInfo[] = []
  if (fields.title.trim() === '') wrong.push('title')
  if (!(fields.end > fields.start)) wrong.push('end')
  if (fields.organizations.some((name) => name.toLowerCase() === 'all' || name.length > gameLimits.divisionMax)) {
    wrong.push('organizations')
  }
  if (!isCount(fields.teamMemberCountLimit)) wrong.push('teamMemberCountLimit')
  if (!isCount(fields.containerCountLimit)) wrong.push('containerCountLimit')
  if (!isHours(fields.writeupHours)) wrong.push('writeupHours')
  return wrong
}

/** The stored game with the changed fields. An unchanged deadline keeps its exact time; hours have only two decimals. */
export function infoBody(game: GameInfo, fields: InfoFields, base: InfoFields): GameEdit {
  const changed = new Set(changedKeys(fields, base))
  const changedOrStored = <K extends keyof GameEdit & keyof InfoFields>(key: K) =>
    (changed.has(key) ? fields[key] : game[key as keyof GameInfo]) as GameEdit[K]
  const end = changed.has('end') ? fields.end : Date.parse(game.end)
  const deadlineMoves = changed.has('writeupHours') || changed.has('end')
  return {
    title: changed.has('title') ? fields.title.trim() : game.title,
    ...gameFieldsOf(Object.fromEntries(gameFieldNames.map((name) => [name, changedOrStored(name)]))),
    inviteCode: changed.has('inviteCode') ? fields.inviteCode.trim() || null : game.inviteCode,
    organizations: changed.has('organizations') ? [...fields.organizations] : game.organizations,
    teamMemberCountLimit: changedOrStored('teamMemberCountLimit'),
    containerCountLimit: changedOrStored('containerCountLimit'),
    start: changed.has('start') ? new Date(fields.start).toISOString() : game.start,
    end: new Date(end).toISOString(),
    writeupDeadline: deadlineMoves
      ? new Date(writeupDeadlineAfter(end, Number(fields.writeupHours))).toISOString()
      : game.writeupDeadline,
    bloodBonus: game.bloodBonus,
  }
}

export type InfoEffect =
  | { readonly kind: 'start' | 'end'; readonly hours: number; readonly teams: number }
  | { readonly kind: 'opens' | 'closes' | 'reopens' }
  | { readonly kind: 'division'; readonly name: string; readonly teams: number }
  | { readonly kind: 'hides' }

/** Effects of saving beyond storing: moved times, opened or closed challenges, divisions in use. */
export function infoEffects(
  fields: InfoFields,
  base: InfoFields,
  now: number,
  teams: readonly { organization: string | null; status: string }[],
): InfoEffect[] {
  const effects: InfoEffect[] = []
  const times = (of: InfoFields): Phase => phaseOf({ startsAt: of.start, endsAt: of.end }, now)
  const [before, after] = [times(base), times(fields)]
  const playing = teams.filter(({ status }) => status === 'Accepted').length
  const hours = (from: number, to: number) => Math.round(((to - from) / hour) * 100) / 100
  if (fields.end > fields.start) {
    if (fields.start !== base.start && before !== 'ended') {
      effects.push({ kind: 'start', hours: hours(base.start, fields.start), teams: playing })
    }
    if (fields.end !== base.end && before !== 'before') {
      effects.push({ kind: 'end', hours: hours(base.end, fields.end), teams: playing })
    }
    if (before !== after) effects.push({ kind: after !== 'running' ? 'closes' : before === 'ended' ? 'reopens' : 'opens' })
  }
  for (const name of base.organizations) {
    const count = teams.filter(({ organization }) => organization === name).length
    if (!fields.organizations.includes(name) && count > 0) effects.push({ kind: 'division', name, teams: count })
  }
  if (fields.hidden && !base.hidden) effects.push({ kind: 'hides' })
  return effects
}

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

/** A cryptographically random invite code without similar characters. */
export function randomCode(length = 24): string {
  let code = ''
  while (code.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Rejects values above the last whole multiple, so that the characters are uniform.
      if (byte < 256 - (256 % alphabet.length) && code.length < length) code += alphabet[byte % alphabet.length]
    }
  }
  return code
}

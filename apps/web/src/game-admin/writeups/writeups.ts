import type { ParticipationInfo } from '@vexil/contract/games'
import type { WriteupInfo } from '@vexil/contract/writeups'

export interface WriteupRow {
  /** Participation id. */
  readonly id: number
  readonly team: { readonly id: number; readonly name: string; readonly avatar: string | null }
  readonly file?: { readonly url: string; readonly at: string }
}

type WriteupState = 'in' | 'missing'

/** Newest writeup first, then accepted teams without one by name. */
export function writeupRows(writeups: readonly WriteupInfo[], teams: readonly ParticipationInfo[]): WriteupRow[] {
  const rowOf = (id: number, { id: team, name, avatar }: WriteupInfo['team'] | ParticipationInfo['team']): WriteupRow => ({
    id,
    team: { id: team, name: name ?? '', avatar },
  })
  const handed = new Set(writeups.map(({ id }) => id))
  return [
    ...writeups.map(({ id, team, url, uploadTimeUtc }) => ({ ...rowOf(id, team), file: { url, at: uploadTimeUtc } })),
    ...teams
      .filter(({ id, status }) => status === 'Accepted' && !handed.has(id))
      .map(({ id, team }) => rowOf(id, team))
      .sort((a, b) => a.team.name.localeCompare(b.team.name)),
  ]
}

export interface WriteupFilter {
  readonly text: string
  readonly handed: WriteupState | null
}

export const keepWriteups = (rows: readonly WriteupRow[], { text, handed }: WriteupFilter): WriteupRow[] =>
  rows.filter(
    ({ team, file }) =>
      (handed === null || (handed === 'in') === (file !== undefined)) &&
      `${team.name}\n#${team.id}`.toLowerCase().includes(text.trim().toLowerCase()),
  )

import type { CheatInfo } from '@vexil/contract/submissions'
import type { ParticipationStatus } from '@vexil/core/vocabulary'

export type PartRef = CheatInfo['ownedTeam']

export interface CheatTeam {
  readonly part: PartRef
  readonly last: string
  /** Newest first. `sent`: the team submitted the flag of `other`; otherwise `other` submitted its flag. */
  readonly entries: readonly { readonly sent: boolean; readonly other: PartRef; readonly cheat: CheatInfo }[]
}

const at = ({ submission }: CheatInfo) => Date.parse(submission.time)

export const newestFirst = (cheats: readonly CheatInfo[]) => [...cheats].sort((a, b) => at(b) - at(a))

/** Every team involved, by most recent entry. */
export function cheatTeams(cheats: readonly CheatInfo[]): CheatTeam[] {
  const teams = new Map<number, { part: PartRef; entries: CheatTeam['entries'][number][] }>()
  const put = (part: PartRef, entry: CheatTeam['entries'][number]) => {
    const team = teams.get(part.id) ?? { part, entries: [] }
    team.entries.push(entry)
    teams.set(part.id, team)
  }
  for (const cheat of newestFirst(cheats)) {
    put(cheat.submitTeam, { sent: true, other: cheat.ownedTeam, cheat })
    put(cheat.ownedTeam, { sent: false, other: cheat.submitTeam, cheat })
  }
  return [...teams.values()].map(({ part, entries }) => ({ part, entries, last: entries[0]?.cheat.submission.time ?? '' }))
}

export function withStatus(cheats: readonly CheatInfo[], id: number, status: ParticipationStatus): CheatInfo[] {
  const set = (part: PartRef): PartRef => (part.id === id ? { ...part, status } : part)
  return cheats.map((cheat) => ({ ...cheat, ownedTeam: set(cheat.ownedTeam), submitTeam: set(cheat.submitTeam) }))
}

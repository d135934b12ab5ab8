import type { ParticipationInfo } from '@vexil/contract/games'
import type { ParticipationStatus } from '@vexil/core/vocabulary'

export interface ReviewFilter {
  readonly text: string
  readonly division: string | null
  readonly status: ParticipationStatus | null
}

export const reviewPage = 10

const nameOf = ({ team }: ParticipationInfo) => team.name ?? ''

/** Pending teams first, the rest in the order of the call. */
export function keepTeams(teams: readonly ParticipationInfo[], { text, division, status }: ReviewFilter): ParticipationInfo[] {
  const wanted = text.trim().toLowerCase()
  return teams
    .filter(
      (one) =>
        nameOf(one).toLowerCase().includes(wanted) &&
        (division === null || one.organization === division) &&
        (status === null || one.status === status),
    )
    .sort((a, b) => Number(b.status === 'Pending') - Number(a.status === 'Pending'))
}

export type Warning = 'tooMany' | 'sameName' | 'elsewhere'

export function warningsOf(teams: readonly ParticipationInfo[], limit: number): Map<number, Warning[]> {
  const names = new Map<string, number>()
  const seats = new Map<string, number>()
  const key = (one: ParticipationInfo) => nameOf(one).trim().toLowerCase()
  for (const one of teams) {
    names.set(key(one), (names.get(key(one)) ?? 0) + 1)
    for (const member of one.team.members ?? []) {
      if (member.userId) seats.set(member.userId, (seats.get(member.userId) ?? 0) + 1)
    }
  }
  const found = new Map<number, Warning[]>()
  for (const one of teams) {
    const warnings: Warning[] = []
    if (limit > 0 && one.registeredMembers.length > limit) warnings.push('tooMany')
    if ((names.get(key(one)) ?? 0) > 1) warnings.push('sameName')
    if (one.team.members?.some(({ userId }) => userId && (seats.get(userId) ?? 0) > 1)) warnings.push('elsewhere')
    if (warnings.length > 0) found.set(one.id, warnings)
  }
  return found
}

/** A CSV cell, quoted where needed and never parsed as a formula. */
export function csvCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One row per member. Starts with a byte order mark, so that CJK names open correctly. */
export function reviewSheet(
  teams: readonly ParticipationInfo[],
  heads: readonly string[],
  statusName: (status: ParticipationStatus) => string,
  yes: string,
): string {
  const rows = teams.flatMap((one) => {
    const team = [one.team.id, nameOf(one), one.organization ?? '', statusName(one.status)]
    return (one.team.members ?? []).map((member) => [
      ...team,
      member.userName ?? '',
      one.team.captainId === member.userId ? yes : '',
      member.userId && one.registeredMembers.includes(member.userId) ? yes : '',
      member.realName ?? '',
      member.stdNumber ?? '',
      member.email ?? '',
      member.phone ?? '',
    ])
  })
  return `\uFEFF${[heads, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`
}

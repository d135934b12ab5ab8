import type { ChallengeRow } from '@vexil/contract/challenges'
import { type ChallengeCategory, type ChallengeType, challengeCategories, hasContainer } from '@vexil/core/vocabulary'
import { paths } from '../../shell/paths.ts'

export interface ChallengeFilter {
  readonly text: string
  readonly category: ChallengeCategory | null
  readonly type: ChallengeType | null
}

export function keepRows(rows: readonly ChallengeRow[], { text, category, type }: ChallengeFilter): ChallengeRow[] {
  const wanted = text.trim().toLowerCase()
  return rows.filter(
    (row) =>
      (category === null || row.category === category) &&
      (type === null || row.type === type) &&
      row.title.toLowerCase().includes(wanted),
  )
}

/** By category, then title; empty categories are left out. */
export function groupRows(rows: readonly ChallengeRow[]): [ChallengeCategory, ChallengeRow[]][] {
  const byTitle = (a: ChallengeRow, b: ChallengeRow) => a.title.localeCompare(b.title) || a.id - b.id
  return challengeCategories
    .map((category): [ChallengeCategory, ChallengeRow[]] => [
      category,
      rows.filter((row) => row.category === category).sort(byTitle),
    ])
    .filter(([, some]) => some.length > 0)
}

export function neighbours(rows: readonly ChallengeRow[], id: number): { before?: ChallengeRow; after?: ChallengeRow } {
  const order = groupRows(rows).flatMap(([, some]) => some)
  const at = order.findIndex((row) => row.id === id)
  if (at < 0) return {}
  return { before: order[at - 1], after: order[at + 1] }
}

/** Where flags of the challenge are added; the address focuses the field. */
export const flagPlace = (game: number, { id, type }: Pick<ChallengeRow, 'id' | 'type'>): string =>
  `${(hasFlagsInEditor(type) ? paths.admin.challenge : paths.admin.flags)(game, id)}#flags`

/** Challenges with a container have a separate screen for their flags. */
export const hasFlagsInEditor = (type: ChallengeType): boolean => !hasContainer(type)

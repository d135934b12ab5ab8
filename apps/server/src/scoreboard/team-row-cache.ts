/** Cache of team rows without ranks. A row is valid while its version is the same, so repeated requests do not involve the thread of the boards. */
export interface TeamRowCache {
  /** The row as JSON; undefined: not cached at this version. Costs a map lookup. */
  find(participationId: number, version: string): string | undefined
  keep(participationId: number, version: string, row: string): void
}

/** `most`: total characters of all rows; the oldest are dropped first. A participation belongs to one game, so its id is the key. */
export function openTeamRowCache(most: number): TeamRowCache {
  const rows = new Map<number, { readonly version: string; readonly row: string }>()
  let characters = 0

  function forget(participationId: number): void {
    characters -= rows.get(participationId)?.row.length ?? 0
    rows.delete(participationId)
  }
  return {
    find(participationId, version) {
      const known = rows.get(participationId)
      return known?.version === version ? known.row : undefined
    },
    keep(participationId, version, row) {
      forget(participationId)
      rows.set(participationId, { version, row })
      characters += row.length
      for (const oldest of rows.keys()) {
        if (characters <= most) break
        forget(oldest)
      }
    },
  }
}

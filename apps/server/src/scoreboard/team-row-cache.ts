/**
 * The rows of the board that players were shown of their own teams, without ranks. A row holds as long as its version stays the same, however far
 * the board moved, so asking again costs the thread of the boards nothing.
 */
export interface TeamRowCache {
  /** The row as JSON; undefined: it is not known at this version. Costs a look into a map. */
  find(participationId: number, version: string): string | undefined
  keep(participationId: number, version: string, row: string): void
}

/** `most`: characters of all rows together; those that were kept first go first. A participation belongs to one game, so its number says which. */
export function openTeamRowCache(most: number): TeamRowCache {
  const rows = new Map<number, { readonly version: string; readonly row: string }>()
  let held = 0

  function forget(participationId: number): void {
    held -= rows.get(participationId)?.row.length ?? 0
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
      held += row.length
      for (const oldest of rows.keys()) {
        if (held <= most) break
        forget(oldest)
      }
    },
  }
}

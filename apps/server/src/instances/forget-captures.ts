import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { deleteOfChallenge, listCaptured } from './captures.ts'

/** Deletes the captured traffic whose challenge no longer exists. */
export async function deleteOfMissing({ db, captures }: Pick<Deps, 'db' | 'captures'>): Promise<void> {
  for (const place of captures) {
    const ids = (place && (await listCaptured(place))) ?? []
    if (!place || ids.length === 0) continue
    const { rows } = await sql<{ id: number }>`select id from challenges where id = any(${ids}::int[])`.execute(db)
    const kept = new Set(rows.map(({ id }) => id))
    for (const id of ids) if (!kept.has(id)) await deleteOfChallenge(place, id)
  }
}

/** Deletes it after each deletion of a game or challenge; on every node, since each has a data folder. */
export function forgetCaptures({ db, bus, captures, onError }: Pick<Deps, 'db' | 'bus' | 'captures' | 'onError'>): {
  close(): Promise<void>
} {
  let looking = Promise.resolve()
  const soon = () => {
    looking = looking.then(() => deleteOfMissing({ db, captures })).catch(onError)
  }
  for (const name of ['challenge.changed', 'game.changed'] as const) bus.subscribe(name, soon)
  return { close: () => looking }
}

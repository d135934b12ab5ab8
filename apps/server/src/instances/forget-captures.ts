import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { deleteOfChallenge, listCaptured } from './captures.ts'

/** Deletes the captured traffic of this node whose challenge no longer exists, after each deletion of a game or challenge. */
export function forgetCaptures({ db, bus, config, onError }: Pick<Deps, 'db' | 'bus' | 'config' | 'onError'>): {
  close(): Promise<void>
} {
  const { dataDir } = config
  let looking = Promise.resolve()
  const look = async () => {
    const ids = await listCaptured(dataDir)
    if (ids.length === 0) return
    const { rows } = await sql<{ id: number }>`select id from challenges where id = any(${ids}::int[])`.execute(db)
    const kept = new Set(rows.map(({ id }) => id))
    for (const id of ids) if (!kept.has(id)) await deleteOfChallenge(dataDir, id)
  }
  const soon = () => {
    looking = looking.then(look).catch(onError)
  }
  for (const name of ['challenge.changed', 'game.changed'] as const) bus.subscribe(name, soon)
  return { close: () => looking }
}

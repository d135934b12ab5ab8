/** An external database is marked by each platform that uses it, so that nothing is restored into it. An embedded one has the lock of its folder. */
import type pg from 'pg'
import { StartError } from '../start-error.ts'

const LOCK = 4_917_204

/** Until the connection ends. @throws StartError while a backup is restored */
export async function markInUse(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ acquired: boolean }>('select pg_try_advisory_lock_shared($1) as acquired', [LOCK])
  if (!rows[0]?.acquired) throw new StartError('A backup is being restored into the database: start when it has ended.')
}

/** Until the connection ends, no platform can mark the database. @throws StartError when one has */
export async function mustNotBeInUse(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ acquired: boolean }>('select pg_try_advisory_lock($1) as acquired', [LOCK])
  if (!rows[0]?.acquired) throw new StartError('The database is in use by a running platform, or another restore: stop it first.')
}

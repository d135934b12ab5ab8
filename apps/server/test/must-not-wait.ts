/** Row locks of other transactions that a call must not wait for. */
import { sql } from 'kysely'
import type { TestPlatform } from './platform.ts'

/**
 * Runs `work` while another session holds the locks of the statement `hold`, and returns its result.
 * @throws when `work` waits for one of these locks
 */
export async function mustNotWait<T>(
  { db, database }: Pick<TestPlatform, 'db' | 'database'>,
  hold: string,
  work: () => Promise<T>,
): Promise<T> {
  const other = await database.pool.connect()
  try {
    await other.query(`begin; ${hold}`)
    const pid = (await other.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
    let isOver = false
    const working = work().finally(() => {
      isOver = true
    })
    // If it waits, its result comes after the error below.
    working.catch(() => undefined)
    while (!isOver) {
      const { rows } = await sql<{ query: string }>`
        select query from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`.execute(db)
      if (rows[0]) throw new Error(`It waits for a lock of another transaction: ${rows[0].query.trim()}`)
    }
    return await working
  } finally {
    await other.query('rollback')
    other.release()
  }
}

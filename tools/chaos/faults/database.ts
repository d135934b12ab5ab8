/** A database that is slow, locked or has no free connections. */
import { sql } from 'kysely'
import type pg from 'pg'
import type { Fault } from './fault.ts'

const slow: Fault = {
  name: 'slow-queries',
  how: 'the line to PostgreSQL delays every query by 200 ms',
  seconds: 6,
  async plant({ lines }) {
    await lines.database.set('slow')
    return () => lines.database.set('open')
  },
}

const away: Fault = {
  name: 'database-silent',
  how: 'the line to PostgreSQL swallows everything',
  seconds: 5,
  async plant({ lines }) {
    await lines.database.set('silent')
    return () => lines.database.set('open')
  },
}

const locked: Fault = {
  name: 'log-locked',
  how: 'a session holds the row of the log of solves for 5 s',
  seconds: 5,
  async plant({ database, played }) {
    const client = await database.reservedClient({ idleInTransactionMs: 60_000 })
    await client.query('begin')
    await client.query('select from solve_logs where game_id = $1 for update', [played.game])
    return () => client.end()
  },
}

const exhausted: Fault = {
  name: 'no-connections',
  how: 'connections are opened until PostgreSQL refuses them; sessions of the platform are ended meanwhile',
  seconds: 5,
  async plant({ database }) {
    const held: pg.Client[] = []
    const fill = async () => {
      for (;;) held.push(await database.reservedClient({ name: 'chaos' }))
    }
    await fill().catch(() => undefined)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vexil' and pid <> pg_backend_pid()`.execute(
      database.db,
    )
    await fill().catch(() => undefined)
    return () => Promise.all(held.map((client) => client.end()))
  },
}

export const databaseFaults: readonly Fault[] = [slow, away, locked, exhausted]

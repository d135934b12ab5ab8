/**
 * Runs the recipe for pgBackRest of docs/operations.md, with the commands of the page and the configuration of deploy/, on a temporary PostgreSQL 15.
 * Rows that are deleted after a point in time exist again after a restore to it. Needs root on Debian.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '../apps/server/src/db/database.ts'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { anAccount } from '../apps/server/test/builders/game.ts'
import { ensureInstalled } from '../scripts/apt.mjs'
import { type Postgres15, withPostgres15 } from '../scripts/postgres-15.mjs'
import { root } from '../scripts/toolchain.mjs'

async function tryRecipe(url: string, { data, bin, owner }: Postgres15): Promise<void> {
  const folder = dirname(data)
  const config = join(folder, 'pgbackrest.conf')
  for (const name of ['repo', 'locks', 'logs', 'spool']) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), owner.uid, owner.gid)
  }
  const recipe = readFileSync(join(root, 'deploy/pgbackrest.conf'), 'utf8')
  writeFileSync(config, recipe.replace('/var/lib/pgbackrest', join(folder, 'repo')).replace('/var/lib/postgresql/15/main', data))
  // PostgreSQL passes them to its archive command.
  const env = {
    PATH: `/usr/bin:/bin:${bin}`,
    LC_ALL: 'C',
    PGBACKREST_CONFIG: config,
    PGBACKREST_LOCK_PATH: join(folder, 'locks'),
    PGBACKREST_LOG_PATH: join(folder, 'logs'),
    PGBACKREST_SPOOL_PATH: join(folder, 'spool'),
    PGBACKREST_PG1_SOCKET_PATH: folder,
    PGBACKREST_PG1_USER: 'vexil',
  }
  const run = (command: string, values: Record<string, string> = {}) => {
    const text = Object.entries(values).reduce((line, [name, value]) => line.replace(name, value), command)
    console.log(`$ ${text}`)
    const { status } = spawnSync('sh', ['-c', text], { cwd: '/', env, stdio: 'inherit', ...owner })
    if (status !== 0) throw new Error(`${text} ended with ${status}`)
  }
  const control = (what: string) => run(`pg_ctl ${what} -w -s -m fast -D ${data} -l ${join(folder, 'log')}`)
  const [create, check, full, restore] = commandsOf('vexil')
  // The test server has its settings on the command line; these are written to a file as the page describes.
  appendFileSync(
    join(data, 'postgresql.conf'),
    `${settingsOf()}\nlisten_addresses = ''\nunix_socket_directories = '${folder}'\nmax_connections = 200\n`,
  )
  control('stop')
  control('start')
  run(create as string)
  run(check as string)
  run(full as string)
  const target = await play(url)
  control('stop')
  run(restore as string, { '2026-11-25 18:30:00+00': target })
  control('start')
  await mustBeBack(url)
  console.log('The rows that were deleted after the point in time are back.')
}

const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')

function commandsOf(stanza: string): string[] {
  const found = page.match(new RegExp(`^ {4}pgbackrest --stanza=${stanza} .+$`, 'gm')) ?? []
  if (found.length !== 4) throw new Error(`docs/operations.md has ${found.length} commands of pgBackRest instead of 4`)
  return found.map((line) => line.trim())
}

const settingsOf = () =>
  (page.match(/^ {4}(archive_mode|archive_command|wal_level) = .+$/gm) ?? []).map((line) => line.trim()).join('\n')

/** Creates accounts, and deletes them after the time that it returns. */
async function play(url: string): Promise<string> {
  const database = await openDatabase({ source: { url }, poolSize: 2 })
  try {
    await migrate(database)
    for (let at = 0; at < 10; at++) await anAccount(database.db)
    const { rows } = await database.pool.query<{ now: string }>('select clock_timestamp()::text as now')
    await database.pool.query('select pg_sleep(1)')
    await database.pool.query('delete from accounts')
    await database.pool.query('select pg_switch_wal()')
    return rows[0]?.now ?? ''
  } finally {
    await database.close()
  }
}

async function mustBeBack(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query<{ replays: boolean }>('select pg_is_in_recovery() as replays')
      if (!rows[0]?.replays) break
      await sleep(200)
    }
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from accounts')
    if (rows[0]?.count !== 10) throw new Error(`${rows[0]?.count} accounts are back instead of 10`)
  } finally {
    await client.end()
  }
}

if (!ensureInstalled('/usr/bin/pgbackrest', 'pgbackrest')) process.exit(3)
let isRun = false
await withPostgres15(
  async (url: string, server: Postgres15) => {
    isRun = true
    await tryRecipe(url, server)
  },
  (name: string, reason: string) => console.error(`${name}: ${reason}`),
)
if (!isRun) process.exit(3)

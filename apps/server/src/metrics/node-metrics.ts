/** Metrics that a node has once, from the database and the disk. */
import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { measureBackup } from '../health/checks.ts'
import { gauge, type Metric, peak, single } from './figures.ts'

interface State {
  readonly jobsWaiting: number
  readonly jobsFailed: number
  readonly mailsWaiting: number
  readonly mailsFailed: number
  readonly lockWaits: number
  /** Milliseconds since 1970. */
  readonly now: number
  readonly instances: Readonly<Record<string, number>>
}

async function readState({ db }: Pick<Deps, 'db'>): Promise<State & { readonly offset: number }> {
  const startedAt = Date.now()
  const { rows } = await sql<State>`
    select
      (select count(*)::int from graphile_worker.jobs where attempts < max_attempts) as jobs_waiting,
      (select count(*)::int from graphile_worker.jobs where attempts >= max_attempts and locked_at is null) as jobs_failed,
      (select count(*)::int from mails where state = 'Waiting') as mails_waiting,
      (select count(*)::int from mails where state = 'Failed') as mails_failed,
      (select count(*)::int from pg_locks where not granted) as lock_waits,
      (select coalesce(json_object_agg(state, number), '{}') from (select state, count(*) as number from containers where state <> 'Ended' group by state) c)
        as instances,
      extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db)
  const state = rows[0] as State
  return { ...state, offset: (state.now - (startedAt + Date.now()) / 2) / 1000 }
}

/** Free bytes by folder; without those that cannot be read. */
async function readFreeSpace({ dataDir, filesDir, backupDir }: Deps['config']) {
  const folders = { data: dataDir, files: filesDir, backups: backupDir }
  const free = await Promise.all(
    Object.entries(folders).map(async ([folder, path]) => {
      const disk = path === null ? null : await statfs(path).catch(() => null)
      return disk && ([{ folder }, disk.bavail * disk.bsize] as const)
    }),
  )
  return free.filter((one) => one !== null)
}

/** Rejects without a database; `vexil_database_up` in the metrics of `unreachable` reports that. */
export async function readNodeMetrics(deps: Pick<Deps, 'db' | 'config'>): Promise<Metric[]> {
  const [state, backup, free] = await Promise.all([readState(deps), measureBackup(deps), readFreeSpace(deps.config)])
  const states = { Pending: 0, Running: 0, Ending: 0, ...state.instances }
  return [
    peak('database_up', 'Whether the database answered the scrape', single(1)),
    gauge(
      'instances',
      'Instances that have not ended by state',
      Object.entries(states).map(([name, number]) => [{ state: name }, number] as const),
    ),
    gauge('jobs', 'Background jobs by state', [
      [{ state: 'waiting' }, state.jobsWaiting],
      [{ state: 'failed' }, state.jobsFailed],
    ]),
    gauge('mails', 'Emails by state', [
      [{ state: 'waiting' }, state.mailsWaiting],
      [{ state: 'failed' }, state.mailsFailed],
    ]),
    gauge('database_lock_waits', 'Sessions of the database that wait for a lock', single(state.lockWaits)),
    gauge('disk_free_bytes', 'Free space by folder', free),
    gauge('backup_age_seconds', 'Time since the last scheduled backup', single(backup.age)),
    gauge('backup_failed', 'Whether a scheduled backup failed or is missing', single(Number(backup.failed))),
    gauge('clock_offset_seconds', 'Clock of the database minus clock of this machine', single(state.offset)),
  ]
}

export const databaseDown: readonly Metric[] = [peak('database_up', 'Whether the database answered the scrape', single(0))]

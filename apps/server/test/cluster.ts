/** The database cluster of a platform, accessed from outside: to break it and to inspect it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pid and socket folder of the embedded cluster of a data folder. */
export function embeddedCluster(dataDir: string): { pid: number; socket: string } {
  // As root, below a folder that the database's user cannot reach, the cluster is elsewhere.
  const place = join(dataDir, 'database-location')
  const folder = existsSync(place) ? join('/var/lib/vexil', readFileSync(place, 'utf8').trim()) : dataDir
  const lines = readFileSync(join(folder, 'pg18/postmaster.pid'), 'utf8').split('\n')
  return { pid: Number(lines[0]), socket: lines[4] ?? '' }
}

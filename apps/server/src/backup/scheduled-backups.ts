/** Backups into VEXIL_BACKUP_DIR, made by the node that takes the turn (sweeps.ts). */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../deps.ts'
import type { Sweep } from '../sweeps.ts'
import { gameRuns, isDayOver, recordBackup } from './backups.queries.ts'
import { mustHaveRoom } from './disk-room.ts'
import { listOf, removeUnnamed, storeBeside } from './files-beside.ts'
import { backupName, isAbandonedPart, splitBackups } from './retention.ts'
import { type BackupDeps, saveArchive } from './save-archive.ts'

type ScheduledDeps = BackupDeps & Pick<Deps, 'log' | 'config'>

/**
 * Those of running games, and one each day: an archive without files, and the files beside it. A failure is recorded for the health check and in the
 * log. `now`: for names and ages of files.
 */
export function scheduledBackups(deps: ScheduledDeps, folder: string, now: () => Date = () => new Date()): Sweep[] {
  const runIf = (isDue: (db: Deps['db']) => Promise<boolean>) => async (signal: AbortSignal) => {
    if (!(await isDue(deps.db))) return
    try {
      const message = await makeBackup(deps, { folder, signal, now: now() })
      await recordBackup(deps.db, null)
      deps.log.write({ status: 'Success', name: 'System', message })
    } catch (error) {
      // The node is stopping: the next turn makes the backup.
      if (signal.aborted) return
      const problem = (error as Error).message
      await recordBackup(deps.db, problem)
      deps.log.write({ level: 'Error', status: 'Failed', name: 'System', message: `Scheduled backup failed: ${problem}` })
    }
  }
  return [
    { name: 'backup', everyMinutes: deps.config.backupMinutes, run: runIf(gameRuns) },
    { name: 'daily backup', everyMinutes: 60, run: runIf(isDayOver) },
  ]
}

/** Returns the line for the log. */
async function makeBackup(
  deps: ScheduledDeps,
  { folder, signal, now }: { readonly folder: string; readonly signal: AbortSignal; readonly now: Date },
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeAbandonedParts(folder, now)
  const guard = async () => {
    signal.throwIfAborted()
    await mustHaveRoom(folder)
  }
  const name = backupName(now)
  const path = join(folder, name)
  const { bytes, damaged, manifest } = await saveArchive(deps, path, {
    files: 'all',
    sessions: false,
    withKey: true,
    guard,
    progress: () => undefined,
    filesBeside: (hashes) => storeBeside(deps, path, hashes, guard),
  })
  await removeOld(folder, now)
  const lost = damaged.length > 0 ? `; ${damaged.length} files are lost or damaged, see "vexil verify --deep"` : ''
  return `Backup ${name} made: ${(bytes / 1e6).toFixed(1)} MB, ${manifest.files.length} files${lost}`
}

/** Removes what a killed process has left. Newer parts may belong to another node whose backup takes longer than its turn. */
async function removeAbandonedParts(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder))
    if (isAbandonedPart(name, now)) await rm(join(folder, name), { recursive: true, force: true })
}

async function removeOld(folder: string, now: Date): Promise<void> {
  const { kept, old } = splitBackups(await readdir(folder), now)
  for (const name of old) for (const path of [name, listOf(name)]) await rm(join(folder, path), { force: true })
  await removeUnnamed(folder, kept, now)
}

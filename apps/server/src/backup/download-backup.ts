import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DiskFull } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { mustHaveRoom } from './disk-room.ts'
import { backupName } from './retention.ts'
import { type BackupDeps, saveArchive } from './save-archive.ts'

const leftAfterMs = 24 * 3_600_000

/** A complete archive in the data folder, so that a failure is an error of the call. It is removed when its stream ends. @throws DiskFull */
export async function downloadBackup(
  deps: BackupDeps & Pick<Deps, 'log' | 'config'>,
  by: Actor,
  { withKey }: { readonly withKey: boolean },
): Promise<{ name: string; bytes: number; stream: Readable }> {
  const folder = join(deps.config.dataDir, 'backup-downloads')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeRemains(folder)
  const path = join(folder, randomUUID())
  const guard = () => mustHaveRoom(folder).catch(() => Promise.reject(new DiskFull()))
  const { bytes } = await saveArchive(deps, path, {
    files: 'referenced',
    sessions: false,
    withKey,
    guard,
    progress: () => undefined,
  })
  audit(deps, by, `Backup ${withKey ? 'with' : 'without'} the key downloaded`)
  const stream = createReadStream(path)
  stream.once('close', () => void rm(path, { force: true }).catch(deps.onError))
  return { name: backupName(new Date()), bytes, stream }
}

/** Removes what a killed process has left. */
async function removeRemains(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found && found.mtimeMs < Date.now() - leftAfterMs) await rm(path, { recursive: true, force: true })
  }
}

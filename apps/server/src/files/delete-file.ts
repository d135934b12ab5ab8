import { FileNotDeleted, FileNotFound } from '@vexil/core/rules'
import type { TaskStatus } from '@vexil/core/vocabulary'
import type { Actor } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { dropHold } from './files.queries.ts'
import { releaseFile } from './release-file.ts'

/** Removes the reference of an upload; the file is deleted with its last reference. A row without bytes counts as not found. */
export async function deleteFile(deps: Pick<Deps, 'db' | 'storage' | 'log' | 'onError'>, hash: string, by: Actor): Promise<void> {
  const message = `Deletion of file ${hash.slice(0, 8)}`
  const writeLog = (status: TaskStatus) => deps.log.write({ status, name: by.userName, ip: by.ip, message })
  const stored = await deps.storage.has(hash)
  const known = await dropHold(deps.db, hash)
  try {
    if (known) await releaseFile(deps, hash)
  } catch (error) {
    writeLog('Failed')
    deps.onError(error)
    throw new FileNotDeleted()
  }
  writeLog(known && stored ? 'Success' : 'NotFound')
  if (!known || !stored) throw new FileNotFound()
}

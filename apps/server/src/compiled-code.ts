/** Compiled code of the platform, kept so that later starts need not compile it again. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { dataDirOf, lockName } from './data-dir.ts'
import { codeOf } from './start-error.ts'

/**
 * Where it is kept; null for nowhere. What is kept there is run, so no other user may write there: the data folder of a platform that root starts
 * belongs to the user of its database. A data folder is used from the second start in it on; before, it may be any folder of other things.
 */
export function compiledFolder(env: Readonly<NodeJS.ProcessEnv>, user = process.getuid?.()): string | null {
  if (user === 0) return '/var/cache/vexil'
  const dataDir = dataDirOf(env.DATA_DIR?.trim() || null)
  const isOurs = existsSync(join(dataDir, lockName)) && statSync(dataDir).uid === user
  return isOurs ? join(dataDir, 'compiled') : null
}

/** A folder that cannot be made or written changes nothing. Threads and processes that this one starts do the same. */
export function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  const folder = compiledFolder(env)
  if (folder === null) return
  try {
    // Node makes missing folders above it, too, and never returns from that where the system refuses in an unusual way, as in /proc.
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return
  }
  if (enableCompileCache(folder).directory) env.NODE_COMPILE_CACHE ??= folder
}

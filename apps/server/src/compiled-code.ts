import { existsSync, mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { dataDirOf, lockName } from './data-dir.ts'
import { codeOf } from './start-error.ts'

/**
 * The cache folder, or null. Its content is executed, so no other user may write there: if root starts the platform, the data folder belongs to the
 * database's user. On the first start, the data folder may be unrelated and is not used.
 */
export function compiledFolder(env: Readonly<NodeJS.ProcessEnv>, user = process.getuid?.()): string | null {
  if (user === 0) return '/var/cache/vexil'
  const dataDir = dataDirOf(env.DATA_DIR?.trim() || null)
  const isOurs = existsSync(join(dataDir, lockName)) && statSync(dataDir).uid === user
  return isOurs ? join(dataDir, 'compiled') : null
}

/** Has no effect if the folder cannot be created or written. Threads and child processes inherit the cache. */
export function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  const folder = compiledFolder(env)
  if (folder === null) return
  try {
    // Not left to Node, which also creates missing parents, and hangs where the system refuses in an unusual way, as in /proc.
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return
  }
  if (enableCompileCache(folder).directory) env.NODE_COMPILE_CACHE ??= folder
}

import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './start-error.ts'

/** The GUID of the node whose data folder this is; the first call creates it. Safe in several processes. */
export function readNodeId(dataDir: string): string {
  const file = join(dataDir, 'node-id')
  const draft = `${file}.${process.pid}`
  // A link is created atomically, and never replaces a file.
  writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(file, 'utf8').trim()
}

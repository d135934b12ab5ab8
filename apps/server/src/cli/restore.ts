import { resolve } from 'node:path'
import { openArchive } from '../backup/read-archive.ts'
import { keyFor, mustBeReadable, restoreArchive } from '../backup/restore-archive.ts'
import { openStorage } from '../open-deps.ts'
import { configuredKey, storeKey } from '../secrets.ts'
import type { CommandSpec } from './command.ts'
import { withNewDatabase } from './command-database.ts'
import { verifyStopped } from './verify.ts'

export const restoreCommand: CommandSpec = {
  name: 'restore',
  args: ['file'],
  summary: 'load a backup into an empty database, upgrade it to this release, and verify it',
  run: async (context, [file = '']) => {
    const { config, printProgress } = context
    const archive = await openArchive(resolve(file))
    mustBeReadable(archive)
    const configured = configuredKey(config)
    const key = keyFor(archive, configured)
    return withNewDatabase(
      context,
      async (database) => {
        if (configured === null && key !== null) storeKey(config.dataDir, key)
        await restoreArchive({ database, storage: await openStorage(config) }, archive, printProgress)
      },
      async (deps) => {
        printProgress('verify')
        const { lines, json, foundProblems = false } = await verifyStopped(deps)
        const { version, madeAt } = archive.manifest
        deps.log.write({ status: 'Success', name: 'System', message: `Backup of ${madeAt} (release ${version}) restored` })
        return {
          lines: [`Restored the backup of ${madeAt}, made by release ${version}.`, ...lines],
          json: { version, madeAt, verify: json },
          foundProblems,
        }
      },
    )
  },
}

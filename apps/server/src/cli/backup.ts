import { resolve } from 'node:path'
import { type BackupOptions, saveArchive } from '../backup/save-archive.ts'
import { StartError } from '../start-error.ts'
import type { CommandSpec } from './command.ts'
import { withPlatform } from './command-database.ts'

const choices = ['none', 'referenced', 'all'] as const

export const backupCommand: CommandSpec = {
  name: 'backup',
  args: ['file'],
  summary: 'write a backup of database, files and key to a file; the platform can run meanwhile',
  options: [
    ['--files <which>', 'none, referenced or all files (default: referenced)'],
    ['--without-key', 'leave SECRET_KEY out'],
    ['--sessions', 'keep users signed in'],
  ],
  run: (context, [file = ''], { files = 'referenced', withoutKey, sessions }) => {
    const which = filesOf(String(files))
    return withPlatform(context, {}, async (deps) => {
      const path = resolve(file)
      const { manifest, bytes, damaged } = await saveArchive(deps, path, {
        files: which,
        sessions: sessions === true,
        withKey: withoutKey !== true,
        guard: async () => undefined,
        progress: context.printProgress,
      })
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      return {
        lines: [
          ...damaged.map((hash) => `The file ${hash} is not stored, or has other bytes: run "vexil verify --deep".`),
          `${path}: ${(bytes / 1e6).toFixed(1)} MB, ${rows} rows, ${manifest.files.length} files.`,
        ],
        json: { path, bytes, rows, files: manifest.files.length, damaged },
        foundProblems: damaged.length > 0,
      }
    })
  },
}

function filesOf(text: string): BackupOptions['files'] {
  const found = choices.find((choice) => choice === text)
  if (found) return found
  throw new StartError(`--files must be one of ${choices.join(', ')}, not "${text}".`)
}

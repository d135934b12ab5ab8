import { migrate, pendingMigrations } from '../db/migrate.ts'
import type { CommandSpec } from './command.ts'
import { withDatabase } from './command-database.ts'

export const migrateCommand: CommandSpec = {
  name: 'migrate',
  summary: 'upgrade the schema of the database',
  options: [['--check', 'only list pending migrations; exit code 1 if there are any']],
  run: (context, _, { check }) =>
    withDatabase(context, async (database) => {
      if (check) {
        const pending = await pendingMigrations(database.db)
        const lines = pending.length === 0 ? ['The schema is current.'] : pending.map((name) => `pending: ${name}`)
        return { lines, json: { pending }, foundProblems: pending.length > 0 }
      }
      const applied = await migrate(database)
      const lines = applied.length === 0 ? ['The schema is current.'] : applied.map((name) => `applied: ${name}`)
      return { lines, json: { applied } }
    }),
}

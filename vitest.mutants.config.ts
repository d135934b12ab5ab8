import { defineConfig } from 'vitest/config'

const needsDatabase = ['apps/server/src/**/*.db.test.ts', 'apps/server/test/**/*.test.ts']
// They are about the process, the clock of the machine or every call there is, and say nothing about one room.
const apart = [
  'apps/server/test/{kill,breaks,fuzz,access,error-rows,habits,query-counts,concurrency}.test.ts',
  '**/embedded.db.test.ts',
  'apps/server/src/http/{upload-watch,slow-clients}.test.ts',
]
const part = process.env.VEXIL_MUTANTS ?? 'core-unit'
// The server's tests would know more of core, but a rule of the game is proven where it stands.
const unit = part === 'core-unit' ? ['packages/core/src/**/*.test.ts'] : ['apps/server/src/**/*.test.ts']

/** What `npm run mutants` runs: the mutation runner takes a configuration without projects. */
export default defineConfig({
  test:
    part === 'server-integration'
      ? {
          include: needsDatabase,
          exclude: [...apart, '**/node_modules/**'],
          globalSetup: 'apps/server/test/database-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        }
      : { include: unit, exclude: [...needsDatabase, ...apart, '**/node_modules/**'], testTimeout: 60_000 },
})

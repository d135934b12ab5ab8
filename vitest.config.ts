import { defineConfig } from 'vitest/config'
import { textAreas } from './apps/web/text-areas.ts'

const needsDatabase = ['apps/server/src/**/*.db.test.ts', 'apps/server/test/**/*.test.ts']
/** On a real Kubernetes cluster: scripts/cluster-test.ts runs them. */
const needsCluster = ['apps/server/src/**/*.cluster.test.ts', 'apps/server/test/**/*.cluster.test.ts']
/** Machines that run the tests are often busy: what is waited for may take longer than the second that is the default. */
const patience = { expect: { poll: { timeout: 5_000 } } }
const ofTheEmbedded = ['apps/server/test/{kill,breaks,processes}.test.ts', 'apps/server/src/db/embedded.db.test.ts']

export default defineConfig({
  test: {
    maxWorkers: 2,
    // Machines that run the tests are often busy.
    testTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          ...patience,
          testTimeout: 60_000,
          include: ['packages/*/{src,test}/**/*.test.ts', 'apps/server/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...needsDatabase, ...needsCluster, '**/node_modules/**'],
        },
      },
      {
        // The web's own compiler settings (JSX) hold for it.
        root: 'apps/web',
        plugins: [textAreas],
        // A page costs time; the files that need one say so in their first line.
        test: { name: 'web', ...patience, testTimeout: 30_000, include: ['src/**/*.test.{ts,tsx}'], environment: 'node' },
      },
      {
        test: {
          name: 'integration',
          ...patience,
          environment: 'node',
          include: needsDatabase,
          // These are about the embedded database; a run on an outside one has nothing to kill.
          exclude: [...needsCluster, ...(process.env.VEXIL_TEST_DATABASE_URL ? ofTheEmbedded : []), '**/node_modules/**'],
          globalSetup: 'apps/server/test/database-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'cluster',
          environment: 'node',
          include: needsCluster,
          globalSetup: 'apps/server/test/database-setup.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})

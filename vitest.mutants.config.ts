import { defineConfig } from 'vitest/config'
import { parts } from './scripts/mutants.files.ts'

const part = parts.find(({ room }) => room === process.env.VEXIL_MUTANTS)

/** What `npm run mutants` runs: the mutation runner takes a configuration without projects. */
export default defineConfig({
  test: {
    include: [...(part?.tests ?? [])],
    testTimeout: part?.database ? 60_000 : 15_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5_000 } },
    ...(part?.database && { globalSetup: 'apps/server/test/database-setup.ts' }),
  },
})

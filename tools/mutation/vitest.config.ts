import { matchesGlob } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification, type VitestPluginContext } from 'vitest/node'
import { textAreas } from '../../apps/web/text-areas.ts'
import { parts } from './mutants.files.ts'
import { end, KeptThread } from './mutants.thread.ts'

const part = parts.find(({ name }) => name === process.env.VEXIL_MUTANTS)

/** Test files in the order of the part's list: the first failure ends a run, so those that fail soonest come first. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      part?.tests.findIndex((listed) => matchesGlob(moduleId, `**/${listed}`)) ?? 0
    return files.toSorted((a, b) => place(a) - place(b))
  }
}

/** Replaces the pool, which the mutation runner chooses after it has read this configuration. */
const keepsThread = {
  name: 'keeps-thread',
  configureVitest({ project, vitest }: VitestPluginContext): void {
    project.config.pool = 'kept'
    project.config.poolRunner = { name: 'kept', createPoolWorker: (options) => new KeptThread(options) }
    vitest.onClose(end)
  },
}

const keepsModules = part?.database && !part.mocks
const isWeb = part?.room.of === 'web'
const shares = keepsModules || isWeb

/** The configuration of `npm run tool -- mutants`: the mutation runner needs one without projects. */
export default defineConfig({
  plugins: [textAreas, ...(shares ? [keepsThread] : [])],
  test: {
    include: [...(part?.tests ?? [])],
    testTimeout: part?.database ? 60_000 : 15_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5_000 } },
    ...(part?.database && {
      globalSetup: 'apps/server/test/database-setup.ts',
      setupFiles: 'apps/server/test/open-handles.ts',
    }),
    // All test files and all mutants share the imported application: importing it takes most of the time.
    ...(shares && { isolate: false, sequence: { sequencer: AsListed } }),
    ...(keepsModules && { experimental: { viteModuleRunner: false } }),
    // Tests of the web share only packages: they replace modules.
    ...(isWeb && { setupFiles: ['tools/mutation/reset-modules.ts', 'vitest.setup.ts'] }),
  },
})

import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { textAreas } from './apps/web/text-areas.ts'
import { TestOrder } from './scripts/gate/test-order.ts'

/**
 * Threads started by tests find their modules compiled. Without the cache each thread removes the types with Node's WebAssembly module, and V8
 * aborted the test process in about one of 1,500 starts (`Check failed: jit_page.has_value()`, Node 24.21) or ended it with SIGSEGV.
 */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Slow tests that seldom fail: `npm run proof` runs them, `npm test` does not. */
const ofProof = 'apps/server/{src,test}/**/*.proof.test.ts'
const needsDatabase = ['apps/server/src/**/*.db.test.ts', 'apps/server/test/**/*.test.ts']
/** Tests on a real Kubernetes cluster: tools/cluster/cluster-test.ts runs them. */
const needsCluster = ['apps/server/src/**/*.cluster.test.ts', 'apps/server/test/**/*.cluster.test.ts']
/** Tests that need the embedded database: excluded from a run on an external one. */
const ofTheEmbedded = process.env.VEXIL_TEST_DATABASE_URL
  ? [
      'apps/server/test/processes.test.ts',
      'apps/server/test/{kill,breaks,start}.proof.test.ts',
      'apps/server/src/db/embedded.db.test.ts',
    ]
  : []

/** Machines that run the tests are often busy: no test asserts durations, and timeouts are long. */
const patience = {
  expect: { poll: { timeout: 20_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
  setupFiles: join(import.meta.dirname, 'vitest.setup.ts'),
}
const project = (name: string, include: string[], more: TestProjectInlineConfiguration['test'] = {}) => ({
  test: { ...patience, name, include, environment: 'node', ...more },
})

export const needsPage = (text: string): boolean => text.startsWith('// @vitest-environment jsdom')
/** Whether a test file needs a separate process, by its text. */
export const isAlone = (text: string): boolean =>
  // Fake timers and spies on globals, too: in some orders of files the next file had a timer that never fires.
  /\bvi\.(useFakeTimers|setSystemTime)\(|\bspyOn\((globalThis|performance)\b|^\/\/ Alone: /m.test(text) ||
  (!needsPage(text) && /\bvi\.(mock|doMock|resetModules)\(/.test(text))

/**
 * Importing takes longer than most tests, so files share a process and its imported modules. A file that replaces modules, or that has
 * an `// Alone:` comment with a reason, has a separate process. Files that render a page reload the modules of the web, so they may replace
 * them.
 */
function apart(folder: string, include: string[], exclude: string[] = []) {
  const files = globSync(include, { cwd: join(import.meta.dirname, folder), exclude: [...exclude, '**/node_modules/**'] })
  const texts = files.map((file) => ({ file, text: readFileSync(join(import.meta.dirname, folder, file), 'utf8') }))
  const named = (fits: (text: string) => boolean) => texts.filter(({ text }) => fits(text)).map(({ file }) => file)
  return {
    alone: named((text) => isAlone(text) && !needsPage(text)),
    shared: named((text) => !isAlone(text) && !needsPage(text)),
    pagesAlone: named((text) => isAlone(text) && needsPage(text)),
    pages: named((text) => !isAlone(text) && needsPage(text)),
  }
}

const unit = apart(
  '.',
  [
    'packages/*/{src,test}/**/*.test.ts',
    'apps/server/src/**/*.test.ts',
    'scripts/**/*.test.ts',
    'tools/**/*.test.ts',
    'e2e/*.test.ts',
  ],
  [...needsDatabase, ...needsCluster, ofProof],
)
const web = apart('apps/web', ['src/**/*.test.{ts,tsx}'])
const integration = apart('.', needsDatabase, [...needsCluster, ...ofTheEmbedded, ofProof])

const shares = { isolate: false }
const database = {
  globalSetup: 'apps/server/test/database-setup.ts',
  setupFiles: [patience.setupFiles, join(import.meta.dirname, 'apps/server/test/open-handles.ts')],
}
/** Uses the compiler settings of the web (JSX). */
const inWeb = { root: 'apps/web', plugins: [textAreas] }

export default defineConfig({
  test: {
    // Tests wait for a quarter of their time: on two processors a third worker uses it.
    maxWorkers: Number(process.env.VEXIL_WORKERS ?? Math.min(4, availableParallelism() + 1)),
    sequence: { sequencer: TestOrder },
    projects: [
      project('unit-shared', unit.shared, shares),
      project('unit-alone', unit.alone),
      { ...inWeb, ...project('web-shared', web.shared, shares) },
      { ...inWeb, ...project('web-alone', web.alone) },
      { ...inWeb, ...project('pages-shared', web.pages, { ...shares, environment: 'jsdom' }) },
      { ...inWeb, ...project('pages-alone', web.pagesAlone, { environment: 'jsdom' }) },
      project('integration-shared', integration.shared, { ...shares, ...database }),
      project('integration-alone', integration.alone, database),
      project('proof', [ofProof], { ...database, exclude: [...ofTheEmbedded, '**/node_modules/**'] }),
      project('cluster', needsCluster, database),
    ],
  },
})

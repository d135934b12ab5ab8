/**
 * A process that runs test files with one deletion after another, in a copy of the project whose sources have switches (deletions.switches.ts).
 * The test runner, the database server and compiled code are kept; each question gets a fresh worker, which all its files share if they may.
 */
import { relative } from 'node:path'
import { createVitest, type TestSpecification } from 'vitest/node'

export interface Question {
  /** 0: no deletion. */
  readonly deletion: number
  /** Paths from the root, in the order in which they run; the first failure ends the run. */
  readonly tests: readonly string[]
  /** The file to which the numbers of reached switches are appended; '': none. */
  readonly reached: string
}

export interface Result {
  readonly failed: boolean
  /** The first test that failed, with its error. */
  readonly by: string
  /** How many tests passed or failed. */
  readonly ran: number
}

const copy = process.cwd()
const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
  coverage: { enabled: false },
  onConsoleLog: () => false,
  // A timeout ends a run; on an idle machine no test takes that long.
  testTimeout: 30_000,
  hookTimeout: 60_000,
})
let order: readonly string[] = []
vitest.config.sequence.sequencer = class {
  shard = (specs: TestSpecification[]) => specs
  sort = (specs: TestSpecification[]) => specs.toSorted((a, b) => placeOf(a) - placeOf(b))
} as never
const placeOf = ({ moduleId }: TestSpecification) => order.indexOf(relative(copy, moduleId))

async function answer({ deletion, tests, reached }: Question): Promise<Result> {
  order = tests
  const wanted = new Set(tests)
  const found = (await vitest.globTestSpecifications([...tests])).filter(
    ({ moduleId, project }) => wanted.has(relative(copy, moduleId)) && project.name !== 'cluster',
  )
  for (const project of vitest.projects)
    project.config.env = { ...project.config.env, VEXIL_DELETION: String(deletion), VEXIL_REACHED: reached }
  // Otherwise a file that is not run after a failure would have its result of an earlier question.
  vitest.state.filesMap.clear()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(found)
  const failed = testModules.find((module) => module.state() === 'failed')
  const test = failed && [...failed.children.allTests('failed')][0]
  const error = test?.result().errors?.[0] ?? failed?.errors()[0] ?? (unhandledErrors[0] as Error | undefined)
  const ran = testModules
    .flatMap((module) => [...module.children.allTests()])
    .filter((one) => /passed|failed/.test(one.result().state))
  return {
    failed: failed !== undefined || unhandledErrors.length > 0,
    by: `${test?.fullName ?? (failed ? relative(copy, failed.moduleId) : '')}: ${error?.message ?? ''}`
      .replaceAll(/\s+/g, ' ')
      .slice(0, 200),
    ran: ran.length,
  }
}

process.on('message', (question: Question) => {
  answer(question).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: true, by: String(error), ran: 0 }),
  )
})
// Hanging processes must not remain.
process.on('disconnect', () => {
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), 20_000).unref()
  void vitest.close().finally(() => process.exit())
})
process.send?.('ready')

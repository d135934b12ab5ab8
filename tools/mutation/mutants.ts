/**
 * Changes the code in small ways and shows which changes no test notices. `-- core`, `-- server`, `-- web`, `-- sql`, a room of mutants.files.ts or one of its
 * parts (`accounts-alone`) selects those, `--file EXPRESSION` the files whose path matches, `--at-once N` runs N mutants at a time (default: one per core).
 * The score of a file is killed / all valid mutants: equivalent mutants stay in the denominator, mutants that time out count as killed and are also listed
 * separately. Results are kept in `.mutants/`, so a second run tries only what changed; an interrupted run keeps its results.
 * `--sample N` tries N changes of each part, drawn by the seed that is printed (`--seed N` draws the same again), keeps no results, and judges the
 * part as a whole; 0: all. Parts of components have a sample of 100 by default. Fails if a score is below the minimum of its room, or if an edit of SQL is not found.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { copyProject, failsIn, plantAll, removeCopy, root } from './copied-project.ts'
import { type Part, parts } from './mutants.files.ts'
import { sqlEdits } from './mutants.sql.ts'

interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout' | 'CompileError' | 'RuntimeError' | 'Ignored' | 'Pending'
  readonly location: { readonly start: { readonly line: number } }
}
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

const kept = join(root, '.mutants')
const valid = new Set(['Killed', 'Survived', 'NoCoverage', 'Timeout'])

/** Keeps only killed mutants of the last run: the runner does not notice that a new test covers code that is evaluated once, at the start. */
function forgetSurvivors(path: string, asked: readonly string[]): void {
  if (!existsSync(path)) return
  const last = JSON.parse(readFileSync(path, 'utf8')) as { files: Record<string, { mutants: Mutant[] }> }
  for (const name of asked) {
    const file = last.files[name]
    if (file) file.mutants = file.mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout')
  }
  writeFileSync(path, JSON.stringify(last))
}

/** Runs one part in the copy, whose sources the runner changes in place. */
function mutate(
  copy: string,
  { name, room, database, components }: Part,
  files: readonly string[],
  sample: number,
): Report | undefined {
  const report = join(copy, 'mutants.json')
  const incrementalFile = join(kept, `${name}.json`)
  if (!sample) forgetSurvivors(incrementalFile, files)
  rmSync(report, { force: true })
  const settings = {
    inPlace: true,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './tools/mutation/mutants.sample.mjs'],
    checkers: sample ? ['sample'] : [],
    mutate: files,
    // In components these are mostly classes, styles, attributes and dependencies, whose effect is only visible in pictures and journeys.
    mutator: { excludedMutations: components ? ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] : [] },
    // The tests of a part are those of its list, not those that import a file: an application imports everything.
    vitest: { configFile: 'tools/mutation/vitest.config.ts', related: !database },
    incremental: !sample,
    incrementalFile,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    // Each test runner with a database has its own server. Tests that render a page wait for half of their time.
    concurrency: room.of === 'web' ? 2 * atOnce : atOnce,
    // On a busy machine a slow run must not count as an endless one.
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 20,
    warnings: { slow: false },
  }
  writeFileSync(join(copy, 'stryker.json'), JSON.stringify(settings))
  spawnSync(process.execPath, ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'stryker.json'], {
    cwd: copy,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Each mutant runs in a new worker, which need not compile unchanged code again.
    env: {
      ...process.env,
      VEXIL_MUTANTS: name,
      VEXIL_SAMPLE: `${sample} ${seed}`,
      NODE_COMPILE_CACHE: join(copy, 'node_modules/.cache/compiled'),
    },
  })
  return existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report) : undefined
}

/** Prints a line with the score and one for each survivor. @returns whether the score is high enough */
function show(name: string, files: readonly (readonly [string, readonly Mutant[]])[], least: number): boolean {
  const mutants = files.flatMap(([, some]) => some)
  const count = (...statuses: Mutant['status'][]) => mutants.filter(({ status }) => statuses.includes(status)).length
  const all = mutants.filter(({ status }) => valid.has(status)).length
  const score = all === 0 ? 100 : (count('Killed', 'Timeout') / all) * 100
  const good = score >= least
  console.log(`${good ? 'good' : 'LOW'}\t${score.toFixed(1)} %\t${all} mutants, ${count('Timeout')} timed out\t${name}`)
  for (const [file, some] of files)
    for (const { status, location, mutatorName, replacement = '' } of some)
      if (status === 'Survived' || status === 'NoCoverage')
        console.log(`\t${file}:${location.start.line}\t${mutatorName}\t${replacement.replaceAll(/\s+/g, ' ').slice(0, 120)}`)
  return good
}

function runPart(copy: string, part: Part): { passed: number; failed: number } {
  const files = part.files.filter((file) => fits.test(file))
  if (files.length === 0) return { passed: 0, failed: 0 }
  const sample = Number(option('--sample') || (part.components ? 100 : 0))
  if (sample) console.log(`A sample of ${sample} changes of ${part.name}, seed ${seed}`)
  const report = mutate(copy, part, files, sample)
  if (!report) return { passed: 0, failed: 1 }
  const results = Object.entries(report.files)
    // The report also has results of other files from the last run.
    .filter(([file]) => fits.test(file))
    .map(([file, { mutants }]) => [file, mutants] as const)
  const judged = sample
    ? [show(part.name, results, part.room.least)]
    : results.map((result) => show(result[0], [result], part.room.least))
  const passed = judged.filter(Boolean).length
  return { passed, failed: judged.length - passed }
}

const option = (name: string): string => {
  const at = process.argv.indexOf(name)
  return at > 0 ? (process.argv[at + 1] ?? '') : ''
}
const fits = new RegExp(option('--file'))
const atOnce = Number(option('--at-once') || availableParallelism())
const seed = option('--seed') || String(Math.floor(Math.random() * 2 ** 31))
/** All names of a part: `server`, `accounts` and `accounts-alone`. */
const namesOf = ({ name, room }: Part): string[] => [name, room.name, room.of]
const names = new Set(['sql', ...parts.flatMap(namesOf)])
const named = process.argv.slice(2).filter((one) => names.has(one))
const wanted = (...any: string[]) => named.length === 0 || any.some((name) => named.includes(name))
const total = { passed: 0, failed: 0 }

mkdirSync(kept, { recursive: true })
const copy = copyProject()
try {
  for (const part of parts.filter((part) => wanted(...namesOf(part)))) {
    const { passed, failed } = runPart(copy, part)
    total.passed += passed
    total.failed += failed
  }
  if (wanted('sql')) {
    const edits = sqlEdits.filter(({ name, file }) => fits.test(`${name} ${file}`))
    const found = plantAll(copy, edits, (found) => failsIn(copy, found))
    total.passed += found
    total.failed += edits.length - found
  }
} finally {
  removeCopy(copy)
}
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed ? 1 : 0

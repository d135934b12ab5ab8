/**
 * Deletes single statements and other effects, one at a time (deletions.switches.ts), and shows those whose deletion no test notices. `-- ROOM...` selects
 * rooms of mutants.files.ts, or `core`, `server`, `web`; by default all. Tries a random sample of 100 of their deletions, or `--sample N`. The seed
 * is printed, and `--seed N` draws the same sample again. `--since COMMIT` selects only lines that changed since then, `--file EXPRESSION` only files whose
 * path matches, `--text EXPRESSION` only deletions whose text matches; `--numbers` doubles numbers instead. `--at-once N` runs N at a time (default: one for each core), `--minutes N` stops after that time (default: 25), `--list` only lists the
 * deletions, `--unreached` only those that no test file reaches. Fails below the minimum score, or if a survivor of changed lines is not accepted.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyProject, removeCopy, root } from './copied-project.ts'
import { changedLines, distance, type Outcome, readAccepted, reasonOf, sampleOf, summaryOf } from './deletions.sample.ts'
import { type Deletion, readSources, switchesOf } from './deletions.switches.ts'
import { Runner } from './deletions.worker.ts'
import { type Room, rooms, sourcesOf, testsOf } from './mutants.files.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    since: { type: 'string' },
    file: { type: 'string', default: '' },
    text: { type: 'string', default: '' },
    'at-once': { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: '25' },
    list: { type: 'boolean', default: false },
    numbers: { type: 'boolean', default: false },
    unreached: { type: 'boolean', default: false },
  },
})
const until = Date.now() + Number(values.minutes) * 60_000
const accepted = readAccepted()

const chosen = rooms.filter(({ name, of }) => positionals.length === 0 || positionals.includes(name) || positionals.includes(of))
const unknown = positionals.filter((word) => !rooms.some(({ name, of }) => name === word || of === word))
if (unknown.length > 0) throw new Error(`There is no room ${unknown.join(', ')}: ${rooms.map(({ name }) => name).join(', ')}`)

const copy = values.list ? '' : copyProject()
const folder = mkdtempSync(join(tmpdir(), 'vexil-reached-'))
const runners = Array.from({ length: Number(values['at-once']) }, () => new Runner(copy))
const tidy = () => {
  if (copy) removeCopy(copy)
  rmSync(folder, { recursive: true, force: true })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await Promise.all(runners.map((runner) => runner.end('SIGKILL')))
    tidy()
    process.exit(1)
  })
try {
  const all = await switchAll(chosen)
  if (values.list) list(all)
  else if (values.unreached) await listUnreached(all)
  else await judge(all)
} finally {
  await Promise.all(runners.map((runner) => runner.end()))
  tidy()
}

/** Writes the sources of the rooms with switches into the copy. @returns their deletions */
async function switchAll(chosen: readonly Room[]): Promise<Deletion[]> {
  const fits = new RegExp(values.file)
  const changed = values.since === undefined ? undefined : changedLines(values.since)
  const all: Deletion[] = []
  for (const isWeb of [false, true]) {
    const files = chosen.filter(({ of }) => (of === 'web') === isWeb).flatMap(sourcesOf)
    const wanted = files.filter((file) => fits.test(file) && (!changed || changed.has(file)))
    if (wanted.length === 0) continue
    const program = readSources(root, isWeb ? 'apps/web/tsconfig.json' : 'tsconfig.json', wanted)
    const checker = program.getTypeChecker()
    for (const file of wanted) {
      const source = program.getSourceFile(join(root, file))
      if (!source) throw new Error(`${file} cannot be read`)
      const { text, deletions } = switchesOf(source, file, checker, all.length + 1, values.numbers ? 'numbers' : 'effects')
      all.push(...deletions)
      if (copy && deletions.length > 0) writeFileSync(join(copy, file), text)
    }
  }
  const lines = (deletion: Deletion) => changed?.get(deletion.file)
  const matching = new RegExp(values.text)
  return all
    .filter((one) => matching.test(one.text))
    .filter((one) => !changed || lines(one)?.some((line) => one.line <= line && line <= one.lastLine))
}

function list(deletions: readonly Deletion[]): void {
  for (const { file, line, text } of deletions) console.log(`${file}:${line}\t${text}`)
}

async function listUnreached(all: readonly Deletion[]): Promise<void> {
  const known = await measure([...new Set(chosen.flatMap(testsOf))])
  list(all.filter(({ number }) => !known.some(({ reached }) => reached.has(number))))
}

async function judge(all: readonly Deletion[]): Promise<void> {
  const { drawn, left } = sampleOf(all, Number(values.sample), Number(values.seed))
  console.log(`${drawn.length} of ${all.length} deletions, seed ${values.seed}`)
  if (drawn.length === 0) return
  const outcomes: Outcome[] = []
  const known = await measure([...new Set(chosen.flatMap(testsOf))])
  await each(drawn, async (runner, deletion) => {
    if (Date.now() > until) return
    const outcome = await ask(runner, deletion, known)
    outcomes.push(outcome)
    const { verdict, by } = outcome
    console.log(`${verdict}\t${deletion.file}:${deletion.line}\t${deletion.text}\t${by}`)
  })
  const { lines, good } = summaryOf(outcomes, accepted, values.since === undefined ? drawn.length : 'changed lines')
  for (const line of lines) console.log(line)
  if (left > 0) console.log(`${left} were not drawn`)
  if (outcomes.length < drawn.length) console.log(`${drawn.length - outcomes.length} were not asked: the time was over`)
  process.exitCode = good || values.numbers ? 0 : 1
}

interface KnownTest {
  readonly test: string
  readonly ms: number
  readonly reached: ReadonlySet<number>
}

/** Runs each test file once without a deletion. Files that fail then prove nothing: they are printed and left out. */
async function measure(tests: readonly string[]): Promise<KnownTest[]> {
  const known: KnownTest[] = []
  await each(tests, async (runner, test) => {
    const reached = join(folder, test.replaceAll('/', '-'))
    writeFileSync(reached, '')
    const startedAt = performance.now()
    const { failed, by, ran } = await runner.ask({ deletion: 0, tests: [test], reached }, 300_000)
    const ms = performance.now() - startedAt
    if (failed) console.log(`RED ALREADY\t${test}\t${by}`)
    else if (ran > 0) known.push({ test, ms, reached: new Set(readFileSync(reached, 'utf8').split('\n').map(Number)) })
  })
  console.log(
    `${known.length} files of tests, ${Math.round(known.reduce((sum, { ms }) => sum + ms, 0) / 1000)} s one after the other`,
  )
  return known
}

async function ask(runner: Runner, deletion: Deletion, known: readonly KnownTest[]): Promise<Outcome> {
  const reaching = known
    .filter(({ reached }) => reached.has(deletion.number))
    .toSorted((a, b) => distance(deletion.file, a.test) - distance(deletion.file, b.test) || a.ms - b.ms)
  if (reaching.length === 0) return { deletion, verdict: 'survived', by: 'no test reaches it' }
  const tests = reaching.map(({ test }) => test)
  const usual = reaching.reduce((sum, { ms }) => sum + ms, 0)
  const question = { deletion: deletion.number, tests, reached: '' }
  const { failed, by } = await runner.ask(question, 3 * usual + 60_000)
  // A late or missing result may be caused by a busy machine.
  const isLate = failed && /timed out|no answer|vitest-pool|process of the tests/.test(by)
  if (isLate && (await runner.ask({ ...question, deletion: 0 }, 3 * usual + 60_000)).failed)
    return { deletion, verdict: 'undecided', by }
  if (failed) return { deletion, verdict: 'killed', by }
  return { deletion, verdict: 'survived', by: reasonOf(accepted, deletion) ?? `${tests.length} files of tests` }
}

/** Each runner takes the next item when it is done. */
async function each<T>(items: readonly T[], work: (runner: Runner, item: T) => Promise<void>) {
  const waiting = [...items]
  await Promise.all(
    runners.map(async (runner) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(runner, item)
    }),
  )
}

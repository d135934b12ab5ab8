/** Which deletions are asked, and what the answers come to. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './copied-project.ts'
import type { Deletion } from './deletions.switches.ts'

/** Killed of a sample that nothing was done for, in per cent. */
export const leastKilled = 85
/** Decided of the deletions that were drawn: fewer say too little of the others. */
const leastDecided = 0.5

export interface Outcome {
  readonly deletion: Deletion
  /** Undecided: the tests fail with nothing taken away, too. */
  readonly verdict: 'killed' | 'survived' | 'undecided'
  /** The test that fails first, or why there is none. */
  readonly by: string
}

/** The same seed draws the same from the same list. */
export function sampleOf<T>(all: readonly T[], size: number, seed: number): { readonly drawn: T[]; readonly left: number } {
  let state = seed | 0
  // Mulberry32.
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const drawn = all
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, size)
    .map(({ item }) => item)
  return { drawn, left: all.length - drawn.length }
}

/** Survivors that may live: the file, what is taken away as the tool prints it, and why. */
export interface Accepted {
  readonly file: string
  readonly text: string
  readonly reason: string
}

export function readAccepted(): Accepted[] {
  const lines = readFileSync(join(root, 'tools/mutation/deletions.accepted.tsv'), 'utf8').trimEnd().split('\n').slice(1)
  return lines.map((line) => {
    const [file = '', text = '', reason = ''] = line.split('\t')
    return { file, text, reason }
  })
}

export const reasonOf = (accepted: readonly Accepted[], { file, text }: Deletion): string | undefined =>
  accepted.find((one) => one.file === file && one.text === text)?.reason

/** 0 for the tests of that very file, 1 for others of its folder, 2 for those elsewhere: the nearer ones fail sooner. */
export function distance(file: string, test: string): number {
  const stem = (path: string) => path.replace(/(\.\w+)*$/, '')
  if (stem(file) === stem(test)) return 0
  return dirname(file) === dirname(test) ? 1 : 2
}

/**
 * Accepted ones count as survivors, too: a score says what tests notice.
 * @param asked how many deletions were drawn; of changed lines no score is asked for, but that no survivor is open
 */
export function summaryOf(
  outcomes: readonly Outcome[],
  accepted: readonly Accepted[],
  asked: number | 'changed lines',
): { readonly lines: string[]; readonly good: boolean } {
  const survivors = outcomes.filter(({ verdict }) => verdict === 'survived')
  const open = survivors.filter(({ deletion }) => !reasonOf(accepted, deletion))
  const killed = outcomes.filter(({ verdict }) => verdict === 'killed').length
  const decided = killed + survivors.length
  const score = decided === 0 ? 0 : (killed / decided) * 100
  return {
    lines: [
      ...open.map(({ deletion: { file, line, text }, by }) => `SURVIVED\t${file}:${line}\t${text}\t${by}`),
      `${killed} of ${decided} killed: ${score.toFixed(1)} %; ${survivors.length - open.length} survivors accepted, ${open.length} not; ${outcomes.length - decided} undecided`,
    ],
    good: asked === 'changed lines' ? open.length === 0 : score >= leastKilled && decided >= asked * leastDecided,
  }
}

/** Of each file that changed since the commit, and of each that is new, the lines that are there now. */
export function changedLines(commit: string): Map<string, readonly number[]> {
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
    if (status !== 0) throw new Error(stderr)
    return stdout
  }
  const changed = linesOf(git('diff', '--unified=0', '--no-color', '--no-ext-diff', commit, '--', 'packages', 'apps'))
  for (const file of git('ls-files', '--others', '--exclude-standard', '--', 'packages', 'apps').split('\n'))
    if (existsSync(join(root, file)) && file) {
      const { length } = readFileSync(join(root, file), 'utf8').split('\n')
      changed.set(file, range(1, length))
    }
  return changed
}

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, at) => first + at)

/** @param diff of git, without lines around the changes */
export function linesOf(diff: string): Map<string, readonly number[]> {
  const changed = new Map<string, readonly number[]>()
  let file = ''
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.replace('+++ b/', '')
    const [, first, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (first !== undefined) changed.set(file, [...(changed.get(file) ?? []), ...range(Number(first), Number(count))])
  }
  return changed
}

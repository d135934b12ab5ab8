/** Selects the deletions to try, and summarizes the results. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './copied-project.ts'
import type { Deletion } from './deletions.switches.ts'

/** Minimum share of killed deletions of a random sample, in per cent. */
export const leastKilled = 85
/** Minimum share of decided deletions among those that were drawn: fewer are not representative. */
const leastDecided = 0.5

export interface Outcome {
  readonly deletion: Deletion
  /** Undecided: the tests also fail without the deletion. */
  readonly verdict: 'killed' | 'survived' | 'undecided'
  /** The test that fails first, or the reason why none does. */
  readonly by: string
}

/** Draws a random sample: the same for the same seed and list. */
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

/** Survivors that are accepted: the file, the deleted code as the tool prints it, and the reason. */
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

/** 0 for the tests of the file, 1 for others in its folder, 2 for those elsewhere: nearer ones fail sooner. */
export function distance(file: string, test: string): number {
  const stem = (path: string) => path.replace(/(\.\w+)*$/, '')
  if (stem(file) === stem(test)) return 0
  return dirname(file) === dirname(test) ? 1 : 2
}

/**
 * Accepted survivors count as survivors, too: the score is the share that tests notice.
 * @param asked how many deletions were drawn; for changed lines no score is required, but all survivors must be accepted
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

/** The current numbers of the changed lines of each file that changed since the commit, and of all lines of new files. */
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

/** @param diff of git, without context lines */
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

/** Subjects and bodies of commits follow CONTRIBUTING.md. Merges are not checked. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from './toolchain.mjs'

/** The last commit before the rule was checked. */
const before = '82cfbe62bc49ae36ad8abc1ec85af791a1beb691'
const subject = /^(feat|fix|perf|refactor|test|docs|chore)(\([a-z0-9-]+\))?: [a-z]/
/** A commit with more changed lines needs a body with the reason; generated files do not count. */
const bodyFrom = 100
const generated = [':!docs/openapi.json', ':!package-lock.json', ':!apps/server/src/db/schema.ts']

function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return status === 0 ? stdout : null
}

interface Commit {
  readonly hash: string
  readonly subject: string
  readonly body: string
}

/** Problems of a commit; empty if there are none. */
function problemsOf({ subject: line, body }: Commit, changedLines: number): string[] {
  return [
    ...(line.length > 72 ? [`${line.length} characters`] : []),
    ...(subject.test(line) ? [] : ['not `type(room): imperative`']),
    ...(changedLines > bodyFrom && body.trim() === '' ? [`no body for ${changedLines} lines`] : []),
  ]
}

test.each([
  [{ subject: 'fix(http): close idle connections', body: '' }, 100, []],
  [{ subject: 'fix(http): close idle connections', body: '' }, 101, ['no body for 101 lines']],
  [{ subject: 'fix(http): close idle connections', body: 'The reason.' }, 101, []],
  [{ subject: `docs: ${'a'.repeat(66)}`, body: '' }, 1, []],
  [{ subject: `docs: ${'a'.repeat(67)}`, body: '' }, 1, ['73 characters']],
  [{ subject: 'Close idle connections', body: '' }, 1, ['not `type(room): imperative`']],
])('of %j with %i changed lines: %j', (commit, lines, problems) => {
  expect(problemsOf({ hash: '', ...commit }, lines)).toEqual(problems)
})

test('every commit has a valid subject, and a body where it is large', () => {
  const log = git('log', '--no-merges', '--format=%H%x00%s%x00%b%x01', `${before}..HEAD`)
  if (log === null)
    return console.log('Commits are not checked: there is no git history with the commit from which the rule holds.')
  const commits = log
    .split('\x01')
    .map((entry) => entry.trim().split('\0'))
    .flatMap(([hash, subject, body = '']) => (hash && subject ? [{ hash, subject, body }] : []))
  // A commit of generated files only is missing here.
  const counted = git('log', '--no-merges', '--numstat', '--format=%x01%H', `${before}..HEAD`, '--', '.', ...generated) ?? ''
  const linesOf = new Map(
    counted.split('\x01').map((entry) => {
      const [hash = '', ...files] = entry.trim().split('\n')
      const counts = files.flatMap((line) => line.split('\t').slice(0, 2).map(Number))
      return [hash, counts.reduce((sum, one) => sum + (one || 0), 0)]
    }),
  )
  const wrong = commits.flatMap((commit) =>
    problemsOf(commit, linesOf.get(commit.hash) ?? 0).map(
      (problem) => `${commit.hash.slice(0, 7)} ${commit.subject}: ${problem}`,
    ),
  )
  expect(wrong).toEqual([])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './copied-project.ts'
import { distance, linesOf, readAccepted, reasonOf, sampleOf, summaryOf } from './deletions.sample.ts'
import { sources } from './mutants.files.ts'

const deletion = (number: number) => ({ number, file: 'a.ts', line: number, lastLine: number, text: `call(${number})` })
const killed = (number: number) => ({ deletion: deletion(number), verdict: 'killed' as const, by: '' })
const survived = (number: number) => ({ deletion: deletion(number), verdict: 'survived' as const, by: '' })

test('the same seed draws the same sample, another seed another one; a smaller set is drawn completely', () => {
  const all = Array.from({ length: 300 }, (_, number) => number)
  const { drawn, left } = sampleOf(all, 100, 7)
  expect(new Set(drawn).size).toBe(100)
  expect(left).toBe(200)
  expect(sampleOf(all, 100, 7).drawn).toEqual(drawn)
  expect(sampleOf(all, 100, 8).drawn).not.toEqual(drawn)
  expect(sampleOf(all, 1000, 7).drawn.toSorted((a, b) => a - b)).toEqual(all)
})

test('tests of the same file are nearer than those of its folder, and those nearer than others', () => {
  const of = (test: string) => distance('apps/server/src/games/join-game.ts', `apps/server/${test}`)
  const tests = [
    'src/games/join-game.db.test.ts',
    'src/games/edit-game.db.test.ts',
    'src/teams/join-game.test.ts',
    'test/races.test.ts',
  ]
  expect(tests.map(of)).toEqual([0, 1, 2, 2])
})

test('an accepted survivor is listed separately and counts as a survivor', () => {
  const accepted = [{ file: 'a.ts', text: 'call(1)', reason: 'only memory' }]
  const outcomes = [survived(1), survived(2), ...[3, 4, 5, 6, 7, 8, 9, 10].map(killed)]
  const { lines, good } = summaryOf(outcomes, accepted, 10)
  expect(lines).toEqual(['SURVIVED\ta.ts:2\tcall(2)\t', '8 of 10 killed: 80.0 %; 1 survivors accepted, 1 not; 0 undecided'])
  expect(good).toBe(false)
  expect(summaryOf([...outcomes, ...[11, 12, 13, 14].map(killed)], accepted, 14).good).toBe(true)
})

test('a sample with too few or no decided deletions is not good', () => {
  expect(summaryOf([1, 2, 3, 4].map(killed), [], 10).good).toBe(false)
  expect(summaryOf([1, 2, 3, 4, 5].map(killed), [], 10).good).toBe(true)
  expect(summaryOf([{ ...killed(1), verdict: 'undecided' as const }], [], 1)).toMatchObject({
    good: false,
    lines: ['0 of 0 killed: 0.0 %; 0 survivors accepted, 0 not; 1 undecided'],
  })
})

test('on changed lines each survivor that is not accepted fails the command', () => {
  expect(summaryOf([survived(1), killed(2)], [], 'changed lines').good).toBe(false)
  expect(
    summaryOf([survived(1), killed(2)], [{ file: 'a.ts', text: 'call(1)', reason: 'only memory' }], 'changed lines').good,
  ).toBe(true)
})

test('the lines of a diff are those of the new file', () => {
  const diff =
    '--- a/x.ts\n+++ b/x.ts\n@@ -1,0 +2,3 @@ f\n+a\n@@ -9 +12 @@\n-b\n+c\n@@ -20,2 +22,0 @@\n-d\n--- a/y.ts\n+++ b/y.ts\n@@ -0,0 +1 @@'
  expect([...linesOf(diff)]).toEqual([
    ['x.ts', [2, 3, 4, 12]],
    ['y.ts', [1]],
  ])
})

test('every accepted survivor is still in its source, once, and has a reason', () => {
  const accepted = readAccepted()
  const bare = (text: string) => text.replaceAll(/\s/g, '')
  const stale = accepted.filter(
    ({ file, text }) => !sources.includes(file) || !bare(readFileSync(join(root, file), 'utf8')).includes(bare(text)),
  )
  expect(stale).toEqual([])
  expect(accepted.filter(({ reason }) => reason.length < 10)).toEqual([])
  for (const one of accepted) expect(reasonOf(accepted, { ...deletion(1), ...one })).toBe(one.reason)
})

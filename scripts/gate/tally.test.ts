import { expect, test, vi } from 'vitest'
import { isTooSlow, openTally } from './tally.mjs'

test('a run above its limit of minutes is too slow, unless the machine had other work', () => {
  const run = { minutes: 15.1, most: 15, load: 4.9, processors: 2 }
  expect(isTooSlow(run)).toBe(true)
  expect(isTooSlow({ ...run, minutes: 15 })).toBe(false)
  expect(isTooSlow({ ...run, load: 5 })).toBe(false)
  expect(isTooSlow({ ...run, load: 5, processors: 4 })).toBe(true)
})

test('the last line has the counts, failures are named before it, and the exit code gives the kind of end', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  const end = async (fill: (tally: ReturnType<typeof openTally>) => void | Promise<void>) => {
    const tally = openTally()
    await fill(tally)
    return [tally.end(), lines.at(-1)]
  }
  expect(await end((tally) => tally.stage('types', () => tally.count('types', true)))).toEqual([0, '1 passed, 0 failed'])
  expect(lines).toContain('     0  types')
  expect(await end((tally) => tally.skip('Docker', 'not root', 4))).toEqual([3, '0 passed, 0 failed, 4 not run'])
  expect(lines.indexOf('NOT RUN: Docker: not root')).toBeLessThan(lines.lastIndexOf('\nNOT RUN: Docker: not root'))
  const failed = end((tally) => {
    tally.skip('Docker', 'not root')
    tally.count('lint', false)
  })
  expect(await failed).toEqual([1, '0 passed, 1 failed, 1 not run'])
  expect(lines.at(-2)).toBe('\nFAILED: lint')
  vi.restoreAllMocks()
})

import { expect, test } from 'vitest'
import { errorOutsideTests, ofVitest } from './reports.mjs'

test('an error that belongs to no test is reported from its title on, else the last lines of the runner are', () => {
  expect(errorOutsideTests('a warning\n⎯⎯ Unhandled Errors ⎯⎯\nError: left\n')).toBe('Unhandled Errors ⎯⎯\nError: left\n')
  const lines = Array.from({ length: 21 }, (_, i) => `line ${i}`)
  expect(errorOutsideTests(`${lines.join('\n')}\n\n`)).toBe(lines.slice(1).join('\n'))
  expect(errorOutsideTests('')).toBe('ended with an error, see above')
})

test('what failed, what was skipped and what did not load are named', () => {
  const results = (...statuses: string[]) =>
    statuses.map((status) => ({
      status,
      fullName: `a ${status} test`,
      failureMessages: status === 'failed' ? ['1 is not 2'] : [],
    }))
  const report = {
    numTotalTests: 3,
    numPassedTests: 1,
    numFailedTests: 1,
    numPendingTests: 1,
    testResults: [
      { name: 'a.test.ts', status: 'failed', assertionResults: results('passed', 'failed', 'skipped') },
      { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      { name: 'c.test.ts', status: 'failed', message: 'a hook failed', assertionResults: results('passed') },
    ],
  }
  expect(ofVitest('unit', report)).toEqual({
    found: 3,
    passed: 1,
    failed: 1,
    skipped: 1,
    skippedTests: ['a.test.ts > a skipped test'],
    failures: [
      'unit: b.test.ts\nno such module',
      'unit: c.test.ts\na hook failed',
      'unit: a.test.ts > a failed test\n1 is not 2',
    ],
  })
  expect(ofVitest('unit', null)).toEqual({ found: 0, passed: 0, failed: 0, skipped: 0, skippedTests: [], failures: [] })
})

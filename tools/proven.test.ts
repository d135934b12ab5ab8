import { expect, test } from 'vitest'
import { counts, titlesOf } from './proven.ts'

test('a part of the proof is valid on its commit and the next 50', () => {
  expect([null, 0, 50, 51].map(counts)).toEqual([false, true, true, false])
})

test('titles are those of passed tests, of both runners, including suites', () => {
  const test = (fullName: string, status: string) => ({ fullName, status })
  const spec = (title: string, status: string) => ({ title, tests: [{ status }] })
  const report = {
    testResults: [{ assertionResults: [test('P1.1 a', 'passed'), test('P1.2 b', 'failed'), test('P1.3 c', 'skipped')] }],
    specs: [spec('P2.1 d', 'expected'), spec('P2.2 e', 'unexpected')],
    suites: [{ specs: [spec('P2.3 f', 'flaky'), spec('P2.4 g', 'skipped')] }],
  }
  expect(titlesOf(report)).toEqual(['P1.1 a', 'P2.1 d', 'P2.3 f'])
})

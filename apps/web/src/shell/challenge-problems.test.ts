import { expect, test } from 'vitest'
import { problemsOf } from './challenge-problems.ts'

test('CL-5 problem marks: no flag, no image, flags without a file', () => {
  const challenge = {
    type: 'StaticContainer',
    flagCount: 0,
    fileCount: 0,
    containerImage: ' ',
    silentSince: null,
    checkFailsSince: null,
  } as const
  expect(problemsOf(challenge)).toEqual(['flag', 'image'])
  expect(problemsOf({ ...challenge, type: 'DynamicContainer', containerImage: 'a' })).toEqual([])
  expect(
    problemsOf({ ...challenge, type: 'DynamicContainer', containerImage: 'a', silentSince: 'now', checkFailsSince: 'now' }),
  ).toEqual(['silent', 'check'])
  expect(problemsOf({ ...challenge, type: 'DynamicAttachment', flagCount: 2, fileCount: 1 })).toEqual(['attachment'])
  expect(problemsOf({ ...challenge, type: 'DynamicAttachment', flagCount: 2, fileCount: 2 })).toEqual([])
})

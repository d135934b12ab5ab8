import { expect, test } from 'vitest'
import { checkFlags, checkRemote, fileProblem, filesNeeded } from './flag-input.ts'

test('FL-3 flags that exist already or are repeated in the input are reported with their line', () => {
  const { good, bad } = checkFlags('flag{a}\nflag{old}\n\nflag{b}\nflag{a}\nflag{old}', new Set(['flag{old}']))
  expect(good.map(({ flag }) => flag)).toEqual(['flag{a}', 'flag{b}'])
  expect(bad).toEqual([
    { line: 2, text: 'flag{old}', reason: 'known' },
    { line: 5, text: 'flag{a}', reason: 'repeated' },
    { line: 6, text: 'flag{old}', reason: 'repeated' },
  ])
})

test('P5.22 FL-2 remote lines that do not parse are listed by number', () => {
  const { good, bad } = checkRemote('flag{a} https://a.example/1\nflag{b}\nflag{c} ftp://x', new Set())
  expect(good).toHaveLength(1)
  expect(bad.map(({ line, reason }) => [line, reason])).toEqual([
    [2, 'not flag and link'],
    [3, 'not a link'],
  ])
  const again = checkRemote('flag{a} https://a.example/1', new Set(['flag{a}']))
  expect([again.good, again.bad.map(({ reason }) => reason)]).toEqual([[], ['known']])
})

test('FL-3 files: empty, too long, known and repeated names', () => {
  const none = new Set<string>()
  expect(fileProblem({ name: 'flag{a}', size: 3 }, none, none)).toBeUndefined()
  expect(fileProblem({ name: 'flag{a}', size: 0 }, none, none)).toBe('empty')
  expect(fileProblem({ name: 'x'.repeat(128), size: 3 }, none, none)).toBe('too long')
  expect(fileProblem({ name: ' flag{a} ', size: 3 }, none, new Set(['flag{a}']))).toBe('known')
  expect(fileProblem({ name: 'flag{a}', size: 3 }, new Set(['flag{a}']), none)).toBe('repeated')
})

test('FL-8 twice as many files as teams are recommended', () => expect(filesNeeded(12)).toBe(24))

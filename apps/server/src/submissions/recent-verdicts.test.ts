import { expect, test } from 'vitest'
import { openRecentVerdicts } from './recent-verdicts.ts'

const attempt = { id: 7, gameId: 1, challengeId: 2, accountId: 'anna' }

test('a verdict is only available to the sender of the answer, for its game and challenge', () => {
  const verdicts = openRecentVerdicts(() => 0)
  verdicts.keep(attempt, 'Accepted')
  verdicts.keep({ ...attempt, id: 8, accountId: 'bert' }, 'WrongAnswer')
  expect(verdicts.find(attempt)).toBe('Accepted')
  expect(verdicts.find({ ...attempt, id: 8, accountId: 'bert' })).toBe('WrongAnswer')
  for (const other of [{ id: 9 }, { gameId: 2 }, { challengeId: 3 }, { accountId: 'bert' }])
    expect(verdicts.find({ ...attempt, ...other })).toBeNull()
})

test('it is available for half a second to a second, and removed afterwards', () => {
  let now = 100
  const verdicts = openRecentVerdicts(() => now)
  const [late, early] = [
    { ...attempt, id: 1 },
    { ...attempt, id: 2 },
  ]
  verdicts.keep(early, 'Accepted')
  now = 599
  verdicts.keep(late, 'CheatDetected')
  now = 1098
  expect(verdicts.find(late)).toBe('CheatDetected')
  now = 1100
  expect(verdicts.find(early)).toBeNull()
  now = 1600
  expect(verdicts.find(late)).toBeNull()
  verdicts.keep(early, 'Accepted')
  now = 2600
  expect(verdicts.find(early)).toBeNull()
})

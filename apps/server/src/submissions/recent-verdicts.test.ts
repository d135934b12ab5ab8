import { expect, test } from 'vitest'
import { openRecentVerdicts } from './recent-verdicts.ts'

const asked = { id: 7, gameId: 1, challengeId: 2, accountId: 'anna' }

test('a verdict is known to the one who sent the answer, with the addresses of game and challenge that it was sent to', () => {
  const verdicts = openRecentVerdicts(() => 0)
  verdicts.keep(asked, 'Accepted')
  verdicts.keep({ ...asked, id: 8, accountId: 'bert' }, 'WrongAnswer')
  expect(verdicts.find(asked)).toBe('Accepted')
  expect(verdicts.find({ ...asked, id: 8, accountId: 'bert' })).toBe('WrongAnswer')
  for (const other of [{ id: 9 }, { gameId: 2 }, { challengeId: 3 }, { accountId: 'bert' }])
    expect(verdicts.find({ ...asked, ...other })).toBeNull()
})

test('it is known for half a second at least, for a second at most, and nothing is kept after that', () => {
  let now = 100
  const verdicts = openRecentVerdicts(() => now)
  const [late, early] = [
    { ...asked, id: 1 },
    { ...asked, id: 2 },
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

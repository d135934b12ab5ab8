import type { CheatInfo } from '@vexil/contract/submissions'
import { expect, test } from 'vitest'
import { cheatTeams, withStatus } from './cheats.ts'

const part = (id: number) => ({
  id,
  team: { id, name: `team ${id}`, avatar: null },
  status: 'Accepted' as const,
  organization: null,
})
const cheat = (owner: number, submitter: number, minute: number): CheatInfo => ({
  ownedTeam: part(owner),
  submitTeam: part(submitter),
  submission: {
    answer: 'flag{x}',
    status: 'CheatDetected',
    time: `2026-11-21T09:${String(minute).padStart(2, '0')}:00+00:00`,
    user: 'sailor',
    team: `team ${submitter}`,
    challenge: 'Undertow',
  },
})

test('CH-3 every team involved is listed once, with all its entries, most recent first', () => {
  const teams = cheatTeams([cheat(1, 2, 5), cheat(3, 2, 9), cheat(3, 2, 9)])
  expect(teams.map(({ part: { id }, entries }) => [id, entries.length])).toEqual([
    [2, 3],
    [3, 2],
    [1, 1],
  ])
  expect(teams[0]?.entries.map(({ sent }) => sent)).toEqual([true, true, true])
  expect(teams[2]?.entries[0]?.other.id).toBe(2)
})

test('CH-2 a new status is shown in every entry of the team', () => {
  const [first, second] = withStatus([cheat(1, 2, 5), cheat(2, 3, 6)], 2, 'Suspended')
  expect(first?.submitTeam.status).toBe('Suspended')
  expect(first?.ownedTeam.status).toBe('Accepted')
  expect(second?.ownedTeam.status).toBe('Suspended')
})

import type { ParticipationInfo } from '@vexil/contract/games'
import { expect, test } from 'vitest'
import { csvCell, keepTeams, reviewSheet, warningsOf } from './review.ts'

type Status = ParticipationInfo['status']
const team = (id: number, name: string, members: string[], registered = members, status: Status = 'Pending', division = 'Open') =>
  ({
    id,
    status,
    organization: division,
    registeredMembers: registered,
    team: {
      id,
      name,
      bio: null,
      avatar: null,
      locked: false,
      captainId: members[0] ?? '',
      members: members.map((userId) => ({
        userId,
        userName: userId,
        email: `${userId}@example.org`,
        bio: null,
        phone: null,
        realName: null,
        stdNumber: null,
        avatar: null,
        role: 'User',
      })),
    },
  }) satisfies ParticipationInfo

const teams = [team(1, 'Ebb', ['a', 'b']), team(2, 'Flow', ['b', 'c'], ['c'], 'Accepted', 'Guest'), team(3, 'ebb ', ['d'])]

test('REV-8 teams that wait for an answer come first, the others keep their order', () => {
  const all = { text: '', division: null, status: null }
  const mixed = [team(4, 'A', ['x'], ['x'], 'Accepted'), ...teams, team(5, 'B', ['y'], ['y'], 'Rejected'), team(6, 'C', ['z'])]
  expect(keepTeams(mixed, all).map(({ id }) => id)).toEqual([1, 3, 6, 4, 2, 5])
})

test('name, division and status narrow the list together', () => {
  const all = { text: '', division: null, status: null }
  expect(keepTeams(teams, { ...all, text: 'EB' }).map(({ id }) => id)).toEqual([1, 3])
  expect(keepTeams(teams, { ...all, text: ' low ' }).map(({ id }) => id)).toEqual([2])
  expect(keepTeams(teams, { ...all, division: 'Guest', status: 'Accepted' }).map(({ id }) => id)).toEqual([2])
})

test('RV-8 too many members, a name twice, a member in two teams', () => {
  const warnings = warningsOf(teams, 1)
  expect(warnings.get(1)).toEqual(['tooMany', 'sameName', 'elsewhere'])
  expect(warnings.get(2)).toEqual(['elsewhere'])
  expect(warnings.get(3)).toEqual(['sameName'])
  expect(warningsOf(teams, 0).get(1)).toEqual(['sameName', 'elsewhere'])
})

test('RV-6 the sheet has a row per member, and no cell is read as a formula', () => {
  const heads = ['id', 'team', 'division', 'status', 'user', 'captain', 'registered', 'name', 'number', 'mail', 'phone']
  const sheet = reviewSheet([teams[1] as ParticipationInfo], heads, (status) => status, 'yes')
  expect(sheet.split('\r\n')[1]).toBe('2,Flow,Guest,Accepted,b,yes,,,,b@example.org,')
  expect(sheet.split('\r\n')[2]).toBe('2,Flow,Guest,Accepted,c,,yes,,,c@example.org,')
  expect(sheet.startsWith('\uFEFFid,team,')).toBe(true)
  for (const sign of ['=', '+', '-', '@', '\t']) expect(csvCell(`${sign}1+1`)).toBe(`'${sign}1+1`)
  expect([csvCell(-1), csvCell('a-b')]).toEqual(['-1', 'a-b'])
  expect(csvCell('a "b", c')).toBe('"a ""b"", c"')
})

import type { ContainerInstance } from '@vexil/contract/instances'
import { expect, test } from 'vitest'
import { choicesOf, filterInstances } from './instances.ts'

const instance = (team: number, challenge: number, guid: string): ContainerInstance => ({
  team: { id: team, name: `Team ${team}`, avatar: null },
  challenge: { id: challenge, title: `Challenge ${challenge}`, category: 'Web' },
  image: 'echo:1',
  containerGuid: guid,
  containerId: guid,
  startedAt: '2026-11-22T08:00:00Z',
  expectStopAt: '2026-11-22T10:00:00Z',
  ip: '10.0.0.1',
  port: 80,
  readiness: 'ready',
})
const all = [instance(1, 7, 'a'), instance(1, 8, 'b'), instance(11, 7, 'c'), { ...instance(1, 7, 'd'), team: null }]

test('instances are filtered by team, by challenge and by both, and 1 does not match 11', () => {
  const kept = (team: string | null, challenge: string | null) =>
    filterInstances(all, { team, challenge }).map(({ containerGuid }) => containerGuid)
  expect(kept(null, null)).toEqual(['a', 'b', 'c', 'd'])
  expect(kept('1', null)).toEqual(['a', 'b'])
  expect(kept('11', null)).toEqual(['c'])
  expect(kept(null, '7')).toEqual(['a', 'c', 'd'])
  expect(kept('1', '7')).toEqual(['a'])
  expect(kept('1', '9')).toEqual([])
})

test('IN-2 a filter offers each name once, and the chosen one even when it has no instances any more', () => {
  const names = new Map<string, string>()
  const teams = all.map(({ team }) => team)
  expect(choicesOf(teams, null, names)).toEqual([
    { value: '1', label: 'Team 1' },
    { value: '11', label: 'Team 11' },
  ])
  // By name, in whatever order the instances are.
  expect(choicesOf(teams.toReversed(), null, names).map(({ value }) => value)).toEqual(['1', '11'])
  expect(choicesOf([], '11', names)).toEqual([{ value: '11', label: 'Team 11' }])
  expect(choicesOf([], '5', names)).toEqual([{ value: '5', label: '#5' }])
})

import type { GameEvent } from '@vexil/contract/games'
import type { Submission } from '@vexil/contract/submissions'
import { expect, test } from 'vitest'
import { numbered, withNew } from '../ui/base/feed-list.ts'
import { eventKey, isContainerEvent, keepEvents, keepSubmissions, submissionKey } from './feed.ts'

const submission = (answer: string, status: Submission['status'] = 'WrongAnswer'): Submission => ({
  answer,
  status,
  time: '2026-11-21T09:00:00+00:00',
  user: 'sailor',
  team: 'Ebb',
  challenge: 'Knot Theory',
})
const event = (type: GameEvent['type'], ...values: string[]): GameEvent => ({
  time: '2026-11-21T09:00:00+00:00',
  type,
  values,
  user: 'sailor',
  team: 'Ebb',
})

test('EV-1 a live entry is added on top and the page keeps its length', () => {
  const list = [event('Normal', 'a'), event('Normal', 'b')]
  expect(withNew(list, event('Normal', 'c'), eventKey, 2).map(({ values }) => values[0])).toEqual(['c', 'a'])
})

test('P2.32 SU-3 a result replaces its entry', () => {
  const list = [submission('x', 'FlagSubmitted'), submission('y')]
  const after = withNew(list, submission('x', 'Accepted'), submissionKey, 50)
  expect(after.map(({ answer, status }) => [answer, status])).toEqual([
    ['x', 'Accepted'],
    ['y', 'WrongAnswer'],
  ])
})

test('CH-3 two entries of the same second both appear', () => {
  const rows = numbered([submission('x'), submission('x'), submission('y')], submissionKey)
  expect(new Set(rows.map(({ key }) => key)).size).toBe(3)
})

test('entries whose texts only differ in where one ends are different entries', () => {
  expect(eventKey({ ...event('Normal', 'ab', 'c'), team: 'a' })).not.toBe(eventKey({ ...event('Normal', 'a', 'bc'), team: 'a' }))
  const key = (team: string, user: string) => submissionKey({ ...submission('x'), team, user })
  expect(key('a', 'bc')).not.toBe(key('ab', 'c'))
})

test('only starts and ends of containers are events of containers', () => {
  const types = ['Normal', 'ContainerStart', 'ContainerDestroy', 'FlagSubmit', 'CheatDetected'] as const
  expect(types.filter(isContainerEvent)).toEqual(['ContainerStart', 'ContainerDestroy'])
})

test('EV-5 events are filtered by kind, team and challenge', () => {
  const list = [event('FlagSubmit', 'Accepted', 'flag{a}', 'Knot Theory', '4'), event('ContainerStart', '5', 'Undertow')]
  expect(keepEvents(list, { type: 'ContainerStart', text: '' })).toHaveLength(1)
  expect(keepEvents(list, { type: null, text: ' knot ' })).toHaveLength(1)
  for (const text of ['EBB', 'Sailor']) expect(keepEvents(list, { type: null, text })).toHaveLength(2)
})

test('SU-4 the search covers team, user, challenge and flag', () => {
  const list = [submission('flag{a}'), submission('flag{b}')]
  expect(keepSubmissions(list, '{A}')).toHaveLength(1)
  for (const text of ['sail', 'knot', 'ebb', ' ']) expect(keepSubmissions(list, text)).toHaveLength(2)
  expect(keepSubmissions(list, 'reef')).toHaveLength(0)
})

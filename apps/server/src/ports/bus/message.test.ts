import { expect, test } from 'vitest'
import type { EventName, Events } from './bus.ts'
import { type NamedEvent, readMessage, writeMessages } from './message.ts'

const changed = (gameId: number): NamedEvent => ['game.changed', { gameId }]

test('a message is read by another node, not by its sender', () => {
  const events: NamedEvent[] = [
    changed(1),
    ['submission.judged', { gameId: 1, submissionId: 2, solve: null }],
    ['settings.changed', {}],
  ]
  const [message, ...rest] = writeMessages('a', events)
  expect(rest).toEqual([])
  expect(readMessage('b', message)).toEqual(events)
  expect(readMessage('a', message)).toEqual([])
})

test('no events make no message, and many are split into as many messages as NOTIFY requires', () => {
  expect(writeMessages('a', [])).toEqual([])
  const events = Array.from({ length: 2000 }, (_, i) => changed(i))
  // The name of the node is part of each message.
  for (const node of ['node', 'ノード'.repeat(20)]) {
    const messages = writeMessages(node, events)
    expect(messages.length).toBeGreaterThan(5)
    for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(8000)
    expect(messages.flatMap((message) => readMessage('b', message))).toEqual(events)
  }
})

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['no JSON', '{"a'],
  ['deep JSON', '['.repeat(7000)],
  ['null', 'null'],
  ['a number', '7'],
  ['an object', '{"0":"a","1":[]}'],
  ['no node', '[null,[["game.changed",{"gameId":1}]]]'],
  ['no list', '["a",{"length":1}]'],
  ['an event that is not a pair', '["a",["game.changed",null,7,{}]]'],
  ['an unknown name', '["a",[["game.exploded",{"gameId":1}]]]'],
  ['the name of an inherited property', '["a",[["constructor",{}],["__proto__",{}],["toString",{}]]]'],
  ['the error event of emitters', '["a",[["error",{"message":"x"}]]]'],
  ['no event', '["a",[["game.changed"]]]'],
  ['an event that is null', '["a",[["game.changed",null],["settings.changed",null]]]'],
  ['a name in a list', '["a",[[["game.changed"],{"gameId":1}]]]'],
  ['an event without its field', '["a",[["game.changed",{}]]]'],
  ['a field of another type', '["a",[["game.changed",{"gameId":"1"}]]]'],
  ['a field that must not be null', '["a",[["game.changed",{"gameId":null}]]]'],
  ['an account that is a number', '["a",[["participation.changed",{"gameId":1,"participationId":1,"leaverId":1}]]]'],
  ['a fraction', '["a",[["game.changed",{"gameId":1.5}]]]'],
])('%s from outside is ignored', (_name, payload) => {
  expect(readMessage('b', payload)).toEqual([])
})

test('valid events next to invalid ones are accepted, without unknown fields', () => {
  const payload = '["a",[["no.such",{}],["game.changed",{"gameId":1,"__proto__":{"x":1},"more":2}]]]'
  expect(readMessage('b', payload)).toEqual([changed(1)])
  expect(Object.keys(readMessage('b', payload)[0]?.[1] ?? {})).toEqual(['gameId'])
})

test('every event is transmitted with all of its fields', () => {
  const all: { readonly [N in EventName]: Events[N] } = {
    'game.changed': { gameId: 1 },
    'challenge.changed': { gameId: 1, challengeId: 2 },
    'team.changed': { teamId: 3 },
    'participation.changed': { gameId: 1, participationId: 4, leaverId: 'a' },
    'submission.judged': { gameId: 1, submissionId: 5, solve: 6 },
    'notice.added': { gameId: 1, noticeId: 7 },
    'notice.changed': { gameId: 1 },
    'event.recorded': { gameId: 1, eventId: 8 },
    'instance.changed': { gameId: 1, challengeId: 2, participationId: 4 },
    'start.changed': { gameId: 1, challengeId: 2, participationId: 4 },
    'log.written': { from: 9, to: 10 },
    'settings.changed': {},
    'security.changed': {},
  }
  const events = Object.entries(all) as [EventName, Events[EventName]][]
  expect(readMessage('b', writeMessages('a', events)[0])).toEqual(events)
  // An answer may be without a solve, and a test container belongs to no team.
  const nullable = ['submission.judged solve', 'instance.changed participationId']
  for (const [name, event] of events)
    for (const field of Object.keys(event)) {
      const without = (value: unknown) => readMessage('b', JSON.stringify(['a', [[name, { ...event, [field]: value }]]]))
      // The release before does not send it.
      expect(without(undefined), `${name} without ${field}`).toHaveLength(field === 'leaverId' ? 1 : 0)
      expect(without(null), `${name} with null for ${field}`).toHaveLength(nullable.includes(`${name} ${field}`) ? 1 : 0)
    }
})

test('a message has at most the maximum length', () => {
  const events = Array.from({ length: 900 }, () => changed(1000))
  const messages = writeMessages('node', events)
  const one = Buffer.byteLength(JSON.stringify(events[0])) + 1
  for (const message of messages.slice(0, -1)) {
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(7900)
    expect(Buffer.byteLength(message) + one).toBeGreaterThan(7900)
  }
})

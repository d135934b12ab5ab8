import { expect, test } from 'vitest'
import { readMessage, type Said, writeMessages } from './message.ts'

const changed = (gameId: number): Said => ['game.changed', { gameId }]

test('what is written is read by another node, and not by the same one', () => {
  const said: Said[] = [changed(1), ['submission.judged', { gameId: 1, submissionId: 2, solve: null }], ['settings.changed', {}]]
  const [message, ...rest] = writeMessages('a', said)
  expect(rest).toEqual([])
  expect(readMessage('b', message)).toEqual(said)
  expect(readMessage('a', message)).toEqual([])
})

test('nothing said is no message, and much is as many as fit into a NOTIFY', () => {
  expect(writeMessages('a', [])).toEqual([])
  const said = Array.from({ length: 2000 }, (_, i) => changed(i))
  const messages = writeMessages('node', said)
  expect(messages.length).toBeGreaterThan(5)
  for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(8000)
  expect(messages.flatMap((message) => readMessage('b', message))).toEqual(said)
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
  ['an event that is no pair', '["a",["game.changed",null,7,{}]]'],
  ['an unknown name', '["a",[["game.exploded",{"gameId":1}]]]'],
  ['the name of something inherited', '["a",[["constructor",{}],["__proto__",{}],["toString",{}]]]'],
  ['the name by which emitters throw', '["a",[["error",{"message":"x"}]]]'],
  ['no event', '["a",[["game.changed"]]]'],
  ['an event without its field', '["a",[["game.changed",{}]]]'],
  ['a field of another type', '["a",[["game.changed",{"gameId":"1"}]]]'],
  ['a field that is null where that is not meant', '["a",[["game.changed",{"gameId":null}]]]'],
  ['a fraction', '["a",[["game.changed",{"gameId":1.5}]]]'],
])('%s from a stranger is nothing', (_name, payload) => {
  expect(readMessage('b', payload)).toEqual([])
})

test('beside what is not believed the rest is heard, without further fields', () => {
  const payload = '["a",[["no.such",{}],["game.changed",{"gameId":1,"__proto__":{"x":1},"more":2}]]]'
  expect(readMessage('b', payload)).toEqual([changed(1)])
  expect(Object.keys(readMessage('b', payload)[0]?.[1] ?? {})).toEqual(['gameId'])
})

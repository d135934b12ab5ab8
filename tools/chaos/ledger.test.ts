import { expect, test } from 'vitest'
import { isOfBoard, newLedger, record, takeShown } from './ledger.ts'
import { failed, slowed } from './questions.ts'
import type { Scene } from './scene.ts'

const asked = (path: string, method = 'GET') => ({ method, path, at: performance.now() })
const frame = (target: string, argument: object) => JSON.stringify({ type: 1, target, arguments: [argument] })

test('boards, feeds and messages are kept once, by what they are, until they are taken', () => {
  const ledger = newLedger()
  for (let times = 0; times < 2; times++) {
    record(ledger, asked('/api/game/1/scoreboard'), 200, '{"items":[]}')
    record(ledger, asked('/api/game/1/scoreboard/feed'), 200, '{"head":0}')
    record(ledger, asked('/api/game/1/scoreboard/feed?after=0'), 200, '{"to":0}')
  }
  record(ledger, asked('/api/game/1/scoreboard'), 503, null)
  const frames = ['VexilSolves', 'VexilBoard', 'VexilRoster', 'VexilGame'].map((target) => frame(target, { gameId: target }))
  for (const one of frames) if (isOfBoard(one)) ledger.messages.add(one)
  expect(takeShown(ledger)).toEqual({
    boards: [{ items: [] }],
    feeds: [{ head: 0 }, { to: 0 }],
    solves: [{ gameId: 'VexilSolves' }],
    changes: [{ gameId: 'VexilBoard' }],
    rosters: [{ gameId: 'VexilRoster' }],
  })
  expect(Object.values(takeShown(ledger)).flat()).toEqual([])
  expect(Object.fromEntries(ledger.statuses)).toEqual({ 200: 6, 503: 1 })
})

test('slow or failed submissions and boards during a fault are reported, and that there were none', () => {
  const ledger = newLedger()
  const scene = { played: { ledger } } as unknown as Scene
  const during = (patience?: number) => slowed(scene, 1000, 2000, patience).length
  record(ledger, asked('/api/game/1/details'), 200, '{}')
  record(ledger, asked('/api/account/register', 'POST'), 500, null)
  expect(ledger.times).toEqual([])
  record(ledger, asked('/api/game/1/challenges/7', 'POST'), 200, '5')
  record(ledger, asked('/api/game/1/scoreboard'), 0, null)
  expect(ledger.times.map(({ status, what }) => [status, what])).toEqual([
    [200, 'POST /api/game/1/challenges/7'],
    [0, 'GET /api/game/1/scoreboard'],
  ])
  const put = (at: number, ms: number, status: number) => ledger.times.push({ at, ms, status, what: 'x' })
  ledger.times.length = 0
  put(999, 5000, 503)
  put(2000, 5000, 0)
  expect(during()).toBe(1)
  put(1000, 1999, 400)
  expect(during()).toBe(0)
  put(1500, 2001, 200)
  put(1500, 10, 0)
  put(1500, 10, 503)
  expect([during(), during(2)]).toEqual([3, 2])
})

test('answers with 500 are reported once, with what the nodes printed of them during the fault', () => {
  const ledger = newLedger()
  const printed = ['{"msg":"fault","err":"old"}\n', '']
  const after = ['{"msg":"fault","err":"new"}\n{"msg":"other"}\n', '{"msg":"fault","err":"of the second"}\n']
  const nodes = printed.map((text, at) => ({ output: () => text + after[at] }))
  const scene = { nodes, played: { ledger } } as unknown as Scene
  const lengths = printed.map((text) => text.length)
  record(ledger, asked('/api/team', 'POST'), 503, null)
  expect(failed(scene, lengths)).toEqual([])
  for (let again = 0; again < 2; again++) record(ledger, asked('/api/team', 'POST'), 500, null)
  expect(failed(scene, lengths)).toEqual([
    '2 x answered 500: POST /api/team',
    '{"msg":"fault","err":"new"}',
    '{"msg":"fault","err":"of the second"}',
  ])
  expect(failed(scene, lengths)).toEqual([])
})

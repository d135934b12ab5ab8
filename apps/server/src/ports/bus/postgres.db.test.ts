import { afterAll, expect, test, vi } from 'vitest'
import { busSuite } from '../../../test/bus.suite.ts'
import { freshDatabase } from '../../../test/database.ts'
import { openPostgresBus } from './postgres.ts'

const database = await freshDatabase()
afterAll(() => database.drop())

async function node(faults: unknown[] = []) {
  const connect = () => database.reservedClient({ name: 'test bus' })
  return openPostgresBus({ connect, onError: (error) => faults.push(error), pauseMs: 20 })
}

busSuite(async () => {
  const faults: unknown[] = []
  return { bus: await node(faults), other: await node(), faults }
})

test('a NOTIFY from outside has no effect', async () => {
  const faults: unknown[] = []
  const bus = await node(faults)
  const received: number[] = []
  bus.subscribe('game.changed', ({ gameId }) => received.push(gameId))
  for (const payload of [
    '',
    'x',
    '[',
    'null',
    '["a"]',
    '["a",[["error",{}]]]',
    '["a",[["game.changed",{"gameId":"1"}]]]',
    'x'.repeat(7990),
  ])
    await database.pool.query(`select pg_notify('vexil', $1)`, [payload])
  await database.pool.query(`select pg_notify('vexil', $1)`, ['["a",[["game.changed",{"gameId":4}]]]'])
  await vi.waitFor(() => expect(received).toEqual([4]), 5000)
  expect(faults).toEqual([])
  await bus.close()
})

test('after the end of its session a node listens again, once, and reports a loss', async () => {
  let missed = 0
  const bus = await node()
  bus.onLoss(() => missed++)
  const other = await node()
  const received: number[] = []
  other.subscribe('game.changed', ({ gameId }) => received.push(gameId))
  const sessions = () =>
    database.pool.query(`select pid from pg_stat_activity where application_name = 'test bus' and datname = current_database()`)
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test bus' and datname = current_database()`,
  )
  await vi.waitFor(() => expect(missed).toBe(1), 5000)
  await vi.waitFor(async () => expect((await sessions()).rows).toHaveLength(2), 5000)
  await vi.waitFor(() => {
    bus.publish('game.changed', { gameId: 3 })
    expect(received).toContain(3)
  }, 5000)
  await bus.close()
  await other.close()
  await vi.waitFor(async () => expect((await sessions()).rows).toHaveLength(0), 5000)
})

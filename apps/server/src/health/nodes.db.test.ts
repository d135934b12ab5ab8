/** Nodes that report to each other through the database, and what the health page and the command line show about them. */
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform } from '../../test/platform.ts'
import { readConfig } from '../config.ts'
import { readVersion } from '../read-version.ts'
import { openNodeReports } from './node-reports.ts'
import { listNodes, reportNode } from './nodes.queries.ts'

/** Replaces a pause of these milliseconds. */
const paused = vi.hoisted(() => vi.fn<(ms: number) => Promise<void> | undefined>())
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  return { ...real, setTimeout: (ms: number, ...more: [unknown?, object?]) => paused(ms) ?? real.setTimeout(ms, ...more) }
})

const platform = await startTestPlatform()
const { db } = platform
afterAll(() => platform.stop())
beforeEach(async () => {
  await db.deleteFrom('nodes').execute()
})

const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const
const own = (id: string) => ({ id, version: '1.2.0', url: null, processes: 1, state: 'Serving' as const })
const openNode = (node: string, env: Record<string, string> = {}, onError: (error: unknown) => void = () => undefined) =>
  openNodeReports({ ...platform.deps, node, config: readConfig(env), onError })
const states = async () => (await listNodes(db)).map(({ id, state, isLate }) => `${id.at(-1)} ${state}${isLate ? ' late' : ''}`)
/** Makes the last report of a node this old. */
const age = (id: string, seconds: number) =>
  db
    .updateTable('nodes')
    .set({ seenAt: new Date(Date.now() - seconds * 1000) })
    .where('id', '=', id)
    .execute()

test('a node is listed with its facts from its begin to its close, renewed every five seconds, beside its neighbour', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const nodes = [openNode(first, { VEXIL_NODE_URL: 'http://10.0.0.5:8080', VEXIL_PROCESSES: '3' }), openNode(second)] as const
  try {
    expect(await states()).toEqual([])
    for (const node of nodes) await node.begin()
    expect(await listNodes(db)).toMatchObject([
      { id: first, version: readVersion(), url: 'http://10.0.0.5:8080', processes: 3, state: 'Serving' },
      { id: second, url: null, processes: 1, state: 'Serving', isLate: false },
    ])
    const [{ startedAt } = { startedAt: null }] = await listNodes(db)
    await age(first, 20)
    expect(await states()).toEqual(['1 Serving late', '2 Serving'])
    await vi.advanceTimersByTimeAsync(5_000)
    await vi.waitFor(async () => expect(await states()).toEqual(['1 Serving', '2 Serving']))
    expect((await listNodes(db))[0]?.startedAt).toEqual(startedAt)
    await nodes[0].drain()
    expect(await states()).toEqual(['1 Draining', '2 Serving'])
    await nodes[0].close()
    await age(second, 20)
    await vi.advanceTimersByTimeAsync(5_000)
    await vi.waitFor(async () => expect(await states()).toEqual(['2 Serving']))
  } finally {
    for (const node of nodes) await node.close()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  }
  expect(await states()).toEqual([])
})

test('a start after a kill has a new time of start, and a node that never began leaves the row of another alone', async () => {
  await reportNode(db, own(first))
  await db
    .updateTable('nodes')
    .set({ startedAt: new Date(0) })
    .execute()
  const idle = openNode(first)
  await idle.drain()
  await idle.close()
  expect(await states()).toEqual(['1 Serving'])
  const node = openNode(first)
  await node.begin()
  expect((await listNodes(db))[0]?.startedAt.getTime()).toBeGreaterThan(0)
  await node.close()
})

test('a node that does not report for ten minutes is forgotten at the report of another, and not before', async () => {
  await reportNode(db, own(first))
  await age(first, 590)
  await reportNode(db, own(second))
  expect(await states()).toEqual(['1 Serving late', '2 Serving'])
  await age(first, 610)
  await reportNode(db, own(second))
  expect(await states()).toEqual(['2 Serving'])
  const [{ startedAt } = { startedAt: null }] = await listNodes(db)
  await age(second, 610)
  await reportNode(db, own(second))
  expect(await listNodes(db)).toMatchObject([{ id: second, startedAt, isLate: false }])
})

test('another node serves when it reported lately and does not drain', async () => {
  const [node, other] = [openNode(first), openNode(second)]
  await reportNode(db, own(first))
  expect(await node.isAnotherServing()).toBe(false)
  await reportNode(db, own(second))
  expect([await node.isAnotherServing(), await other.isAnotherServing()]).toEqual([true, true])
  await reportNode(db, { ...own(second), state: 'Draining' })
  expect(await node.isAnotherServing()).toBe(false)
  await reportNode(db, own(second))
  await age(second, 20)
  expect(await node.isAnotherServing()).toBe(false)
})

test('the database being unreachable is reported, and the stop of the node goes through', async () => {
  const errors: unknown[] = []
  const node = openNode(first, {}, (error) => void errors.push(error))
  await node.begin()
  await db.schema.alterTable('nodes').renameTo('unreachable').execute()
  try {
    await node.drain()
    expect(await node.isAnotherServing()).toBe(false)
    await node.close()
    expect(errors).toHaveLength(3)
  } finally {
    await db.schema.alterTable('unreachable').renameTo('nodes').execute()
  }
})

test('a node that stops waits a second at most for a database that does not answer', async () => {
  const errors: unknown[] = []
  const running = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%nodes%' and pid <> pg_backend_pid()`.execute(db)
    return rows[0]?.count
  }
  const node = openNode(first, {}, (error) => void errors.push(error))
  await node.begin()
  await db.transaction().execute(async (tx) => {
    await sql`lock table nodes`.execute(tx)
    paused.mockImplementation((ms) => (ms === 1_000 ? Promise.resolve() : undefined))
    try {
      await node.drain()
      expect(await node.isAnotherServing()).toBe(false)
      await node.close()
      expect(paused.mock.calls.filter(([ms]) => ms === 1_000)).toHaveLength(3)
      await expect.poll(running).toBe(3)
    } finally {
      paused.mockReset()
    }
  })
  // Its statements continue now.
  await expect.poll(running).toBe(0)
  expect(errors).toEqual([])
})

test('the health page lists them, and says which one is late', async () => {
  const admin = await platform.as(await anAccount(db, { role: 'Admin' }))
  await reportNode(db, { ...own(first), url: 'http://10.0.0.5:8080', processes: 2 })
  await reportNode(db, { ...own(second), state: 'Draining' })
  await age(first, 20)
  const { body } = await admin.get('/api/admin/health')
  const time = expect.stringMatching(/^\d{4}-.+\+00:00$/)
  expect(body.nodes).toEqual([
    { id: first, version: '1.2.0', startedAt: time, seenAt: time, url: 'http://10.0.0.5:8080', processes: 2, state: 'Late' },
    { id: second, version: '1.2.0', startedAt: time, seenAt: time, url: null, processes: 1, state: 'Draining' },
  ])
  expect(body.nodes[0].seenAt).not.toBe(body.nodes[0].startedAt)
})

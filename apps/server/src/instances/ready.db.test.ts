/** Instances whose service is awaited: what players and organisers see until it answers, when it is late, and after their node has ended. */
import { randomUUID } from 'node:crypto'
import { startAnswersWithin } from '@vexil/core/limits'
import type { Updateable } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import type { DB } from '../db/schema.ts'
import { claimAwaited, markSilent, renewAwaited } from './ready-watch.queries.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
let monitor: Caller
beforeAll(async () => {
  platform = await startTestPlatform({}, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
})
afterAll(() => platform.stop())
afterEach(() => {
  engine.fail('listens', null)
  vi.restoreAllMocks()
})

/** Ends the wait of an open start, as after 25 s. */
async function endWaits(): Promise<void> {
  const timers = vi
    .mocked(setTimeout)
    .mock.calls.filter(([, ms]) => ms! > startAnswersWithin - 5_000 && ms! <= startAnswersWithin)
  for (const [work, , ...args] of timers) (work as (...args: unknown[]) => void)(...args)
}

async function aScene(values: Updateable<DB['challenges']> = {}) {
  const game = await aGame(platform.db, { practiceMode: true })
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'slow', title: 'Task' })
  const set = (more: Updateable<DB['challenges']>) =>
    platform.db.updateTable('challenges').set(more).where('id', '=', challenge).execute()
  await set({ readyTimeout: 300, exposePort: 9000, ...values })
  const team = async () => {
    const one = await aTeam(platform.db)
    const participation = await aParticipation(platform.db, game, one)
    const call = await platform.as(one.captain)
    const row = () =>
      platform.db
        .selectFrom('containers')
        .selectAll()
        .where('participationId', '=', participation)
        .where('state', '<>', 'Ended')
        .executeTakeFirst()
    const running = () => vi.waitFor(async () => expect((await row())?.state).toBe('Running'), 5000).then(row)
    return {
      call,
      row,
      running,
      participation,
      start: () => call.post(`/api/game/${game}/container/${challenge}`),
      destroy: () => call.delete(`/api/game/${game}/container/${challenge}`),
      /** Starts it and does not wait for the service. Returns the answer and the id. */
      async begin() {
        vi.spyOn(globalThis, 'setTimeout')
        const starting = call.post(`/api/game/${game}/container/${challenge}`)
        const { id } = (await running())!
        await expect.poll(() => vi.mocked(setTimeout).mock.calls.some(([, ms]) => ms! > 20_000 && ms! <= 25_000)).toBe(true)
        await endWaits()
        vi.mocked(setTimeout).mockRestore()
        return { answer: await starting, id }
      },
      detail: async () => (await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context,
      listed: async () => (await call.get(`/api/game/${game}/instances`)).body,
    }
  }
  const logged = async () => {
    await platform.deps.log.flush()
    const rows = await platform.db
      .selectFrom('logs')
      .select('message')
      .where('message', 'like', `Task (#${challenge}) does not%`)
      .execute()
    return rows.map(({ message }) => message)
  }
  const edit = `/api/edit/games/${game}/challenges/${challenge}`
  const mark = async () => (await admin.get(`/api/edit/games/${game}/challenges`)).body[0].silentSince
  const silent = async () => (await monitor.get(`/api/game/${game}/silent`)).body
  return { game, challenge, set, team, logged, edit, mark, silent }
}
const published = () => {
  const received: unknown[] = []
  const stop = platform.deps.bus.subscribe('instance.changed', (event) => void received.push(event))
  return { received, stop }
}

test('a start waits for the service: until it answers the instance is Pending and has no address, and one without a limit is not asked', async () => {
  const { game, challenge, team, set } = await aScene()
  const red = await team()
  const starting = red.start()
  const { id } = (await red.running())!
  expect(await red.detail()).toMatchObject({
    instanceEntry: null,
    entries: [],
    readiness: 'waiting',
    closeTime: expect.any(String),
  })
  expect(await red.listed()).toMatchObject([{ status: 'Pending', entry: '', entries: [], readiness: 'waiting' }])
  const { body: all } = await admin.get('/api/admin/instances')
  expect(all.data.find((one: { containerGuid: string }) => one.containerGuid === id)).toMatchObject({ readiness: 'waiting' })
  const { received, stop } = published()
  engine.answer(id)
  const { status, body } = await starting
  expect([status, body]).toMatchObject([200, { status: 'Running', readiness: 'ready', entry: expect.stringMatching(/:\d+$/) }])
  const { participation } = red
  await expect.poll(() => received).toContainEqual({ gameId: game, challengeId: challenge, participationId: participation })
  stop()
  expect(await red.detail()).toMatchObject({ instanceEntry: body.entry, readiness: 'ready' })
  expect(await red.listed()).toMatchObject([{ status: 'Running', entry: body.entry, readiness: 'ready' }])
  await set({ readyTimeout: 0 })
  expect((await (await team()).start()).body).toMatchObject({ status: 'Running', readiness: 'ready' })
})

test('a service must send its text, if it has one', async () => {
  const { team, set } = await aScene({ containerImage: 'echo', readyText: 'no flag' })
  expect((await (await team()).start()).body).toMatchObject({ status: 'Running', readiness: 'ready' })
  await set({ readyText: 'welcome' })
  const blue = await team()
  expect((await blue.begin()).answer.body).toMatchObject({ status: 'Pending', readiness: 'waiting' })
})

test('the call of existing clients answers after 25 s with the address, and the instance stays awaited', async () => {
  const { team } = await aScene()
  const red = await team()
  const { answer } = await red.begin()
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { status: 'Pending', readiness: 'waiting', entry: expect.stringMatching(/:\d+$/) },
  ])
  expect(await red.detail()).toMatchObject({ instanceEntry: null, readiness: 'waiting' })
})

test('a service that is late: the instance stays, its team sees it, and the log and the marks name the challenge once', async () => {
  const { challenge, team, set, logged, mark, silent, edit } = await aScene({ readyTimeout: 1 })
  const neighbour = await aScene()
  const [red, blue] = [await team(), await team()]
  expect((await red.start()).body).toMatchObject({ status: 'Running', readiness: 'late', entry: expect.stringMatching(/:\d+$/) })
  const { id } = (await red.row())!
  await expect.poll(async () => (await red.detail()).readiness).toBe('late')
  expect(await red.detail()).toMatchObject({ instanceEntry: expect.stringMatching(/:\d+$/) })
  expect(await red.listed()).toMatchObject([{ status: 'Running', readiness: 'late', entry: expect.stringMatching(/:\d+$/) }])
  // It is no longer starting, so the pause holds.
  await platform.db.updateTable('containers').set({ actedAt: new Date() }).where('id', '=', id).execute()
  expect((await red.destroy()).error.code).toBe('container.too_soon')
  const line = `Task (#${challenge}) does not listen on port 9000: an instance did not answer within 1 s`
  await expect.poll(logged).toEqual([line])
  const since = await mark()
  expect(Date.parse(since)).toBeGreaterThan(Date.now() - 60_000)
  expect(await silent()).toEqual([{ challengeId: challenge, title: 'Task', port: 9000, since }])
  expect([await neighbour.mark(), await neighbour.silent()]).toEqual([null, []])
  // Another late instance of the same challenge is not logged again.
  await blue.start()
  await expect.poll(async () => (await blue.detail()).readiness).toBe('late')
  expect([await logged(), await mark()]).toEqual([[line], since])
  // Late instances that answer become ready, but the mark stays: they were late, including the one that started after the mark.
  engine.answer((await blue.row())!.id)
  await expect.poll(async () => (await blue.detail()).readiness, { timeout: 20_000 }).toBe('ready')
  expect(await mark()).toBe(since)
  engine.answer(id)
  await expect.poll(async () => (await red.detail()).readiness, { timeout: 20_000 }).toBe('ready')
  expect(await mark()).toBe(since)
  // An instance that answers in time clears the mark, and so does a change of the checked service, but no other change.
  await set({ containerImage: 'echo', readyTimeout: 300 })
  await (await team()).start()
  expect([await mark(), await silent()]).toEqual([null, []])
  await set({ silentSince: new Date() })
  await admin.put(edit, { title: 'Task', content: 'new' })
  expect(await mark()).not.toBeNull()
  const requests = [
    { containerExposePort: 9001 },
    { containerImage: 'other' },
    { readyTimeout: 200 },
    { readyText: 'hello' },
    { namedPorts: [{ name: 'web', port: 9002 }] },
  ]
  for (const change of requests) {
    await set({ silentSince: new Date() })
    await admin.put(edit, change)
    expect([change, await mark()]).toEqual([change, null])
  }
}, 60_000)

test('what does not send its text is named so, and an engine that is unreachable makes no service late', async () => {
  const { challenge, team, logged, set } = await aScene({ readyTimeout: 1, readyText: 'welcome', containerImage: 'echo' })
  engine.fail('listens', 'unreachable')
  const red = await team()
  await red.start()
  await expect.poll(async () => (await red.detail()).readiness).toBe('late')
  expect(await logged()).toEqual([])
  engine.fail('listens', null)
  const line = `Task (#${challenge}) does not send the expected text on port 9000: an instance did not answer within 1 s`
  await expect.poll(logged).toEqual([line])
  await set({ enabled: false })
}, 30_000)

test('one that is destroyed while it is awaited is forgotten', async () => {
  const { game, challenge, team } = await aScene()
  const red = await team()
  const { id } = await red.begin()
  await platform.db
    .updateTable('containers')
    .set({ actedAt: at('-20s') })
    .where('id', '=', id)
    .execute()
  expect((await red.call.delete(`/api/game/${game}/container/${challenge}`)).status).toBe(200)
  const ended = () => platform.db.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect((await ended()).state).toBe('Ended')
  expect((await red.detail()).readiness).toBeNull()
  engine.answer(id)
  await platform.instances.sweep()
  expect(await ended()).toMatchObject({ state: 'Ended', readyAt: null })
  // Its watch ends with the next renewal, and its challenge is not late.
  expect([await renewAwaited(platform.db, id, 1_000), await markSilent(platform.db, id)]).toEqual([false, false])
})

test('one whose node has ended is awaited by another, once its lease has ended; at the start of the node this is immediate', async () => {
  const { team } = await aScene({ containerImage: 'echo' })
  const [red, blue] = [await team(), await team()]
  for (const one of [red, blue]) await one.start()
  const unanswered = { readyAt: null, readyUntil: at('1h') }
  const set = (id: string, values: Updateable<DB['containers']>) =>
    platform.db
      .updateTable('containers')
      .set({ ...unanswered, ...values })
      .where('id', '=', id)
      .execute()
  const [mine, theirs] = [(await red.row())!.id, (await blue.row())!.id]
  await set(mine, { leaseUntil: at('25s') })
  await set(theirs, { leaseUntil: at('25s'), node: randomUUID() })
  await platform.instances.sweep()
  expect([(await red.detail()).readiness, (await blue.detail()).readiness]).toEqual(['waiting', 'waiting'])
  await platform.instances.begin()
  await expect.poll(async () => (await red.detail()).readiness).toBe('ready')
  expect((await blue.detail()).readiness).toBe('waiting')
  await set(theirs, { leaseUntil: at('-1s') })
  await platform.instances.sweep()
  await expect.poll(async () => (await blue.detail()).readiness).toBe('ready')
  expect((await blue.row())!.node).toBe(platform.deps.node)
  // Only the first of two nodes takes it.
  await set(theirs, { leaseUntil: at('-1s') })
  const take = async () =>
    (await claimAwaited(platform.db, { id: null, node: randomUUID(), leaseMs: 60_000 })).map(({ id }) => id)
  expect([await take(), await take()]).toEqual([[theirs], []])
})

test('an instance that was started before the mark does not clear it', async () => {
  const { team, set, mark, silent } = await aScene()
  const red = await team()
  const { id } = await red.begin()
  await set({ silentSince: new Date() })
  engine.answer(id)
  await expect.poll(async () => (await red.detail()).readiness).toBe('ready')
  expect(await mark()).not.toBeNull()
  // The monitor shows only challenges that players can open.
  expect(await silent()).toHaveLength(1)
  await set({ enabled: false })
  expect(await silent()).toEqual([])
})

test('a test container waits for its service, too', async () => {
  const { edit, challenge } = await aScene({ containerImage: 'echo' })
  expect((await admin.post(`${edit}/container`)).body).toMatchObject({ status: 'Running', readiness: 'ready' })
  const row = await platform.db
    .selectFrom('containers')
    .selectAll()
    .where('challengeId', '=', challenge)
    .executeTakeFirstOrThrow()
  expect(row.readyAt).not.toBeNull()
})

test('a new challenge asks for 120 seconds, and an edit by a client that does not know the fields leaves them', async () => {
  const { game } = await aScene()
  const made = (await admin.post(`/api/edit/games/${game}/challenges`, { title: 'New', type: 'StaticContainer' })).body
  expect(made).toMatchObject({ readyTimeout: 120, readyText: '' })
  const path = `/api/edit/games/${game}/challenges/${made.id}`
  expect((await admin.put(path, { readyTimeout: 300, readyText: 'welcome' })).body).toMatchObject({
    readyTimeout: 300,
    readyText: 'welcome',
  })
  expect((await admin.put(path, { title: 'Newer', containerImage: 'echo' })).body).toMatchObject({
    readyTimeout: 300,
    readyText: 'welcome',
  })
  expect((await admin.get(path)).body).toMatchObject({ readyTimeout: 300, readyText: 'welcome' })
})

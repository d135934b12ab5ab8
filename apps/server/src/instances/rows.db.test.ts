/** Each change of a row of containers, tunnels, pulls and checks names its row and the states that it may follow; the rows beside it stay as they are. */
import { randomUUID } from 'node:crypto'
import { tunnelLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { aChallenge, aGame, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { freshDatabase } from '../../test/database.ts'
import { inTransaction } from '../db/transaction.ts'
import { claimImage, endPull, keepPulling, wantBeforeStart, wantImages } from './image-pulls.queries.ts'
import {
  endLeases,
  insertContainer,
  listInstances,
  listOfTeam,
  moveToFreeSubnet,
  renewLeases,
  setEnding,
  setRunning,
} from './instances.queries.ts'
import { claimAwaited, markSilent, renewAwaited, setReady } from './ready-watch.queries.ts'
import { addCheck, claimCheck, endCheck, keepCheck } from './solver-checks.queries.ts'
import { listPending, setProgress } from './starts.queries.ts'
import { enterTunnel, findByHostName, isReachable, renewTunnels } from './tunnels.queries.ts'

const database = await freshDatabase()
const { db } = database
afterAll(() => database.drop())

let game: number
let challenges: number[]
beforeEach(async () => {
  await db.deleteFrom('games').execute()
  await db.deleteFrom('imagePulls').execute()
  game = await aGame(db)
  const type = { type: 'DynamicContainer' as const, flags: [], exposePort: 80 }
  challenges = [
    await aChallenge(db, game, { ...type, containerImage: 'one:1', checkImage: 'solver:1' }),
    await aChallenge(db, game, { ...type, containerImage: 'two:1', checkImage: 'solver:2' }),
  ]
})

async function aPending(challengeId: number, team: number | null): Promise<string> {
  const id = randomUUID()
  const row = {
    id,
    challengeId,
    participationId: team,
    accountId: null,
    slot: null,
    image: 'one:1',
    capture: false,
    node: randomUUID(),
  }
  await inTransaction(db, (tx) => insertContainer(tx, row, { subnets: 1000, leaseMs: 30_000 }))
  return id
}
const aPlayingTeam = async () => aParticipation(db, game, await aTeam(db))
/** Two starts of two teams, each of its challenge. */
async function twoStarts() {
  const teams = [await aPlayingTeam(), await aPlayingTeam()]
  const ids = [await aPending(challenges[0]!, teams[0]!), await aPending(challenges[1]!, teams[1]!)]
  return { teams, ids: ids as [string, string] }
}
const begun = (more: object = {}) => ({
  ...{ engineId: 'e', host: '127.0.0.1', port: 80, published: null, namedPorts: [], lifetime: 60, readyTimeout: 60 },
  ...more,
})
const run = (id: string, more?: object) => inTransaction(db, (tx) => setRunning(tx, id, begun(more)))

/** The rows that `change` changed, as their keys. */
async function changedBy(table: string, key: string, change: () => Promise<unknown>): Promise<string[]> {
  const read = async () => {
    const { rows } = await sql<{ key: string; row: string }>`
      select ${sql.ref(key)}::text as key, to_jsonb(t)::text as row from ${sql.table(table)} t`.execute(db)
    return new Map(rows.map((one) => [one.key, one.row]))
  }
  const before = await read()
  await change()
  return [...(await read())].filter(([id, row]) => before.get(id) !== row).map(([id]) => id)
}
const changed = (change: () => Promise<unknown>) => changedBy('containers', 'id', change)

test('leases, progress and the change to running concern one container, and only one that is pending', async () => {
  const { ids } = await twoStarts()
  const [id, beside] = ids
  expect(await changed(() => renewLeases(db, [id], 90_000))).toEqual([id])
  const progress = { phase: 'pulling', percent: 40, queuedSince: null } as const
  expect(await changed(() => setProgress(db, id, progress))).toEqual([id])
  expect(await changed(() => run(id))).toEqual([id])
  for (const late of [
    () => run(id),
    () => setProgress(db, id, { ...progress, percent: 50 }),
    () => renewLeases(db, [id], 99_000),
  ])
    expect(await changed(late)).toEqual([])
  await setEnding(db, beside, { by: 'player' })
  const namedPorts = [{ name: 'web', port: 81, publishedPort: null }]
  for (const missing of [beside, randomUUID()])
    for (const more of [{}, { namedPorts }]) expect(await run(missing, more)).toBeUndefined()
  expect(await db.selectFrom('containerPorts').selectAll().execute()).toEqual([])
  // A start that was cancelled never was an instance.
  expect((await listInstances(db)).map((one) => one.id)).toEqual([id])
})

test('the start of a node ends the leases of what its last run started or awaited, and of no other node', async () => {
  const { ids } = await twoStarts()
  const [awaited, ready] = [
    await aPending(challenges[0]!, await aPlayingTeam()),
    await aPending(challenges[0]!, await aPlayingTeam()),
  ]
  await run(awaited)
  await run(ready, { readyTimeout: 0 })
  const node = randomUUID()
  const mine = [ids[0], awaited, ready]
  await db.updateTable('containers').set({ node }).where('id', 'in', mine).execute()
  expect((await changed(() => endLeases(db, node))).toSorted()).toEqual([ids[0], awaited].toSorted())
})

test('a node takes the container that it awaits, or all whose lease has ended', async () => {
  const { ids } = await twoStarts()
  for (const id of ids) await run(id)
  const take = async (id: string | null) =>
    (await claimAwaited(db, { id, node: randomUUID(), leaseMs: 30_000 })).map((one) => one.id)
  expect(await take(ids[0])).toEqual([ids[0]])
  expect(await take(null)).toEqual([])
  await db
    .updateTable('containers')
    .set({ leaseUntil: at('-1s') })
    .where('id', '=', ids[1])
    .execute()
  expect(await take(null)).toEqual([ids[1]])
})

test('a container that is awaited has the service of its challenge; one without a limit is not awaited', async () => {
  const { ids, teams } = await twoStarts()
  for (const id of ids) await run(id)
  await run(await aPending(challenges[0]!, await aPlayingTeam()), { readyTimeout: 0 })
  for (const [i, challenge] of challenges.entries())
    await db
      .updateTable('challenges')
      .set({ readyText: `text ${i}`, exposePort: 8000 + i })
      .where('id', '=', challenge)
      .execute()
  await db
    .updateTable('containers')
    .set({ leaseUntil: at('-1s') })
    .execute()
  const taken = await claimAwaited(db, { id: null, node: randomUUID(), leaseMs: 30_000 })
  expect(taken.map((one) => [one.id, one.participationId, one.challengeId, one.readyText, one.exposePort]).toSorted()).toEqual(
    ids.map((id, i) => [id, teams[i], challenges[i], `text ${i}`, 8000 + i]).toSorted(),
  )
})

test('another network is chosen for one container, and tunnels whose lease has ended do not count', async () => {
  const { ids } = await twoStarts()
  expect(await changed(() => moveToFreeSubnet(db, ids[0], 1000))).toEqual([ids[0]])
  await run(ids[0])
  await db.updateTable('containers').set({ proxied: true }).where('id', '=', ids[0]).execute()
  const tunnels = Array.from({ length: tunnelLimits.perContainer }, () => randomUUID())
  const enter = (tunnel: string) => enterTunnel(db, tunnel, ids[0], { test: false, name: null })
  for (const tunnel of tunnels) await enter(tunnel)
  await expect(enter(randomUUID())).rejects.toMatchObject({ code: 'proxy.too_many_connections' })
  await db
    .updateTable('tunnels')
    .set({ leaseUntil: at('-1s') })
    .where('id', '=', tunnels[0]!)
    .execute()
  await enter(randomUUID())
})

test('expired leases that another node renews at this moment are left', async () => {
  const { ids } = await twoStarts()
  const tunnels = [randomUUID(), randomUUID()]
  const expired = tunnels.map((id) => ({ id, containerId: ids[0], leaseUntil: at('-1s') }))
  await db.insertInto('tunnels').values(expired).execute()
  await inTransaction(db, async (tx) => {
    await tx
      .updateTable('tunnels')
      .set({ leaseUntil: at('1m') })
      .where('id', '=', tunnels[0]!)
      .execute()
    await renewTunnels(db, new Map())
  })
  const left = await db.selectFrom('tunnels').select('id').where('id', 'in', tunnels).execute()
  expect(left).toEqual([{ id: tunnels[0] }])
})

test('a start has its own place in the queue', async () => {
  const { ids } = await twoStarts()
  // The second has waited for longer.
  for (const [i, id] of ids.entries()) await setProgress(db, id, { phase: 'queued', percent: null, queuedSince: i * 60_000 })
  const places = async (of: readonly string[]) => (await listPending(db, of)).map(({ id, place }) => [id, place])
  expect(await places([ids[0]])).toEqual([[ids[0], 2]])
  await setProgress(db, ids[0], { phase: 'pulling', percent: null, queuedSince: null })
  expect((await places(ids)).toSorted()).toEqual([[ids[0], null] as const, [ids[1], 1] as const].toSorted())
})

test('a container has its own named ports, and a tunnel leads to the named one, through the platform only', async () => {
  const { teams, ids } = await twoStarts()
  const port = (name: string, number: number) => ({ name, port: number, publishedPort: null })
  const own = await run(ids[0], { namedPorts: [port('web', 81), port('ssh', 22)] })
  await run(ids[1], { host: '127.0.0.2', namedPorts: [port('web', 82)] })
  expect(own?.namedPorts.map((one) => [one.name, one.port])).toEqual([
    ['web', 81],
    ['ssh', 22],
  ])
  expect((await listOfTeam(db, teams[1]!)).map(({ id, namedPorts }) => [id, namedPorts.map((one) => one.port)])).toEqual([
    [ids[1], [82]],
  ])
  const enter = (id: string, name: string | null) => enterTunnel(db, randomUUID(), id, { test: false, name })
  expect(await enter(ids[0], 'ssh')).toMatchObject({ port: 22 })
  expect(await enter(ids[0], null)).toMatchObject({ port: 80 })
  await expect(enter(ids[1], 'ssh')).rejects.toMatchObject({ code: 'proxy.not_found' })
  await db.updateTable('containers').set({ proxied: false }).where('id', '=', ids[1]).execute()
  await expect(enter(ids[1], null)).rejects.toMatchObject({ code: 'proxy.not_found' })
  expect(await isReachable(db, ids[1], { test: false, name: null })).toBe(false)
  expect(await isReachable(db, ids[0], { test: false, name: 'ssh' })).toBe(true)
  await db.updateTable('containers').set({ proxied: true }).where('id', '=', ids[1]).execute()
  expect(await isReachable(db, ids[1], { test: false, name: 'ssh' })).toBe(false)
  expect(await isReachable(db, ids[1], { test: false, name: null })).toBe(true)
  const waits = await aPending(challenges[0]!, await aPlayingTeam())
  await db.updateTable('containers').set({ proxied: true }).where('id', '=', waits).execute()
  expect(await isReachable(db, waits, { test: false, name: null })).toBe(false)
  // Only a test container is reachable as one.
  expect(await isReachable(db, ids[1], { test: true, name: null })).toBe(false)
  await expect(enterTunnel(db, randomUUID(), ids[1], { test: true, name: null })).rejects.toMatchObject({
    code: 'proxy.not_found',
  })
  for (const { containerId, hostName, name } of await db.selectFrom('containerPorts').selectAll().execute())
    expect(await findByHostName(db, hostName)).toEqual({ id: containerId, test: false, name })
})

test('a service that is awaited, answers or is late concerns its container and its challenge', async () => {
  const { ids } = await twoStarts()
  for (const id of ids) await run(id)
  expect(await changed(() => renewAwaited(db, ids[0], 90_000))).toEqual([ids[0]])
  const marks = (change: () => Promise<unknown>) => changedBy('challenges', 'id', change)
  expect(await marks(() => markSilent(db, ids[0]))).toEqual([String(challenges[0])])
  expect(await markSilent(db, ids[0])).toBe(false)
  await db
    .updateTable('challenges')
    .set({ silentSince: at('-1h') })
    .execute()
  await marks(async () => {
    expect(await changed(() => setReady(db, ids[0]))).toEqual([ids[0]])
  }).then((cleared) => expect(cleared).toEqual([String(challenges[0])]))
  // An answer after the limit does not clear the mark.
  await db
    .updateTable('containers')
    .set({ readyUntil: at('-1s') })
    .where('id', '=', ids[1])
    .execute()
  expect(await marks(() => setReady(db, ids[1]))).toEqual([])
  expect(await changed(() => setReady(db, ids[0]))).toEqual([])
  expect(await changed(() => renewAwaited(db, ids[0], 99_000))).toEqual([])
  expect(await marks(() => markSilent(db, ids[0]))).toEqual([])
})

test('progress and end of a pull concern its image, and no progress is stored after the end', async () => {
  await wantImages(db, { challengeId: challenges[0]! })
  await wantImages(db, { challengeId: challenges[1]! })
  const taken = await claimImage(db, 30_000)
  await claimImage(db, 30_000)
  const pulls = (change: () => Promise<unknown>) => changedBy('image_pulls', 'image', change)
  const nodes = [{ node: 'n', state: 'Pulling', percent: 3 }] as never
  expect(await pulls(() => keepPulling(db, taken!.image, nodes, 90_000))).toEqual([taken!.image])
  expect(await pulls(() => endPull(db, taken!, nodes))).toEqual([taken!.image])
  expect(await pulls(() => keepPulling(db, taken!.image, [], 90_000))).toEqual([])
})

test('an image that a later game uses is kept, one that is not used for a day is forgotten', async () => {
  const later = await aGame(db, { starts: '3d', ends: '4d' })
  await aChallenge(db, later, { type: 'StaticContainer', containerImage: 'later:1' })
  await db
    .insertInto('imagePulls')
    .values(['later:1', 'unused:1'].map((image) => ({ image, wantedAt: at('-2d'), pulledAt: at('-2d') })))
    .execute()
  await db
    .insertInto('imagePulls')
    .values([
      { image: 'recent:1', wantedAt: at('-23h'), pulledAt: at('-23h'), slot: null, runningUntil: null },
      { image: 'running:1', wantedAt: at('-2d'), pulledAt: null, slot: 1, runningUntil: at('1m') },
    ])
    .execute()
  await wantBeforeStart(db)
  const images = await db.selectFrom('imagePulls').select('image').orderBy('image').execute()
  expect(images.map(({ image }) => image)).toEqual(['later:1', 'one:1', 'recent:1', 'running:1', 'solver:1', 'solver:2', 'two:1'])
})

test('the check that has waited longest is taken; its output and end concern it alone, and no output is stored after the end', async () => {
  const first = await addCheck(db, challenges[1]!)
  await addCheck(db, challenges[0]!)
  // The database then stores it behind the other, and its challenge is behind the other as well.
  await db.updateTable('solverChecks').set({ cause: 'interval' }).where('id', '=', first.id).execute()
  const taken = await claimCheck(db)
  expect(taken?.id).toBe(first.id)
  await claimCheck(db)
  const checks = (change: () => Promise<unknown>) => changedBy('solver_checks', 'id', change)
  const result = { state: 'Passed', problem: null, output: 'all' } as const
  expect(await checks(() => keepCheck(db, taken!.id, 'some'))).toEqual([String(taken!.id)])
  expect(await checks(() => inTransaction(db, (tx) => endCheck(tx, taken!, result)))).toEqual([String(taken!.id)])
  expect(await checks(() => keepCheck(db, taken!.id, 'more'))).toEqual([])
  const next = await addCheck(db, taken!.challengeId)
  expect([next.isNew, next.id === taken!.id]).toEqual([true, false])
  expect(await addCheck(db, taken!.challengeId)).toMatchObject({ id: next.id, isNew: false })
})

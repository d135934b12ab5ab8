/** Which images are pulled, when and by which node, and what organisers see of it, on an engine in memory. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { EngineError, type NodeImage } from '../ports/engine/engine.ts'
import { claimImage, keepPulling, wantBeforeStart, wantImages } from './image-pulls.queries.ts'
import { pullDue } from './image-pulls.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform({}, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())
beforeEach(async () => {
  await platform.deps.log.flush()
  await platform.db.deleteFrom('imagePulls').execute()
  await platform.db.deleteFrom('challenges').execute()
  await platform.db.deleteFrom('logs').execute()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const here: NodeImage = { node: 'node-1', state: 'here', problem: null }
const lacking: NodeImage = { node: 'node-2', state: 'failed', problem: 'ImagePullBackOff: no route to host' }
const container = (game: number, containerImage: string, more: object = {}) =>
  aChallenge(platform.db, game, { type: 'StaticContainer', containerImage, ...more })
const imagesOf = async (game: number) => (await admin.get(`/api/edit/games/${game}/images`)).body
const rows = async () =>
  (
    await platform.db.selectFrom('imagePulls').select(['image', 'slot', 'runningUntil', 'pulledAt']).orderBy('image').execute()
  ).map(
    ({ image, slot, runningUntil, pulledAt }) =>
      `${image} ${slot ?? '-'} ${runningUntil ? 'running' : '-'} ${pulledAt ? 'pulled' : '-'}`,
  )
/** Pulls as `pull` does, then finds the engine unreachable, after which the pulls in the background end. */
const pullsThenUnreachable = (pull: typeof engine.pull) =>
  vi.spyOn(engine, 'pull').mockImplementation(async (image, seen) => {
    if (image === 'last:1') throw new EngineError('unreachable', 'Docker does not answer')
    await platform.db.insertInto('imagePulls').values({ image: 'last:1' }).execute()
    await pull(image, seen)
  })
const logged = async () => {
  await platform.deps.log.flush()
  return (await platform.db.selectFrom('logs').select('message').where('name', '=', 'System').orderBy('id').execute()).map(
    ({ message }) => message,
  )
}

test('which node lacks the image is shown while it is pulled and afterwards, with each challenge that uses it, and logged once', async () => {
  const game = await aGame(platform.db)
  const [first, second] = [await container(game, 'web:1', { title: 'Tide' }), await container(game, 'web:1', { title: 'Ebb' })]
  await container(game, 'off:1', { enabled: false })
  await aChallenge(platform.db, game, { type: 'StaticAttachment', containerImage: 'file:1' })
  await container(await aGame(platform.db), 'neighbour:1')
  const challenges = [
    { id: first, title: 'Tide' },
    { id: second, title: 'Ebb' },
  ]
  const shown = (state: string, nodes: readonly NodeImage[], pulledAt: unknown = null) => [
    { image: 'web:1', challenges, state, pulledAt, nodes },
  ]
  expect(await imagesOf(game)).toEqual(shown('waiting', []))
  const ends = Promise.withResolvers<void>()
  const pull = pullsThenUnreachable(async (_image, seen) => {
    seen?.([here, { ...lacking, state: 'pulling', problem: null }])
    await ends.promise
    seen?.([here, { ...lacking, problem: 'x'.repeat(600) }])
    throw new EngineError('image', `node-2: ${lacking.problem}`)
  })
  expect((await admin.post(`/api/edit/games/${game}/images`)).status).toBe(200)
  await expect.poll(() => imagesOf(game)).toEqual(shown('pulling', [here, { ...lacking, state: 'pulling', problem: null }]))
  ends.resolve()
  const atTime = expect.stringMatching(/^\d{4}-.+\+00:00$/)
  await expect.poll(() => imagesOf(game)).toEqual(shown('done', [here, { ...lacking, problem: 'x'.repeat(500) }], atTime))
  await expect.poll(() => pull.mock.calls.map(([image]) => image)).toEqual(['web:1', 'last:1'])
  await expect.poll(rows).toEqual(['last:1 - - -', 'web:1 - - pulled'])
  const line = `Could not pull the image of Tide (#${first}), Ebb (#${second}): node-2: ${lacking.problem}`
  expect(await logged()).toEqual([line])
  // An image that no challenge uses any more has no line.
  await platform.db.deleteFrom('imagePulls').where('image', '=', 'last:1').execute()
  await wantImages(platform.db, { gameId: game })
  await platform.db.updateTable('challenges').set({ containerImage: '' }).execute()
  pull.mockRejectedValue(new EngineError('image', 'manifest unknown'))
  await pullDue(platform.deps)
  expect(pull).toHaveBeenCalledTimes(3)
  expect([await rows(), await logged()]).toEqual([['web:1 - - pulled'], [line]])
})

test('a changed image is pulled at once, and only that of this challenge', async () => {
  const game = await aGame(platform.db)
  const changed = await container(game, 'web:1')
  await container(game, 'neighbour:1')
  const pull = pullsThenUnreachable(async () => undefined)
  expect((await admin.put(`/api/edit/games/${game}/challenges/${changed}`, { containerImage: 'web:2' })).status).toBe(200)
  await expect.poll(() => pull.mock.calls.map(([image]) => image)).toEqual(['web:2', 'last:1'])
  await expect.poll(rows).toEqual(['last:1 - - -', 'web:2 - - pulled'])
})

test('an engine of one node has it, or lacks it with a reason; one that is unreachable is asked again, and nothing is logged', async () => {
  const game = await aGame(platform.db)
  await container(game, 'web:1')
  await wantImages(platform.db, { gameId: game })
  const pull = vi.spyOn(engine, 'pull').mockRejectedValue(new EngineError('unreachable', 'Docker does not answer'))
  await pullDue(platform.deps)
  expect([pull.mock.calls.length, await rows(), await logged()]).toEqual([1, ['web:1 - - -'], []])
  pull.mockRejectedValue(new EngineError('image', 'manifest unknown'))
  await pullDue(platform.deps)
  expect(await imagesOf(game)).toMatchObject([
    { state: 'done', nodes: [{ node: '', state: 'failed', problem: 'manifest unknown' }] },
  ])
  await pullDue(platform.deps)
  expect(pull).toHaveBeenCalledTimes(2)
  pull.mockResolvedValue(undefined)
  await wantImages(platform.db, { gameId: game })
  expect(await imagesOf(game)).toMatchObject([{ state: 'waiting' }])
  await pullDue(platform.deps)
  expect(await imagesOf(game)).toMatchObject([{ state: 'done', nodes: [{ node: '', state: 'here', problem: null }] }])
  pull.mockRejectedValue(new Error('a fault'))
  await wantImages(platform.db, { gameId: game })
  await expect(pullDue(platform.deps)).rejects.toThrow('a fault')
  expect(await rows()).toEqual(['web:1 - - pulled'])
})

test('at the same instant each image is taken by one node, and at most three run; a lease that has ended frees its place', async () => {
  const game = await aGame(platform.db)
  for (const image of ['a', 'b', 'c', 'd', 'e']) await container(game, image)
  await wantImages(platform.db, { gameId: game })
  const earlier = await platform.db.startTransaction().execute()
  const first = await claimImage(earlier, 60_000)
  const later = claimImage(platform.db, 60_000)
  await vi.waitFor(async () => {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    expect((await waiting.execute(platform.db)).rows).toHaveLength(1)
  }, 5000)
  await earlier.commit().execute()
  const takes = () => Promise.all(Array.from({ length: 12 }, () => claimImage(platform.db, 60_000)))
  const both = [first?.image, (await later)?.image]
  expect(both).toEqual(['a', 'b'])
  const images = [...both, ...(await takes()).flatMap((one) => one?.image ?? [])]
  const taken = new Set(images)
  expect(images).toHaveLength(taken.size)
  expect([taken.size, await takes()]).toEqual([3, Array(12).fill(null)])
  const [stopped] = taken
  await platform.db
    .updateTable('imagePulls')
    .set({ runningUntil: new Date(0) })
    .where('image', '=', stopped!)
    .execute()
  expect([await claimImage(platform.db, 60_000), await claimImage(platform.db, 60_000)]).toEqual([
    { image: expect.any(String), begunAt: expect.any(Date) },
    null,
  ])
})

test('several images that wait are claimed one at a time, also by a plan for a table with one row', async () => {
  const { db } = platform
  const game = await aGame(db)
  const want = async (image: string) => {
    await container(game, image)
    await wantImages(db, { gameId: game })
  }
  await want('b')
  await sql`vacuum analyze image_pulls`.execute(db)
  for (const image of ['a', 'c', 'd']) await want(image)
  await sql`update image_pulls set wanted_at = ${new Date()}`.execute(db)
  const claimed = []
  for (let i = 0; i < 4; i++) claimed.push((await claimImage(db, 60_000))?.image)
  expect(claimed).toEqual(['a', 'b', 'c', undefined])
  expect(await rows()).toEqual(['a 1 running -', 'b 2 running -', 'c 3 running -', 'd - - -'])
  // Progress is stored only while the image is pulled: the report of a pull may arrive after its end.
  for (const image of ['b', 'd']) await keepPulling(db, image, [lacking], 60_000)
  expect(await rows()).toEqual(['a 1 running -', 'b 2 running -', 'c 3 running -', 'd - - -'])
  const stored = await db.selectFrom('imagePulls').select('nodes').orderBy('image').execute()
  expect(stored.map(({ nodes }) => nodes)).toEqual([[], [lacking], [], []])
})

test('the images of additional containers and of the solver check are pulled as well, each once', async () => {
  const game = await aGame(platform.db)
  const additionalContainers = JSON.stringify([
    { name: 'db', image: ' db:1 ' },
    { name: 'again', image: 'web:1' },
  ])
  await container(game, 'web:1', { additionalContainers, checkImage: 'solver:1', title: 'Tide' })
  const pull = vi.spyOn(engine, 'pull').mockResolvedValue(undefined)
  await wantImages(platform.db, { gameId: game })
  await pullDue(platform.deps)
  expect(pull.mock.calls.map(([image]) => image).sort()).toEqual(['db:1', 'solver:1', 'web:1'])
  expect(
    (await imagesOf(game)).map(({ image, challenges }: { image: string; challenges: unknown[] }) => [image, challenges.length]),
  ).toEqual([
    ['db:1', 1],
    ['solver:1', 1],
    ['web:1', 1],
  ])
})

test('the image that has waited longest is pulled first, and images are listed by name', async () => {
  const game = await aGame(platform.db)
  const ages = { 'c:1': '-2m', 'a:1': '-1m', 'd:1': '-4m', 'b:1': '-3m' }
  for (const image of Object.keys(ages)) await container(game, image)
  const pull = vi.spyOn(engine, 'pull').mockResolvedValue(undefined)
  await wantImages(platform.db, { gameId: game })
  for (const [image, age] of Object.entries(ages))
    await platform.db
      .updateTable('imagePulls')
      .set({ wantedAt: at(age) })
      .where('image', '=', image)
      .execute()
  await pullDue(platform.deps)
  expect(pull.mock.calls.map(([image]) => image)).toEqual(['d:1', 'b:1', 'c:1', 'a:1'])
  expect((await imagesOf(game)).map(({ image }: { image: string }) => image)).toEqual(['a:1', 'b:1', 'c:1', 'd:1'])
})

test('a change that another node hears of during the pull is pulled once; a request during a pull is not lost', async () => {
  const game = await aGame(platform.db)
  const challengeId = await container(game, 'web:1')
  // A few milliseconds later, since both times have a resolution of one millisecond.
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
  const pull = vi.spyOn(engine, 'pull')
  for (const [of, times] of [
    [{ challengeId }, 1],
    [{ gameId: game }, 2],
  ] as const) {
    pull.mockReset().mockImplementationOnce(async () => {
      await pause()
      await wantImages(platform.db, of)
    })
    await wantImages(platform.db, of)
    await pause()
    await pullDue(platform.deps)
    expect(pull).toHaveBeenCalledTimes(times)
  }
  // The next change is another one.
  await platform.db
    .updateTable('imagePulls')
    .set({ wantedAt: at('-5s') })
    .execute()
  expect(await wantImages(platform.db, { challengeId })).toBe(1)
})

test('in the hour before a game starts its images are wanted again once; those of other games and unused ones are not', async () => {
  const { db } = platform
  const game = (from: string, until: string) => aGame(db, { starts: from, ends: until })
  await container(await game('59m', '5h'), 'soon:1')
  await container(await game('-1h', '5h'), 'runs:1')
  await container(await game('61m', '5h'), 'later:1')
  await container(await game('-9h', '-1h'), 'over:1')
  const wanted = async () => {
    await wantBeforeStart(db)
    const pull = vi.spyOn(engine, 'pull').mockResolvedValue(undefined)
    await pullDue(platform.deps)
    const images = pull.mock.calls.map(([image]) => image).sort()
    pull.mockRestore()
    return images
  }
  await db
    .insertInto('imagePulls')
    .values([
      { image: 'unused:1', wantedAt: at('-25h'), pulledAt: at('-24h') },
      { image: 'unused:2', wantedAt: at('-23h'), pulledAt: at('-23h') },
    ])
    .execute()
  expect(await wanted()).toEqual(['runs:1', 'soon:1'])
  // The row of an unused image is kept for a day.
  expect(await rows()).toEqual(['runs:1 - - pulled', 'soon:1 - - pulled', 'unused:2 - - pulled'])
  expect(await wanted()).toEqual([])
  // Pulled when the challenge was enabled, the day before.
  await db
    .updateTable('imagePulls')
    .set({ wantedAt: at('-24h'), pulledAt: at('-24h') })
    .where('image', '=', 'soon:1')
    .execute()
  expect(await wanted()).toEqual(['soon:1'])
})

test('the sweep pulls what is wanted, and the lease of a pull is renewed until it ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await container(await aGame(platform.db), 'web:1')
  const ends = Promise.withResolvers<void>()
  const pull = vi.spyOn(engine, 'pull').mockImplementation(() => ends.promise)
  await platform.db.deleteFrom('sweeps').execute()
  // The platform's own timer may run the sweep before this call.
  await platform.sweeps.run()
  await vi.waitFor(() => expect(pull).toHaveBeenCalledTimes(1))
  await platform.db
    .updateTable('imagePulls')
    .set({ runningUntil: new Date(Date.now() + 1_000) })
    .execute()
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(async () => {
    const { runningUntil } = await platform.db.selectFrom('imagePulls').select('runningUntil').executeTakeFirstOrThrow()
    expect(runningUntil!.getTime()).toBeGreaterThan(Date.now() + 15_000)
  })
  ends.resolve()
  await vi.waitFor(async () => expect(await rows()).toEqual(['web:1 - - pulled']))
  // The timer is cleared after the answer to the query that the rows above show.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
})

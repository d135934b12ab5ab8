/** Starts that answer at once: their progress, place, failure and cancellation, on an engine in memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { listenAt } from '../../test/hub.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { startSession } from '../accounts/sessions.ts'
import { cookieName } from '../http/session-cookie.ts'
import { openStarts } from './starts.ts'

const engine = openMemoryEngine()
const respondAsync = { prefer: 'respond-async' }
let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_CONTAINER_ENTRY: 'play.example.org' }, engine)
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

let release = () => {}
const hold = (when: 'before' | 'after' = 'before') => engine.hold(when, new Promise<void>((resolve) => (release = resolve)))
afterEach(async () => {
  for (const when of ['before', 'after'] as const) engine.hold(when, null)
  release()
  engine.fail('create', null)
  engine.fail('destroy', null)
  await vi.waitFor(async () => {
    const open = platform.db.selectFrom('containers').select('id').where('state', '=', 'Pending')
    expect(await open.execute()).toEqual([])
  }, 5000)
  await platform.db.deleteFrom('containers').execute()
  await platform.instances.sweep()
})

async function aScene({ image = 'echo:1', readyTimeout = 0, limit = 3 } = {}) {
  const game = await aGame(platform.db, { containerLimit: limit, practiceMode: true })
  const values = { type: 'StaticContainer', containerImage: image, title: 'Task', exposePort: 1337 } as const
  const challenge = await aChallenge(platform.db, game, values)
  await platform.db.updateTable('challenges').set({ readyTimeout }).where('id', '=', challenge).execute()
  return { game, challenge, team: (name = 'Red') => aTeamIn(game, challenge, name) }
}

async function aTeamIn(game: number, challenge: number, name: string) {
  const { db } = platform
  const mate = await anAccount(db)
  const team = await aTeam(db, { members: [mate], name })
  const participation = await aParticipation(db, game, team)
  const call = await platform.as(team.captain)
  const path = `/api/game/${game}/container/${challenge}`
  const context = async (caller = call, headers = {}) =>
    (await caller.get(`/api/game/${game}/challenges/${challenge}`, headers)).body.context
  const rows = () =>
    db.selectFrom('containers').selectAll().where('participationId', '=', participation).orderBy('createdAt').execute()
  return {
    ...{ call, path, participation, context, rows, captain: team.captain },
    mate: await platform.as(mate),
    start: () => call.post(path, undefined, respondAsync),
    row: async () => (await rows()).at(-1)!,
    /** Begins a start and waits until the engine has received the request. */
    async begin(): Promise<string> {
      expect((await call.post(path, undefined, respondAsync)).status).toBe(202)
      const { id } = (await rows()).at(-1)!
      await vi.waitFor(() => expect(engine.asked).toContainEqual({ act: 'create', id }), 5000)
      return id
    },
    pause: () =>
      sql`update containers set acted_at = acted_at - interval '10 seconds' where participation_id = ${participation}`.execute(
        db,
      ),
    listen: async (account = mate) =>
      listenAt(platform, `/hub/user?game=${game}`, { cookie: `${cookieName}=${await startSession(db, account)}` }),
  }
}

const published = () => {
  const received: [string, object][] = []
  const stops = (['start.changed', 'instance.changed', 'event.recorded'] as const).map((name) =>
    platform.deps.bus.subscribe(name, (event) => void received.push([name, event])),
  )
  return { received, stop: () => stops.forEach((stop) => void stop()) }
}
const logs = async () => {
  await platform.deps.log.flush()
  const rows = await platform.db.selectFrom('logs').select('message').where('message', 'like', '%nstance of Task%').execute()
  return rows.map(({ message }) => message)
}
const start = (phase: string, place: number | null = null, percent: number | null = null) => ({ phase, place, percent })

describe('a start with Prefer: respond-async', () => {
  test('answers 202 once it is reserved; the team sees each phase, then the address', async () => {
    const { game, challenge, team } = await aScene({ image: 'slow:1', readyTimeout: 60 })
    const [red, blue] = [await team(), await team('Blue')]
    hold()
    const { received, stop } = published()
    const { status, headers, body } = await red.start()
    expect([status, headers['preference-applied']]).toEqual([202, 'respond-async'])
    expect(body).toMatchObject({ status: 'Pending', entry: '', tlsEntry: null, entries: [], start: start('queued', 1) })
    const changed = { gameId: game, challengeId: challenge, participationId: red.participation }
    await expect.poll(() => received).toContainEqual(['instance.changed', changed])
    expect(received.map(([name]) => name)).not.toContain('event.recorded')
    for (const member of [red.call, red.mate]) {
      expect(await red.context(member)).toMatchObject({ start: start('queued', 1), instanceEntry: null, readiness: 'waiting' })
      const listed = (await member.get(`/api/game/${game}/instances`)).body
      expect(listed).toMatchObject([{ challengeId: challenge, status: 'Pending', start: start('queued', 1) }])
    }
    expect((await blue.context()).start).toBeNull()
    const { id } = await red.row()
    await vi.waitFor(() => expect(engine.asked).toContainEqual({ act: 'create', id }), 5000)
    expect(engine.waitsForImages(id)).toBe(true)
    engine.see(id, 'pulling')
    await expect.poll(async () => (await red.context()).start).toEqual(start('pulling'))
    engine.see(id, 'pulling', 40)
    await expect.poll(async () => (await red.context()).start).toEqual(start('pulling', null, 40))
    engine.see(id, 'creating')
    await expect.poll(async () => (await red.context()).start).toEqual(start('creating'))
    release()
    await expect.poll(async () => (await red.context()).start).toEqual(start('waiting'))
    expect(await red.context()).toMatchObject({ instanceEntry: null, readiness: 'waiting' })
    engine.answer(id)
    await expect.poll(async () => (await red.context()).instanceEntry).toMatch(/^play\.example\.org:\d+$/)
    expect(await red.context()).toMatchObject({ start: null, startFailure: null, readiness: 'ready' })
    expect(received.map(([name]) => name)).toContain('event.recorded')
    stop()
    expect(await logs()).toContain(`Started instance of Task (#${challenge}) for Red`)
    expect(await blue.rows()).toEqual([])
  })

  test('without it, or with another preference, the call waits as before', async () => {
    const { team } = await aScene()
    const red = await team()
    const blue = await team('Blue')
    for (const [one, headers] of [[red, {}] as const, [blue, { prefer: 'return=minimal, wait=10' }] as const]) {
      hold()
      const starting = one.call.post(one.path, undefined, headers)
      await expect.poll(async () => (await one.row())?.state).toBe('Pending')
      const { id } = await one.row()
      await vi.waitFor(() => expect(engine.asked).toContainEqual({ act: 'create', id }), 5000)
      expect(engine.waitsForImages(id)).toBe(false)
      expect((await one.context(one.mate)).start).toEqual(start('queued', 1))
      release()
      const { status, headers: got, body } = await starting
      expect([status, got['preference-applied'], body.status, body.start]).toEqual([200, undefined, 'Running', null])
    }
    const green = await team('Green')
    expect((await green.call.post(green.path, undefined, { prefer: 'handling=lenient, Respond-Async; q=1' })).status).toBe(202)
  })

  test('is refused with the same code as the call that waits', async () => {
    const { team, challenge } = await aScene({ limit: 0 })
    const red = await team()
    await red.begin()
    await expect.poll(async () => (await red.row()).state).toBe('Running')
    expect(await red.start()).toMatchObject({ status: 429, error: { code: 'container.too_soon' } })
    await red.pause()
    expect(await red.start()).toMatchObject({ status: 400, error: { code: 'container.already_running' } })
    await platform.db.updateTable('challenges').set({ containerImage: '' }).where('id', '=', challenge).execute()
    const blue = await team('Blue')
    expect(await blue.start()).toMatchObject({ status: 400, error: { code: 'container.not_created' } })
    expect(await blue.rows()).toEqual([])
    expect(await blue.context()).toMatchObject({ start: null, startFailure: null })
  })

  test('of many calls of both kinds at the same instant exactly one starts the instance', async () => {
    const { team } = await aScene()
    for (let round = 0; round < 5; round++) {
      const red = await team(`Red ${round}`)
      const members = [red.call, red.mate, red.call, red.mate, red.call, red.mate]
      const answers = await Promise.all(
        members.map((member, at) => member.post(red.path, undefined, at % 2 === 0 ? respondAsync : {})),
      )
      const good = answers.filter(({ status }) => status < 300)
      expect(good).toHaveLength(1)
      expect(answers.filter(({ status }) => status >= 300).every(({ status }) => [400, 429].includes(status))).toBe(true)
      await expect.poll(async () => (await red.rows()).map(({ state }) => state)).toEqual(['Running'])
    }
  })
})

describe('the place in the queue', () => {
  test('counts the starts of all teams that wait and came before; one that pulled an image joins at the end', async () => {
    const { team } = await aScene()
    const elsewhere = await aScene()
    const [red, blue, green] = [await team(), await team('Blue'), await elsewhere.team('Green')]
    const places = () => Promise.all([red, blue, green].map(async ({ context }) => (await context()).start?.place ?? null))
    hold()
    const ids = [await red.begin(), await blue.begin(), await green.begin()]
    expect(await places()).toEqual([1, 2, 3])
    engine.see(ids[0]!, 'pulling', 10)
    await expect.poll(places).toEqual([null, 1, 2])
    engine.see(ids[0]!, 'queued')
    await expect.poll(places).toEqual([3, 1, 2])
    engine.see(ids[1]!, 'creating')
    await expect.poll(places).toEqual([2, null, 1])
    expect((await green.call.delete(green.path)).status).toBe(200)
    await expect.poll(places).toEqual([1, null, null])
  })

  test('its progress reaches the team, and no other, at most once a second', async () => {
    const { game, challenge, team } = await aScene()
    const [red, blue] = [await team(), await team('Blue')]
    const [mine, other] = [await red.listen(), await blue.listen()]
    hold()
    const first = await blue.begin()
    const { received, stop } = published()
    const id = await red.begin()
    const shown =
      (phase: string, place: number | null, percent: number | null = null) =>
      (argument: unknown) =>
        JSON.stringify(argument) ===
        JSON.stringify({ gameId: game, challengeId: challenge, start: start(phase, place, percent), failure: null })
    await mine.until('VexilStart', shown('queued', 2))
    engine.see(first, 'creating')
    await mine.until('VexilStart', shown('queued', 1))
    for (let percent = 0; percent < 50; percent++) engine.see(id, 'pulling', percent)
    await mine.until('VexilStart', shown('pulling', null, 49))
    // Progress that did not change is neither stored nor published again.
    const version = async () =>
      (await sql<{ lease: Date }>`select xmin, lease_until as lease from containers where id = ${id}`.execute(platform.db))
        .rows[0]
    let [before, after] = [await version(), await version()]
    do {
      before = await version()
      await sleep(2_500)
      after = await version()
      // The lease is renewed every ten seconds, which is another write.
    } while (after?.lease.getTime() !== before?.lease.getTime())
    expect(after).toEqual(before)
    const ofMine = received.filter(
      ([name, event]) => name === 'start.changed' && (event as { participationId: number }).participationId === red.participation,
    )
    // Two places, a first percentage and the last one.
    expect(ofMine.length).toBeLessThanOrEqual(4)
    stop()
    expect(other.received.filter(({ argument }) => argument.start?.phase === 'pulling')).toEqual([])
    mine.close()
    other.close()
  })
})

describe('a start that fails', () => {
  test.each([
    ['unreachable', 'container.engine_unreachable', 'Cannot reach the container engine. Try again in a minute'],
    ['busy', 'container.engine_busy', 'The cluster is busy. Try again in a minute'],
    ['image', 'container.not_created', 'Could not create the instance. Organisers can see the reason in the log'],
  ] as const)('with %s tells the whole team why, until the next one', async (problem, code, title) => {
    const { game, challenge, team } = await aScene()
    const [red, blue] = [await team(), await team('Blue')]
    const mine = await red.listen()
    engine.fail('create', problem)
    expect((await red.start()).status).toBe(202)
    const { argument } = await mine.until('VexilStart', ({ failure }) => failure !== null)
    expect(argument).toEqual({ gameId: game, challengeId: challenge, start: null, failure: code })
    mine.close()
    const row = await red.row()
    expect(row).toMatchObject({ endedBy: 'failure', failureCode: code })
    const at = expect.stringMatching(/\+00:00$/)
    for (const member of [red.call, red.mate])
      expect(await red.context(member)).toMatchObject({ start: null, lastEnd: null, startFailure: { code, title, at } })
    expect((await red.context(red.call, { 'accept-language': 'ja' })).startFailure.title).not.toBe(title)
    expect((await blue.context()).startFailure).toBeNull()
    const message = `Could not start instance of Task (#${challenge}) for Red: The engine in memory fails on command (${problem})`
    expect(await logs()).toContain(message)
    engine.fail('create', null)
    await red.pause()
    await red.begin()
    expect((await red.context()).startFailure).toBeNull()
  })

  test('is shown to the team for ten minutes', async () => {
    const { team } = await aScene()
    const red = await team()
    engine.fail('create', 'failed')
    await red.start()
    await expect.poll(async () => (await red.context()).startFailure?.code).toBe('container.not_created')
    const age = (text: string) =>
      sql`update containers set failed_at = clock_timestamp() - ${text}::interval`.execute(platform.db)
    await age('9 minutes 50 seconds')
    expect((await red.context()).startFailure).not.toBeNull()
    await age('10 minutes 1 second')
    expect((await red.context()).startFailure).toBeNull()
  })

  test('because of a fault of the platform is also logged as a fault, one that the engine refuses is not', async () => {
    const { team } = await aScene()
    const [red, blue] = [await team(), await team('Blue')]
    const logged = vi.spyOn(platform.app.log, 'error').mockReturnValue()
    const fault = new Error('a fault')
    const create = vi.spyOn(engine, 'create').mockRejectedValueOnce(fault)
    try {
      expect((await red.start()).status).toBe(202)
      await vi.waitFor(() => expect(logged).toHaveBeenCalled())
      engine.fail('create', 'failed')
      expect((await blue.start()).status).toBe(202)
      await expect.poll(async () => (await blue.context()).startFailure?.code).toBe('container.not_created')
      expect(logged.mock.calls).toEqual([[expect.objectContaining({ err: fault }), 'fault']])
    } finally {
      logged.mockRestore()
      create.mockRestore()
    }
  })

  test('because its platform was killed says so too', async () => {
    const { team } = await aScene()
    const red = await team()
    hold()
    await red.begin()
    await sql`update containers set lease_until = clock_timestamp() - interval '1 second'`.execute(platform.db)
    await platform.instances.sweep()
    expect(await red.context()).toMatchObject({ start: null, startFailure: { code: 'container.not_created' } })
  })
})

describe('a start that is cancelled', () => {
  test.each(['queued', 'pulling', 'creating', 'waiting'] as const)(
    'while %s ends at once and leaves nothing, and another team’s start continues',
    async (phase) => {
      const { game, challenge, team } = await aScene(phase === 'waiting' ? { image: 'slow:1', readyTimeout: 60 } : {})
      const [red, blue] = [await team(), await team('Blue')]
      if (phase !== 'waiting') hold(phase === 'creating' ? 'after' : 'before')
      const { received, stop } = published()
      const id = await red.begin()
      const theirs = await blue.begin()
      if (phase === 'pulling') engine.see(id, 'pulling', 10)
      if (phase === 'creating') await vi.waitFor(() => expect(engine.running.has(id)).toBe(true), 5000)
      if (phase !== 'creating') await expect.poll(async () => (await red.context()).start?.phase).toBe(phase)
      // Both containers were created: the events of these starts are published before the cancellation.
      const recorded = () => received.filter(([name]) => name === 'event.recorded').length
      if (phase === 'waiting') await expect.poll(recorded).toBe(2)
      received.length = 0
      expect(await red.mate.delete(red.path)).toMatchObject({ status: 200, body: '' })
      // Progress of either start may be published at any moment, once a second; so may the start of the other team.
      const isOther = (event: object) => 'participationId' in event && event.participationId !== red.participation
      expect(received.filter(([name, event]) => name !== 'start.changed' && !isOther(event)).slice(0, 2)).toEqual([
        ['event.recorded', { gameId: game, eventId: expect.any(Number) }],
        ['instance.changed', { gameId: game, challengeId: challenge, participationId: red.participation }],
      ])
      stop()
      expect(await red.context()).toMatchObject({ start: null, startFailure: null, instanceEntry: null, lastEnd: null })
      expect(await red.row()).toMatchObject({ id, state: 'Ended', endedBy: 'player', failureCode: null })
      if (phase === 'queued' || phase === 'pulling') expect(engine.asked).not.toContainEqual({ act: 'destroy', id })
      const messages = await logs()
      expect(messages).toContain(`Destroyed instance of Task (#${challenge})`)
      expect((await blue.context()).start).not.toBeNull()
      // A cluster pulls the image of a container that it has created.
      if (phase === 'creating') engine.see(id, 'pulling')
      release()
      engine.answer(theirs)
      await expect.poll(async () => (await blue.context()).instanceEntry).not.toBeNull()
      await expect.poll(() => engine.running.has(id)).toBe(false)
      // Once by the cancellation, and once when the creation is complete.
      const destroyed = () => engine.asked.filter((one) => one.act === 'destroy' && one.id === id).length
      if (phase === 'creating') await expect.poll(destroyed).toBe(2)
      expect((await logs()).filter((message) => message.startsWith(`Could not start instance of Task (#${challenge})`))).toEqual(
        [],
      )
      // The pause is counted from the cancellation.
      expect((await red.start()).error.code).toBe('container.too_soon')
      await red.pause()
      for (const when of ['before', 'after'] as const) engine.hold(when, null)
      const again = await red.begin()
      engine.answer(again)
      await expect.poll(async () => (await red.context()).instanceEntry).not.toBeNull()
      expect([...engine.running.keys()].sort()).toEqual([theirs, again].sort())
    },
  )

  test('and whose container the engine does not remove is refused, and the sweep removes it', async () => {
    const { team } = await aScene()
    const red = await team()
    hold()
    const id = await red.begin()
    // A cluster pulls the image of a container that it has created.
    engine.see(id, 'creating')
    engine.see(id, 'pulling')
    engine.fail('destroy', 'unreachable')
    expect((await red.call.delete(red.path)).error.code).toBe('container.not_destroyed')
    expect((await red.row()).state).toBe('Ending')
    engine.fail('destroy', null)
    await platform.instances.sweep()
    expect((await red.row()).state).toBe('Ended')
  })

  test('gives its place under the limit to another at once', async () => {
    const { game, team } = await aScene({ limit: 1 })
    const other = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo:1', exposePort: 1337 })
    const red = await team()
    hold()
    await red.begin()
    const elsewhere = `/api/game/${game}/container/${other}`
    expect((await red.call.post(elsewhere, undefined, respondAsync)).error.code).toBe('container.limit_reached')
    expect((await red.call.delete(red.path)).status).toBe(200)
    expect((await red.call.post(elsewhere, undefined, respondAsync)).status).toBe(202)
  })

  test('does not wait for the end of the instance whose place it takes', async () => {
    const { game, challenge, team } = await aScene({ limit: 1 })
    const other = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo:1', exposePort: 1337 })
    const red = await team()
    const { promise: until, resolve: go } = Promise.withResolvers<void>()
    const destroy = engine.destroy
    const spy = vi.spyOn(engine, 'destroy').mockImplementation(async (id) => {
      await until
      await destroy(id)
    })
    const setting = 'ContainerPolicy:AutoDestroyOnLimitReached'
    const settings = { ...platform.deps.settings.get(), [setting]: true }
    const get = vi.spyOn(platform.deps.settings, 'get').mockReturnValue(settings)
    try {
      expect((await red.call.post(`/api/game/${game}/container/${other}`)).status).toBe(200)
      expect((await red.start()).status).toBe(202)
      await vi.waitFor(() => expect(spy).toHaveBeenCalledOnce())
      const { id } = await red.row()
      expect((await red.call.delete(red.path)).status).toBe(200)
      expect(await red.row()).toMatchObject({ id, challengeId: challenge, state: 'Ended', endedBy: 'player' })
      expect(engine.asked).not.toContainEqual({ act: 'create', id })
    } finally {
      go()
      spy.mockRestore()
      get.mockRestore()
    }
    await vi.waitFor(async () => expect((await red.rows()).map(({ state }) => state)).toEqual(['Ended', 'Ended']))
  })

  test('is stopped when another node ends its row', async () => {
    const { game, challenge, team } = await aScene()
    const [red, blue] = [await team(), await team('Blue')]
    hold()
    const [id, theirs] = [await red.begin(), await blue.begin()]
    await platform.db.updateTable('containers').set({ state: 'Ending', endedBy: 'player' }).where('id', '=', id).execute()
    platform.deps.bus.publish('instance.changed', { gameId: game, challengeId: challenge, participationId: red.participation })
    await expect.poll(async () => (await red.row()).state).toBe('Ended')
    expect((await blue.row()).state).toBe('Pending')
    // As if the event of the other node were lost.
    await platform.db.updateTable('containers').set({ state: 'Ending', endedBy: 'player' }).where('id', '=', theirs).execute()
    await expect.poll(async () => (await blue.row()).state).toBe('Ended')
    // A sweep would have asked the engine.
    for (const one of [id, theirs]) expect(engine.asked).not.toContainEqual({ act: 'destroy', id: one })
  })

  test('start, cancellation and start at the same instant leave at most one instance, and the engine has exactly that', async () => {
    const { team } = await aScene()
    for (let round = 0; round < 10; round++) {
      const red = await team(`Red ${round}`)
      await Promise.all([
        red.start(),
        red.call.delete(red.path),
        red.mate.post(red.path, undefined, respondAsync),
        red.mate.delete(red.path),
        red.call.post(red.path),
      ])
      await red.pause()
      await Promise.all([red.call.delete(red.path), red.start(), red.call.delete(red.path), red.start()])
      await expect.poll(async () => (await red.rows()).map(({ state }) => state)).not.toContain('Pending')
      await expect
        .poll(async () => {
          const open = (await red.rows()).filter(({ state }) => state === 'Running').map(({ id }) => id)
          const all = new Set((await red.rows()).map(({ id }) => id))
          return [open, [...engine.running.keys()].filter((id) => all.has(id))]
        })
        .toSatisfy(([open, running]: string[][]) => open!.length <= 1 && String(open) === String(running))
    }
  })
})

test('a start whose row has ended is stopped by the event before the next look, its neighbour continues', async () => {
  const { db, bus, onError } = platform.deps
  const { game, challenge, team } = await aScene()
  const [red, blue] = [await team(), await team('Blue')]
  hold()
  const [ended, pending] = [await red.begin(), await blue.begin()]
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  const starts = openStarts({ db, bus, onError })
  try {
    const stopped: string[] = []
    for (const [id, { participation }] of [
      [ended, red],
      [pending, blue],
    ] as const)
      void starts.run(
        { id, challengeId: challenge, participationId: participation, waitsForImages: true },
        async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          stopped.push(`${id} ${signal.reason.problem ?? signal.reason.code}`)
        },
      )
    await db.updateTable('containers').set({ state: 'Ending', endedBy: 'player' }).where('id', '=', ended).execute()
    for (const { participation } of [red, blue])
      bus.publish('instance.changed', { gameId: game, challengeId: challenge, participationId: participation })
    while (stopped.length === 0) await new Promise(setImmediate)
    expect(stopped).toEqual([`${ended} stopped`])
  } finally {
    vi.useRealTimers()
    await starts.close()
  }
})

test('a start that is stopped does not wait for the next look; one that creates its container is not waited for', async () => {
  const { db, bus, onError } = platform.deps
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  const starts = openStarts({ db, bus, onError })
  try {
    const stopped: string[] = []
    const run = (number: number, phase: 'queued' | 'creating') => {
      const id = `00000000-0000-4000-8000-00000000000${number}`
      void starts.run({ id, challengeId: 1, participationId: null, waitsForImages: true }, async (watch) => {
        watch.seen(phase, null)
        await new Promise((resolve) => watch.signal.addEventListener('abort', resolve))
        stopped.push(`${number} ${watch.signal.reason.problem ?? watch.signal.reason.code}`)
      })
      return id
    }
    const [queued, creating] = [run(1, 'queued'), run(2, 'creating'), run(3, 'queued')]
    expect(await starts.stop(queued)).toBe(true)
    expect(stopped).toEqual(['1 stopped'])
    expect(await starts.stop(creating)).toBe(false)
    while (stopped.length === 1) await new Promise(setImmediate)
    expect(stopped).toEqual(['1 stopped', '2 stopped'])
    expect(await starts.stop(queued)).toBe(false)
  } finally {
    vi.useRealTimers()
    await starts.close()
  }
})

test('a process that ends gives up patient starts that wait, with a reason, and waits for the others', async () => {
  const { db, bus, onError } = platform.deps
  const starts = openStarts({ db, bus, onError })
  const until = (signal: AbortSignal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  let last = 0
  const newId = () => `00000000-0000-4000-8000-00000000000${++last}`
  const patient = { challengeId: 1, participationId: null, waitsForImages: true }
  const run = (
    waitsForImages: boolean,
    phase: 'queued' | 'pulling' | 'creating',
    work: (signal: AbortSignal) => Promise<unknown>,
  ) =>
    starts.run({ ...patient, id: newId(), waitsForImages }, (watch) => {
      watch.seen(phase, null)
      return work(watch.signal)
    })
  const givenUp = Promise.allSettled([run(true, 'pulling', until), run(true, 'queued', until)])
  const finish: (() => void)[] = []
  const finished = () => new Promise<void>((resolve) => finish.push(resolve))
  const others = [run(true, 'creating', finished), run(false, 'queued', finished), run(false, 'pulling', finished)]
  const later = Promise.withResolvers<void>()
  const pullsLater = starts.run({ ...patient, id: newId() }, async (watch) => {
    watch.seen('creating', null)
    await later.promise
    watch.seen('pulling', null)
    watch.signal.throwIfAborted()
  })
  let isClosed = false
  const closing = starts.close().then(() => (isClosed = true))
  const refusal = { status: 'rejected', reason: { code: 'server.unavailable', data: { retryAfter: 1 } } }
  expect(await givenUp).toMatchObject([refusal, refusal])
  later.resolve()
  expect(await Promise.allSettled([pullsLater])).toMatchObject([refusal])
  for (const end of finish) {
    expect(isClosed).toBe(false)
    end()
  }
  await Promise.all(others)
  await closing
  // None is left behind.
  for (let n = 1; n <= last; n++) expect(await starts.stop(`00000000-0000-4000-8000-00000000000${n}`)).toBe(false)
})

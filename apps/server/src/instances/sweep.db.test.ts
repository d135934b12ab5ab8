/** Containers that end without a call: time, rights, crashes, dead nodes. Rows and engine agree afterwards. */
import { randomUUID } from 'node:crypto'
import { sql, type Updateable } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import type { DB } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { saveSettings } from '../site/settings.ts'
import { endDueContainers, sweepContainers } from './sweep-containers.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform({}, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())
afterEach(() => {
  for (const act of ['create', 'destroy', 'list'] as const) engine.fail(act, null)
})

/** A running instance of a team, with its game and challenge. */
async function anInstance({ practiceMode = true } = {}) {
  const game = await aGame(platform.db, { practiceMode })
  const team = await aTeam(platform.db, { name: 'Red' })
  const participation = await aParticipation(platform.db, game, team)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo', title: 'Task' })
  const call = await platform.as(team.captain)
  expect((await call.post(`/api/game/${game}/container/${challenge}`)).status).toBe(200)
  const { id } = await platform.db
    .selectFrom('containers')
    .select('id')
    .where('participationId', '=', participation)
    .executeTakeFirstOrThrow()
  return { game, team, participation, challenge, call, id }
}

const row = (id: string) => platform.db.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirst()
const set = (id: string, values: Updateable<DB['containers']>) =>
  platform.db.updateTable('containers').set(values).where('id', '=', id).execute()
const sweep = () => platform.instances.sweep()
/** State of the row, why it ended, and whether the engine runs the container. */
const fate = async (id: string) => {
  const there = await row(id)
  return [there?.state ?? 'no row', there?.endedBy ?? null, engine.running.has(id)]
}
const runs = ['Running', null, true]
/** The last end as the team sees it. */
const lastEnd = async ({ call, game, challenge }: Instance) =>
  (await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context.lastEnd
const lastEntry = async () => {
  await platform.deps.log.flush()
  return platform.db
    .selectFrom('logs')
    .select(['level', 'message'])
    .where('name', '=', 'System')
    .orderBy('id', 'desc')
    .executeTakeFirst()
}
const lastLog = async () => (await lastEntry())?.message

describe('time', () => {
  test('P4.16 an instance ends on time and not before, and its team can start another', async () => {
    const [mine, neighbour] = [await anInstance(), await anInstance()]
    await set(mine.id, { stopsAt: at('-1s'), actedAt: at('-10s') })
    await set(neighbour.id, { stopsAt: at('1m') })
    await sweep()
    expect(await fate(mine.id)).toEqual(['Ended', 'expiry', false])
    expect(await fate(neighbour.id)).toEqual(runs)
    const message = `Container of Task (#${mine.challenge}) of Red ended (expiry)`
    expect(await lastEntry()).toEqual({ level: 'Information', message })
    expect((await mine.call.get(`/api/game/${mine.game}/challenges/${mine.challenge}`)).body.context).toMatchObject({
      instanceEntry: null,
      lastEnd: { cause: 'expiry', exitCode: null },
    })
    expect((await mine.call.post(`/api/game/${mine.game}/container/${mine.challenge}`)).status).toBe(200)
    expect(await lastEnd(mine)).toBeNull()
    await set(mine.id, { actedAt: at('-20s') })
    await platform.db
      .updateTable('containers')
      .set({ actedAt: at('-10s') })
      .where('participationId', '=', mine.participation)
      .execute()
    expect((await mine.call.delete(`/api/game/${mine.game}/container/${mine.challenge}`)).status).toBe(200)
    // The members are not notified, since one of them destroyed it.
    expect(await lastEnd(mine)).toBeNull()
  })

  test('the end of a game without practice mode ends its instances ten minutes later; the shown end follows the game', async () => {
    const { game, id, call, challenge } = await anInstance({ practiceMode: false })
    const shown = async () => Date.parse((await call.get(`/api/game/${game}/instances`)).body[0].expectStopAt)
    const end = at('30m')
    await platform.db.updateTable('games').set({ endsAt: end }).where('id', '=', game).execute()
    expect(await shown()).toBe(end.getTime() + 600_000)
    await platform.db
      .updateTable('games')
      .set({ endsAt: at('-9m') })
      .where('id', '=', game)
      .execute()
    await sweep()
    expect(await fate(id)).toEqual(runs)
    await platform.db
      .updateTable('games')
      .set({ endsAt: new Date(Date.now() - 600_500) })
      .where('id', '=', game)
      .execute()
    await sweep()
    expect(await fate(id)).toEqual(['Ended', 'expiry', false])
    expect(challenge).toBeGreaterThan(0)
  })
})

describe('an instance ends within a moment', () => {
  const waitForEnd = (id: string, by: string) =>
    vi.waitFor(async () => expect(await fate(id)).toEqual(['Ended', by, false]), 5000)

  test('after a change without querying the engine for running containers', async () => {
    const [it, neighbour] = [await anInstance(), await anInstance()]
    const { db } = platform
    await db.updateTable('participations').set({ status: 'Suspended' }).where('id', '=', it.participation).execute()
    engine.fail('list', 'unreachable')
    await endDueContainers(platform.deps)
    expect((await fate(it.id)).slice(0, 1)).toEqual(['Ended'])
    expect(engine.running.has(it.id)).toBe(false)
    expect(await fate(neighbour.id)).toEqual(runs)
  })

  test('P4.16 when its challenge is disabled, not when another is', async () => {
    const [mine, neighbour] = [await anInstance(), await anInstance()]
    await admin.put(`/api/edit/games/${mine.game}/challenges/${mine.challenge}`, { isEnabled: false })
    await waitForEnd(mine.id, 'challenge')
    expect(await fate(neighbour.id)).toEqual(runs)
  })

  test.each(['Suspended', 'Rejected', 'Pending'])('P4.16 when its team is set to %s', async (status) => {
    const [mine, neighbour] = [await anInstance(), await anInstance()]
    await admin.put(`/api/admin/participation/${mine.participation}/${status}`)
    await waitForEnd(mine.id, 'participation')
    expect(await fate(neighbour.id)).toEqual(runs)
  })

  test.each([
    ['P7.52 challenge', ({ game, challenge }: Instance) => admin.delete(`/api/edit/games/${game}/challenges/${challenge}`)],
    ['P7.46 game', ({ game }: Instance) => admin.delete(`/api/edit/games/${game}`)],
    ['P6.7 team', ({ team }: Instance) => admin.delete(`/api/admin/teams/${team.id}`)],
  ])('P4.16 when its %s is deleted, including its row', async (_, remove) => {
    const [mine, neighbour] = [await anInstance(), await anInstance()]
    expect((await remove(mine)).status).toBe(200)
    await vi.waitFor(async () => expect(await fate(mine.id)).toEqual(['no row', null, false]), 5000)
    expect(await fate(neighbour.id)).toEqual(runs)
  })
})
type Instance = Awaited<ReturnType<typeof anInstance>>

describe('a container', () => {
  test('without a row is removed; one with a row stays', async () => {
    const { id } = await anInstance()
    const stranger = randomUUID()
    const wanted = engine.running.get(id)!
    await engine.create({ ...wanted, id: stranger, subnetIndex: wanted.subnetIndex + 1 })
    const ended = await anInstance()
    await set(ended.id, { state: 'Ended', endedAt: new Date() })
    await sweep()
    expect(engine.running.has(stranger)).toBe(false)
    expect(engine.running.has(ended.id)).toBe(false)
    expect(await fate(id)).toEqual(runs)
  })

  test.each([
    [{ reason: 'exit', exitCode: 3 }, 'exit', 3, 'Exit code 3'],
    [{ reason: 'exit', exitCode: null }, 'exit', null, 'Exit code unknown'],
    [{ reason: 'memory', exitCode: 137 }, 'memory', 137, 'It needed more memory than its limit'],
    [{ reason: 'storage', exitCode: null }, 'storage', null, 'It exceeded its storage limit'],
    [
      { reason: 'evicted', exitCode: null, message: 'Evicted: low on memory' },
      'evicted',
      null,
      'The cluster ended it. Evicted: low on memory',
    ],
  ] as const)(
    'that ended (%j) closes the row; the reason, then the last lines, are for administrators, and the team reads the cause',
    async (end, cause, exitCode, sentence) => {
      const [mine, neighbour] = [await anInstance(), await anInstance()]
      engine.print(mine.id, 'panic: out of cheese')
      engine.crash(mine.id, end)
      await sweep()
      expect(await fate(mine.id)).toEqual(['Ended', cause, false])
      expect(await fate(neighbour.id)).toEqual(runs)
      const problem = `${sentence}: panic: out of cheese`
      expect(await row(mine.id)).toMatchObject({ problem, exitCode })
      expect(await lastLog()).toBe(`Container of Task (#${mine.challenge}) of Red ended (${cause}): ${problem}`)
      expect(await lastEnd(mine)).toEqual({ cause, exitCode })
      expect(await lastEnd(neighbour)).toBeNull()
      // An engine that does not deliver the output does not delay the end.
      engine.fail('logs', 'unreachable')
      engine.crash(neighbour.id, end)
      await sweep()
      engine.fail('logs', null)
      expect((await row(neighbour.id))!.problem).toBe(`${sentence}, without output`)
    },
  )

  test('that was removed from the engine closes the row with that cause', async () => {
    const [lost, neighbour] = [await anInstance(), await anInstance()]
    await engine.destroy(lost.id)
    await sweep()
    expect(await fate(lost.id)).toEqual(['Ended', 'removed', false])
    expect(await fate(neighbour.id)).toEqual(runs)
    expect((await row(lost.id))!.problem).toBe('Another program removed it from the engine')
    expect(await lastEnd(lost)).toEqual({ cause: 'removed', exitCode: null })
  })

  test('with the id of a running row that is not its own is removed when two sweeps ten seconds apart have seen it', async () => {
    const [mine, neighbour] = [await anInstance(), await anInstance()]
    engine.duplicate(mine.id, 'second')
    // Whole milliseconds: with a fraction, the difference of ten seconds may be slightly too small.
    const since = Math.ceil(performance.now())
    const clock = vi.spyOn(performance, 'now')
    onTestFinished(() => clock.mockRestore())
    const strays = new Map()
    const look = async (ms: number, deps = platform.deps) => {
      clock.mockReturnValue(since + ms)
      await sweepContainers(deps, strays)
      return (await engine.list()).some(({ engineId }) => engineId === 'second')
    }
    expect([await look(0), await look(9_999)]).toEqual([true, true])
    const failures: unknown[] = []
    const failing = { ...platform.deps, engine: { ...engine, destroyOne: () => Promise.reject(new Error('not now')) } }
    const isThere = await look(10_000, { ...failing, onError: (error) => void failures.push(error) })
    expect([isThere, failures]).toEqual([true, [new Error('not now')]])
    expect(await look(10_000)).toBe(false)
    expect(await lastLog()).toBe(`Removed a second container of Task (#${mine.challenge}) of Red: second`)
    expect([await fate(mine.id), await fate(neighbour.id)]).toEqual([runs, runs])
    // Each one is counted from the start, and one that is removed by other means is no longer counted.
    engine.duplicate(mine.id, 'second')
    expect([await look(10_001), strays.size]).toEqual([true, 1])
    await engine.destroyOne(mine.id, 'second')
    expect([await look(30_000), strays.size]).toEqual([false, 0])
  })

  test('with the id of a row that is still being started is not taken for a second one', async () => {
    const mine = await anInstance()
    await set(mine.id, { state: 'Pending', startedAt: null, stopsAt: null, engineId: null, leaseUntil: at('1m') })
    const strays = new Map([[`memory-${mine.id.slice(0, 8)}`, Number.NEGATIVE_INFINITY]])
    await sweepContainers(platform.deps, strays)
    expect([await fate(mine.id), strays.size]).toEqual([['Pending', null, true], 0])
  })

  test('that was replaced by another with its id closes the row', async () => {
    const lost = await anInstance()
    await set(lost.id, { engineId: 'another' })
    await sweep()
    expect(await fate(lost.id)).toEqual(['Ended', 'removed', false])
  })

  test('that ended with its engine is one of many in one entry of the log, also with several nodes', async () => {
    const [one, two, crashed, neighbour] = [await anInstance(), await anInstance(), await anInstance(), await anInstance()]
    for (const { id } of [one, two]) engine.crash(id, { reason: 'engine', exitCode: 137 })
    engine.crash(crashed.id)
    const received: unknown[] = []
    const stop = platform.deps.bus.subscribe('instance.changed', ({ challengeId }) => void received.push(challengeId))
    await Promise.all([sweepContainers(platform.deps), sweepContainers(platform.deps)])
    await expect.poll(() => received).toEqual(expect.arrayContaining([one.challenge, two.challenge]))
    stop()
    for (const { id } of [one, two]) expect(await fate(id)).toEqual(['Ended', 'engine', false])
    expect([(await fate(crashed.id))[1], await fate(neighbour.id)]).toEqual(['exit', runs])
    expect(await lastEnd(two)).toEqual({ cause: 'engine', exitCode: null })
    await platform.deps.log.flush()
    const { rows } = await sql<{ level: string; message: string }>`
      select level, message from logs where message like 'The container engine%' or message like ${`%(#${crashed.challenge})% ended%`}
      order by message`.execute(platform.db)
    expect(rows).toMatchObject([
      { level: 'Warning', message: expect.stringContaining('ended (exit)') },
      { level: 'Warning', message: 'The container engine was restarted: 2 instances ended' },
    ])
  })

  test('that another node ends meanwhile keeps the cause of that node, and is logged by it alone', async () => {
    const mine = await anInstance()
    engine.crash(mine.id)
    const inspect = engine.inspect
    const spy = vi.spyOn(engine, 'inspect').mockImplementationOnce(async (id) => {
      await set(id, { state: 'Ending', endedBy: 'memory' })
      return inspect(id)
    })
    await sweep()
    spy.mockRestore()
    expect(await fate(mine.id)).toEqual(['Ended', 'memory', false])
    expect(await lastLog()).not.toContain(`(#${mine.challenge})`)
  })

  test('whose end the engine cannot explain stays until it can', async () => {
    const mine = await anInstance()
    engine.crash(mine.id)
    const inspect = vi.spyOn(engine, 'inspect').mockRejectedValueOnce(new EngineError('unreachable', 'it is unreachable'))
    await sweep()
    expect((await fate(mine.id)).slice(0, 2)).toEqual(['Running', null])
    inspect.mockRestore()
    await sweep()
    expect(await fate(mine.id)).toEqual(['Ended', 'exit', false])
  })

  test('that was missing from the list is checked again before its row is closed', async () => {
    const { id } = await anInstance()
    vi.spyOn(engine, 'list').mockResolvedValueOnce([])
    await sweep()
    expect(await fate(id)).toEqual(runs)
  })

  test('beyond its storage limit is ended with that reason', async () => {
    const [mine, starting, neighbour] = [await anInstance(), await anInstance(), await anInstance()]
    // Its node ends a start that fails.
    await set(starting.id, { state: 'Pending', startedAt: null, stopsAt: null, leaseUntil: at('1m') })
    for (const { id } of [mine, starting]) engine.overfill(id)
    await sweep()
    expect(await fate(mine.id)).toEqual(['Ended', 'storage', false])
    expect(await fate(starting.id)).toEqual(['Pending', null, true])
    expect(await fate(neighbour.id)).toEqual(runs)
    expect((await row(mine.id))!.problem).toBe('It exceeded its storage limit')
    const message = `Container of Task (#${mine.challenge}) of Red ended (storage): It exceeded its storage limit`
    expect(await lastLog()).toBe(message)
  })
})

describe('a start', () => {
  test('of a crashed node is removed with its container once its lease expires', async () => {
    const { id } = await anInstance()
    const pending = { state: 'Pending', startedAt: null, stopsAt: null } as const
    await set(id, { ...pending, leaseUntil: at('10s') })
    await sweep()
    expect(await fate(id)).toEqual(['Pending', null, true])
    await set(id, { leaseUntil: at('-1s') })
    await sweep()
    expect(await fate(id)).toEqual(['Ended', 'failure', false])
  })

  test('of this node’s last run is removed when the node starts, and not that of another node', async () => {
    const [mine, other] = [await anInstance(), await anInstance()]
    const pending = { state: 'Pending', startedAt: null, stopsAt: null, leaseUntil: at('25s') } as const
    expect((await row(mine.id))!.node).toBe(platform.deps.node)
    for (const { id } of [mine, other]) await set(id, pending)
    await set(other.id, { node: randomUUID() })
    const running = await anInstance()
    await platform.instances.begin()
    expect(await fate(mine.id)).toEqual(['Ended', 'failure', false])
    expect(await fate(other.id)).toEqual(['Pending', null, true])
    expect(await fate(running.id)).toEqual(runs)
    await set(other.id, { leaseUntil: at('-1s') })
    await sweep()
  })

  test.each(['creation of its container', 'end of the instance whose place it takes'])(
    'keeps its lease when it waits long for the %s',
    async (waitsFor) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      const { promise: until, resolve: go } = Promise.withResolvers<void>()
      const { game, participation, call, id: earlier } = await anInstance()
      const other = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo' })
      const isEviction = waitsFor.startsWith('end')
      if (!isEviction) engine.hold('before', until)
      const destroy = engine.destroy
      const spy = vi.spyOn(engine, 'destroy').mockImplementation(async (id) => {
        await until
        await destroy(id)
      })
      const setting = 'ContainerPolicy:AutoDestroyOnLimitReached'
      try {
        if (isEviction) {
          await platform.db.updateTable('games').set({ containerLimit: 1 }).where('id', '=', game).execute()
          await inTransaction(platform.db, (tx) => saveSettings(tx, { [setting]: true }))
          await platform.deps.settings.reload()
        }
        const starting = call.post(`/api/game/${game}/container/${other}`)
        const pending = () =>
          platform.db
            .selectFrom('containers')
            .selectAll()
            .where('participationId', '=', participation)
            .where('challengeId', '=', other)
            .executeTakeFirstOrThrow()
        const { id, leaseUntil } = await vi.waitFor(pending, 5000)
        expect(leaseUntil.getTime() - Date.now()).toBeGreaterThan(25_000)
        expect(leaseUntil.getTime() - Date.now()).toBeLessThan(31_000)
        if (isEviction) await vi.waitFor(() => expect(spy.mock.calls).toEqual([[earlier]]))
        else await vi.waitFor(() => expect(engine.asked).toContainEqual({ act: 'create', id }))
        await set(id, { leaseUntil: at('1s') })
        vi.advanceTimersByTime(10_000)
        await vi.waitFor(async () => expect((await pending()).leaseUntil.getTime() - Date.now()).toBeGreaterThan(25_000), 5000)
        go()
        expect((await starting).status).toBe(200)
        expect((await row(earlier))!.state).toBe(isEviction ? 'Ended' : 'Running')
      } finally {
        go()
        engine.hold('before', null)
        spy.mockRestore()
        vi.useRealTimers()
        await inTransaction(platform.db, (tx) => saveSettings(tx, { [setting]: false }))
        await platform.deps.settings.reload()
      }
    },
  )
})

describe('while the engine is unavailable', () => {
  test('an expired instance ends for its team, and is destroyed when the engine is back; others stay unchanged', async () => {
    const [mine, neighbour] = [await anInstance(), await anInstance()]
    await set(mine.id, { stopsAt: at('-1s') })
    for (const act of ['list', 'destroy', 'create'] as const) engine.fail(act, 'unreachable')
    const received: unknown[] = []
    const stop = platform.deps.bus.subscribe('instance.changed', (event) => void received.push(event))
    await sweep()
    await sweep()
    expect(await fate(mine.id)).toEqual(['Ending', 'expiry', true])
    const { game: gameId, challenge: challengeId, participation: participationId } = mine
    await expect.poll(() => received).toEqual([{ gameId, challengeId, participationId }])
    stop()
    expect(await lastLog()).toBe(`Container of Task (#${challengeId}) of Red ended (expiry)`)
    expect((await mine.call.get(`/api/game/${mine.game}/instances`)).body).toEqual([])
    expect(await fate(neighbour.id)).toEqual(runs)
    for (const act of ['list', 'destroy', 'create'] as const) engine.fail(act, null)
    await sweep()
    expect(await fate(mine.id)).toEqual(['Ended', 'expiry', false])
    expect(await fate(neighbour.id)).toEqual(runs)
  })

  test('a container that cannot be destroyed does not block the others', async () => {
    const [mine, other] = [await anInstance(), await anInstance()]
    const wanted = engine.running.get(mine.id)!
    const strangers = [randomUUID(), randomUUID()] as const
    for (const [i, id] of strangers.entries()) await engine.create({ ...wanted, id, subnetIndex: 100_000 + i })
    for (const { id } of [mine, other]) await set(id, { stopsAt: at('-1s') })
    const destroy = engine.destroy
    const spy = vi.spyOn(engine, 'destroy').mockImplementation(async (id) => {
      if (id === mine.id || id === strangers[0]) throw new Error('stuck')
      return destroy(id)
    })
    await sweep()
    spy.mockRestore()
    expect(strangers.map((id) => engine.running.has(id))).toEqual([true, false])
    expect(await fate(mine.id)).toEqual(['Ending', 'expiry', true])
    expect(await fate(other.id)).toEqual(['Ended', 'expiry', false])
  })
})

describe('automatic destruction after a solve', () => {
  const submit = async ({ call, game, challenge }: Instance, flag: string) =>
    expect((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag })).status).toBe(200)
  const setting = async (on: boolean) => {
    await inTransaction(platform.db, (tx) => saveSettings(tx, { 'ContainerPolicy:DestroyOnSolve': on }))
    await platform.deps.settings.reload()
  }
  afterEach(() => setting(false))

  test('ends only the instance of its team and challenge, a few seconds later', async () => {
    await setting(true)
    const [mine, neighbour, wrong] = [await anInstance(), await anInstance(), await anInstance()]
    const { game, challenge, participation } = mine
    const blue = await aTeam(platform.db)
    const theirs = await aParticipation(platform.db, game, blue)
    expect((await (await platform.as(blue.captain)).post(`/api/game/${game}/container/${challenge}`)).status).toBe(200)
    const more = { type: 'StaticContainer', containerImage: 'echo' } as const
    const second = await aChallenge(platform.db, game, more)
    expect((await mine.call.post(`/api/game/${game}/container/${second}`)).status).toBe(200)
    const nearby = await platform.db
      .selectFrom('containers')
      .select('id')
      .where('participationId', 'in', [participation, theirs])
      .where('id', '<>', mine.id)
      .execute()
    expect(nearby).toHaveLength(2)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await submit(wrong, 'flag{wrong}')
    await submit(mine, 'flag{right}')
    const ours = () => timers.mock.calls.filter(([, ms]) => ms === 5000)
    await vi.waitFor(() => expect(ours()).toHaveLength(1), 5000)
    expect(await fate(mine.id)).toEqual(runs)
    ;(ours()[0]![0] as () => void)()
    await vi.waitFor(async () => expect(await fate(mine.id)).toEqual(['Ended', 'solve', false]), 5000)
    for (const { id } of [neighbour, wrong, ...nearby]) expect(await fate(id)).toEqual(runs)
    timers.mockRestore()
  })

  test('ends nothing when it is disabled', async () => {
    const mine = await anInstance()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await submit(mine, 'flag{right}')
    await platform.deps.log.flush()
    expect(timers.mock.calls.filter(([, ms]) => ms === 5000)).toEqual([])
    timers.mockRestore()
    expect(await fate(mine.id)).toEqual(runs)
  })
})

test('ended rows are deleted after a week', async () => {
  const [old, young] = [await anInstance(), await anInstance()]
  await set(old.id, { state: 'Ended', endedAt: at('-8d') })
  await set(young.id, { state: 'Ended', endedAt: at('-6d') })
  await sweep()
  expect([await row(old.id), (await row(young.id))?.state]).toEqual([undefined, 'Ended'])
})

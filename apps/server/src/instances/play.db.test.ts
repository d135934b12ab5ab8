/** Instances during a game, on an engine in memory: start, extension, destruction, limit, flags, and what everyone sees of them. */
import { randomUUID } from 'node:crypto'
import type { ContainerInstance } from '@vexil/contract/instances'
import { wireTime } from '@vexil/contract/wire'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { saveSettings, settingDefaults } from '../site/settings.ts'
import { moveToFreeSubnet } from './instances.queries.ts'
import { tryTestContainer } from './try-container.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
let adminId: string
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_CONTAINER_ENTRY: 'play.example.org' }, engine)
  adminId = await anAccount(platform.db, { role: 'Admin' })
  admin = await platform.as(adminId)
})
afterAll(() => platform.stop())
afterEach(async () => {
  for (const act of ['create', 'destroy', 'list'] as const) engine.fail(act, null)
  for (const when of ['before', 'after'] as const) engine.hold(when, null)
  await setting(settingDefaults)
})

async function setting(changes: Parameters<typeof saveSettings>[1]) {
  await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
  await platform.deps.settings.reload()
}

/** A team in a running game with practice mode, and container challenges. */
async function aScene({ challenges = 1, limit = 3, type = 'StaticContainer' as 'StaticContainer' | 'DynamicContainer' } = {}) {
  const game = await aGame(platform.db, { containerLimit: limit, practiceMode: true })
  const mate = await anAccount(platform.db)
  const team = await aTeam(platform.db, { members: [mate], name: 'Red' })
  const participation = await aParticipation(platform.db, game, team)
  const ids: number[] = []
  for (let i = 0; i < challenges; i++)
    ids.push(await aChallenge(platform.db, game, { type, containerImage: 'echo:1', title: `Task ${i}`, exposePort: 1337 }))
  const call = await platform.as(team.captain)
  const path = (challenge = ids[0]!) => `/api/game/${game}/container/${challenge}`
  return { game, team, participation, ids, challenge: ids[0]!, call, mate: await platform.as(mate), path }
}

const row = (id: string) => platform.db.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const openRow = (participation: number, challenge: number) =>
  platform.db
    .selectFrom('containers')
    .selectAll()
    .where('participationId', '=', participation)
    .where('challengeId', '=', challenge)
    .where('state', '<>', 'Ended')
    .executeTakeFirst()
/** `pause` moves the last operation on all instances back; `leave` sets their end to `left` minutes from now. */
const pause = (participation: number) =>
  sql`update containers set acted_at = acted_at - interval '10 seconds' where participation_id = ${participation}`.execute(
    platform.db,
  )
const leave = (participation: number, left: number) =>
  sql`update containers set stops_at = clock_timestamp() + make_interval(secs => ${left * 60}) where participation_id = ${participation}`.execute(
    platform.db,
  )
/** A new version of the row is behind the others in the table, so without an order it is read last. */
const moveToEnd = (participation: number, challenge: number) =>
  sql`update containers set image = image where participation_id = ${participation} and challenge_id = ${challenge}`.execute(
    platform.db,
  )
const eventsOf = async (game: number) =>
  (await admin.get(`/api/game/${game}/events`)).body.map(({ type, values, user, team }: Record<string, unknown>) => [
    type,
    values,
    user,
    team,
  ])
const logs = async () => {
  await platform.deps.log.flush()
  return (await platform.db.selectFrom('logs').select(['level', 'status', 'name', 'message']).orderBy('id').execute()).slice(-3)
}

/** Collects what is published about instances and events from now on. */
function published() {
  const received: [name: string, event: object][] = []
  const stops = (['event.recorded', 'instance.changed'] as const).map((name) =>
    platform.deps.bus.subscribe(name, (event) => received.push([name, event])),
  )
  return { received, stop: () => stops.forEach((stop) => void stop()) }
}

describe('a start', () => {
  test('P3.59 P3.53 P4.14 P7.75 P3.44 P9.10 returns address and end for the whole team, and records an event and a log entry', async () => {
    const { call, mate, path, game, team, challenge, participation } = await aScene()
    const before = Date.now()
    const { status, body } = await call.post(path())
    const { id, port } = (await openRow(participation, challenge))!
    const published = (await row(id)).publishedPort
    expect([status, body.status, body.entry]).toEqual([200, 'Running', `play.example.org:${published}`])
    expect(port).toBe(published)
    expect(Date.parse(body.startedAt)).toBeGreaterThan(before - 1000)
    expect(Date.parse(body.expectStopAt) - Date.parse(body.startedAt)).toBe(120 * 60_000)
    for (const member of [call, mate]) {
      const { context } = (await member.get(`/api/game/${game}/challenges/${challenge}`)).body
      expect([context.instanceEntry, context.closeTime]).toEqual([body.entry, body.expectStopAt])
      expect((await member.get(`/api/game/${game}/instances`)).body).toEqual([{ ...body, challengeId: challenge }])
    }
    const [captain] = await platform.db.selectFrom('accounts').select('userName').where('id', '=', team.captain).execute()
    expect(await eventsOf(game)).toEqual([['ContainerStart', [String(challenge), 'Task 0'], captain!.userName, 'Red']])
    expect((await admin.get(`/api/game/${game}/events?hideContainer=true`)).body).toEqual([])
    const message = `Started instance of Task 0 (#${challenge}) for Red`
    expect(await logs()).toContainEqual({ level: 'Information', status: 'Success', name: captain!.userName, message })
    const answers = `/api/game/${game}/challenges/${challenge}`
    const sent = await mate.post(answers, { flag: 'flag{right}' })
    expect((await mate.get(`${answers}/status/${sent.body}`)).body).toBe('Accepted')
  })

  test('P3.44 P9.10 lasts as many minutes as the site setting; running instances keep their end', async () => {
    const { call, path, game, ids } = await aScene({ challenges: 2 })
    const first = (await call.post(path())).body
    await setting({ 'ContainerPolicy:DefaultLifetime': 45 })
    const { body } = await call.post(path(ids[1]))
    expect(Date.parse(body.expectStopAt) - Date.parse(body.startedAt)).toBe(45 * 60_000)
    const shown = async () => {
      const { context } = (await call.get(`/api/game/${game}/challenges/${ids[0]}`)).body
      const list = (await call.get(`/api/game/${game}/instances`)).body as { challengeId: number; expectStopAt: string }[]
      expect(list.find(({ challengeId }) => challengeId === ids[0])!.expectStopAt).toBe(context.closeTime)
      return context.closeTime
    }
    expect(await shown()).toBe(first.expectStopAt)
    // Without practice mode it ends ten minutes after the game.
    const changed = platform.db.updateTable('games').set({ practiceMode: false }).where('id', '=', game)
    const { endsAt } = await changed.returning('endsAt').executeTakeFirstOrThrow()
    expect(Date.parse(await shown()) - endsAt.getTime()).toBe(10 * 60_000)
  })

  test('P3.24 passes image, port and limits to the engine, with names that contain no secret', async () => {
    const { call, path, challenge, team, participation } = await aScene()
    await platform.db
      .updateTable('challenges')
      .set({ cpuCount: 5, memoryLimit: 96, storageLimit: 300, network: 'Isolated', profile: 'strict', runtime: 'runsc' })
      .where('id', '=', challenge)
      .execute()
    await call.post(path())
    const { id, subnetIndex, image, accountId } = (await openRow(participation, challenge))!
    expect([image, accountId]).toEqual(['echo:1', team.captain])
    expect(engine.running.get(id)).toEqual({
      id,
      subnetIndex,
      name: `chal-${challenge}`,
      labels: {
        app: 'ctf',
        'ctf.container': id,
        'ctf.team': String(team.id),
        'ctf.user': team.captain,
        'ctf.challenge': String(challenge),
      },
      image: 'echo:1',
      environment: { VEXIL_TEAM_ID: String(team.id), GZCTF_TEAM_ID: String(team.id) },
      port: 1337,
      cpuCount: 5,
      memoryLimit: 96,
      storageLimit: 300,
      isolated: true,
      hasReadyCheck: false,
      strict: true,
      runtime: 'runsc',
      namedPorts: [],
      additional: [],
    })
  })

  test('P4.17 P3.53 gives a dynamic challenge its team’s flag in all variables; it is right for this team and detected for another', async () => {
    const { call, path, game, ids, challenge, participation } = await aScene({ type: 'DynamicContainer', challenges: 2 })
    await platform.db.updateTable('challenges').set({ flagTemplate: 'flag{[GUID]}' }).where('id', 'in', ids).execute()
    await setting({ 'ContainerPolicy:FlagVariables': 'TASK_FLAG, F1' })
    const other = await aTeam(platform.db, { name: 'Blue' })
    const stealing = await aParticipation(platform.db, game, other)
    const thief = await platform.as(other.captain)
    await thief.post(path())
    await call.post(path(ids[1]))
    await call.post(path())
    const { environment } = engine.running.get((await openRow(participation, challenge))!.id)!
    const flag = environment.FLAG!
    expect(flag).toMatch(/^flag\{[0-9a-f-]{36}\}$/)
    const { VEXIL_TEAM_ID: team, ...rest } = environment
    expect(rest).toEqual({
      FLAG: flag,
      VEXIL_FLAG: flag,
      GZCTF_FLAG: flag,
      TASK_FLAG: flag,
      F1: flag,
      GZCTF_TEAM_ID: team,
    })
    const others = [await openRow(stealing, challenge), await openRow(participation, ids[1]!)]
    const flags = [flag, ...others.map((one) => engine.running.get(one!.id)!.environment.FLAG)]
    expect([flags.every((one) => one?.startsWith('flag{')), new Set(flags).size]).toEqual([true, 3])
    const submit = async (caller: Caller, text: string) => {
      const { body } = await caller.post(`/api/game/${game}/challenges/${challenge}`, { flag: text })
      return (await caller.get(`/api/game/${game}/challenges/${challenge}/status/${body}`)).body
    }
    expect(await submit(thief, flag)).toBe('WrongAnswer')
    expect((await admin.get(`/api/game/${game}/cheatinfo`)).body).toMatchObject([
      { ownedTeam: { team: { name: 'Red' } }, submitTeam: { team: { name: 'Blue' } } },
    ])
    // A flag stays valid after its instance has ended.
    await pause(participation)
    expect((await call.delete(path())).status).toBe(200)
    expect(await submit(call, flag)).toBe('Accepted')
    await pause(participation)
    await call.post(path())
    expect(engine.running.get((await openRow(participation, challenge))!.id)!.environment.FLAG).toBe(flag)
  })

  test('P7.75 P4.17 within 10 seconds of the last operation is refused with the wait time; a failed start counts too', async () => {
    const { call, path, participation } = await aScene()
    engine.fail('create', 'failed')
    expect((await call.post(path())).error.code).toBe('container.not_created')
    engine.fail('create', null)
    const soon = await call.post(path())
    expect(soon).toMatchObject({ status: 429, error: { status: 429, code: 'container.too_soon' } })
    expect(Number(soon.headers['retry-after'])).toBeGreaterThan(7)
    expect(Number(soon.headers['retry-after'])).toBeLessThan(11)
    await pause(participation)
    expect((await call.post(path())).status).toBe(200)
    expect((await call.delete(path())).error.code).toBe('container.too_soon')
    await pause(participation)
    expect(await call.post(path())).toMatchObject({ status: 400, error: { status: 400, code: 'container.already_running' } })
    expect((await call.delete(path())).status).toBe(200)
    expect((await call.post(path())).error.code).toBe('container.too_soon')
  })

  test('P3.23 without an image is refused', async () => {
    const { call, path, challenge } = await aScene()
    await platform.db.updateTable('challenges').set({ containerImage: '' }).where('id', '=', challenge).execute()
    expect((await call.post(path())).error).toMatchObject({ status: 400, code: 'container.not_created' })
  })

  test.each([
    ['unreachable', 'container.engine_unreachable'],
    ['pulling', 'container.image_pending'],
    ['busy', 'container.engine_busy'],
    ['image', 'container.not_created'],
    ['failed', 'container.not_created'],
  ] as const)(
    'that fails with %s reports it, leaves nothing behind and shows the reason to administrators',
    async (problem, code) => {
      const { call, path, game, challenge, participation } = await aScene()
      engine.fail('create', problem)
      const { received, stop } = published()
      expect((await call.post(path())).error).toMatchObject({ status: 400, code })
      const changed = { gameId: game, challengeId: challenge, participationId: participation }
      await vi.waitFor(() => expect(received).toEqual([['instance.changed', changed]]), 5000)
      stop()
      expect(await openRow(participation, challenge)).toBeUndefined()
      const left = await platform.db.selectFrom('containers').selectAll().where('participationId', '=', participation).execute()
      expect(left).toMatchObject([{ state: 'Ended', endedBy: 'failure', problem: expect.stringContaining('on command') }])
      expect(engine.running.has(left[0]!.id)).toBe(false)
      expect(await eventsOf(game)).toEqual([])
      const message = `Could not start instance of Task 0 (#${challenge}) for Red: The engine in memory fails on command (${problem})`
      expect(await logs()).toContainEqual(expect.objectContaining({ level: 'Warning', status: 'Failed', message }))
    },
  )

  test('whose network is in use takes another; after three attempts it fails', async () => {
    const { call, path, participation, challenge } = await aScene()
    const create = engine.create
    const indexes: number[] = []
    const spy = vi.spyOn(engine, 'create').mockImplementation(async (wanted) => {
      indexes.push(wanted.subnetIndex)
      if (indexes.length === 1) engine.fail('create', 'subnet')
      try {
        return await create(wanted)
      } finally {
        engine.fail('create', null)
      }
    })
    expect((await call.post(path())).status).toBe(200)
    expect(new Set(indexes).size).toBe(2)
    const { id, subnetIndex } = (await openRow(participation, challenge))!
    expect(subnetIndex).toBe(indexes[1])
    // What the first attempt may have left is destroyed before the second.
    expect(engine.asked.filter((one) => one.id === id).map(({ act }) => act)).toEqual(['create', 'destroy', 'create'])
    spy.mockRestore()
    const other = await aScene()
    engine.fail('create', 'subnet')
    const before = engine.asked.filter(({ act }) => act === 'create').length
    expect((await other.call.post(other.path())).error.code).toBe('container.not_created')
    expect(engine.asked.filter(({ act }) => act === 'create').length - before).toBe(3)
  })

  test('whose network is in use takes another also when several starts collide', async () => {
    const { ids, team } = await aScene({ challenges: 4 })
    // Above those of the instances of other tests, which are chosen at random.
    const rows = ids.map((challengeId, at) => ({ id: randomUUID(), subnetIndex: 1_000_000 + at, challengeId }))
    const more = { participationId: null, accountId: team.captain, image: 'echo', capture: false, leaseUntil: new Date() }
    await platform.db
      .insertInto('containers')
      .values(rows.map((one) => ({ ...one, ...more })))
      .execute()
    for (let round = 0; round < 5; round++) {
      const indexes = await Promise.all(rows.map(({ id }) => moveToFreeSubnet(platform.db, id, 8)))
      expect(new Set(indexes).size).toBe(4)
      const stored = await Promise.all(rows.map(async ({ id }) => (await row(id)).subnetIndex))
      expect(stored).toEqual(indexes)
    }
    await platform.db.deleteFrom('containers').where('challengeId', 'in', ids).execute()
  })

  test('without a free network is refused until an instance releases its network', async () => {
    const small = await startTestPlatform({ VEXIL_DOCKER_SUBNETS: '100.64.0.0/29' }, openMemoryEngine())
    try {
      const admin = await small.as(await anAccount(small.db, { role: 'Admin' }))
      const game = await aGame(small.db)
      const challenge = await aChallenge(small.db, game, { type: 'StaticContainer', title: 'Task 0', containerImage: 'echo' })
      const [red, blue] = [await aTeam(small.db), await aTeam(small.db)]
      for (const team of [red, blue]) await aParticipation(small.db, game, team)
      const [one, other] = [await small.as(red.captain), await small.as(blue.captain)]
      const path = `/api/game/${game}/container/${challenge}`
      expect((await one.post(path)).status).toBe(200)
      expect((await other.post(path)).error).toMatchObject({ status: 400, code: 'container.not_created' })
      const reason = 'No network in VEXIL_DOCKER_SUBNETS is free'
      expect((await admin.post(`/api/edit/games/${game}/challenges/${challenge}/container`)).error.title).toContain(reason)
      await small.deps.log.flush()
      const warnings = await small.db.selectFrom('logs').select(['status', 'message']).where('level', '=', 'Warning').execute()
      expect(warnings.map(({ status, message }) => `${status} ${message}`)).toEqual(
        ['instance', 'test container'].map((what) => `Failed Could not start ${what} of Task 0 (#${challenge}): ${reason}`),
      )
      await sql`update containers set acted_at = acted_at - interval '10 seconds'`.execute(small.db)
      expect((await one.delete(path)).status).toBe(200)
      expect((await other.post(path)).status).toBe(200)
      const { rows } = await sql`select subnet_index from containers where state = 'Running'`.execute(small.db)
      expect(rows).toEqual([{ subnetIndex: 0 }])
    } finally {
      await small.stop()
    }
  })

  test('that is ended before the engine responds leaves no container', async () => {
    const { call, path, game, challenge, participation } = await aScene()
    let go = () => {}
    engine.hold('after', new Promise((resolve) => (go = resolve)))
    const starting = call.post(path())
    const pending = await vi.waitFor(async () => {
      const found = await openRow(participation, challenge)
      if (!found || !engine.running.has(found.id)) throw new Error('not yet')
      return found
    }, 5000)
    expect(pending.state).toBe('Pending')
    const detail = (await call.get(`/api/game/${game}/challenges/${challenge}`)).body
    expect([detail.context.instanceEntry, detail.context.closeTime]).toEqual([null, null])
    await pause(participation)
    expect((await call.post(path())).error.code).toBe('container.already_running')
    await admin.delete(`/api/admin/instances/${pending.id}`)
    go()
    expect((await starting).error.code).toBe('container.not_created')
    expect(engine.running.has(pending.id)).toBe(false)
    expect((await row(pending.id)).state).toBe('Ended')
  })
})

describe('the limit of a team', () => {
  test('P3.11 P3.43 the refusal names the limit, which counts only running instances of this game', async () => {
    const { call, path, ids, participation } = await aScene({ challenges: 3, limit: 2 })
    const elsewhere = await aScene()
    await elsewhere.call.post(elsewhere.path())
    for (const id of ids.slice(0, 2)) expect((await call.post(path(id))).status).toBe(200)
    const refused = await call.post(path(ids[2]))
    expect(refused).toMatchObject({
      status: 400,
      error: { code: 'container.limit_reached', title: expect.stringContaining('2') },
    })
    await pause(participation)
    await call.delete(path(ids[0]))
    expect((await call.post(path(ids[2]))).status).toBe(200)
  })

  test('P3.43 with automatic destruction ends the oldest other instance, with event and log entry', async () => {
    await setting({ 'ContainerPolicy:AutoDestroyOnLimitReached': true })
    const { call, path, game, ids, participation } = await aScene({ challenges: 3, limit: 2 })
    const { received, stop } = published()
    for (const id of ids.slice(0, 2)) expect((await call.post(path(id))).status).toBe(200)
    await moveToEnd(participation, ids[0]!)
    expect((await call.post(path(ids[2]))).status).toBe(200)
    await vi.waitFor(() => expect(received).toHaveLength(8), 5000)
    stop()
    const changed = (challengeId: number) => ['instance.changed', { gameId: game, challengeId, participationId: participation }]
    const recorded = ['event.recorded', { gameId: game, eventId: expect.any(Number) }]
    expect(received.slice(-4)).toEqual([changed(ids[0]!), recorded, recorded, changed(ids[2]!)])
    expect(new Set(received.slice(-4).flatMap(([, event]) => ('eventId' in event ? [event.eventId] : []))).size).toBe(2)
    const message = `Destroyed instance of Task 0 (#${ids[0]}) of Red to make room`
    expect(await logs()).toContainEqual(expect.objectContaining({ level: 'Information', status: 'Success', message }))
    expect((await call.get(`/api/game/${game}/instances`)).body.map((one: { challengeId: number }) => one.challengeId)).toEqual(
      ids.slice(1),
    )
    const deleted = await platform.db
      .selectFrom('containers')
      .selectAll()
      .where('challengeId', '=', ids[0]!)
      .executeTakeFirstOrThrow()
    expect(deleted).toMatchObject({ state: 'Ended', endedBy: 'limit' })
    expect(engine.running.has(deleted.id)).toBe(false)
    expect((await eventsOf(game)).map(([type, values]: [string, string[]]) => [type, values[0]])).toEqual([
      ['ContainerStart', String(ids[2])],
      ['ContainerDestroy', String(ids[0])],
      ['ContainerStart', String(ids[1])],
      ['ContainerStart', String(ids[0])],
    ])
    // The player did not end this instance, so it may be started again at once.
    await pause(participation)
    expect((await call.post(path(ids[0]))).status).toBe(200)
  })

  test('an instance that was ended to make room is published even when the start fails because of a fault', async () => {
    await setting({ 'ContainerPolicy:AutoDestroyOnLimitReached': true })
    const { call, path, game, ids, participation } = await aScene({ challenges: 2, limit: 1 })
    const { received, stop } = published()
    expect((await call.post(path(ids[0]))).status).toBe(200)
    const logged = vi.spyOn(platform.app.log, 'error').mockReturnValue()
    // As if the database failed after the reservation.
    await sql`alter table containers add constraint fault check (state <> 'Ended') not valid`.execute(platform.db)
    try {
      expect((await call.post(path(ids[1]))).status).toBe(500)
    } finally {
      await sql`alter table containers drop constraint fault`.execute(platform.db)
      logged.mockRestore()
    }
    await vi.waitFor(() => expect(received).toHaveLength(5))
    stop()
    const changed = (challengeId: number) => ['instance.changed', { gameId: game, challengeId, participationId: participation }]
    const recorded = ['event.recorded', { gameId: game, eventId: expect.any(Number) }]
    expect(received.slice(-3)).toEqual([changed(ids[0]!), recorded, changed(ids[1]!)])
    expect(await openRow(participation, ids[1]!)).toMatchObject({ state: 'Ending', endedBy: 'failure' })
    await platform.instances.sweep()
  })

  test('P5.24 P9.6 0 means unlimited', async () => {
    const { call, path, ids } = await aScene({ challenges: 5, limit: 0 })
    for (const id of ids) expect((await call.post(path(id))).status).toBe(200)
  })

  test('holds for concurrent starts of all members: exactly that many run, one per challenge', async () => {
    const teams = await Promise.all(Array.from({ length: 6 }, () => aScene({ challenges: 5, limit: 3 })))
    const answers = await Promise.all(
      teams.flatMap(({ call, mate, path, ids }) => ids.flatMap((id) => [call.post(path(id)), mate.post(path(id))])),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 429]))
    for (const { call, game, participation } of teams) {
      const running = (await call.get(`/api/game/${game}/instances`)).body as { challengeId: number }[]
      expect(running).toHaveLength(3)
      expect(new Set(running.map(({ challengeId }) => challengeId)).size).toBe(3)
      const rows = await platform.db.selectFrom('containers').selectAll().where('participationId', '=', participation).execute()
      expect(rows.map(({ id }) => engine.running.has(id))).toEqual([true, true, true])
      expect(rows.map(({ slot }) => slot).sort()).toEqual([1, 2, 3])
    }
  })
})

describe('an extension', () => {
  test('P3.44 P9.10 P4.15 P7.77 moves the end by its time, only inside the window', async () => {
    const { call, path, game, participation, challenge, ids } = await aScene({ challenges: 2 })
    const other = await aScene()
    await call.post(path())
    await leave(participation, 11)
    // Another instance of the team, and that of another team.
    await call.post(path(ids[1]))
    await other.call.post(other.path())
    const endsBeside = async () =>
      [await openRow(participation, ids[1]!), await openRow(other.participation, other.challenge)].map((row) => row!.stopsAt)
    expect(await call.post(`${path()}/extend`)).toMatchObject({
      status: 400,
      error: { code: 'container.too_early_to_extend', title: expect.stringContaining('10') },
    })
    await leave(participation, 9)
    const beside = await endsBeside()
    const end = (await openRow(participation, challenge))!.stopsAt!
    const { status, body } = await call.post(`${path()}/extend`)
    expect([status, Date.parse(body.expectStopAt) - end.getTime()]).toEqual([200, 120 * 60_000])
    expect(await endsBeside()).toEqual(beside)
    expect((await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context.closeTime).toBe(body.expectStopAt)
    expect((await call.post(`${path()}/extend`)).error.code).toBe('container.too_early_to_extend')
    await setting({ 'ContainerPolicy:RenewalWindow': 30, 'ContainerPolicy:ExtensionDuration': 15 })
    await leave(participation, 31)
    expect((await call.post(`${path()}/extend`)).error.code).toBe('container.too_early_to_extend')
    await leave(participation, 29)
    const later = (await openRow(participation, challenge))!.stopsAt!
    expect(Date.parse((await call.post(`${path()}/extend`)).body.expectStopAt) - later.getTime()).toBe(15 * 60_000)
    await leave(participation, -1)
    expect((await call.post(`${path()}/extend`)).error.code).toBe('container.none')
  })

  test('by two members at the same time counts once', async () => {
    const { call, mate, path, participation } = await aScene()
    await call.post(path())
    await leave(participation, 5)
    const answers = await Promise.all([call, mate, call, mate].map((member) => member.post(`${path()}/extend`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  })
})

describe('a destruction', () => {
  test('P3.59 P4.16 P7.76 by a player removes the instance everywhere, with event and log entry; a second one finds none', async () => {
    const { call, mate, path, game, ids, challenge, participation, team } = await aScene({ challenges: 2 })
    await call.post(path(ids[1]))
    await call.post(path())
    const { id } = (await openRow(participation, challenge))!
    await pause(participation)
    const { received, stop } = published()
    expect(await mate.delete(path())).toMatchObject({ status: 200, body: '' })
    await vi.waitFor(() => expect(received).toHaveLength(2), 5000)
    expect(received).toEqual([
      ['event.recorded', { gameId: game, eventId: expect.any(Number) }],
      ['instance.changed', { gameId: game, challengeId: challenge, participationId: participation }],
    ])
    stop()
    const message = `Destroyed instance of Task 0 (#${challenge})`
    expect(await logs()).toContainEqual(expect.objectContaining({ level: 'Information', status: 'Success', message }))
    expect(engine.running.has(id)).toBe(false)
    expect(await row(id)).toMatchObject({ state: 'Ended', endedBy: 'player' })
    expect((await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context.instanceEntry).toBeNull()
    const [mateName] = await platform.db.selectFrom('accounts').select('userName').where('id', '=', team.members[1]!).execute()
    expect((await eventsOf(game))[0]).toEqual(['ContainerDestroy', [String(challenge), 'Task 0'], mateName!.userName, 'Red'])
    expect((await call.delete(path())).error.code).toBe('container.none')
    expect(await openRow(participation, ids[1]!)).toMatchObject({ state: 'Running' })
  })

  test('that the engine cannot perform is refused; the sweep retries it, and until then no new instance starts', async () => {
    const { call, path, game, challenge, participation } = await aScene()
    await call.post(path())
    const { id } = (await openRow(participation, challenge))!
    await pause(participation)
    engine.fail('destroy', 'unreachable')
    expect(await call.delete(path())).toMatchObject({ status: 400, error: { status: 400, code: 'container.not_destroyed' } })
    expect((await row(id)).state).toBe('Ending')
    const refusal = `Could not destroy container ${id.slice(0, 8)}: The engine in memory fails on command (unreachable)`
    expect(await logs()).toContainEqual({ level: 'Warning', status: 'Failed', name: 'System', message: refusal })
    // A second request tries again, and does not record a second event.
    await pause(participation)
    const { received, stop } = published()
    expect((await call.delete(path())).error.code).toBe('container.not_destroyed')
    await vi.waitFor(() => expect(received).not.toEqual([]), 5000)
    expect(received.map(([name]) => name)).toEqual(['instance.changed'])
    stop()
    expect((await call.get(`/api/game/${game}/instances`)).body).toEqual([])
    await pause(participation)
    expect((await call.post(path())).error.code).toBe('container.engine_unreachable')
    engine.fail('destroy', null)
    await platform.instances.sweep()
    expect((await row(id)).state).toBe('Ended')
    expect(engine.running.has(id)).toBe(false)
    expect((await call.post(path())).status).toBe(200)
    expect((await eventsOf(game)).map(([type]: [string]) => type)).toEqual([
      'ContainerStart',
      'ContainerDestroy',
      'ContainerStart',
    ])
  })

  test('P4.16 P1.15 P3.38 P7.28 P7.29 by an administrator, who sees the instances of all teams, oldest first, without test containers', async () => {
    await platform.db.deleteFrom('containers').execute()
    await platform.instances.sweep()
    const red = await aScene()
    const blue = await aScene()
    await red.call.post(red.path())
    await blue.call.post(blue.path())
    await admin.post(`/api/edit/games/${red.game}/challenges/${red.challenge}/container`)
    await moveToEnd(red.participation, red.challenge)
    const list = (await admin.get('/api/admin/instances')).body as { data: ContainerInstance[]; length: number; total: number }
    expect([list.length, list.total]).toEqual([2, 2])
    const { id, publishedPort, startedAt, stopsAt, engineId } = (await openRow(red.participation, red.challenge))!
    expect(list.data[0]).toEqual({
      team: { id: red.team.id, name: 'Red', avatar: null },
      challenge: { id: red.challenge, title: 'Task 0', category: 'Misc' },
      image: 'echo:1',
      containerGuid: id,
      containerId: engineId,
      startedAt: wireTime(startedAt!),
      expectStopAt: wireTime(stopsAt!),
      ip: 'play.example.org',
      port: publishedPort,
      readiness: 'ready',
    })
    expect(engineId).toMatch(/^memory-/)
    const { received, stop } = published()
    expect(await admin.delete(`/api/admin/instances/${id}`)).toMatchObject({ status: 200, body: '' })
    const { game: gameId, challenge: challengeId, participation: participationId } = red
    await vi.waitFor(() => expect(received).toEqual([['instance.changed', { gameId, challengeId, participationId }]]), 5000)
    stop()
    const message = `Destroyed instance of Task 0 (#${challengeId}) of Red`
    expect(await logs()).toContainEqual(expect.objectContaining({ level: 'Information', status: 'Success', message }))
    expect((await row(id)).endedBy).toBe('administrator')
    expect((await red.call.get(`/api/game/${red.game}/instances`)).body).toEqual([])
    expect((await blue.call.get(`/api/game/${blue.game}/instances`)).body).toHaveLength(1)
    expect((await admin.delete(`/api/admin/instances/${id}`)).error).toMatchObject({ status: 404, code: 'instance.not_found' })
    const [tested] = await platform.db.selectFrom('containers').selectAll().where('participationId', 'is', null).execute()
    expect((await admin.delete(`/api/admin/instances/${tested!.id}`)).error.code).toBe('instance.not_found')
    expect((await row(tested!.id)).state).toBe('Running')
    const [, only] = [null, (await admin.get('/api/admin/instances')).body.data[0]]
    engine.fail('destroy', 'unreachable')
    expect((await admin.delete(`/api/admin/instances/${only.containerGuid}`)).error.code).toBe('container.not_destroyed')
    // Listed until the engine has destroyed it, but not as one whose service is awaited.
    expect((await admin.get('/api/admin/instances')).body.data).toEqual([only])
  })
})

test('an extension or a destruction does not affect another team’s instance of the same challenge', async () => {
  const { call, path, game, challenge, participation } = await aScene()
  const blue = await aTeam(platform.db, { name: 'Blue' })
  const theirs = await aParticipation(platform.db, game, blue)
  const other = await platform.as(blue.captain)
  const entries = [(await call.post(path())).body.entry, (await other.post(path())).body.entry]
  expect(new Set(entries).size).toBe(2)
  for (const one of [participation, theirs]) {
    await pause(one)
    await leave(one, 5)
  }
  const before = (await openRow(theirs, challenge))!
  expect((await call.post(`${path()}/extend`)).status).toBe(200)
  expect((await openRow(participation, challenge))!.stopsAt!.getTime()).toBeGreaterThan(before.stopsAt!.getTime() + 60_000)
  expect((await call.delete(path())).status).toBe(200)
  expect(await openRow(theirs, challenge)).toEqual(before)
  expect(engine.running.has(before.id)).toBe(true)
  expect((await call.delete(path())).error.code).toBe('container.none')
  expect((await other.delete(path())).status).toBe(200)
})

describe('a test container', () => {
  const editor = ({ game, challenge }: { game: number; challenge: number }) =>
    `/api/edit/games/${game}/challenges/${challenge}/container`
  const testRow = (challenge: number) =>
    platform.db
      .selectFrom('containers')
      .selectAll()
      .where('challengeId', '=', challenge)
      .where('participationId', 'is', null)
      .where('state', '=', 'Running')
      .execute()

  test('P7.56 P7.57 runs for two hours with a flag that cannot be submitted, and is shown in the editor', async () => {
    await setting({ 'ContainerPolicy:DefaultLifetime': 7 })
    const scene = await aScene({ type: 'DynamicContainer' })
    await platform.db
      .updateTable('challenges')
      .set({ flagTemplate: 'flag{[TEAM_HASH]}', enabled: false })
      .where('id', '=', scene.challenge)
      .execute()
    const { status, body } = await admin.post(editor(scene))
    expect([status, body.status]).toEqual([200, 'Running'])
    expect(Date.parse(body.expectStopAt) - Date.parse(body.startedAt)).toBe(120 * 60_000)
    const [made] = await testRow(scene.challenge)
    const { environment, labels } = engine.running.get(made!.id)!
    expect([environment.VEXIL_TEAM_ID, environment.GZCTF_TEAM_ID, labels['ctf.team']]).toEqual(['admin', 'admin', 'admin'])
    expect([made!.accountId, labels['ctf.user']]).toEqual([adminId, adminId])
    expect(environment.FLAG).toMatch(/^flag\{[0-9a-f]{12}\}$/)
    // Without the setting the flag has no further names.
    expect(Object.keys(environment)).toEqual(['FLAG', 'VEXIL_FLAG', 'GZCTF_FLAG', 'VEXIL_TEAM_ID', 'GZCTF_TEAM_ID'])
    const shown = async () => (await admin.get(`/api/edit/games/${scene.game}/challenges/${scene.challenge}`)).body.testContainer
    expect(await shown()).toEqual(body)
    const setState = (state: string) => platform.db.updateTable('containers').set({ state }).where('id', '=', made!.id).execute()
    for (const state of ['Pending', 'Ending']) {
      await setState(state)
      expect(await shown()).toBeNull()
    }
    await setState('Running')
    expect((await scene.call.get(`/api/game/${scene.game}/instances`)).body).toEqual([])
    // A second start replaces the first.
    const again = await admin.post(editor(scene))
    expect(again.body.entry).not.toBe(body.entry)
    expect((await testRow(scene.challenge)).map(({ id }) => engine.running.has(id))).toEqual([true])
    expect(engine.running.has(made!.id)).toBe(false)
    for (let time = 0; time < 2; time++) expect((await admin.delete(editor(scene))).status).toBe(200)
    expect(await testRow(scene.challenge)).toEqual([])
    expect(await shown()).toBeNull()
  })

  test('CE-3 is probed for its response and last log lines; a team’s container is not', async () => {
    const scene = await aScene({ type: 'DynamicContainer' })
    const ask = () => admin.get(editor(scene))
    await scene.call.post(`/api/game/${scene.game}/container/${scene.challenge}`)
    expect([(await ask()).status, (await ask()).error.code]).toEqual([400, 'container.none'])
    await admin.post(editor(scene))
    const [made] = await testRow(scene.challenge)
    const { environment } = engine.running.get(made!.id)!
    engine.print(made!.id, Array.from({ length: 50 }, (_, at) => `line ${at + 1}`).join('\n'))
    const { status, body } = await ask()
    expect([status, body.answer, body.firstLine]).toEqual([200, 'text', environment.FLAG])
    expect(body.printed.split('\n')).toEqual(Array.from({ length: 40 }, (_, at) => `line ${at + 11}`))
    // Nothing is dialled unless the address is one of those that containers have.
    const { host } = made!
    await platform.db.updateTable('containers').set({ host: '127.0.0.2' }).where('id', '=', made!.id).execute()
    expect((await ask()).body).toMatchObject({ answer: 'unreachable', firstLine: null })
    // A platform outside of its cluster uses the published ports.
    const { publishedPort } = made!
    const named = { containerId: made!.id, position: 0, name: 'more', port: 9, publishedPort }
    await platform.db.insertInto('containerPorts').values(named).execute()
    for (const [publishedHost, containerEntry] of [
      [null, '127.0.0.1'],
      ['127.0.0.1', '127.0.0.2'],
    ] as const) {
      await platform.db.updateTable('containers').set({ publishedHost, port: 9 }).where('id', '=', made!.id).execute()
      const { db, config } = platform.deps
      const outside = { ...platform.deps.engine, dialsPublished: true }
      const deps = { db, config: { ...config, containerEntry }, engine: outside }
      const answered = { answer: 'text', firstLine: environment.FLAG }
      expect(await tryTestContainer(deps, { gameId: scene.game, challengeId: scene.challenge })).toMatchObject({
        ...answered,
        ports: [{ name: 'more', ...answered }],
      })
    }
    await platform.db.deleteFrom('containerPorts').where('containerId', '=', made!.id).execute()
    await platform.db.updateTable('containers').set({ host, port: publishedPort }).where('id', '=', made!.id).execute()
    engine.fail('logs', 'unreachable')
    expect((await ask()).body).toEqual({ answer: 'text', firstLine: environment.FLAG, printed: null, ports: [], containers: [] })
    engine.fail('logs', null)
    await admin.delete(editor(scene))
    expect((await ask()).error.code).toBe('container.none')
  })

  test('P8.21 that does not start reports the reason and leaves nothing behind', async () => {
    const scene = await aScene()
    await platform.db.updateTable('challenges').set({ containerImage: 'crash' }).where('id', '=', scene.challenge).execute()
    const { status, error } = await admin.post(editor(scene))
    expect([status, error.code]).toEqual([400, 'container.test_failed'])
    expect(error.title).toContain('exec format error')
    expect(await testRow(scene.challenge)).toEqual([])
  })

  test('that several organisers start at the same instant is started once; the others are refused', async () => {
    const scene = await aScene()
    await admin.post(editor(scene))
    await platform.deps.log.flush()
    await platform.db.deleteFrom('logs').execute()
    const destroy = engine.destroy
    for (let round = 0; round < 5; round++) {
      const [earlier] = await testRow(scene.challenge)
      // All have found the earlier container before one of them stores its own.
      const { promise: until, resolve: go } = Promise.withResolvers<void>()
      const spy = vi.spyOn(engine, 'destroy').mockImplementation(async (id) => {
        if (spy.mock.calls.length === 3) go()
        await until
        await destroy(id)
      })
      const answers = await Promise.all([0, 1, 2].map(() => admin.post(editor(scene))))
      spy.mockRestore()
      const codes = answers.map(({ status, error }) => (status === 200 ? 'started' : error.code))
      expect(codes.sort()).toEqual(['container.already_running', 'container.already_running', 'started'])
      const made = (await testRow(scene.challenge)).map(({ id }) => id)
      expect([made.length, made.includes(earlier!.id), engine.running.has(made[0]!)]).toEqual([1, false, true])
    }
    expect(new Set((await logs()).map(({ message }) => message))).toEqual(
      new Set([`Started test container of Task 0 (#${scene.challenge})`]),
    )
  })

  test('that cannot be destroyed reports it', async () => {
    const scene = await aScene()
    await admin.post(editor(scene))
    engine.fail('destroy', 'unreachable')
    expect((await admin.delete(editor(scene))).error.code).toBe('container.not_destroyed')
    expect((await admin.post(editor(scene))).error.code).toBe('container.not_destroyed')
  })
})

/** Solver checks on an engine in memory: who runs one and when, its input, what is kept, and the mark of a challenge. */
// Alone: it replaces the pauses between two polls.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { addCheck, addDueChecks, claimCheck, endCheck } from './solver-checks.queries.ts'
import { openSolverChecks } from './solver-checks.ts'
import { openStarts } from './starts.ts'
import { sweepContainers } from './sweep-containers.ts'

/** How long a program may take, in ms: 0.6 s once it is to fail, so that a busy machine does not end other checks. */
const allowed = vi.hoisted(() => ({ within: 60_000 }))
vi.mock('@vexil/core/limits', async (original) => {
  const limits = await original<typeof import('@vexil/core/limits')>()
  const checkLimits = {
    ...{ ...limits.checkLimits, pollInterval: 5, kept: 3 },
    get within() {
      return allowed.within
    },
  }
  return { ...limits, checkLimits }
})

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
  await platform.db.deleteFrom('challenges').execute()
  await platform.db.deleteFrom('logs').execute()
})

const aChecked = async (game: number, more: object = {}) => {
  const id = await aChallenge(platform.db, game, {
    ...{ type: 'DynamicContainer', title: 'Tide', containerImage: 'web:1', exposePort: 9000, checkImage: 'solver:1' },
    ...{ flagTemplate: 'flag{[GUID]}', flags: [] },
    ...more,
  })
  return { id, path: `/api/edit/games/${game}/challenges/${id}/checks` }
}
/** The instance of a check, once it runs. */
const instance = () =>
  vi.waitFor(() => {
    const [found] = [...engine.running.values()].filter(({ additional }) => additional.length > 0)
    if (!found) throw new Error('no instance of a check')
    return found
  })
const ended = (path: string) =>
  vi.waitFor(async () => {
    const [last] = (await admin.get(path)).body
    if (['Waiting', 'Running'].includes(last.state)) throw new Error(last.state)
    return (await admin.get(`${path}/${last.id}`)).body
  })
const logged = async () => {
  await platform.deps.log.flush()
  const rows = await platform.db.selectFrom('logs').selectAll().where('name', '=', 'System').orderBy('id').execute()
  return rows.map(({ level, status, message }) => `${level} ${status} ${message}`)
}
const open = () => platform.db.selectFrom('containers').selectAll().where('state', '<>', 'Ended').execute()
/** Ends the running check, whose program has not printed the flag. */
async function timeOut(path: string, within = 600) {
  allowed.within = within
  try {
    return await ended(path)
  } finally {
    allowed.within = 60_000
  }
}
/** A run that does not print the flag. */
async function fail(path: string) {
  await admin.post(path)
  return timeOut(path)
}
async function pass(path: string) {
  await admin.post(path)
  const { id, environment } = await instance()
  engine.print(id, environment.FLAG!, 'vexil-check')
  return ended(path)
}

test('the program gets the address and not the flag; its output passes, is kept without the flag, and the instance is gone', async () => {
  const { id, path } = await aChecked(await aGame(platform.db), { runtime: 'runsc', profile: 'strict', readyTimeout: 60 })
  const started = await admin.post(path)
  expect(started.body).toMatchObject({
    cause: 'request',
    state: 'Waiting',
    startedAt: null,
    endedAt: null,
    problem: null,
    output: '',
  })
  const made = await instance()
  expect(made).toMatchObject({
    ...{ image: 'web:1', port: 9000, hasReadyCheck: false, strict: true, runtime: 'runsc' },
    additional: [
      {
        ...{ name: 'vexil-check', image: 'solver:1', runsOnce: true, environment: { HOST: '127.0.0.1', PORT: '9000' } },
        ...{ cpuCount: 5, memoryLimit: 256, storageLimit: 256 },
      },
    ],
  })
  const flag = made.environment.FLAG!
  expect(flag).toMatch(/^flag\{.+\}$/)
  engine.print(made.id, 'connecting\u001b[0m\n', 'vexil-check')
  const shown = async () => (await admin.get(`${path}/${started.body.id}`)).body
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ state: 'Running', output: 'connecting␛[0m\n' }))
  // A second request returns the running check, and is not logged.
  expect((await admin.post(path)).body.id).toBe(started.body.id)
  await platform.deps.log.flush()
  const begun = await platform.db.selectFrom('logs').select('message').where('message', 'like', 'Started%').execute()
  expect(begun).toEqual([{ message: `Started the solver check of Tide (#${id})` }])
  engine.print(made.id, `connecting\ngot ${flag}!`, 'vexil-check')
  const done = await ended(path)
  expect(done).toMatchObject({ state: 'Passed', problem: null, output: 'connecting\ngot ***!' })
  expect([done.askedAt <= done.startedAt, done.startedAt <= done.endedAt]).toEqual([true, true])
  expect([await open(), engine.running.size]).toEqual([[], 0])
  expect(await platform.db.selectFrom('solverChecks').select(['slot', 'runningUntil', 'challengeId']).execute()).toEqual([
    { slot: null, runningUntil: null, challengeId: id },
  ])
})

test('the flags of a static container count; another text does not, and the reason is kept', async () => {
  const game = await aGame(platform.db)
  const { path } = await aChecked(game, { type: 'StaticContainer', flags: ['flag{one}', 'flag{two}'] })
  await admin.post(path)
  const made = await instance()
  expect(made.environment.FLAG).toBeUndefined()
  engine.print(made.id, 'flag{two}', 'vexil-check')
  expect(await ended(path)).toMatchObject({ state: 'Passed', output: '***' })
  const second = `${path}/${(await admin.post(path)).body.id}`
  engine.print((await instance()).id, 'flag{three}', 'vexil-check')
  await vi.waitFor(async () => expect((await admin.get(second)).body.output).toBe('flag{three}'))
  const problem = 'The program did not print the flag within 0.6 s'
  expect(await timeOut(path)).toMatchObject({ state: 'Failed', problem, output: 'flag{three}' })
  expect([await open(), engine.running.size]).toEqual([[], 0])
})

test('the container of an editor and an instance of a check run beside each other', async () => {
  const game = await aGame(platform.db)
  const { id, path } = await aChecked(game)
  const container = `/api/edit/games/${game}/challenges/${id}`
  await admin.post(path)
  await instance()
  expect((await admin.post(`${container}/container`)).status).toBe(200)
  const made = await instance()
  expect(engine.running.size).toBe(2)
  expect((await admin.get(container)).body.testContainer.entry).not.toContain(made.id)
  engine.print(made.id, made.environment.FLAG!, 'vexil-check')
  await ended(path)
  expect(engine.running.size).toBe(1)
  expect((await admin.delete(`${container}/container`)).status).toBe(200)
})

test('two failures in a row mark the challenge for organisers, in its list and the monitor, until the next success; each change is logged', async () => {
  const game = await aGame(platform.db)
  const { id, path } = await aChecked(game)
  const neighbour = await aChecked(game, { title: 'Ebb' })
  // The checks of a challenge of another game fail, too.
  const elsewhere = await aChecked(await aGame(platform.db))
  for (let i = 0; i < 2; i++) await fail(elsewhere.path)
  await platform.deps.log.flush()
  await platform.db.deleteFrom('logs').execute()
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const marks = async () => [
    (await admin.get(`/api/edit/games/${game}/challenges`)).body.map(
      (row: { checkFailsSince: string | null }) => row.checkFailsSince,
    ),
    (await monitor.get(`/api/game/${game}/checks`)).body,
  ]
  const first = await fail(path)
  await pass(neighbour.path)
  expect([await marks(), await logged()]).toEqual([[[null, null], []], []])
  await fail(path)
  const since = first.endedAt
  const marked = [[since, null], [{ challengeId: id, title: 'Tide', since }]]
  expect(await marks()).toEqual(marked)
  await fail(path)
  expect(await marks()).toEqual(marked)
  const problem = 'The program did not print the flag within 0.6 s'
  const warning = `Warning Failed The solver check of Tide (#${id}) failed 2 times in a row: ${problem}`
  expect(await logged()).toEqual([warning])
  // A challenge without a program is not checked.
  const setImage = (checkImage: string) =>
    platform.db.updateTable('challenges').set({ checkImage }).where('id', '=', id).execute()
  await setImage('')
  expect(await marks()).toEqual([[null, null], []])
  await setImage('solver:1')
  // A monitor sees only challenges that players can open.
  await platform.db.updateTable('challenges').set({ enabled: false }).where('id', '=', id).execute()
  expect(await marks()).toEqual([[since, null], []])
  await pass(path)
  expect(await marks()).toEqual([[null, null], []])
  expect(await logged()).toEqual([warning, `Information Success The solver check of Tide (#${id}) passes again`])
  // Three of five results are kept, and none of the other challenge is lost.
  expect((await admin.get(path)).body.map(({ state }: { state: string }) => state)).toEqual(['Passed', 'Failed', 'Failed'])
  expect((await admin.get(neighbour.path)).body).toHaveLength(1)
})

test('an instance that does not start is a failure; with an engine that is unreachable nothing was tried', async () => {
  const { path } = await aChecked(await aGame(platform.db), { containerImage: 'crash:1' })
  const problem = expect.stringContaining('The instance did not start: ')
  expect(await fail(path)).toMatchObject({ state: 'Failed', problem })
  for (const word of ['unreachable', 'busy', 'pulling', 'subnet'] as const) {
    engine.fail('create', word)
    expect(await fail(path)).toMatchObject({ state: 'NotTried', problem })
  }
  engine.fail('create', null)
  expect([await open(), engine.running.size]).toEqual([[], 0])
})

test('a program whose output the engine cannot deliver at the end was not tried; what was printed is kept', async () => {
  const { path } = await aChecked(await aGame(platform.db))
  const shown = `${path}/${(await admin.post(path)).body.id}`
  const { id, environment } = await instance()
  engine.print(id, 'connecting', 'vexil-check')
  await vi.waitFor(async () => expect((await admin.get(shown)).body.output).toBe('connecting'))
  const logs = vi.spyOn(engine, 'logs').mockRejectedValue(new EngineError('unreachable', `no answer about ${environment.FLAG}`))
  const problem = 'The output could not be read: no answer about ***'
  expect(await timeOut(path)).toMatchObject({ state: 'NotTried', problem, output: 'connecting' })
  logs.mockRestore()
})

test('a check whose instance the engine ended was not tried; one whose instance exited has failed; what was printed is kept', async () => {
  const { path } = await aChecked(await aGame(platform.db))
  const endings: [end: (id: string) => unknown, result: object][] = [
    [(id) => engine.crash(id, { reason: 'engine' }), { state: 'NotTried', problem: 'The instance ended (engine)' }],
    [
      (id) => engine.destroy(id),
      { state: 'NotTried', problem: 'The instance ended (removed): Another program removed it from the engine' },
    ],
    [
      (id) => {
        engine.print(id, engine.running.get(id)!.environment.FLAG!)
        engine.crash(id)
      },
      { state: 'Failed', problem: 'The instance ended (exit): Exit code 1: ***' },
    ],
    [
      (id) => engine.crash(id, { reason: 'memory' }),
      { state: 'Failed', problem: expect.stringContaining('The instance ended (memory)') },
    ],
    [(id) => engine.overfill(id), { state: 'Failed', problem: expect.stringContaining('The instance ended (storage)') }],
  ]
  for (const [end, result] of endings) {
    const shown = `${path}/${(await admin.post(path)).body.id}`
    const { id } = await instance()
    engine.print(id, 'connecting', 'vexil-check')
    await vi.waitFor(async () => expect((await admin.get(shown)).body.output).toBe('connecting'))
    await end(id)
    await sweepContainers(platform.deps)
    expect(await timeOut(path, 0)).toMatchObject({ ...result, output: 'connecting' })
  }
  expect([await open(), engine.running.size]).toEqual([[], 0])
})

test('the instance that an earlier check could not end is ended first; until the engine can do that nothing is tried', async () => {
  const { path } = await aChecked(await aGame(platform.db))
  engine.fail('destroy', 'unreachable')
  await admin.post(path)
  const left = await instance()
  engine.print(left.id, left.environment.FLAG!, 'vexil-check')
  expect(await ended(path)).toMatchObject({ state: 'Passed' })
  const problem = 'The engine could not remove the instance of an earlier check'
  expect(await fail(path)).toMatchObject({ state: 'NotTried', problem })
  engine.fail('destroy', null)
  // As after a kill of the node.
  await platform.db.updateTable('containers').set({ state: 'Running' }).where('id', '=', left.id).execute()
  await admin.post(path)
  await vi.waitFor(() => expect(engine.running.has(left.id)).toBe(false))
  const { id, environment } = await instance()
  engine.print(id, environment.FLAG!, 'vexil-check')
  expect(await ended(path)).toMatchObject({ state: 'Passed' })
  expect([await open(), engine.running.size]).toEqual([[], 0])
})

test('a check that a fault of the platform breaks off was not tried, with the reason and what was printed, and frees its place', async () => {
  const game = await aGame(platform.db)
  const { path } = await aChecked(game)
  const logged = vi.spyOn(platform.app.log, 'error').mockReturnValue()
  const fault = new Error('a fault')
  try {
    const shown = `${path}/${(await admin.post(path)).body.id}`
    engine.print((await instance()).id, 'connecting', 'vexil-check')
    await vi.waitFor(async () => expect((await admin.get(shown)).body.output).toBe('connecting'))
    const logs = vi.spyOn(engine, 'logs').mockRejectedValueOnce(fault)
    expect(await ended(path)).toMatchObject({ state: 'NotTried', problem: 'a fault', output: 'connecting' })
    logs.mockRestore()
    await sql`alter table containers add constraint no_checks check (not is_check) not valid`.execute(platform.db)
    await admin.post(path)
    const refused = expect.stringContaining('no_checks')
    expect(await ended(path)).toMatchObject({ state: 'NotTried', problem: refused, output: '' })
    const errors = [fault, expect.objectContaining({ constraint: 'no_checks' })]
    await vi.waitFor(() => expect(logged.mock.calls).toEqual(errors.map((err) => [expect.objectContaining({ err }), 'fault'])))
  } finally {
    await sql`alter table containers drop constraint if exists no_checks`.execute(platform.db)
    logged.mockRestore()
  }
  expect([await open(), engine.running.size]).toEqual([[], 0])
  expect(await pass(path)).toMatchObject({ state: 'Passed' })
})

test('a check whose challenge is deleted as it begins is no fault, and the next one runs', async () => {
  const game = await aGame(platform.db)
  const [deleted, kept] = [await aChecked(game), await aChecked(game)]
  const logged = vi.spyOn(platform.app.log, 'error').mockReturnValue()
  await sql`
    create function delete_challenge() returns trigger language plpgsql as $$
    begin delete from challenges where id = new.challenge_id; return null; end $$`.execute(platform.db)
  await sql`
    create trigger deletes after update on solver_checks for each row when (new.challenge_id = ${sql.lit(deleted.id)})
    execute function delete_challenge()`.execute(platform.db)
  try {
    await addCheck(platform.db, deleted.id)
    expect(await pass(kept.path)).toMatchObject({ state: 'Passed' })
    expect([(await admin.get(deleted.path)).status, logged.mock.calls]).toEqual([404, []])
  } finally {
    await sql`drop function delete_challenge cascade`.execute(platform.db)
    logged.mockRestore()
  }
})

test('at the same instant two nodes add one check, each is run by one, and at most two run', async () => {
  const game = await aGame(platform.db)
  const challenges = [await aChecked(game), await aChecked(game), await aChecked(game)]
  const added = await Promise.all(Array.from({ length: 12 }, (_, i) => addCheck(platform.db, challenges[i % 3]!.id)))
  expect(added.filter(({ isNew }) => isNew)).toHaveLength(3)
  const stored = await platform.db.selectFrom('solverChecks').select(['id', 'challengeId']).execute()
  const ofCheck = new Map(stored.map(({ id, challengeId }) => [id, challengeId]))
  expect(added.map(({ id }) => ofCheck.get(id))).toEqual(added.map((_, i) => challenges[i % 3]!.id))
  const earlier = await platform.db.startTransaction().execute()
  const first = await claimCheck(earlier)
  const later = claimCheck(platform.db)
  await vi.waitFor(async () => {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    expect((await waiting.execute(platform.db)).rows).toHaveLength(1)
  }, 5000)
  await earlier.commit().execute()
  const taken = [first?.id, (await later)?.id]
  expect(taken).toEqual([...ofCheck.keys()].sort((a, b) => a - b).slice(0, 2))
  expect(await Promise.all(Array.from({ length: 8 }, () => claimCheck(platform.db)))).toEqual(Array(8).fill(null))
  const [check] = await platform.db.selectFrom('solverChecks').selectAll().where('state', '=', 'Running').execute()
  // The slot of a node that no longer exists is released, and its late result changes nothing.
  await platform.db
    .updateTable('solverChecks')
    .set({ runningUntil: at('-1s') })
    .where('id', '=', check!.id)
    .execute()
  await addDueChecks(platform.db)
  const row = () =>
    platform.db.selectFrom('solverChecks').select(['state', 'problem']).where('id', '=', check!.id).executeTakeFirst()
  expect(await row()).toEqual({ state: 'NotTried', problem: 'The platform stopped' })
  const late = { id: check!.id, challengeId: check!.challengeId, gameId: game }
  const result = { state: 'Passed', problem: null, output: '' } as const
  expect(await inTransaction(platform.db, (tx) => endCheck(tx, late, result))).toBe(false)
  expect([await row(), (await claimCheck(platform.db))?.id]).toEqual([
    { state: 'NotTried', problem: 'The platform stopped' },
    added.map(({ id }) => id).find((id) => !taken.includes(id)),
  ])
})

test('several checks that wait are claimed one at a time, also by a plan for a table with one row', async () => {
  const { db } = platform
  const game = await aGame(db)
  const add = async () => (await addCheck(db, (await aChecked(game)).id)).id
  const first = await add()
  await sql`vacuum analyze solver_checks, challenges`.execute(db)
  const [second] = [await add(), await add()]
  const claimed = [await claimCheck(db), await claimCheck(db), await claimCheck(db)]
  expect(claimed.map((one) => one?.id)).toEqual([first, second, undefined])
  const running = await db
    .selectFrom('solverChecks')
    .select(['id', 'slot'])
    .where('state', '=', 'Running')
    .orderBy('id')
    .execute()
  expect(running).toEqual([
    { id: first, slot: 1 },
    { id: second, slot: 2 },
  ])
})

test('checks are due once in the hour before the start and then every n minutes until the end', async () => {
  const { db } = platform
  const due = async () => {
    await addDueChecks(db)
    const rows = await db
      .selectFrom('solverChecks as s')
      .innerJoin('challenges as c', 'c.id', 's.challengeId')
      .select(['c.title', 's.cause'])
      .where('s.state', '=', 'Waiting')
      .orderBy('s.id')
      .execute()
    await db
      .updateTable('solverChecks')
      .set({ state: 'Passed', endedAt: at('-1s') })
      .where('state', '=', 'Waiting')
      .execute()
    return rows.map(({ title, cause }) => `${title} ${cause}`)
  }
  const of = async (title: string, starts: string, ends: string, more: object = {}) =>
    (await aChecked(await aGame(db, { starts, ends }), { title, checkMinutes: 5, ...more })).id
  await of('soon', '59m', '5h', { checkMinutes: 0 })
  const runs = await of('runs', '-1h', '5h')
  const once = await of('once', '-1h', '5h', { checkMinutes: 0 })
  await of('later', '61m', '5h')
  const early = await of('early', '30m', '5h')
  await of('over', '-5h', '-1m')
  await of('off', '-1h', '5h', { enabled: false })
  await of('none', '-1h', '5h', { checkImage: '' })
  await of('no image', '-1h', '5h', { containerImage: '' })
  expect(await due()).toEqual(['soon start', 'runs interval', 'once interval', 'early start'])
  expect(await due()).toEqual([])
  const age = (time: string) =>
    db
      .updateTable('solverChecks')
      .set({ askedAt: at(time) })
      .where('challengeId', 'in', [runs, once, early])
      .execute()
  await age('-4m')
  expect(await due()).toEqual([])
  await age('-5m')
  expect(await due()).toEqual(['runs interval'])
  // Only the latest check counts.
  expect(await due()).toEqual([])
  // A check that was asked for on the day before does not count as that of the last hour.
  const tested = await of('tested', '50m', '5h', { checkMinutes: 0 })
  await db
    .insertInto('solverChecks')
    .values({ challengeId: tested, cause: 'request', state: 'Passed', askedAt: at('-11m'), endedAt: at('-11m') })
    .execute()
  expect(await due()).toEqual(['tested start'])
})

test('the sweep runs what is due; a stop ends the check and its instance, and a start ends what a kill left', async () => {
  const { db, deps } = platform
  const { id, path } = await aChecked(await aGame(db))
  await db.deleteFrom('sweeps').execute()
  expect(await platform.sweeps.run()).toContain('solver checks')
  const first = await instance()
  engine.print(first.id, first.environment.FLAG!, 'vexil-check')
  expect(await ended(path)).toMatchObject({ cause: 'interval', state: 'Passed' })
  const starts = openStarts(deps)
  const other = openSolverChecks({ ...deps, starts })
  const beside = await aChecked(await aGame(db))
  for (const challenge of [id, beside.id]) await addCheck(db, challenge)
  await other.begin()
  // One for each place.
  await vi.waitFor(() => expect(engine.running.size).toBe(2))
  await other.close()
  // `close` has waited for the end of the check.
  expect([await open(), engine.running.size]).toEqual([[], 0])
  const last = db.selectFrom('solverChecks').select('state').where('challengeId', '=', id).orderBy('id', 'desc').limit(1)
  expect(await last.executeTakeFirst()).toEqual({ state: 'NotTried' })
  await db.deleteFrom('challenges').where('id', '=', beside.id).execute()
  await starts.close()
  expect(await ended(path)).toMatchObject({ state: 'NotTried', problem: 'The platform stopped' })
  // As if the node had been killed: row and container stay.
  await db
    .updateTable('solverChecks')
    .set({ askedAt: at('-2h') })
    .execute()
  await admin.post(path)
  const left = await instance()
  await vi.waitFor(async () => {
    const row = await db.selectFrom('containers').selectAll().where('id', '=', left.id).executeTakeFirstOrThrow()
    expect(row.stopsAt!.getTime() - row.startedAt!.getTime()).toBe(240_000)
  })
  await db.updateTable('containers').set({ node: '4f8f5a3e-0000-4000-8000-000000000000' }).where('id', '=', left.id).execute()
  await platform.instances.begin()
  expect(engine.running.has(left.id)).toBe(true)
  await db.updateTable('containers').set({ node: deps.node }).where('id', '=', left.id).execute()
  await platform.instances.begin()
  expect([engine.running.has(left.id), await open()]).toEqual([false, []])
  await timeOut(path)
})

test('image and interval are stored; a client that does not send them leaves them, and less than five minutes is refused', async () => {
  const game = await aGame(platform.db)
  const { id } = await aChecked(game, { checkImage: '' })
  const path = `/api/edit/games/${game}/challenges/${id}`
  const stored = async () => {
    const { checkImage, checkMinutes } = (await admin.get(path)).body
    return [checkImage, checkMinutes]
  }
  expect((await admin.put(path, { checkImage: 'solver:2', checkMinutes: 5 })).status).toBe(200)
  expect((await admin.put(path, { title: 'Ebb', containerImage: 'web:2' })).status).toBe(200)
  expect(await stored()).toEqual(['solver:2', 5])
  for (const edit of [
    { checkMinutes: 4 },
    { checkMinutes: -1 },
    { checkMinutes: 1441 },
    { checkImage: 'a b' },
    { checkImage: 'x'.repeat(513) },
  ])
    expect((await admin.put(path, { title: 'Neap', ...edit })).status).toBe(400)
  expect([await stored(), (await admin.get(path)).body.title]).toEqual([['solver:2', 5], 'Ebb'])
  expect((await admin.put(path, { checkImage: '', checkMinutes: 0 })).status).toBe(200)
  expect(await stored()).toEqual(['', 0])
})

test('the lease of a check is renewed until it ends', async () => {
  const { path } = await aChecked(await aGame(platform.db))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await admin.post(path)
  const made = await instance()
  await platform.db
    .updateTable('solverChecks')
    .set({ runningUntil: new Date(Date.now() + 1_000) })
    .execute()
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(async () => {
    const { runningUntil } = await platform.db.selectFrom('solverChecks').select('runningUntil').executeTakeFirstOrThrow()
    expect(runningUntil!.getTime()).toBeGreaterThan(Date.now() + 15_000)
  })
  engine.print(made.id, made.environment.FLAG!, 'vexil-check')
  await ended(path)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** The status of the engine for administrators. The engine is in memory and is unreachable, hangs or lacks an image on demand. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { EngineError } from '../ports/engine/engine.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform({}, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())
afterEach(() => {
  engine.fail('list', null)
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const unknown = {
  version: null,
  limitsStorage: null,
  isolation: null,
  credentialsUntil: null,
  running: null,
  images: null,
  memory: null,
  disk: null,
}
const status = '/api/admin/engine'
const image = (name: string) => `/api/admin/engine/image?name=${encodeURIComponent(name)}`

test('a reachable engine is shown with all its data', async () => {
  const expected = {
    version: '27.1',
    limitsStorage: true,
    isolation: 'Not proven: it is elsewhere',
    credentialsUntil: 1_800_000_000_000,
    running: 3,
    images: 5,
    memory: { total: 2 ** 34, free: 2 ** 33 },
    disk: { total: 2 ** 40, free: 7 },
  }
  vi.spyOn(engine, 'probe').mockResolvedValueOnce(expected)
  const [timers, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
  expect((await admin.get(status)).body).toEqual({
    kind: 'Memory',
    state: 'reachable',
    reason: null,
    ...expected,
    credentialsUntil: '2027-01-15T08:00:00+00:00',
  })
  const late = timers.mock.calls.findIndex(([, ms]) => ms === 5000)
  expect(cleared).toHaveBeenCalledWith(timers.mock.results[late]?.value)
})

test('an unreachable engine is shown with the reason, without other data', async () => {
  engine.fail('list', 'unreachable')
  const reason = 'The engine in memory fails on command (unreachable)'
  expect(await admin.get(status)).toMatchObject({
    status: 200,
    body: { kind: 'Memory', state: 'unreachable', ...unknown, reason },
  })
  engine.fail('list', null)
  expect((await admin.get(status)).body).toMatchObject({ state: 'reachable', reason: null, isolation: 'in place' })
})

test('an engine that hangs is silent after five seconds, and concurrent requests share one probe', async () => {
  let answer: (state: Awaited<ReturnType<typeof engine.probe>>) => void = () => undefined
  const probe = vi.spyOn(engine, 'probe').mockImplementation(() => new Promise((resolve) => (answer = resolve)))
  const late = vi.spyOn(globalThis, 'setTimeout')
  const looking = [admin.get(status), admin.get(status)]
  const clocks = await vi.waitFor(() => {
    const found = late.mock.calls.filter(([, ms]) => ms === 5000)
    expect(found.length).toBeGreaterThan(1)
    return found
  })
  for (const [work, , ...args] of clocks) (work as (...args: unknown[]) => void)(...args)
  for (const { body } of await Promise.all(looking)) expect(body).toMatchObject({ state: 'silent', reason: null, ...unknown })
  expect(probe).toHaveBeenCalledTimes(1)
  const waiting = admin.get(status)
  await vi.waitFor(() => expect(late.mock.calls.filter(([, ms]) => ms === 5000).length).toBeGreaterThan(clocks.length))
  answer({ ...unknown, version: '1', isolation: 'in place' })
  expect((await waiting).body).toMatchObject({ state: 'reachable', version: '1' })
  expect(probe).toHaveBeenCalledTimes(1)
  probe.mockRestore()
  expect((await admin.get(status)).body.version).toBe('memory')
})

test('an image is reported as local, in a registry, or missing with the reason', async () => {
  const find = vi.spyOn(engine, 'findImage')
  expect((await admin.get(image(' echo:1 '))).body).toEqual({ found: 'here', reason: null })
  expect(find).toHaveBeenCalledWith('echo:1')
  find.mockResolvedValueOnce('registry')
  expect((await admin.get(image('far:1'))).body).toEqual({ found: 'registry', reason: null })
  expect((await admin.get(image('missing:1'))).body).toEqual({ found: 'missing', reason: 'No such image' })
  expect(engine.asked).not.toContainEqual(expect.objectContaining({ act: 'pull' }))
})

test('an unreachable engine refuses an image lookup, and a blank name is refused', async () => {
  const find = vi.spyOn(engine, 'findImage')
  for (const problem of ['unreachable', 'failed'] as const) {
    find.mockRejectedValueOnce(new EngineError(problem, 'connect ENOENT'))
    expect(await admin.get(image('echo'))).toMatchObject({
      status: 400,
      error: { status: 400, code: 'container.engine_unreachable' },
    })
  }
  expect((await admin.get(image(' '))).status).toBe(400)
  expect((await admin.get('/api/admin/engine/image')).status).toBe(400)
})

test('a registry that does not respond gives no result after fifteen seconds', async () => {
  vi.spyOn(engine, 'findImage').mockImplementation(() => new Promise(() => undefined))
  const late = vi.spyOn(globalThis, 'setTimeout')
  const looking = admin.get(image('echo'))
  const [work, , ...args] = await vi.waitFor(() => {
    const found = late.mock.calls.find(([, ms]) => ms === 15_000)
    expect(found).toBeDefined()
    return found!
  })
  ;(work as (...args: unknown[]) => void)(...args)
  expect((await looking).body).toEqual({ found: 'silent', reason: null })
})

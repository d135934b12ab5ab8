/** Additional containers on a fake Docker: which instance they belong to, and how they end and are removed. */
import { afterEach, expect, test } from 'vitest'
import { type FakeContainer, type FakeDocker, openFakeDocker } from '../../../../test/docker-api.ts'
import { aContainer, anAdditional } from '../../../../test/engine.suite.ts'
import type { Engine } from '../engine.ts'
import { type DockerOptions, openDocker } from './docker.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function anEngine(more: Partial<DockerOptions> = {}): Promise<{ docker: FakeDocker; engine: Engine }> {
  const docker = await openFakeDocker()
  for (const image of ['team/web:1', 'team/db:1']) docker.images.add(image)
  const engine = await openDocker({
    ...{ host: docker.door.address, certs: null, installation: 'ours', published: false, bind: '127.0.0.1', registry: null },
    ...{ subnets: '100.64.0.0/16', deny: [], onError: () => undefined, ...more },
  })
  open.push(docker, engine)
  return { docker, engine }
}

const spec = aContainer({
  image: 'team/web:1',
  port: 80,
  namedPorts: [{ name: 'sql', port: 5432 }],
  additional: [anAdditional({ name: 'db', image: 'team/db:1', storageLimit: 128 })],
})
const partOf = ({ Labels }: FakeContainer) => Labels['vexil.part']
const additionalIn = ({ containers }: FakeDocker) => [...containers.values()].find((one) => partOf(one) === 'additional-db')!

test.each([
  [{ bind: '127.0.0.1' }, { port: 32_768, published: null }, { port: 32_769, publishedPort: null }, ['127.0.0.1', '127.0.0.1']],
  [
    { published: true, bind: '127.0.0.1' },
    { port: 32_768, published: { host: null, port: 32_768 } },
    { port: 32_769, publishedPort: 32_769 },
    ['', ''],
  ],
  [{ host: 'near' }, { host: '100.64.0.2', port: 80, published: null }, { port: 5432, publishedPort: null }, []],
])('a named port has the host of the first one and a number of its kind: %j', async (options, place, named, publishedAt) => {
  const { docker, engine } = await anEngine('host' in options ? { bind: null } : options)
  const engineId = expect.any(String)
  expect(await engine.create(spec)).toEqual({ engineId, host: '127.0.0.1', ...place, namedPorts: [{ name: 'sql', ...named }] })
  expect([...docker.containers.values()].map((one) => one.publishedAt)).toEqual([publishedAt, []])
})

test('a missing image of an additional container is pulled before anything is created', async () => {
  const { docker, engine } = await anEngine()
  docker.images.delete('team/db:1')
  await engine.create(spec)
  const calls = docker.door.asked.map((call) => call.replace(/\?.*/, '').replace('/v1.41', ''))
  expect(calls.lastIndexOf('POST /images/create')).toBeLessThan(calls.indexOf('POST /networks/create'))
  expect([docker.images.has('team/db:1'), docker.containers.size]).toEqual([true, 2])
})

test('an additional container that ended ends the instance, with its name and reason', async () => {
  const { docker, engine } = await anEngine()
  const { engineId } = await engine.create(spec)
  Object.assign(additionalIn(docker), { State: 'exited', ExitCode: 137, OOMKilled: true })
  const ended = { id: spec.id, engineId, state: 'ended', overStorage: false }
  expect(await engine.list()).toEqual([ended])
  const end = { reason: 'memory', container: 'db', exitCode: 137, message: '' }
  expect(await engine.inspect(spec.id, engineId)).toEqual({ ...ended, end })
})

test('one that runs once ends nothing when it ends; the end of another one does', async () => {
  const { docker, engine } = await anEngine()
  const seed = anAdditional({ name: 'seed', image: 'team/db:1', runsOnce: true })
  const { engineId } = await engine.create({ ...spec, additional: [seed, ...spec.additional] })
  const running = { id: spec.id, engineId, state: 'running', overStorage: false }
  const once = [...docker.containers.values()].find((one) => partOf(one) === 'once-seed')!
  Object.assign(once, { State: 'exited', ExitCode: 1 })
  expect(await engine.list()).toEqual([running])
  expect(await engine.inspect(spec.id, engineId)).toEqual({ ...running, end: null })
  Object.assign(additionalIn(docker), { State: 'exited', ExitCode: 2 })
  expect((await engine.inspect(spec.id, engineId))?.end).toMatchObject({ container: 'db', exitCode: 2 })
})

test('what an additional container writes counts against its limit', async () => {
  const { docker, engine } = await anEngine()
  const { engineId } = await engine.create(spec)
  additionalIn(docker).SizeRw = 129 * 1_048_576
  expect(await engine.list()).toEqual([{ id: spec.id, engineId, state: 'running', overStorage: true }])
})

test('the output is that of the first one, or of the one with this name, without NUL', async () => {
  const { docker, engine } = await anEngine()
  await engine.create(spec)
  docker.prints = (one) => `${partOf(one) ?? 'fi\0rst'}\0\n`
  const logs = (name?: string) => engine.logs(spec.id, 5, name)
  expect([await logs(), await logs('db'), await logs('other')]).toEqual(['first', 'additional-db', ''])
  // The last 16 kB.
  docker.prints = () => `${'begin\n'.repeat(4_000)}${'x'.repeat(95)}end\n`
  const long = await logs()
  expect([long.length, long.endsWith('xend')]).toEqual([16_383, true])
})

test('an additional container whose first is gone is a separate find, which can be removed alone', async () => {
  const { docker, engine } = await anEngine()
  const { engineId } = await engine.create(spec)
  docker.containers.delete(engineId)
  const { Id } = additionalIn(docker)
  expect(await engine.list()).toEqual([{ id: spec.id, engineId: Id, state: 'running', overStorage: false }])
  expect([await engine.inspect(spec.id, engineId), await engine.logs(spec.id, 5)]).toEqual([null, ''])
  await engine.destroyOne(spec.id, Id)
  expect(docker.containers.size).toBe(0)
})

test('one of two instances with an id is removed with its own additional containers, which go first', async () => {
  const { docker, engine } = await anEngine()
  const [one, other] = [await engine.create(spec), await engine.create(spec)]
  docker.door.asked.length = 0
  await engine.destroyOne(spec.id, one.engineId)
  const removed = docker.door.asked.filter((call) => call.startsWith('DELETE')).map((call) => /containers\/(\w+)/.exec(call)?.[1])
  expect([removed.length, removed[1]]).toEqual([2, one.engineId])
  // Docker reads all files of a container to measure it.
  expect(docker.door.asked.filter((call) => call.includes('size='))).toEqual([])
  const stops = docker.door.asked.filter((call) => call.includes('/stop'))
  expect(stops.map((call) => call.split('?')[1])).toEqual(['t=1', 't=1'])
  expect(await engine.list()).toEqual([{ id: spec.id, engineId: other.engineId, state: 'running', overStorage: false }])
  expect(docker.containers.size).toBe(2)
  await engine.destroy(spec.id)
  expect([docker.containers.size, docker.networks.size]).toEqual([0, 0])
})

test('beside a first container that has exited nothing can start: its own reason is reported', async () => {
  const { docker, engine } = await anEngine()
  docker.startsOf = (one) => (partOf(one) === undefined ? { State: 'exited', ExitCode: 3 } : {})
  let starts = 0
  const text = JSON.stringify({ message: 'cannot join network of a non running container: 0c41' })
  docker.door.meet('join', { status: 409, text }, (call) => call.includes('/start') && ++starts > 1)
  const refusal = await engine.create(spec).catch((error) => error)
  expect(refusal).toMatchObject({
    problem: 'failed',
    message: expect.stringMatching(/^The container exited immediately \(exit code 3\)/),
  })
  // The first container runs: the message is that of Docker.
  docker.startsOf = () => ({})
  starts = 0
  await expect(engine.create(spec)).rejects.toMatchObject({ problem: 'failed', message: expect.stringContaining('cannot join') })
  expect([docker.containers.size, docker.networks.size]).toEqual([0, 0])
})

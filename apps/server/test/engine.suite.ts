/** Tests that every engine must pass. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { AdditionalContainer, ContainerSpec, Engine, Found, Started } from '../src/ports/engine/engine.ts'

export interface EngineScene {
  readonly engine: Engine
  /**
   * Names of images. `echo` sends FLAG (or `no flag`) and a newline on port 7000, then echoes its input, and prints `ready` at its start; `second`
   * does so on port 7001; `crash` prints a line with `cannot start` and FLAG and exits; `missing` does not exist.
   */
  readonly images: Readonly<Record<'echo' | 'second' | 'crash' | 'missing', string>>
  /** The engine of another installation in the same place; null if there is none. */
  readonly neighbour: Engine | null
}

let containers = 0

/** An additional container with small limits. */
export function anAdditional(
  more: Partial<AdditionalContainer> & Pick<AdditionalContainer, 'name' | 'image'>,
): AdditionalContainer {
  return { environment: {}, cpuCount: 1, memoryLimit: 32, storageLimit: 128, runsOnce: false, ...more }
}

/** A container like that of a team. Each has a different subnetIndex. */
export function aContainer(more: Partial<ContainerSpec> & Pick<ContainerSpec, 'image'>): ContainerSpec {
  return {
    id: randomUUID(),
    name: 'chal-7',
    labels: { 'vexil.team': '12' },
    environment: { FLAG: `flag{${randomUUID()}}`, VEXIL_TEAM_ID: '12' },
    port: 7000,
    namedPorts: [],
    additional: [],
    cpuCount: 5,
    memoryLimit: 64,
    storageLimit: 256,
    isolated: false,
    hasReadyCheck: false,
    strict: false,
    runtime: '',
    subnetIndex: containers++,
    ...more,
  }
}

/**
 * Sends `text`, half-closes, and returns everything received until the other side ends. Rejects when the port is closed or the other side does not
 * end in time.
 */
export function talkTo({ host, port }: Pick<Started, 'host' | 'port'>, text = '', milliseconds = 10_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect({ host, port, allowHalfOpen: true, timeout: milliseconds })
    socket.on('timeout', () => socket.destroy(new Error(`nothing from ${host}:${port}`)))
    socket.on('connect', () => socket.end(text))
    socket.on('data', (bytes: Buffer) => parts.push(bytes))
    socket.on('end', () => resolve(Buffer.concat(parts).toString()))
    socket.on('error', reject)
  })
}

export function engineSuite(open: () => Promise<EngineScene>): void {
  const running = (id: string, { engineId }: Started): Found => ({ id, engineId, state: 'running', overStorage: false })
  const ids = async (engine: Engine) => (await engine.list()).map(({ id }) => id)

  test('a container runs, is found by its id, and serves its flag on its port', async () => {
    const { engine, images } = await open()
    const [first, second] = [aContainer({ image: images.echo }), aContainer({ image: images.echo })]
    const started = await Promise.all([engine.create(first), engine.create(second)])
    expect(await talkTo(started[0]!, 'and more')).toBe(`${first.environment.FLAG}\nand more`)
    expect(await talkTo(started[1]!)).toBe(`${second.environment.FLAG}\n`)
    expect(started[0]!.engineId).not.toBe(started[1]!.engineId)
    expect(await engine.inspect(first.id)).toEqual({ ...running(first.id, started[0]!), end: null })
    expect(await engine.inspect(first.id, started[0]!.engineId)).not.toBeNull()
    expect(await engine.inspect(first.id, started[1]!.engineId)).toBeNull()
    const both = [running(first.id, started[0]!), running(second.id, started[1]!)]
    expect(await engine.list()).toEqual(expect.arrayContaining(both))
    await Promise.all([engine.destroy(first.id), engine.destroy(second.id)])
  })

  test('two containers with a port each are one instance: both answer, print and are removed together', async () => {
    const { engine, images } = await open()
    const database = anAdditional({ name: 'db', image: images.second, environment: { FLAG: 'the second one' } })
    const spec = aContainer({ image: images.echo, namedPorts: [{ name: 'sql', port: 7001 }], additional: [database] })
    const neighbour = aContainer({ image: images.echo })
    const [started, beside] = [await engine.create(spec), await engine.create(neighbour)]
    const [named] = started.namedPorts
    expect(started.namedPorts).toEqual([
      { name: 'sql', port: expect.any(Number), publishedPort: started.published && expect.any(Number) },
    ])
    expect(await talkTo(started)).toBe(`${spec.environment.FLAG}\n`)
    expect(await talkTo({ host: started.host, port: named!.port }, 'and back')).toBe('the second one\nand back')
    expect(new Set(await engine.list())).toEqual(new Set([running(spec.id, started), running(neighbour.id, beside)]))
    expect(await engine.inspect(spec.id, started.engineId)).toEqual({ ...running(spec.id, started), end: null })
    expect([await engine.logs(spec.id, 1, 'db'), await engine.logs(spec.id, 1, 'sql')]).toEqual(['ready', ''])
    await engine.destroyOne(spec.id, beside.engineId)
    expect((await engine.inspect(spec.id))?.state).toBe('running')
    await engine.destroyOne(spec.id, started.engineId)
    expect((await engine.inspect(spec.id))?.engineId ?? null).toBeNull()
    expect(await engine.logs(spec.id, 1, 'db')).toBe('')
    await Promise.all([engine.destroy(spec.id), engine.destroy(neighbour.id)])
    expect(await ids(engine)).not.toContain(spec.id)
  })

  test('an additional container that exits at its start fails the start, with its name and without values of its environment', async () => {
    const { engine, images } = await open()
    const database = anAdditional({ name: 'db', image: images.crash, environment: { FLAG: 'a-password' } })
    const spec = aContainer({ image: images.echo, additional: [database] })
    const error = await engine.create(spec).catch((reason) => reason)
    expect(error).toMatchObject({ name: 'EngineError', problem: 'failed' })
    expect(error.message).toMatch(/container db .*cannot start/s)
    expect(error.message).not.toContain('a-password')
    await engine.destroy(spec.id)
    expect(await engine.inspect(spec.id)).toBeNull()
    const missing = { ...spec, additional: [{ ...database, image: images.missing }] }
    await expect(engine.create(missing)).rejects.toMatchObject({ problem: 'image' })
    expect(await engine.inspect(spec.id)).toBeNull()
  })

  test('the end of an additional container that runs once ends nothing, and its output is read', async () => {
    const { engine, images } = await open()
    const check = anAdditional({ name: 'check', image: images.crash, runsOnce: true })
    const spec = aContainer({ image: images.echo, additional: [check] })
    const started = await engine.create(spec)
    await expect.poll(() => engine.logs(spec.id, 5, 'check')).toContain('cannot start')
    expect(await engine.inspect(spec.id)).toEqual({ ...running(spec.id, started), end: null })
    await engine.destroy(spec.id)
    expect(await ids(engine)).not.toContain(spec.id)
  })

  test('destroying removes only this container, and can be repeated and concurrent', async () => {
    const { engine, images } = await open()
    const [one, other] = [aContainer({ image: images.echo }), aContainer({ image: images.echo })]
    const [, place] = await Promise.all([engine.create(one), engine.create(other)])
    await Promise.all([engine.destroy(one.id), engine.destroy(one.id)])
    await engine.destroy(one.id)
    expect(await engine.inspect(one.id)).toBeNull()
    const left = await ids(engine)
    expect([left.includes(one.id), left.includes(other.id)]).toEqual([false, true])
    expect(await talkTo(place)).toBe(`${other.environment.FLAG}\n`)
    await engine.destroy(other.id)
  })

  test('one of the containers with an id is removed by the engine’s name of it', async () => {
    const { engine, images } = await open()
    const [one, other] = [aContainer({ image: images.echo }), aContainer({ image: images.echo })]
    const [mine, theirs] = await Promise.all([engine.create(one), engine.create(other)])
    await engine.destroyOne(one.id, theirs.engineId)
    expect(await engine.inspect(one.id, mine.engineId)).toMatchObject({ state: 'running' })
    await engine.destroyOne(one.id, mine.engineId)
    await engine.destroyOne(one.id, mine.engineId)
    expect(await engine.inspect(one.id, mine.engineId)).toBeNull()
    expect(await engine.inspect(other.id, theirs.engineId)).toMatchObject({ state: 'running' })
    await Promise.all([engine.destroy(one.id), engine.destroy(other.id)])
  })

  test('a missing container: it is not found, has no output, and destroying it succeeds', async () => {
    const { engine } = await open()
    const id = randomUUID()
    expect([await engine.inspect(id), await engine.logs(id, 10)]).toEqual([null, ''])
    await engine.destroy(id)
  })

  test('a container that exits at its start fails with its last line, without its flag in the message', async () => {
    const { engine, images } = await open()
    const spec = aContainer({ image: images.crash })
    const error = await engine.create(spec).catch((reason) => reason)
    expect(error).toMatchObject({ name: 'EngineError', problem: 'failed' })
    expect(error.message).toContain('cannot start')
    expect(error.message).not.toContain(spec.environment.FLAG)
    await engine.destroy(spec.id)
    expect(await engine.inspect(spec.id)).toBeNull()
  })

  test('a missing image is named, and nothing is left', async () => {
    const { engine, images } = await open()
    const spec = aContainer({ image: images.missing })
    const refusal = { name: 'EngineError', problem: 'image' }
    await expect(engine.create(spec)).rejects.toMatchObject(refusal)
    expect(await engine.inspect(spec.id)).toBeNull()
    await expect(engine.pull(images.missing)).rejects.toMatchObject(refusal)
    await expect(engine.findImage(images.missing)).rejects.toMatchObject(refusal)
    expect(await engine.findImage(images.echo)).toBe('here')
  })

  test('six concurrent starts create six containers, and all are removed', async () => {
    const { engine, images } = await open()
    const spec = Array.from({ length: 6 }, () => aContainer({ image: images.echo }))
    const started = await Promise.all(spec.map((one) => engine.create(one)))
    expect(new Set(started.map(({ host, port }) => `${host}:${port}`)).size).toBe(6)
    const flags = await Promise.all(started.map((place) => talkTo(place)))
    expect(flags).toEqual(spec.map(({ environment }) => `${environment.FLAG}\n`))
    await Promise.all(spec.map(({ id }) => engine.destroy(id)))
    const left = await ids(engine)
    expect(spec.filter(({ id }) => left.includes(id))).toEqual([])
  })

  test('the last output lines are read, up to the requested number', async () => {
    const { engine, images } = await open()
    const spec = aContainer({ image: images.echo })
    await engine.create(spec)
    expect(await engine.logs(spec.id, 1)).toBe('ready')
    expect((await engine.logs(spec.id, 2)).split('\n')).toEqual(['starting', 'ready'])
    await engine.destroy(spec.id)
  })

  test('another installation cannot see, read or destroy ours', async ({ skip }) => {
    const { engine, neighbour, images } = await open()
    if (neighbour === null) return skip()
    const spec = aContainer({ image: images.echo })
    const place = await engine.create(spec)
    expect([await ids(neighbour), await neighbour.inspect(spec.id), await neighbour.logs(spec.id, 5)]).toEqual([[], null, ''])
    await neighbour.destroy(spec.id)
    expect(await talkTo(place)).toBe(`${spec.environment.FLAG}\n`)
    await engine.destroy(spec.id)
  })

  test('the engine reports its state', async () => {
    const { engine } = await open()
    const state = await engine.probe()
    expect(state).toMatchObject({ version: expect.any(String), isolation: expect.any(String) })
  })
}

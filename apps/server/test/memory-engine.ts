/**
 * An engine for tests only. Its containers are TCP listeners of this process whose behaviour depends on the name of their image. It fails, waits and
 * loses things on demand.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import {
  type ContainerEnd,
  type ContainerSpec,
  type CreateWatch,
  type Engine,
  EngineError,
  type EngineProblem,
  type Found,
  unlessStopped,
} from '../src/ports/engine/engine.ts'

interface Container {
  readonly spec: ContainerSpec
  readonly servers: readonly Server[]
  readonly sockets: Set<Socket>
  end: ContainerEnd | null
  overStorage: boolean
}

/** A container sends its flag and a newline, then echoes its input. */
function echo(socket: Socket, { environment }: Pick<ContainerSpec, 'environment'>): void {
  socket.write(`${environment.FLAG ?? 'no flag'}\n`)
  socket.pipe(socket)
}

/** The image `crash`, also of an additional container, ends at its start; `missing` is in no registry; `slow` answers after `answer`. */
export interface MemoryEngine extends Engine {
  /** Running containers by id, as requested. */
  readonly running: ReadonlyMap<string, ContainerSpec>
  /** All requests, in order. */
  readonly asked: { readonly act: 'create' | 'destroy' | 'destroyOne' | 'pull' | 'tryIsolation'; readonly id: string }[]
  /** Every later call that concerns `act` fails with this problem, until it is null. */
  fail(act: 'create' | 'destroy' | 'list' | 'logs' | 'listens', problem: EngineProblem | null): void
  /** `create` waits for this, at its beginning or after the container runs. */
  hold(when: 'before' | 'after', until: Promise<void> | null): void
  /** A container ends unexpectedly, prints this, or writes too much. */
  crash(id: string, end?: Partial<ContainerEnd>): void
  /** `name`: the name of an additional container. */
  print(id: string, text: string, name?: string): void
  overfill(id: string): void
  /** Another container appears with this id; `destroyOne` and `destroy` remove it. */
  duplicate(id: string, engineId: string): void
  /** A container of the image `slow` answers on its port from now on. */
  answer(id: string): void
  /** A held creation reports this. */
  see(id: string, phase: 'queued' | 'pulling' | 'creating', percent?: number | null): void
  /** Whether the creation was requested as a patient one. */
  waitsForImages(id: string): boolean | undefined
}

export function openMemoryEngine({ published = true }: { readonly published?: boolean } = {}): MemoryEngine {
  const containers = new Map<string, Container>()
  const printed = new Map<string, string>()
  const running = new Map<string, ContainerSpec>()
  const answering = new Set<string>()
  /** Ids by engine id. */
  const duplicates = new Map<string, string>()
  const asked: MemoryEngine['asked'] = []
  const watches = new Map<string, CreateWatch>()
  const failing = new Map<string, EngineProblem>()
  const holds: { before?: Promise<void> | null; after?: Promise<void> | null } = {}
  const mayFail = (act: string) => {
    const problem = failing.get(act)
    if (problem) throw new EngineError(problem, `The engine in memory fails on command (${problem})`)
  }
  const nameOf = (id: string) => `memory-${id.slice(0, 8)}`
  const foundOf = (id: string, { end, overStorage }: Container): Found => ({
    id,
    engineId: nameOf(id),
    state: end ? 'ended' : 'running',
    overStorage,
  })

  async function stop(id: string, end: Partial<ContainerEnd> = {}): Promise<void> {
    const container = containers.get(id)
    if (!container) return
    container.end = { reason: 'exit', container: null, exitCode: 1, message: '', ...end }
    running.delete(id)
    for (const socket of container.sockets) socket.destroy()
    const listening = container.servers.filter((server) => server.listening)
    await Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  async function forget(id: string): Promise<void> {
    await stop(id)
    containers.delete(id)
    for (const key of printed.keys()) if (key.startsWith(id)) printed.delete(key)
  }

  return {
    kind: 'Memory',
    running,
    asked,
    async create(spec, watch) {
      asked.push({ act: 'create', id: spec.id })
      if (watch) watches.set(spec.id, watch)
      await unlessStopped(Promise.resolve(holds.before), watch?.signal)
      mayFail('create')
      watch?.seen('creating', null)
      const lasting = [spec, ...spec.additional.filter(({ runsOnce }) => !runsOnce)]
      const images = lasting.map(({ image }) => image.split(':')[0])
      if (images.includes('missing')) throw new EngineError('image', 'No such image')
      if (containers.has(spec.id)) throw new EngineError('failed', 'There is a container of this id')
      if ([...running.values()].some(({ subnetIndex }) => subnetIndex === spec.subnetIndex))
        throw new EngineError('subnet', 'The network is in use')
      const sockets = new Set<Socket>()
      const listen = async (serve: (socket: Socket) => void) => {
        const server = createServer({ allowHalfOpen: true }, (socket) => {
          sockets.add(socket)
          socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
          serve(socket)
        }).listen(0, '127.0.0.1')
        await once(server, 'listening')
        return server
      }
      const portOf = (server: Server) => (server.address() as AddressInfo).port
      const first = await listen((socket) => echo(socket, spec))
      const named = await Promise.all(
        spec.namedPorts.map(({ name }) =>
          listen((socket) => echo(socket, spec.additional[0] ?? { environment: { FLAG: name } })),
        ),
      )
      const port = portOf(first)
      containers.set(spec.id, { spec, servers: [first, ...named], sockets, end: null, overStorage: false })
      running.set(spec.id, spec)
      printed.set(spec.id, 'starting\nready')
      const cannot = 'starting\ncannot start: exec format error'
      for (const { name, image } of spec.additional)
        printed.set(`${spec.id} ${name}`, image.startsWith('crash') ? cannot : `starting\nready`)
      if (images.includes('crash')) {
        if (images[0] === 'crash') printed.set(spec.id, cannot)
        await stop(spec.id)
        const name = spec.additional.find(({ image }) => image.startsWith('crash'))?.name
        throw new EngineError('failed', `The container ${name ?? ''} ended at once: cannot start: exec format error`)
      }
      await holds.after
      return {
        engineId: nameOf(spec.id),
        host: '127.0.0.1',
        port,
        published: published ? { host: null, port } : null,
        namedPorts: spec.namedPorts.map(({ name }, at) => {
          const its = portOf(named[at] as Server)
          return { name, port: its, publishedPort: published ? its : null }
        }),
      }
    },
    async list() {
      mayFail('list')
      const more = [...duplicates].map(([engineId, id]): Found => ({ id, engineId, state: 'ended', overStorage: false }))
      // Duplicates come first: a careless caller would take one for the container of the row.
      return [...more, ...[...containers].map(([id, container]) => foundOf(id, container))]
    },
    async inspect(id, engineId = nameOf(id)) {
      mayFail('list')
      const container = containers.get(id)
      return container && engineId === nameOf(id) ? { ...foundOf(id, container), end: container.end } : null
    },
    async logs(id, lines, name) {
      mayFail('logs')
      return (printed.get(name === undefined ? id : `${id} ${name}`) ?? '').split('\n').slice(-lines).join('\n')
    },
    async destroy(id) {
      asked.push({ act: 'destroy', id })
      mayFail('destroy')
      await forget(id)
      for (const [engineId, its] of duplicates) if (its === id) duplicates.delete(engineId)
    },
    async destroyOne(id, engineId) {
      asked.push({ act: 'destroyOne', id: engineId })
      mayFail('destroy')
      if (duplicates.get(engineId) === id) duplicates.delete(engineId)
      if (engineId !== nameOf(id)) return
      await forget(id)
    },
    async listens({ engineId }, text) {
      mayFail('listens')
      const found = [...containers].find(([id]) => nameOf(id) === engineId)
      if (!found || found[1].end) return false
      const [id, { spec }] = found
      if (spec.image.startsWith('slow') && !answering.has(id)) return false
      return text === '' || (spec.environment.FLAG ?? 'no flag').includes(text)
    },
    dialsPublished: false,
    readyPollInterval: 10,
    reaches: (host) => host === '127.0.0.1',
    async pull(image) {
      asked.push({ act: 'pull', id: image })
      if (image.startsWith('missing')) throw new EngineError('image', 'No such image')
    },
    async findImage(image) {
      if (image.startsWith('missing')) throw new EngineError('image', 'No such image')
      return 'here'
    },
    async ping() {
      mayFail('list')
    },
    async tryIsolation() {
      asked.push({ act: 'tryIsolation', id: 'probe' })
      mayFail('list')
      const tried = { target: 'host', address: '192.0.2.7', port: 8080, result: 'refused' } as const
      return [
        { network: 'Open', ...tried },
        { network: 'Isolated', ...tried },
      ]
    },
    async probe() {
      mayFail('list')
      return {
        version: 'memory',
        limitsStorage: false,
        isolation: 'in place',
        credentialsUntil: null,
        running: running.size,
        images: null,
        memory: null,
        disk: null,
      }
    },
    async close() {
      for (const id of containers.keys()) await stop(id)
    },
    fail: (act, problem) => void (problem ? failing.set(act, problem) : failing.delete(act)),
    hold: (when, until) => {
      holds[when] = until
    },
    crash: (id, end) => void stop(id, end),
    print: (id, text, name) => void printed.set(name === undefined ? id : `${id} ${name}`, text),
    answer: (id) => void answering.add(id),
    see: (id, phase, percent = null) => watches.get(id)?.seen(phase, percent),
    waitsForImages: (id) => watches.get(id)?.waitsForImages,
    duplicate: (id, engineId) => void duplicates.set(engineId, id),
    overfill(id) {
      const container = containers.get(id)
      if (container) container.overStorage = true
    },
  }
}

/**
 * A small fake of the API of a Docker engine on a Unix socket. Nothing runs in it: a started container has the state of `starts` and has printed two
 * lines.
 */
import { randomBytes } from 'node:crypto'
import { type Asked, type HttpDoor, openHttpDoor } from './engine-door.ts'

type Fields = Record<string, unknown>

export interface FakeContainer {
  readonly Id: string
  readonly Labels: Record<string, string>
  readonly network: string
  readonly ports: readonly string[]
  /** The host addresses at which its ports are published; empty: all addresses. */
  readonly publishedAt: readonly string[]
  /** States of Docker: `created`, `running`, `paused`, `restarting`, `removing`, `exited`, `dead`. */
  State: string
  ExitCode: number
  OOMKilled: boolean
  FinishedAt: string
  /** `host`: the users of the host, even if the engine remaps users. */
  readonly UsernsMode: string | undefined
  /** Its environment variables. */
  readonly Env: readonly string[]
  /** Bytes. */
  SizeRw: number
  /** Its volumes. */
  Mounts: { readonly Type: string; readonly Name: string }[]
}

export interface FakeDocker {
  readonly door: HttpDoor
  /** By their ids in Docker. */
  readonly containers: Map<string, FakeContainer>
  readonly networks: Map<string, { readonly Id: string; readonly Name: string; readonly Labels: Record<string, string> }>
  /** Names of the existing images. */
  readonly images: Set<string>
  /** Names of volumes, with the bytes in them. */
  readonly volumes: Map<string, number>
  /** The state of a container after its start. */
  starts: Pick<FakeContainer, 'State' | 'ExitCode' | 'OOMKilled'>
  /** The state of one container, instead of `starts`. */
  startsOf: (container: FakeContainer) => Partial<FakeDocker['starts']>
  /** The address of every container. */
  address: string
  /** Inspections of a running container until its address and ports are reported. */
  hidesPlace: number
  /** The port on the host for the first port of every container. */
  hostPort: number
  /** Start time of the engine; null: it has no network `bridge`. */
  startedAt: string | null
  /** The output of a container; null: two lines. */
  prints: ((container: FakeContainer) => string) | null
  /** The reason for refusing a network; null: it is not refused. */
  refuseNetwork: (body: { readonly EnableIPv6?: boolean }) => string | null
  /** Lines of a pull of `repository:tag`. */
  pullLines: (image: string) => readonly object[]
  /** The first supported version of the API. */
  version: string
  close(): Promise<void>
}

/** A frame of the standard output, of less than 128 bytes. */
function framed(text: string): string {
  const head = Buffer.alloc(8)
  head[0] = 1
  head.writeUInt32BE(text.length, 4)
  return head.toString('latin1') + text
}

export async function openFakeDocker(): Promise<FakeDocker> {
  const containers: FakeDocker['containers'] = new Map()
  const networks: FakeDocker['networks'] = new Map()
  const images = new Set<string>()
  const fake = { containers, networks, images, volumes: new Map(), version: '1.41', prints: null } as unknown as {
    -readonly [K in keyof FakeDocker]: FakeDocker[K]
  }
  fake.startedAt = '2026-11-25T08:00:00.5Z'
  fake.refuseNetwork = () => null
  fake.pullLines = () => [{ status: 'Pulling' }, { status: 'Done' }]
  fake.starts = { State: 'running', ExitCode: 0, OOMKilled: false }
  fake.startsOf = () => ({})
  fake.address = '100.64.0.2'
  fake.hidesPlace = 0
  fake.hostPort = 32_768
  const newId = () => randomBytes(32).toString('hex')
  const refusal = (status: number, message: string): [number, unknown] => [status, { message }]

  const labelled = <T extends { Labels: Record<string, string> }>(all: Map<string, T>, { searchParams }: URL): T[] => {
    const { label = [] } = JSON.parse(searchParams.get('filters') ?? '{}') as { label?: string[] }
    const has = ({ Labels }: T) => label.every((one) => Labels[one.split('=')[0]!] === one.split('=')[1])
    return [...all.values()].filter(has)
  }

  function createContainer(body: Fields): [number, unknown] {
    const { Image, Labels, HostConfig, ExposedPorts = {} } = body as Record<string, Record<string, never>> & { Image: string }
    if (HostConfig?.StorageOpt) return refusal(500, '--storage-opt is supported only for overlay over xfs')
    if (!images.has(Image)) return refusal(404, `No such image: ${Image}`)
    const state = { State: 'created', ExitCode: 0, OOMKilled: false, FinishedAt: '2026-11-25T09:00:00Z', SizeRw: 0, Mounts: [] }
    const made = {
      Id: newId(),
      Labels: Labels!,
      network: String(HostConfig!.NetworkMode),
      ports: Object.keys(ExposedPorts),
      publishedAt: Object.values<{ HostIp: string }[]>(HostConfig!.PortBindings ?? {})
        .flat()
        .map(({ HostIp }) => HostIp),
      Env: (body.Env ?? []) as string[],
      UsernsMode: HostConfig!.UsernsMode,
      ...state,
    }
    containers.set(made.Id, made)
    return [201, { Id: made.Id }]
  }

  function inspect({ Id, State, ExitCode, OOMKilled, FinishedAt, network, ports }: FakeContainer): unknown {
    const Running = ['running', 'paused', 'restarting'].includes(State)
    const isHidden = Running && fake.hidesPlace > 0
    if (isHidden) fake.hidesPlace--
    const bindings = ports.map((port, at) => [
      port,
      isHidden
        ? []
        : [
            { HostIp: '::', HostPort: String(fake.hostPort + 1000 + at) },
            { HostIp: '0.0.0.0', HostPort: String(fake.hostPort + at) },
          ],
    ])
    const Networks = network.startsWith('container:') ? {} : { [network]: { IPAddress: isHidden ? '' : fake.address } }
    const NetworkSettings = { Networks, Ports: Object.fromEntries(bindings) }
    return { Id, State: { Status: State, Running, ExitCode, OOMKilled, FinishedAt }, NetworkSettings }
  }

  function ofContainer(method: string, container: FakeContainer, act: string): [number, unknown] {
    if (act === 'json') return [200, inspect(container)]
    if (act === 'logs')
      return [
        200,
        fake.prints
          ? fake
              .prints(container)
              .split(/(?<=\n)/)
              .map(framed)
              .join('')
          : framed('starting\n') + framed('ready\n'),
      ]
    if (act === 'start') {
      Object.assign(container, fake.starts, fake.startsOf(container))
      return [204, '']
    }
    if (act === 'stop') {
      if (container.State === 'running') container.State = 'exited'
      return [204, '']
    }
    if (method === 'DELETE') containers.delete(container.Id)
    return [204, '']
  }

  function answer({ method, url, body }: Asked): [number, unknown] {
    if (url.pathname === '/_ping') return [200, 'OK']
    if (url.pathname === '/version') return [200, { MinAPIVersion: fake.version }]
    const [, version = '', kind = '', rest = ''] = /^\/v1\.(\d+)\/([a-z]+)\/?(.*)$/.exec(url.pathname) ?? []
    if (Number(version) < Number(fake.version.split('.')[1]))
      return refusal(400, `client version 1.${version} is too old. Minimum supported API version is ${fake.version}`)
    const call = `${method} ${kind}/${rest}`
    if (call === 'GET info/')
      return [200, { ServerVersion: '28', ContainersRunning: 1, Images: 2, MemTotal: 3, DockerRootDir: '/nowhere' }]
    if (call === 'GET system/df')
      return [200, { Volumes: [...fake.volumes].map(([Name, Size]) => ({ Name, UsageData: { Size } })) }]
    if (call === 'GET networks/bridge')
      return fake.startedAt === null ? refusal(404, 'network bridge not found') : [200, { Created: fake.startedAt }]
    if (call === 'GET networks/') return [200, labelled(networks, url)]
    if (call === 'GET containers/json') {
      const all = url.searchParams.get('all') === '1'
      return [200, labelled(containers, url).filter(({ State }) => all || State === 'running')]
    }
    if (call === 'POST networks/create') {
      const wanted = JSON.parse(body) as { Name: string; Labels: Record<string, string>; EnableIPv6?: boolean }
      const { Name, Labels } = wanted
      const refused = fake.refuseNetwork(wanted)
      if (refused !== null) return refusal(500, refused)
      const Id = newId()
      networks.set(Id, { Id, Name, Labels })
      return [201, { Id }]
    }
    if (call === 'POST containers/create') return createContainer(JSON.parse(body))
    if (call === 'POST images/create') {
      const from = url.searchParams.get('fromImage')
      const repo = url.searchParams.get('repo')
      const tag = url.searchParams.get('tag')
      if (tag) images.add(`${from ?? repo}:${tag}`)
      return [
        200,
        fake
          .pullLines(`${from ?? repo}:${tag}`)
          .map((line) => `${JSON.stringify(line)}\r\n`)
          .join(''),
      ]
    }
    const [name = '', act = ''] = /^(.+?)(?:\/(json|logs|start|stop))?$/.exec(rest)?.slice(1) ?? []
    if (kind === 'images' && act === 'json')
      return images.has(name) ? [200, { Id: name }] : refusal(404, `No such image: ${name}`)
    if (kind === 'distribution') return [200, { Descriptor: { digest: 'sha256:0' } }]
    if (kind === 'networks' && networks.delete(name)) return [204, '']
    const container = containers.get(name)
    if (kind === 'containers' && container) return ofContainer(method, container, act)
    return refusal(404, `No such ${kind}: ${name}`)
  }

  fake.door = await openHttpDoor((asked) => {
    const [status, said] = answer(asked)
    return [status, typeof said === 'string' ? said : JSON.stringify(said)]
  }, 'unix')
  fake.close = fake.door.close
  return fake
}

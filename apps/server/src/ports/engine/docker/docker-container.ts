import { capabilities, labels, labelsOf, partOf, strictTmp, strictUser } from '../challenge-container.ts'
import type { AdditionalContainer, ContainerLimits, ContainerSpec } from '../engine.ts'

const mb = 1_048_576

interface Place {
  readonly installation: string
  readonly network: string
  /** The host address of the published port, empty for all; null: not published. */
  readonly publishAt: string | null
  readonly limitsStorage: boolean
}

/** The body of `POST /containers/create`. The environment is in `Env` only. */
export function containerBody(spec: ContainerSpec, { installation, network, publishAt, limitsStorage }: Place) {
  const ports = [spec.port, ...spec.namedPorts.map(({ port }) => port)].map((port) => `${port}/tcp`)
  const forEach = <T>(value: T) => Object.fromEntries(ports.map((port) => [port, value]))
  return {
    ...commonBody(spec, spec),
    Labels: labelsOf(spec, installation),
    ExposedPorts: forEach({}),
    HostConfig: {
      ...hostConfig(spec, spec, limitsStorage),
      NetworkMode: network,
      PortBindings: publishAt === null ? {} : forEach([{ HostIp: publishAt, HostPort: '0' }]),
      // Docker's DNS server forwards queries for the container, which would be a way out; this upstream does not exist.
      ...(spec.isolated && { Dns: ['127.0.0.1'] }),
    },
  }
}

interface Beside extends Pick<Place, 'installation' | 'limitsStorage'> {
  /** Docker's id of the first container, whose network namespace is shared; its ports and name server apply. */
  readonly first: string
}

/** The body of `POST /containers/create` for an additional container. */
export function additionalBody(spec: ContainerSpec, one: AdditionalContainer, { installation, first, limitsStorage }: Beside) {
  return {
    ...commonBody(spec, one),
    Labels: {
      ...labelsOf({ ...spec, storageLimit: one.storageLimit }, installation),
      [labels.part]: partOf(one),
      [labels.beside]: first,
    },
    HostConfig: { ...hostConfig(spec, one, limitsStorage), NetworkMode: `container:${first}` },
  }
}

function commonBody({ strict }: ContainerSpec, { image, environment }: Pick<AdditionalContainer, 'image' | 'environment'>) {
  return {
    Image: image,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...(strict && { User: `${strictUser}:${strictUser}` }),
  }
}

function hostConfig({ strict, runtime }: ContainerSpec, limits: ContainerLimits, limitsStorage: boolean) {
  return {
    PublishAllPorts: false,
    NanoCpus: limits.cpuCount * 100_000_000,
    Memory: limits.memoryLimit * mb,
    MemorySwap: limits.memoryLimit * mb,
    PidsLimit: 512,
    ...(limitsStorage && { StorageOpt: { size: `${limits.storageLimit}M` } }),
    Privileged: false,
    CapDrop: ['ALL'],
    ...(strict
      ? {
          SecurityOpt: ['no-new-privileges'],
          ReadonlyRootfs: true,
          Tmpfs: { '/tmp': `size=${strictTmp}m,uid=${strictUser},gid=${strictUser}` },
        }
      : { CapAdd: capabilities }),
    ...(runtime && { Runtime: runtime }),
    Init: true,
    AutoRemove: false,
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    Ulimits: [
      { Name: 'nofile', Soft: 4096, Hard: 4096 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    IpcMode: 'private',
    CgroupnsMode: 'private',
  }
}

/** What Docker is asked for when a container is made, and the labels by which it is found again. */
import type { Wanted } from './engine.ts'

export const labels = {
  /** The installation's id. What carries another one, or none, is never touched. */
  installation: 'vexil.installation',
  /** The id of `Wanted`. */
  container: 'vexil.container',
  /** The storage limit in MB, for engines that do not enforce it. */
  storage: 'vexil.storage',
}

/** What usual images need that start services under other users, in a chroot, or on a low port. */
const capabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETGID',
  'SETUID',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SYS_CHROOT',
]
const mb = 1_048_576

export function labelsOf(wanted: Wanted, installation: string): Record<string, string> {
  return {
    ...wanted.labels,
    [labels.installation]: installation,
    [labels.container]: wanted.id,
    [labels.storage]: String(wanted.storageLimit),
  }
}

interface Place {
  readonly installation: string
  readonly network: string
  /** The host's address where the port is published, empty for all; null: it is not published. */
  readonly publishAt: string | null
  readonly limitsStorage: boolean
}

/** What `POST /containers/create` takes. The environment stands in `Env` alone. */
export function containerBody(wanted: Wanted, { installation, network, publishAt, limitsStorage }: Place) {
  const port = `${wanted.port}/tcp`
  return {
    Image: wanted.image,
    Env: Object.entries(wanted.environment).map(([name, value]) => `${name}=${value}`),
    Labels: labelsOf(wanted, installation),
    ExposedPorts: { [port]: {} },
    HostConfig: {
      NetworkMode: network,
      PortBindings: publishAt === null ? {} : { [port]: [{ HostIp: publishAt, HostPort: '0' }] },
      PublishAllPorts: false,
      NanoCpus: wanted.cpuCount * 100_000_000,
      Memory: wanted.memoryLimit * mb,
      MemorySwap: wanted.memoryLimit * mb,
      PidsLimit: 512,
      ...(limitsStorage && { StorageOpt: { size: `${wanted.storageLimit}M` } }),
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: capabilities,
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
      // Docker's own name server asks others on behalf of the container, which would be a way out: here it asks nobody.
      ...(wanted.isolated && { Dns: ['127.0.0.1'] }),
    },
  }
}

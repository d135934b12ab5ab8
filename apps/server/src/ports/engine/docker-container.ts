/** What Docker is asked for when a container is made. */
import { capabilities, labelsOf } from './challenge-container.ts'
import type { Wanted } from './engine.ts'

const mb = 1_048_576

interface Place {
  readonly installation: string
  readonly network: string
  /** The host's address where the port is published, empty for all; null: it is not published. */
  readonly publishAt: string | null
  readonly limitsStorage: boolean
}

/** What `POST /containers/create` takes. The environment is in `Env` only. */
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
      // Docker's own name server asks others on behalf of the container, which would be a way out: here it has no upstream server.
      ...(wanted.isolated && { Dns: ['127.0.0.1'] }),
    },
  }
}

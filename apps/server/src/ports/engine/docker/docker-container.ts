import { capabilities, labelsOf, strictTmp, strictUser } from '../challenge-container.ts'
import type { ContainerSpec } from '../engine.ts'

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
  const port = `${spec.port}/tcp`
  return {
    Image: spec.image,
    Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
    Labels: labelsOf(spec, installation),
    ExposedPorts: { [port]: {} },
    ...(spec.strict && { User: `${strictUser}:${strictUser}` }),
    HostConfig: {
      NetworkMode: network,
      PortBindings: publishAt === null ? {} : { [port]: [{ HostIp: publishAt, HostPort: '0' }] },
      PublishAllPorts: false,
      NanoCpus: spec.cpuCount * 100_000_000,
      Memory: spec.memoryLimit * mb,
      MemorySwap: spec.memoryLimit * mb,
      PidsLimit: 512,
      ...(limitsStorage && { StorageOpt: { size: `${spec.storageLimit}M` } }),
      Privileged: false,
      CapDrop: ['ALL'],
      ...(spec.strict
        ? {
            SecurityOpt: ['no-new-privileges'],
            ReadonlyRootfs: true,
            Tmpfs: { '/tmp': `size=${strictTmp}m,uid=${strictUser},gid=${strictUser}` },
          }
        : { CapAdd: capabilities }),
      ...(spec.runtime && { Runtime: spec.runtime }),
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
      // Docker's DNS server forwards queries for the container, which would be a way out; this upstream does not exist.
      ...(spec.isolated && { Dns: ['127.0.0.1'] }),
    },
  }
}

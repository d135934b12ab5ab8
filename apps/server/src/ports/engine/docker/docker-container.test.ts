/** The request to Docker for a container: every limit, and the flag in only one place. */
import { expect, test } from 'vitest'
import { aContainer, anAdditional } from '../../../../test/engine.suite.ts'
import { additionalBody, containerBody } from './docker-container.ts'

const spec = aContainer({
  id: '0b5c4cf4-57a1-4a9c-a7ff-b2b0d1b7a5e1',
  image: 'registry.example.org/task:3',
  environment: { FLAG: 'flag{secret}', VEXIL_TEAM_ID: '12' },
  cpuCount: 5,
  memoryLimit: 96,
  storageLimit: 300,
})
const place = { installation: 'ours', network: 'vx-0123456789a', publishAt: '', limitsStorage: true }

test('P3.24 P9.8 P9.9 limits, capabilities and isolation come from the challenge and the platform', () => {
  expect(containerBody(spec, place)).toEqual({
    Image: 'registry.example.org/task:3',
    Env: ['FLAG=flag{secret}', 'VEXIL_TEAM_ID=12'],
    Labels: {
      'vexil.team': '12',
      'vexil.installation': 'ours',
      'vexil.container': '0b5c4cf4-57a1-4a9c-a7ff-b2b0d1b7a5e1',
      'vexil.storage': '300',
    },
    ExposedPorts: { '7000/tcp': {} },
    HostConfig: {
      NetworkMode: 'vx-0123456789a',
      PortBindings: { '7000/tcp': [{ HostIp: '', HostPort: '0' }] },
      PublishAllPorts: false,
      NanoCpus: 500_000_000,
      Memory: 96 * 1_048_576,
      // Equal to the memory: no swap.
      MemorySwap: 96 * 1_048_576,
      PidsLimit: 512,
      StorageOpt: { size: '300M' },
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: [
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
      ],
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
    },
  })
})

test('the flag is only in the environment', () => {
  const { Env, ...rest } = containerBody(spec, place)
  expect(Env.filter((line) => line.includes('flag{secret}'))).toHaveLength(1)
  expect(JSON.stringify(rest)).not.toContain('secret')
})

test('behind the platform proxy no port is published, or only at the private address', () => {
  const bindings = (publishAt: string | null) => containerBody(spec, { ...place, publishAt }).HostConfig.PortBindings
  expect(bindings(null)).toEqual({})
  expect(bindings('10.0.0.1')).toEqual({ '7000/tcp': [{ HostIp: '10.0.0.1', HostPort: '0' }] })
})

test('named ports are exposed and published beside the first', () => {
  const { ExposedPorts, HostConfig } = containerBody({ ...spec, namedPorts: [{ name: 'sql', port: 5432 }] }, place)
  expect(ExposedPorts).toEqual({ '7000/tcp': {}, '5432/tcp': {} })
  const binding = [{ HostIp: '', HostPort: '0' }]
  expect(HostConfig.PortBindings).toEqual({ '7000/tcp': binding, '5432/tcp': binding })
})

test('an additional container has its limits and environment, and the network, profile and runtime of the first; not its flag', () => {
  const one = anAdditional({
    ...{ name: 'db', image: 'registry.example.org/db:1', environment: { PASSWORD: 'secret' } },
    ...{ cpuCount: 3, memoryLimit: 48, storageLimit: 200 },
  })
  const isolated = { ...spec, isolated: true, strict: true, runtime: 'runsc' }
  const body = additionalBody(isolated, one, { installation: 'ours', first: 'abc', limitsStorage: true })
  const first = containerBody(isolated, place)
  // Docker refuses ports and name servers for a container that shares the network of another.
  const { PortBindings: _ports, Dns: _dns, ...common } = first.HostConfig as typeof first.HostConfig & { Dns: unknown }
  expect(body).toEqual({
    Image: 'registry.example.org/db:1',
    Env: ['PASSWORD=secret'],
    User: '65534:65534',
    Labels: { ...first.Labels, 'vexil.storage': '200', 'vexil.part': 'additional-db', 'vexil.beside': 'abc' },
    HostConfig: {
      ...common,
      NetworkMode: 'container:abc',
      NanoCpus: 300_000_000,
      Memory: 48 * 1_048_576,
      MemorySwap: 48 * 1_048_576,
      StorageOpt: { size: '200M' },
    },
  })
  const once = additionalBody(spec, { ...one, runsOnce: true }, { installation: 'ours', first: 'abc', limitsStorage: false })
  expect(once.Labels['vexil.part']).toBe('once-db')
})

test('a driver without storage limits gets no storage limit', () => {
  expect(containerBody(spec, { ...place, limitsStorage: false }).HostConfig).not.toHaveProperty('StorageOpt')
})

test('an isolated container has no name server', () => {
  const { HostConfig } = containerBody({ ...spec, isolated: true }, place)
  expect(HostConfig).toMatchObject({ Dns: ['127.0.0.1'] })
})

test('the profile strict: no capability, no new privileges, a read-only root with a small /tmp, an unprivileged user; limits stay', () => {
  const [usual, strict] = [containerBody(spec, place), containerBody({ ...spec, strict: true }, place)]
  const { CapAdd: _, ...HostConfig } = usual.HostConfig as typeof usual.HostConfig & { CapAdd: string[] }
  expect(strict).toEqual({
    ...usual,
    User: '65534:65534',
    HostConfig: {
      ...HostConfig,
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'size=16m,uid=65534,gid=65534' },
    },
  })
})

test('a runtime is named only where the challenge names one', () => {
  expect(containerBody(spec, place).HostConfig).not.toHaveProperty('Runtime')
  expect(containerBody({ ...spec, runtime: 'runsc' }, place).HostConfig).toMatchObject({
    Runtime: 'runsc',
    Memory: 96 * 1_048_576,
  })
})

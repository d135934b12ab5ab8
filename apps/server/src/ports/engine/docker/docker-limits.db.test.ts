// Waits: for containers.
/** The options of a container, read back from Docker, and the effect of the limits. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clear, dockerApi, dockerHost, dockerOptions, images, makeImages, withDocker } from '../../../../test/docker.ts'
import { aContainer, talkTo } from '../../../../test/engine.suite.ts'
import type { ContainerSpec, Engine } from '../engine.ts'
import { openDocker } from './docker.ts'

interface Inspected {
  readonly Id: string
  readonly Name: string
  readonly Path: string
  readonly Args: string[]
  readonly Config: Record<string, unknown> & { Labels: Record<string, string> }
  readonly HostConfig: Record<string, unknown>
  readonly NetworkSettings: { Networks: Record<string, unknown>; Ports: Record<string, { HostPort: string }[] | null> }
}

describe.skipIf(dockerHost === null)('the request to Docker', () => {
  const api = dockerApi()
  const options = dockerOptions()
  let engine: Engine
  beforeAll(async () => {
    await makeImages(api)
    engine = await openDocker(options)
  })
  afterAll(() => clear(engine))

  const filters = (id: string) => ({ filters: JSON.stringify({ label: [`vexil.container=${id}`] }) })
  async function look(id: string): Promise<Inspected> {
    const [found] = await api.call<{ Id: string }[]>('GET', '/containers/json', { query: { all: '1', ...filters(id) } })
    return api.call('GET', `/containers/${found!.Id}/json`)
  }
  const networks = (id: string) =>
    api.call<{ Name: string; IPAM: { Config: { Subnet: string }[] }; Options: Record<string, string>; Labels: unknown }[]>(
      'GET',
      '/networks',
      { query: filters(id) },
    )
  async function made(more: Partial<ContainerSpec> & Pick<ContainerSpec, 'image'>, by = engine) {
    const spec = aContainer(more)
    return { spec, started: await by.create(spec), inspected: await look(spec.id) }
  }

  test('the profile strict: the service runs without rights, and writes to /tmp only', async () => {
    const { spec, started } = await made({ image: images.shell, strict: true })
    const status = await talkTo(started, 'cat /proc/self/status\n')
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Gid:\t65534\t65534\t65534\t65534$/m)
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(status).toMatch(new RegExp(`^${set}:\t0+$`, 'm'))
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    const written =
      'echo a > /flag 2> /dev/null || echo refused; echo b > /tmp/b && cat /tmp/b; dd if=/dev/zero of=/tmp/c bs=1M count=20 2> /dev/null || echo full\n'
    expect(await talkTo(started, written)).toBe('refused\nb\nfull\n')
    await engine.destroy(spec.id)
  })

  test('a runtime by its name, and a name that the engine does not know', async () => {
    const unknown = engine.create(aContainer({ image: images.echo, runtime: 'nowhere' }))
    await expect(unknown).rejects.toMatchObject({ problem: 'failed', message: expect.stringContaining('nowhere') })
    // Docker's second name for its default runtime, runc.
    const runtime = 'io.containerd.runc.v2'
    const { spec, started, inspected } = await made({ image: images.echo, runtime })
    expect(inspected.HostConfig).toMatchObject({ Runtime: runtime })
    expect(await talkTo(started)).toBe(`${spec.environment.FLAG}\n`)
    await engine.destroy(spec.id)
  })

  test('has every limit and every isolation option, field by field', async () => {
    const { spec, started, inspected } = await made({ image: images.echo, cpuCount: 3, memoryLimit: 48, storageLimit: 130 })
    expect(started.engineId).toBe(inspected.Id)
    expect(inspected.HostConfig).toMatchObject({
      NanoCpus: 300_000_000,
      Memory: 48 * 1_048_576,
      MemorySwap: 48 * 1_048_576,
      PidsLimit: 512,
      Privileged: false,
      CapDrop: ['ALL'],
      Init: true,
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
      IpcMode: 'private',
      CgroupnsMode: 'private',
      PidMode: '',
      UTSMode: '',
      UsernsMode: '',
      Binds: null,
      VolumesFrom: null,
      SecurityOpt: null,
      PublishAllPorts: false,
      PortBindings: {},
    })
    const { CapAdd = [], Ulimits, Devices, Dns } = inspected.HostConfig as Record<string, unknown[]>
    const own = 'CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETGID SETPCAP SETUID SYS_CHROOT'
    expect(CapAdd.map((name) => String(name).replace('CAP_', '')).sort()).toEqual(own.split(' '))
    expect(Ulimits).toEqual([
      { Name: 'nofile', Soft: 4096, Hard: 4096 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ])
    expect([Devices ?? [], Dns ?? []]).toEqual([[], []])
    expect(inspected.Config.Labels).toMatchObject({
      'vexil.installation': options.installation,
      'vexil.container': spec.id,
      'vexil.team': '12',
    })
  })

  test('has a separate network, chosen by its subnet number, whose name does not reveal the instance', async () => {
    const { spec, started, inspected } = await made({ image: images.echo })
    const [network, ...more] = await networks(spec.id)
    expect(more).toEqual([])
    expect(Object.keys(inspected.NetworkSettings.Networks)).toEqual([network!.Name])
    expect(network!.Options['com.docker.network.bridge.name']).toMatch(/^vx-[0-9a-f]{11}$/)
    const [first, bits] = options.subnets.split('/')[0]!.split('.').map(Number).slice(2)
    const [third, fourth] = [first! + Math.floor(spec.subnetIndex / 32), bits! + (spec.subnetIndex % 32) * 8]
    expect(network!.IPAM.Config[0]!.Subnet).toBe(`${options.subnets.split('.').slice(0, 2).join('.')}.${third}.${fourth}/29`)
    expect(started.host).toBe(network!.IPAM.Config[0]!.Subnet.replace(/\d+\/29$/, String(fourth + 2)))
    expect(inspected.Name).toMatch(/^\/chal-7-[a-z0-9]{12}$/)
    expect(`${inspected.Name} ${network!.Name}`).not.toContain(spec.id.slice(0, 8))
  })

  test('has the flag in the environment and nowhere else', async () => {
    const { spec, inspected } = await made({ image: images.echo })
    const flag = spec.environment.FLAG!
    expect(inspected.Config.Env).toEqual(expect.arrayContaining([`FLAG=${flag}`, 'VEXIL_TEAM_ID=12']))
    const everything = JSON.stringify([{ ...inspected, Config: { ...inspected.Config, Env: [] } }, await networks(spec.id)])
    expect(everything).not.toContain(flag)
  })

  test('does not accept given labels as our own', async () => {
    const { spec, inspected } = await made({
      image: images.echo,
      labels: { 'vexil.installation': 'another', 'vexil.container': 'another', more: 'x' },
    })
    expect(inspected.Config.Labels).toMatchObject({
      'vexil.installation': options.installation,
      'vexil.container': spec.id,
      more: 'x',
    })
  })

  test('has no name server when isolated', async () => {
    const { spec, inspected } = await made({ image: images.echo, isolated: true })
    expect(inspected.HostConfig.Dns).toEqual(['127.0.0.1'])
    const [network] = await networks(spec.id)
    expect(network!.Options).toMatchObject({
      'com.docker.network.bridge.name': expect.stringMatching(/^vx-i/),
      'com.docker.network.bridge.enable_ip_masquerade': 'false',
    })
  })

  test('published: one port, at random, and the platform still dials the container; bound: only at that address', async () => {
    await withDocker({ published: true }, async (published) => {
      const { started, inspected } = await made({ image: images.http }, published)
      expect(Object.keys(inspected.HostConfig.PortBindings as object)).toEqual(['7000/tcp'])
      expect(started.published).toEqual({ host: null, port: Number(inspected.NetworkSettings.Ports['7000/tcp']![0]!.HostPort) })
      expect(await (await fetch(`http://127.0.0.1:${started.published!.port}/`)).text()).toContain('a challenge')
      expect(await (await fetch(`http://${started.host}:${started.port}/`)).text()).toContain('a challenge')
    })
    await withDocker({ bind: '127.0.0.1' }, async (bound) => {
      const { spec, started, inspected } = await made({ image: images.echo }, bound)
      expect(inspected.HostConfig.PortBindings).toEqual({ '7000/tcp': [{ HostIp: '127.0.0.1', HostPort: '0' }] })
      expect(started).toMatchObject({ host: '127.0.0.1', published: null })
      expect(await talkTo(started)).toBe(`${spec.environment.FLAG}\n`)
    })
  })

  test('a subnet number that is taken or out of range is reported; the first container stays', async () => {
    const { spec } = await made({ image: images.echo })
    const second = aContainer({ image: images.echo, subnetIndex: spec.subnetIndex })
    await expect(engine.create(second)).rejects.toMatchObject({ problem: 'subnet' })
    await expect(engine.create(aContainer({ image: images.echo, subnetIndex: 256 }))).rejects.toMatchObject({ problem: 'subnet' })
    expect(await engine.inspect(spec.id)).toMatchObject({ state: 'running' })
    expect(await engine.inspect(second.id)).toBeNull()
  })

  test('a network without a container is listed as remains, a stopped container as ended, and both are removed by id', async () => {
    const { spec } = await made({ image: images.echo })
    await api.bytes('POST', `/containers/${(await look(spec.id)).Id}/kill`)
    const killed = { reason: 'exit', container: null, exitCode: 137, message: '' }
    expect(await engine.inspect(spec.id)).toMatchObject({ state: 'ended', end: killed })
    await api.bytes('DELETE', `/containers/${(await look(spec.id)).Id}`, { query: { force: '1' } })
    expect(await engine.inspect(spec.id)).toEqual({
      id: spec.id,
      engineId: null,
      state: 'remains',
      overStorage: false,
      end: null,
    })
    await engine.destroy(spec.id)
    expect([await engine.inspect(spec.id), await networks(spec.id)]).toEqual([null, []])
  })

  test('an additional container has its limits and the address of the first; its end ends the instance, with its name', async () => {
    const one = { name: 'db', environment: {}, cpuCount: 3, memoryLimit: 48, storageLimit: 128, runsOnce: false }
    const additional = [{ ...one, image: images.second }]
    const { spec } = await made({ image: images.echo, additional, namedPorts: [{ name: 'sql', port: 7001 }] })
    const query = { all: '1', filters: JSON.stringify({ label: [`vexil.container=${spec.id}`, 'vexil.part'] }) }
    const [{ Id }] = (await api.call<{ Id: string }[]>('GET', '/containers/json', { query })) as [{ Id: string }]
    const beside = await api.call<Inspected>('GET', `/containers/${Id}/json`)
    expect(beside.HostConfig).toMatchObject({ NanoCpus: 300_000_000, Memory: 48 * 1_048_576, CapDrop: ['ALL'] })
    expect(beside.HostConfig.NetworkMode).toMatch(/^container:[0-9a-f]{64}$/)
    await api.bytes('POST', `/containers/${Id}/kill`)
    const end = { reason: 'exit', container: 'db', exitCode: 137, message: '' }
    expect(await engine.inspect(spec.id)).toMatchObject({ state: 'ended', end })
    await engine.destroy(spec.id)
    expect([await engine.inspect(spec.id), await networks(spec.id)]).toEqual([null, []])
  })

  test('a fork bomb stays within its process limit, and other containers keep serving', async () => {
    const { spec, started } = await made({ image: images.echo })
    const { inspected } = await made({ image: images.fork })
    let processes = 0
    for (let i = 0; i < 100 && processes < 500; i++) {
      await sleep(100)
      const { pids_stats } = await api.call<{ pids_stats: { current?: number } }>('GET', `/containers/${inspected.Id}/stats`, {
        query: { stream: '0', 'one-shot': '1' },
      })
      processes = pids_stats.current ?? 0
    }
    expect(processes).toBeGreaterThan(500)
    expect(processes).toBeLessThanOrEqual(512)
    expect(await talkTo(started)).toBe(`${spec.environment.FLAG}\n`)
  })

  test('a container that uses the full processor is throttled', async () => {
    const { inspected } = await made({ image: images.burn, cpuCount: 1 })
    const query = { stream: '0', 'one-shot': '1' }
    const { cpu_stats } = await api.call<{ cpu_stats: { throttling_data: { throttled_periods: number } } }>(
      'GET',
      `/containers/${inspected.Id}/stats`,
      { query },
    )
    expect(cpu_stats.throttling_data.throttled_periods).toBeGreaterThan(0)
  })

  test('data beyond the storage limit is refused by the driver or reported, in volumes of the image too', async () => {
    const { limitsStorage } = await engine.probe()
    // `npm run tool -- storage` provides a driver that enforces the limit, and one that does not.
    const known = process.env.VEXIL_TEST_STORAGE
    if (known) expect(limitsStorage).toBe(known === 'enforced')
    const filled = async (more: Partial<ContainerSpec> & Pick<ContainerSpec, 'image'>) => {
      const { spec } = await made(more)
      for (let i = 0; i < 100 && !(await engine.logs(spec.id, 1)).includes('filled'); i++) await sleep(100)
      return (await engine.inspect(spec.id))?.overStorage
    }
    const found = await Promise.all([
      filled({ image: images.fill, storageLimit: 128 }),
      filled({ image: images.fill, storageLimit: 256 }),
      filled({ image: images.volume, storageLimit: 128 }),
      filled({ image: images.volume, storageLimit: 256 }),
    ])
    expect(found).toEqual([!limitsStorage, false, true, false])
    expect((await engine.list()).filter(({ overStorage }) => overStorage).length).toBe(limitsStorage ? 1 : 2)
  })

  test('volumes are removed with their container', async () => {
    const { spec, inspected } = await made({ image: images.volume })
    const [{ Name } = { Name: '' }] = (inspected as unknown as { Mounts: { Name: string }[] }).Mounts
    await engine.destroy(spec.id)
    await expect(api.call('GET', `/volumes/${Name}`)).rejects.toMatchObject({ status: 404 })
  })

  test('the administrator sees version, resources and whether the storage limit is enforced', async () => {
    const state = await engine.probe()
    expect(state).toEqual({
      version: expect.stringMatching(/^\d+\./),
      limitsStorage: expect.any(Boolean),
      credentialsUntil: null,
      isolation: expect.any(String),
      running: expect.any(Number),
      images: expect.any(Number),
      memory: { total: expect.any(Number), free: expect.any(Number) },
      disk: { total: expect.any(Number), free: expect.any(Number) },
    })
    expect(state.running).toBeGreaterThan(0)
    expect(state.memory!.free!).toBeLessThan(state.memory!.total)
  })
})

/** Targets that a pod can reach, and those that it cannot. Every target has a live listener, and a pod of another namespace reaches it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildProbe } from '../../../../../scripts/toolchain.mjs'
import { importImage } from '../../../../../tools/cluster/images.ts'
import { parts } from '../../../../../tools/cluster/parts.ts'
import { addresses, apiServer, link, namespace as node } from '../../../../../tools/cluster/place.ts'
import { endPart, spawnPart } from '../../../../../tools/cluster/processes.ts'
import { images } from '../../../test/container-images.ts'
import { clear } from '../../../test/docker.ts'
import { aContainer, talkTo } from '../../../test/engine.suite.ts'
import { adminApi, openTestKubernetes } from '../../../test/kubernetes.ts'
import { type Place, printTable, reaches } from '../../../test/reach.ts'
import type { Engine, Started } from './engine.ts'
import type { Attempt } from './isolation-probe.ts'

/** This machine is the network outside of the node: one address like those of the internet, one private. */
const beyond = { public: '203.0.113.78', private: '10.213.78.1' }
const metadata = '169.254.169.254'
const nodePort = 9100
const ip = (...args: string[]) => execFileSync('/usr/sbin/ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })

describe('isolation on Kubernetes', () => {
  const admin = adminApi('default')
  const challenges = adminApi()
  const options = { pods: [addresses.pods] }
  const engines: Engine[] = []
  const server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('reached\n'),
  )
  const listener = spawn('nsenter', [
    `--net=/run/netns/${node}`,
    ...['/bin/busybox', 'nc', '-ll', '-p', String(nodePort), '-e', '/bin/echo', 'reached'],
  ])
  let machinePort = 0
  let control: Control
  let otherControl: Control
  let neighbour: Control
  /** By mode and network. */
  const shells: Record<string, Started> = {}

  interface Control extends Place {
    readonly service: string
    readonly published: number
  }
  interface Service {
    readonly metadata: { readonly name: string }
    readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] }
  }

  /** A pod of the cluster to which no policy applies. */
  async function aControl(name: string): Promise<Control> {
    const labels = { control: name }
    const containers = [{ name: 'shell', image: images.shell, ports: [{ containerPort: 7000 }] }]
    await admin.create('pods', { metadata: { name, labels }, spec: { containers, terminationGracePeriodSeconds: 0 } })
    const { spec } = (await admin.create('services', {
      metadata: { name },
      spec: { type: 'NodePort', selector: labels, ports: [{ port: 7000 }] },
    })) as unknown as Service
    const address = async () => (await admin.find('pods', name))?.status.podIP
    const host = await vi.waitUntil(address, { timeout: 60_000, interval: 200 })
    const place = { host, port: 7000 }
    await vi.waitUntil(() => talkTo(place, 'echo alive\n', 1_000).catch(() => ''), { timeout: 60_000, interval: 200 })
    return { ...place, service: spec.clusterIP, published: spec.ports[0]!.nodePort }
  }

  beforeAll(async () => {
    server.listen(0, '0.0.0.0')
    await once(server, 'listening')
    machinePort = (server.address() as { port: number }).port
    for (const address of Object.values(beyond)) ip('address', 'replace', `${address}/32`, 'dev', link)
    ip('-n', node, 'address', 'replace', `${metadata}/32`, 'dev', 'lo')
    const proxied = await openTestKubernetes(options)
    const published = await openTestKubernetes({ ...options, published: true })
    engines.push(proxied, published)
    for (const [mode, engine] of Object.entries({ proxied, published }))
      for (const isolated of [false, true])
        shells[`${mode} ${isolated ? 'Isolated' : 'Open'}`] = await engine.create(aContainer({ image: images.shell, isolated }))
    const started = await published.create(aContainer({ image: images.shell }))
    const services = (await challenges.list('services', {})) as unknown as Service[]
    const service = services.find(({ metadata }) => metadata.name === started.engineId)?.spec.clusterIP ?? ''
    neighbour = { host: started.host, port: started.port, service, published: started.published!.port }
    control = await aControl('control')
    otherControl = await aControl('other-control')
  })
  afterAll(async () => {
    for (const engine of engines) await clear(engine)
    for (const name of ['control', 'other-control'])
      for (const kind of ['pods', 'services'] as const) await admin.remove(kind, name)
    listener.kill()
    server.close()
    for (const address of Object.values(beyond)) ip('address', 'delete', `${address}/32`, 'dev', link)
    ip('-n', node, 'address', 'delete', `${metadata}/32`, 'dev', 'lo')
  })

  const api = { host: addresses.node, port: Number(new URL(apiServer).port) }
  const targets: [title: string, ours: () => Place, ofControl?: () => Place][] = [
    ['a service on the node at 0.0.0.0', () => ({ host: addresses.node, port: nodePort })],
    ['the gateway of its network', () => ({ host: addresses.pods.replace(/0\/24$/, '1'), port: nodePort })],
    ['the metadata address, held by the node', () => ({ host: metadata, port: nodePort })],
    ['the API server at the node', () => api],
    ['the API server by its service', () => ({ host: addresses.services.replace(/0\/24$/, '1'), port: 443 })],
    ['the kubelet', () => ({ host: addresses.node, port: 10250 })],
    ['a machine in the range of the nodes (platform, database)', () => ({ host: addresses.machine, port: machinePort })],
    ['a private address beyond the node', () => ({ host: beyond.private, port: machinePort })],
    ['a neighbour by its address', () => neighbour, () => otherControl],
    [
      'a neighbour by its service',
      () => ({ host: neighbour.service, port: 7000 }),
      () => ({ host: otherControl.service, port: 7000 }),
    ],
    [
      'a neighbour by its published port',
      () => ({ host: addresses.node, port: neighbour.published }),
      () => ({ host: addresses.node, port: otherControl.published }),
    ],
    ['a pod of another namespace', () => control, () => otherControl],
    [
      'a port that a pod of another namespace publishes',
      () => ({ host: addresses.node, port: control.published }),
      () => ({ host: addresses.node, port: otherControl.published }),
    ],
  ]

  test('both port modes, Open and Isolated: every forbidden target is reachable from the control and not from our container', async () => {
    const names = Object.keys(shells).sort()
    expect(await talkTo(neighbour, 'echo alive\n')).toBe('alive\n')
    const columns = await Promise.all([
      reaches(
        control,
        targets.map(([, target, ofControl]) => (ofControl ?? target)()),
      ),
      ...names.map((name) =>
        reaches(
          shells[name]!,
          targets.map(([, target]) => target()),
        ),
      ),
    ])
    const table = targets.map(([title], i) => [title, ...columns.map((column) => (column[i] ? 'reached' : 'no'))])
    printTable(['control', ...names], table)
    expect(table).toEqual(targets.map(([title]) => [title, 'reached', 'no', 'no', 'no', 'no']))
  })

  test('kubelet and API server at the IPv6 link-local address of the node: every pod reaches them until the node drops it', async () => {
    const show = (...args: string[]) =>
      JSON.parse(execFileSync('/usr/sbin/ip', ['-n', node, '-j', ...args], { encoding: 'utf8' }))
    /** The link-local address of the node on the device of this pod. */
    const linkLocalOf = (pod: Place) => {
      const [{ dev }] = show('route', 'get', pod.host)
      const [{ addr_info }] = show('-6', 'address', 'show', 'dev', dev, 'scope', 'link')
      return `${addr_info[0].local}%eth0`
    }
    const drop = (act: '-I' | '-D') => {
      // docs/operations.md has the same rule.
      const rule = ['INPUT', '-s', 'fe80::/10', '-p', 'tcp', '-j', 'DROP']
      execFileSync('/usr/sbin/ip', ['netns', 'exec', node, '/usr/sbin/ip6tables', '-w', '5', act, ...rule])
    }
    const columns: [string, Place][] = [['control', control], ...Object.entries(shells).sort()]
    const reached = async () => {
      const found = await Promise.all(
        columns.map(([, pod]) =>
          reaches(
            pod,
            [10_250, api.port].map((port) => ({ host: linkLocalOf(pod), port })),
          ),
        ),
      )
      const rows = ['the kubelet', 'the API server'].map((title, i) => [
        title,
        ...found.map((one) => (one[i] ? 'reached' : 'no')),
      ])
      printTable(['at fe80::…%eth0', ...columns.map(([name]) => name)], rows)
      return new Set(found.flat())
    }
    expect(await reached()).toEqual(new Set([true]))
    drop('-I')
    try {
      expect(await reached()).toEqual(new Set([false]))
    } finally {
      drop('-D')
    }
  })

  test('Open reaches a public address, Isolated does not', async () => {
    const place = { host: beyond.public, port: machinePort }
    const names = Object.keys(shells)
    const found = await Promise.all([control, ...names.map((name) => shells[name]!)].map((from) => reaches(from, [place])))
    expect(Object.fromEntries(['control', ...names].map((name, i) => [name, found[i]?.[0]]))).toEqual({
      control: true,
      'proxied Open': true,
      'proxied Isolated': false,
      'published Open': true,
      'published Isolated': false,
    })
  })

  test('players reach a published port, Isolated or not, and the platform reaches all', async () => {
    for (const [name, place] of Object.entries(shells)) expect(await talkTo(place, `echo ${name}\n`)).toBe(`${name}\n`)
    for (const name of ['published Open', 'published Isolated'])
      expect(await talkTo({ host: addresses.node, port: shells[name]!.published!.port }, 'echo served\n')).toBe('served\n')
    expect(shells['proxied Open']!.published).toBeNull()
  })

  test('no other port of a pod responds, nor any port to a pod of another namespace', async () => {
    const others = [control, neighbour, shells['proxied Open']!]
    for (const place of others) await talkTo(place, 'nc -ll -p 7001 -e /bin/flag > /dev/null 2>&1 < /dev/null &\n')
    const answers = await Promise.all(others.map(({ host }) => talkTo({ host, port: 7001 }, '', 2_000).catch(() => 'no')))
    expect(answers).toEqual(['no flag\n', 'no', 'no'])
    expect(await reaches(control, [otherControl, neighbour, ...Object.values(shells)])).toEqual([true, ...Array(5).fill(false)])
  })

  describe('the isolation probe', () => {
    const image = 'docker.io/vexil-test/probe:1'
    const probe = async (mode: 'proxied' | 'published', title: string) => {
      const attempts = await engines[mode === 'proxied' ? 0 : 1]!.tryIsolation({ image, port: machinePort, database: null })
      const rows = attempts.map(({ network, target, address, port, result }) => [network, target, `${address}:${port}`, result])
      printTable([title, 'target', 'address', 'result'], rows)
      return attempts
    }
    const has = (attempts: readonly Attempt[], word: Attempt['result']) =>
      attempts.filter(({ result }) => result === word).map(({ network, target }) => `${network} ${target}`)
    const policies = parts.find(({ name }) => name === 'policies')!

    beforeAll(() => {
      if (!buildProbe()) throw new Error('gcc is needed')
      const root = mkdtempSync(join(tmpdir(), 'vexil-probe-'))
      cpSync(join(import.meta.dirname, '../../../../../deploy/probe/probe'), join(root, 'probe'))
      importImage(image, root, ['/probe'])
      rmSync(root, { recursive: true })
    })

    test('refuses API server, kubelet and neighbour where policies are enforced', async () => {
      for (const mode of ['proxied', 'published'] as const) {
        const attempts = await probe(mode, `${mode}, enforced`)
        const both = ['apiServer', 'kubelet', 'neighbour', 'platform', ...(mode === 'published' ? ['publishedPort'] : [])]
        for (const target of both)
          expect(has(attempts, 'refused')).toEqual(expect.arrayContaining([`Open ${target}`, `Isolated ${target}`]))
        // The enforcer of this cluster has rules for IPv4 only.
        const link = ['Open linkLocal', 'Open linkLocal', 'Isolated linkLocal', 'Isolated linkLocal']
        expect(has(attempts, 'reached')).toEqual(link)
      }
    })

    test('reaches them where nothing enforces the policies, although these are in place', async () => {
      await endPart('policies')
      execFileSync('/usr/sbin/ip', ['netns', 'exec', node, '/usr/sbin/iptables', '-t', 'mangle', '-F'])
      try {
        const attempts = await probe('published', 'published, not enforced')
        expect((await engines[1]!.probe()).isolation).toBe('in place')
        for (const target of ['apiServer', 'kubelet', 'neighbour'])
          expect(has(attempts, 'reached')).toEqual(expect.arrayContaining([`Open ${target}`, `Isolated ${target}`]))
      } finally {
        spawnPart(policies)
      }
    })
  })

  test('a policy that permits forbidden access for pods is reported while it exists', async () => {
    const [engine] = engines
    expect((await engine!.probe()).isolation).toBe('in place')
    const egress = [{ to: [{ ipBlock: { cidr: '10.215.0.0/24' } }] }]
    await challenges.create('networkpolicies', {
      metadata: { name: 'hole' },
      spec: { podSelector: { matchLabels: { 'vexil.network': 'Open' } }, policyTypes: ['Egress'], egress },
    })
    try {
      const isolation = async () => (await engine!.probe()).isolation
      await expect.poll(isolation, { timeout: 60_000, interval: 1_000 }).toContain('hole lets pods reach 10.0.0.0/8')
    } finally {
      await challenges.remove('networkpolicies', 'hole')
    }
  })
})

// Waits: for containers.
/** Targets that a container on Docker can reach, and those that it cannot. Every target has a live listener, and a container without our rules reaches it. */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildProbe } from '../../../../../scripts/toolchain.mjs'
import { clear, dockerApi, dockerHost, dockerOptions, images, makeImages } from '../../../test/docker.ts'
import { aContainer, talkTo } from '../../../test/engine.suite.ts'
import { metadata, openOutside, outside, talkFromOutside } from '../../../test/outside.ts'
import { type Place, printTable, reaches } from '../../../test/reach.ts'
import { openDocker } from './docker/docker.ts'
import { ensureFirewall, firewallScript } from './docker/firewall.ts'
import type { Engine, Started } from './engine.ts'
import type { Attempt } from './isolation-probe.ts'

const skipped = dockerHost === null || process.getuid?.() !== 0
describe.skipIf(skipped)('isolation on Docker', () => {
  const api = dockerApi()
  const options = dockerOptions()
  const engines: Engine[] = []
  const controls: string[] = []
  const server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('reached\n'),
  )
  let closeOutside: () => void
  let hostPort = 0
  let gateway = ''
  let control: Started
  let otherControl: Started
  let neighbour: Started
  /** By mode and network. */
  const shells: Record<string, Started> = {}

  /** A container that only Docker manages, on its default bridge; it publishes its port. */
  async function aControl(): Promise<Started> {
    const HostConfig = { PortBindings: { '7000/tcp': [{ HostPort: '0' }] } }
    const body = { Image: images.shell, HostConfig, ExposedPorts: { '7000/tcp': {} } }
    const { Id } = await api.call<{ Id: string }>('POST', '/containers/create', { body })
    controls.push(Id)
    await api.bytes('POST', `/containers/${Id}/start`)
    const { NetworkSettings } = await api.call<{
      NetworkSettings: { IPAddress: string; Gateway: string; Ports: Record<string, { HostPort: string }[]> }
    }>('GET', `/containers/${Id}/json`)
    gateway = NetworkSettings.Gateway
    const port = Number(NetworkSettings.Ports['7000/tcp']?.[0]?.HostPort)
    return { engineId: Id, host: NetworkSettings.IPAddress, port: 7000, published: { host: null, port }, namedPorts: [] }
  }

  beforeAll(async () => {
    await makeImages(api)
    closeOutside = await openOutside()
    server.listen(0, '0.0.0.0')
    await once(server, 'listening')
    hostPort = (server.address() as { port: number }).port
    const proxied = await openDocker(options)
    const published = await openDocker({ ...options, published: true })
    engines.push(proxied, published)
    const modes = Object.entries({ proxied, published }).flatMap(([mode, engine]) => [
      { name: `${mode} Open`, engine, isolated: false },
      { name: `${mode} Isolated`, engine, isolated: true },
    ])
    await Promise.all([
      ...modes.map(async ({ name, engine, isolated }) => {
        shells[name] = await engine.create(aContainer({ image: images.shell, isolated }))
      }),
      published.create(aContainer({ image: images.shell })).then((started) => {
        neighbour = started
      }),
    ])
    control = await aControl()
    otherControl = await aControl()
  })
  afterAll(async () => {
    for (const id of controls) await api.bytes('DELETE', `/containers/${id}`, { query: { force: '1' } })
    for (const engine of engines) await clear(engine)
    server.close()
    closeOutside()
  })

  const gatewayOf = ({ host }: Place) => host.replace(/\d+$/, (last) => String(Math.floor(Number(last) / 8) * 8 + 1))
  const targets: [string, (from: Place) => Place, (() => Place) | null][] = [
    ['a service on the host at 0.0.0.0 (platform, database)', () => ({ host: outside.hostPublic, port: hostPort }), null],
    [
      'the gateway of its network',
      (from) => ({ host: gatewayOf(from), port: hostPort }),
      () => ({ host: gateway, port: hostPort }),
    ],
    ['the metadata address, held by the host', () => ({ host: metadata, port: hostPort }), null],
    ['a private address beyond the host', () => ({ host: outside.private, port: outside.port }), null],
    ['a neighbour by its address', () => neighbour, () => otherControl],
    ['a neighbour by its published port', () => ({ host: outside.hostPublic, port: neighbour.published!.port }), null],
    [
      'a port that another platform’s container publishes',
      () => ({ host: outside.hostPublic, port: control.published!.port }),
      () => ({ host: outside.hostPublic, port: otherControl.published!.port }),
    ],
  ]

  test('both port modes, Open and Isolated: every forbidden target is reachable from the control and not from our container', async () => {
    const names = Object.keys(shells).sort()
    expect(await talkTo(neighbour, 'echo alive\n')).toBe('alive\n')
    const columns = await Promise.all([
      reaches(
        control,
        targets.map(([, target, ofControl]) => ofControl?.() ?? target(control)),
      ),
      ...names.map((name) =>
        reaches(
          shells[name]!,
          targets.map(([, target]) => target(shells[name]!)),
        ),
      ),
    ])
    const table = targets.map(([title], i) => [title, ...columns.map((column) => (column[i] ? 'reached' : 'no'))])
    printTable(['control', ...names], table)
    expect(table).toEqual(targets.map(([title]) => [title, 'reached', 'no', 'no', 'no', 'no']))
  })

  test('a private address stays unreachable while Docker creates other networks', async () => {
    // Docker removes its call of DOCKER-USER and adds it again for each network.
    const creates = async () => {
      for (let i = 0; i < 6; i++) {
        const { Id } = await api.call<{ Id: string }>('POST', '/networks/create', { body: { Name: `beside-${i}` } })
        await api.bytes('DELETE', `/networks/${Id}`)
      }
    }
    const { private: host, port } = outside
    const tries = 'for i in $(seq 250); do echo x | nc -w 1 $HOST $PORT >> /tmp/found 2> /dev/null & sleep 0.01; done; wait'
    const lines = [`HOST=${host} PORT=${port}`, tries, 'echo tried $(cat /tmp/found)', ''].join('\n')
    const [answer] = await Promise.all([talkTo(shells['proxied Open']!, lines, 40_000), creates()])
    expect(answer).toBe('tried\n')
  })

  test('Open reaches a public address, Isolated does not', async () => {
    const place = { host: outside.public, port: outside.port }
    const names = Object.keys(shells)
    const found = await Promise.all([reaches(control, [place]), ...names.map((name) => reaches(shells[name]!, [place]))])
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
      expect(talkFromOutside(outside.hostPublic, shells[name]!.published!.port, 'echo served\n')).toBe('served\n')
    expect(shells['proxied Open']!.published).toBeNull()
  })

  test('no container has an IPv6 address', async () => {
    for (const place of Object.values(shells)) expect(await talkTo(place, 'cat /proc/net/if_inet6\n')).not.toContain('eth0')
  })

  test('the isolation probe, both port modes: nothing is reached, and each refusal has a control that reaches the target', async ({
    skip,
  }) => {
    // Without gcc the program cannot be built.
    if (!buildProbe()) return skip()
    const plan = { image: null, port: hostPort, database: { host: outside.private, port: outside.port } }
    const ownPort = ({ address, port }: Attempt) => (port === hostPort ? `${address}` : `${address}:${port}`)
    for (const [at, mode] of ['proxied', 'published'].entries()) {
      const attempts = await engines[at]!.tryIsolation(plan)
      printTable(
        [mode, 'address', 'result'],
        attempts.map((one) => [one.network, one.target, ownPort(one), one.result]),
      )
      expect(attempts.filter(({ result }) => result === 'reached')).toEqual([])
      const refused = attempts.filter(({ result }) => result === 'refused').map(({ network, target }) => `${network} ${target}`)
      const both = ['host', 'gateway', 'platform', 'database', 'neighbour', ...(mode === 'published' ? ['publishedPort'] : [])]
      for (const target of both) expect(refused).toEqual(expect.arrayContaining([`Open ${target}`, `Isolated ${target}`]))
    }
    const names = await api.call<{ Names: string[] }[]>('GET', '/containers/json', { query: { all: '1' } })
    expect(names.filter(({ Names }) => Names.some((name) => name.startsWith('/probe')))).toEqual([])
  })

  test('an Isolated container has no answer from the name server of the host, which does not hear of it; a plain container has one', async ({
    skip,
  }) => {
    const requests: string[] = []
    const resolver = createSocket('udp4')
    // A copy of the question with one answer: the name at its beginning, type A, 192.0.2.1.
    resolver.on('message', (question, { address, port }) => {
      requests.push(question.subarray(12).toString('latin1'))
      const head = Buffer.from([question[0]!, question[1]!, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
      const found = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
      resolver.send(Buffer.concat([head, question.subarray(12), found]), port, address)
    })
    const isBound = await new Promise((resolve) => {
      resolver.once('error', () => resolve(false)).bind(53, '127.0.0.1', () => resolve(true))
    })
    // Another name server uses the address.
    if (!isBound) return skip()
    try {
      const body = {
        Image: images.shell,
        Cmd: ['/bin/busybox', 'nslookup', 'plain.vexil.test', '127.0.0.1'],
        HostConfig: { NetworkMode: 'host' },
      }
      const { Id } = await api.call<{ Id: string }>('POST', '/containers/create', { body })
      controls.push(Id)
      await api.bytes('POST', `/containers/${Id}/start`)
      await api.bytes('POST', `/containers/${Id}/wait`)
      const query = { stdout: '1', stderr: '1' }
      const answers = [
        (await api.bytes('GET', `/containers/${Id}/logs`, { query })).toString(),
        await talkTo(shells['proxied Isolated']!, 'busybox nslookup isolated.vexil.test 2>&1\n', 40_000),
      ]
      printTable(
        ['control', 'Isolated'],
        [['the name server of the host', ...answers.map((text) => (text.includes('192.0.2.1') ? 'reached' : 'no'))]],
      )
      expect(answers.map((text) => text.includes('192.0.2.1'))).toEqual([true, false])
      expect(answers[1]).toContain('timed out')
      expect([requests.some((name) => name.includes('plain')), requests.some((name) => name.includes('isolated'))]).toEqual([
        true,
        false,
      ])
    } finally {
      resolver.close()
    }
  })

  test('rules that were removed, or are no longer first, are restored', async () => {
    const iptables = (...args: string[]) =>
      execFileSync('/usr/sbin/iptables', ['-w', '5', '-t', 'mangle', ...args], { encoding: 'utf8' })
    const count = (text: string) =>
      iptables('-S')
        .split('\n')
        .filter((line) => line.includes(text)).length
    iptables('-D', 'VEXIL-FORWARD', '-o', 'vx-+', '-j', 'DROP')
    expect(await ensureFirewall(options.deny)).toBe('in place')
    expect(count('-A VEXIL-FORWARD -o vx-+ -j DROP')).toBe(1)
    iptables('-I', 'INPUT', '-i', 'vx-+', '-j', 'ACCEPT')
    expect(await ensureFirewall(options.deny)).toBe('in place')
    expect(iptables('-S', 'INPUT').split('\n')[1]).toBe('-A INPUT -i vx-+ -j VEXIL-INPUT')
    expect(count('-j VEXIL-INPUT')).toBe(1)
    iptables('-D', 'INPUT', '-i', 'vx-+', '-j', 'ACCEPT')
    expect((await engines[0]!.probe()).isolation).toBe('in place')
  })

  test('a connection that a container opened to the host while another rule came first ends when the rules are restored', async () => {
    let received = 0
    const sockets: Socket[] = []
    const listener = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined).on('data', ({ length }) => (received += length)))
    })
    await once(listener.listen(0, '0.0.0.0'), 'listening')
    const { port } = listener.address() as AddressInfo
    const first = ['-i', 'vx-+', '-p', 'tcp', '--dport', String(port), '-j', 'ACCEPT']
    const mangle = (...args: string[]) =>
      execFileSync('/usr/sbin/iptables', ['-w', '5', '-t', 'mangle', ...args], { encoding: 'utf8' })
    const isFirst = () => mangle('-S', 'INPUT').split('\n')[1]?.includes(`--dport ${port}`)
    const remove = () => {
      while (mangle('-S', 'INPUT').includes(`--dport ${port}`)) mangle('-D', 'INPUT', ...first)
    }
    const send = `(while sleep 0.05; do echo tick; done) | nc ${outside.hostPublic} ${port} &\n`
    try {
      mangle('-I', 'INPUT', ...first)
      await talkTo(shells['proxied Open']!, `timeout 40 sh -c '${send}sleep 40' > /dev/null 2>&1 &\n`)
      await vi.waitFor(
        () => {
          // Another test may restore the rules first. The container sends its packets again.
          if (!isFirst()) mangle('-I', 'INPUT', ...first)
          expect(received).toBeGreaterThan(0)
        },
        { timeout: 20_000, interval: 100 },
      )
      remove()
      expect(await ensureFirewall(options.deny)).toBe('in place')
      // A segment that was on its way.
      await sleep(100)
      const before = received
      await sleep(1_500)
      expect(received).toBe(before)
    } finally {
      remove()
      for (const socket of sockets) socket.destroy()
      listener.close()
    }
  })

  test('the output of npm run firewall sets the same rules, also over existing ones', async () => {
    const all = () => execFileSync('/usr/sbin/iptables', ['-w', '5', '-t', 'mangle', '-S'], { encoding: 'utf8' }).split('\n')
    const rules = () => all().filter((line) => line.includes('VEXIL'))
    const script = firewallScript(options.deny)
    const leavesAsIs = () => {
      const before = rules()
      execFileSync('sh', { input: script, env: { PATH: '/usr/sbin:/usr/bin:/bin' } })
      return [before, rules()]
    }
    // Other tests set the same rules, perhaps at the same instant: this test checks that running it again adds nothing.
    await expect
      .poll(() => {
        const [before, after] = leavesAsIs()
        return JSON.stringify(before) === JSON.stringify(after)
      })
      .toBe(true)
  })
})

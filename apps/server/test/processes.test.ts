/** A node of two processes: both answer, limits and sweeps are those of one, and none outlives the first (decision 0029). */
import { once } from 'node:events'
import { connect } from 'node:net'
import { hubLimits, rateLimits } from '@vexil/core/limits'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { freePort, type Platform, startPlatform } from '../../../e2e/platform.ts'
import { embeddedCluster } from './cluster.ts'
import { askOver, commandOf, type Door, doorsTo, furtherOf, holderOf, portsOf, runs } from './node-processes.ts'
import { raiseStorm, type Storm, untilMore } from './storm.ts'

// Whole platforms are started and ended here.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const soon = { timeout: 60_000, interval: 20 }
const two = { VEXIL_PROCESSES: '2', VEXIL_DRAIN_SECONDS: '2' }

/** The first process and the only further one, which is not the one of `before`, with a connection to each. */
async function openDoors(platform: Platform, before = 0): Promise<{ first: number; further: number; doors: [Door, Door] }> {
  const first = platform.process.pid as number
  const further = await vi.waitFor(() => {
    const [pid, ...more] = furtherOf(first)
    if (pid === undefined || pid === before || more.length > 0) throw new Error('there is not one worker process')
    return pid
  }, soon)
  return { first, further, doors: (await doorsTo(platform.url, [first, further])) as [Door, Door] }
}

/** Nothing of the platform is left: no process, no database, and the port is free. */
async function mustBeGone(platform: Platform, pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(runs)).toEqual([]), soon)
  await expect(fetch(platform.url)).rejects.toThrow('fetch failed')
}

describe.runIf(process.platform === 'linux')('two processes', () => {
  let platform: Platform
  let storm: Storm
  let doors: [Door, Door]
  let pids: { first: number; further: number }
  const env = () => ({ ...two, PORT: new URL(platform.url).port })

  let metricsPort: number

  beforeAll(async () => {
    metricsPort = await freePort()
    platform = await startPlatform({ env: { ...two, VEXIL_METRICS: `127.0.0.1:${metricsPort}` } })
    ;({ doors, ...pids } = await openDoors(platform))
    storm = await raiseStorm(() => platform, 6)
  })
  afterAll(() => platform.stop())

  test('both listen, are ready and serve; the database URL is in no command line', async () => {
    for (const door of doors) {
      await expect.poll(async () => (await door.ask('GET', '/healthz/ready')).body, { timeout: 30_000 }).toBe('Healthy')
      expect((await door.ask('GET', '/api/config')).body.setupRequired).toBe(false)
    }
    expect(commandOf(pids.further)).not.toContain(embeddedCluster(platform.dataDir).socket)
    await expect.poll(() => platform.output()).toMatch(/^ {2}Processes 2$/m)
  })

  test('metrics of both are added up on their own port, which no worker process has, and not on the public one', async () => {
    const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const ready = (text: string) =>
      Number(/^vexil_requests_total\{route="GET \/healthz\/ready",status="2xx"\} (\d+)$/m.exec(text)?.[1])
    const before = ready(await scrape())
    for (const door of doors) await door.ask('GET', '/healthz/ready')
    const text = await scrape()
    expect(ready(text)).toBe(before + 2)
    expect(text).toMatch(/^vexil_processes 2$/m)
    expect(text).toMatch(/^vexil_database_up 1$/m)
    const publicPort = Number(new URL(platform.url).port)
    expect(portsOf(pids.first)).toEqual([publicPort, metricsPort].sort((a, b) => a - b))
    expect(portsOf(pids.further)).toEqual([publicPort])
    for (const door of doors) expect(String((await door.ask('GET', '/metrics')).body)).not.toContain('vexil_')
  })

  test('calls of one account are counted together: the same number passes and waits as with one process', async () => {
    const [cookie] = storm.people as [string]
    const headers = { cookie, 'x-forwarded-for': '203.0.113.5' }
    const { permits, queue } = rateLimits.global
    const statuses: number[] = []
    for (let i = 0; i < permits; i++) statuses.push((await doors[i % 2]!.ask('GET', '/api/account/profile', { headers })).status)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    const more = Array.from({ length: queue + 20 }, () =>
      askOver(platform.url, false)('GET', '/api/account/profile', { headers }).then(
        (answer) => void statuses.push(answer.status, Number(answer.headers['retry-after'])),
      ),
    )
    void Promise.allSettled(more)
    await vi.waitFor(() => expect(statuses).toHaveLength(permits + 2 * 20), soon)
    expect(new Set(statuses.slice(permits))).toEqual(new Set([429, 60]))
    // Another caller behind the same address is served.
    const other = { ...headers, cookie: storm.people[1] as string }
    for (const door of doors) expect((await door.ask('GET', '/api/account/profile', { headers: other })).status).toBe(200)
  })

  test('wrong passwords are counted together', async () => {
    const signIn = (door: Door, from: string, password: string) => {
      const body = { userName: 'sailor2', password }
      return door.ask('POST', '/api/account/login', { body, headers: { 'x-forwarded-for': from } })
    }
    const { size } = rateLimits.login
    const guesses = Array.from({ length: 2 * size }, (_, i) => signIn(doors[i % 2]!, '198.51.100.9', `wrong ${i}`))
    const compared = (await Promise.all(guesses)).filter(({ status }) => status === 401).length
    // One more every six seconds, so on a busy machine it may be a few more; two counters would let all of them pass.
    expect(compared).toBeGreaterThanOrEqual(size)
    expect(compared).toBeLessThan(2 * size)
    for (const door of doors) {
      await vi.waitFor(async () => {
        const refused = await signIn(door, '198.51.100.9', 'wrong again')
        expect([refused.status, refused.body.code]).toEqual([429, 'request.too_many'])
      }, soon)
      expect((await signIn(door, '198.51.100.10', 'anchors')).status).toBe(200)
    }
  })

  test('an answer through one process reaches the listeners of the other, and both send the same bytes of the board', async () => {
    const challenges = `/api/edit/games/${storm.game}/challenges`
    const flag = { flag: 'flag{late}' }
    const late = (await storm.ask('POST', challenges, { title: 'Late' }, storm.admin)).body.id
    await storm.ask('POST', `${challenges}/${late}/flags`, [flag], storm.admin)
    await storm.ask('PUT', `${challenges}/${late}`, { isEnabled: true }, storm.admin)
    // From here on both keep this board.
    const boards = (path: string) => Promise.all(doors.map((door) => door.ask('GET', `/api/game/${storm.game}/${path}`)))
    const [first] = await boards('scoreboard')
    const listeners = await listenAtEach(platform, storm.game, [pids.first, pids.further])
    for (const [i, door] of doors.entries()) {
      const headers = { cookie: storm.people[i] as string }
      expect((await door.ask('POST', `/api/game/${storm.game}/challenges/${late}`, { body: flag, headers })).status).toBe(200)
      // The poll would find solves as well; notices arrive only over the bus.
      for (const { received } of listeners) {
        for (const target of ['VexilSolves', 'ReceivedGameNotice'])
          await vi.waitFor(() => expect(received.filter((frame) => frame.includes(target))).toHaveLength(i + 1), soon)
      }
    }
    for (const { socket } of listeners) socket.close()
    for (const path of ['scoreboard', 'scoreboard/feed']) {
      // The board is sent for up to twenty times as long as building it took. The base of the feed has the version before its first cut.
      await vi.waitFor(async () => {
        const [one, other] = await boards(path)
        if (path === 'scoreboard') expect(one?.headers.etag).not.toBe(first?.headers.etag)
        expect([other?.status, other?.headers.etag]).toEqual([200, one?.headers.etag])
        expect(other?.body).toEqual(one?.body)
      }, soon)
    }
  })

  test('a killed worker process loses no acknowledged answer, is replaced, and its slots are released', async () => {
    const headers = { cookie: storm.people[3] as string, 'x-forwarded-for': '203.0.113.6' }
    const both = [pids.first, pids.further]
    const { stop } = await storm.blow(1)
    await untilMore(storm, 50)
    const seats = await takeSeats(platform, headers, both)
    expect(seats).toHaveLength(hubLimits.pendingHandshakesPerAccount)
    process.kill(pids.further, 'SIGKILL')
    const expected = 'A worker process exited (SIGKILL). Restarting in 1 s.'
    await vi.waitFor(() => expect(platform.output()).toContain(expected), soon)
    expect(await takeSeats(platform, headers, both)).toHaveLength(seats.filter((pid) => pid === pids.further).length)
    ;({ doors, ...pids } = await openDoors(platform, pids.further))
    await untilMore(storm, 50)
    await stop()
    await storm.mustHoldAll()
  })

  test('when the first process is killed all processes end, and a restart has every acknowledged answer', async () => {
    const { stop } = await storm.blow(2)
    await untilMore(storm, 50)
    const { pid: database } = embeddedCluster(platform.dataDir)
    const killed = [pids.first, pids.further, database]
    await Promise.all([platform.kill9(), stop()])
    platform = await startPlatform({ dataDir: platform.dataDir, env: env() })
    await vi.waitFor(() => expect(killed.filter(runs)).toEqual([]), soon)
    ;({ doors, ...pids } = await openDoors(platform))
    await storm.mustHoldAll()
  })

  test('at shutdown both stop being ready, finish running requests and end; the database is stopped last', async () => {
    const { pid: database } = embeddedCluster(platform.dataDir)
    const begun = await Promise.all([pids.first, pids.further].map((pid) => beginSignIn(platform, pid, pids)))
    const exit = once(platform.process, 'exit')
    platform.process.kill('SIGTERM')
    for (const door of doors) {
      await vi.waitFor(async () => expect((await door.ask('GET', '/healthz/ready')).status).toBe(503), soon)
      expect((await door.ask('GET', '/healthz')).status).toBe(200)
    }
    // Both ask the first for the number of wrong passwords, which it answers until the last of them has ended.
    for (const finish of begun) expect(await finish()).toMatch(/^HTTP\/1\.1 401 /)
    expect(await exit).toEqual([0, null])
    await mustBeGone(platform, [pids.first, pids.further, database])
  })

  test('Ctrl-C in a terminal reaches all processes at once and ends them', async () => {
    platform = await startPlatform({ dataDir: platform.dataDir, env: { ...env(), VEXIL_DRAIN_SECONDS: '0' } })
    const { first, further } = await openDoors(platform)
    const { pid: database } = embeddedCluster(platform.dataDir)
    const exit = once(platform.process, 'exit')
    for (const pid of [further, first]) process.kill(pid, 'SIGINT')
    expect(await exit).toEqual([0, null])
    await mustBeGone(platform, [first, further, database])
  })
})

type Held = Parameters<typeof holderOf>[0]
const rawOf = (socket: WebSocket): Held => (socket as unknown as { _socket: Held })._socket

/** Connects to a hub, without a handshake, until that is refused. Returns which process holds each connection. */
async function takeSeats(platform: Platform, headers: Record<string, string>, pids: readonly number[]): Promise<unknown[]> {
  const seats: unknown[] = []
  for (;;) {
    const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/hub/user`, { headers })
    const refused = await Promise.race([once(socket, 'open').then(() => null, String), once(socket, 'error').then(String)])
    if (refused !== null) {
      expect(refused).toContain('429')
      return seats
    }
    seats.push(holderOf(rawOf(socket), pids))
  }
}

/** Listeners of a game, one held by each process. */
async function listenAtEach(platform: Platform, game: number, pids: readonly number[]) {
  const found = new Map<number, { socket: WebSocket; received: string[] }>()
  while (found.size < pids.length) {
    const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/hub/user?game=${game}`)
    const received: string[] = []
    socket.on('message', (data) => received.push(...String(data).split('\x1e').filter(Boolean)))
    await once(socket, 'open')
    socket.send('{"protocol":"json","version":1}\x1e')
    await vi.waitFor(() => expect(received).toContain('{}'), soon)
    const pid = holderOf(rawOf(socket), pids) as number
    if (found.has(pid)) socket.close()
    else found.set(pid, { socket, received })
  }
  return [...found.values()]
}

/** Begins to sign in at this process; the function that it returns sends the rest and waits for the answer. */
async function beginSignIn({ url }: Platform, pid: number, { first, further }: { first: number; further: number }) {
  const body = '{"userName":"nobody","password":"anchors"}'
  for (;;) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    const head = 'POST /api/account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: '
    socket.write(`${head}${body.length}\r\n\r\n${body.slice(0, 10)}`)
    const holder = await vi.waitFor(
      () => holderOf(socket, [first, further]) ?? Promise.reject(new Error('not accepted yet')),
      soon,
    )
    if (holder !== pid) {
      socket.destroy()
      continue
    }
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk))
    return async () => {
      socket.write(body.slice(10))
      await vi.waitFor(() => expect(answer).toMatch(/\r\n\r\n.*}$/s), soon)
      socket.destroy()
      return answer
    }
  }
}

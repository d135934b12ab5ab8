/**
 * npm run tool -- containers [starts] [proxy] [neighbours], as root on Debian: instances on a temporary Docker engine, or on that of
 * VEXIL_TEST_DOCKER. Prints the time from click to first byte for 1, 20 and 100 starts at once beside bare Docker in turns, the proxy with and without capture beside bare TCP connections
 * to the same containers, memory while 200 MB go each way past a slow reader, and what neighbours feel while one instance burns CPU, forks without end
 * or fills its disk. Exit code 1 when memory grows by more than 50 MB or a neighbour's median rises by more than a fifth.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startSession } from '../../apps/server/src/accounts/sessions.ts'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { cookieName } from '../../apps/server/src/http/session-cookie.ts'
import { openDocker } from '../../apps/server/src/ports/engine/docker/docker.ts'
import { subnetOf } from '../../apps/server/src/ports/engine/docker/docker-network.ts'
import { aChallenge, aGame, aParticipation, aTeam } from '../../apps/server/test/builders/game.ts'
import { type Platform, startPlatform } from '../../e2e/platform.ts'
import { startDocker } from '../../scripts/docker-engine.mjs'

const bytes = 200 * 1024 * 1024
/** Starts at the same instant, and how often. */
const storms = [
  [1, 15],
  [20, 2],
  [100, 1],
] as const
const memoryMostMb = 50
const slowerMost = 1.2
/** Of bare containers: Docker's own pools have room for about 30 networks. */
const bareSubnets = '10.200.0.0/16'
let nextSubnet = 0
/** What the engine does after a start or an end is not measured. */
const restMs = 2_000

const docker = startDocker((name: string, reason: string) => console.error(`${name}: ${reason}`))
if (docker === null) process.exit(1)
const dockerHost: string = docker.host
process.env.VEXIL_TEST_DOCKER = dockerHost
const { clear, dockerApi, dockerOptions, images, makeImages } = await import('../../apps/server/test/docker.ts')
const folder = mkdtempSync(join(tmpdir(), 'vexil-bench-'))
const embedded = await startEmbedded({ dataDir: folder, printLine: console.error, durable: false })
const { host, user, database: name } = embedded.connection
const database = await openDatabase({ source: embedded.connection, poolSize: 4 })
let platform: Platform | null = null
try {
  await makeImages(dockerApi())
  platform = await open('Default')
  if (asked('starts')) await measureStarts(platform)
  await platform.stop()
  platform = await open('PlatformProxy')
  if (asked('proxy')) await measureProxy(platform)
  if (asked('neighbours')) await measureNeighbours(platform)
} finally {
  await platform?.stop()
  const options = dockerOptions({ installation: await installation() })
  await clear(await openDocker(options))
  await database.close()
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
  docker.stop()
}

function asked(part: string): boolean {
  return process.argv.length === 2 || process.argv.includes(part)
}

function open(ports: 'Default' | 'PlatformProxy'): Promise<Platform> {
  return startPlatform({
    env: {
      DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
      DISABLE_RATE_LIMIT: 'true',
      SECRET_KEY: 'a secret key for measurements only',
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_CONTAINER_PORTS: ports,
      VEXIL_CONTAINER_ENTRY: '127.0.0.1',
      VEXIL_CONTAINER_CAPTURE: String(ports === 'PlatformProxy'),
      VEXIL_DOCKER_HOST: dockerHost,
    },
  })
}

async function installation(): Promise<string> {
  return (await database.db.selectFrom('installation').select('engineLabel').executeTakeFirstOrThrow()).engineLabel as string
}

/** A game with one challenge; `start` clicks for a new team and returns the entry. */
async function aGameWithContainers(of: Platform, image: string, more: { captureTraffic?: boolean; readyTimeout?: number } = {}) {
  const game = await aGame(database.db, { containerLimit: 0 })
  const challenge = await aChallenge(database.db, game, {
    type: 'StaticContainer',
    containerImage: image,
    exposePort: 7000,
    ...more,
  })
  return {
    game,
    async aPlayer() {
      const team = await aTeam(database.db)
      await aParticipation(database.db, game, team)
      const headers = { cookie: `${cookieName}=${await startSession(database.db, team.captain)}` }
      return {
        headers,
        async start(): Promise<string> {
          const answer = await fetch(`${of.url}/api/game/${game}/container/${challenge}`, { method: 'POST', headers })
          if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
          return ((await answer.json()) as { entry: string }).entry
        },
      }
    },
  }
}

/**
 * Bare Docker: one container with a published port, without limits, as `docker run -d -P` starts it: in the network that all share, or in a separate one,
 * as every instance has.
 */
async function startBare(separate = false): Promise<{ port: number; stop: () => Promise<unknown> }> {
  const api = dockerApi()
  const network = separate ? `bench-${randomUUID()}` : 'bridge'
  if (separate) {
    const IPAM = { Config: [{ Subnet: subnetOf(bareSubnets, nextSubnet++) }] }
    await api.bytes('POST', '/networks/create', { body: { Name: network, IPAM }, time: 300_000 })
  }
  const HostConfig = { NetworkMode: network, PortBindings: { '7000/tcp': [{ HostPort: '0' }] } }
  const body = { Image: images.echo, ExposedPorts: { '7000/tcp': {} }, HostConfig }
  const { Id } = await api.call<{ Id: string }>('POST', '/containers/create', { body, time: 300_000 })
  await api.bytes('POST', `/containers/${Id}/start`, { time: 300_000 })
  const inspected = await api.call<{ NetworkSettings: { Ports: Record<string, { HostPort: string }[]> } }>(
    'GET',
    `/containers/${Id}/json`,
    { time: 300_000 },
  )
  const port = Number(inspected.NetworkSettings.Ports['7000/tcp']?.[0]?.HostPort)
  const stop = async () => {
    await api.bytes('DELETE', `/containers/${Id}`, { query: { force: '1' }, time: 300_000 })
    if (separate) await api.bytes('DELETE', `/networks/${network}`, { time: 300_000 })
  }
  return { port, stop }
}

/** Milliseconds from each start to the first byte. */
async function measureBare(atOnce: number, separate: boolean): Promise<number[]> {
  const took: number[] = []
  const bare = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const begun = performance.now()
      const started = await startBare(separate)
      await firstByte('127.0.0.1', started.port)
      took.push(performance.now() - begun)
      return started
    }),
  )
  for (const { stop } of bare) await stop()
  return took
}

async function measureStarts(of: Platform): Promise<void> {
  const prepared = await aGameWithContainers(of, images.echo, { readyTimeout: 120 })
  for (const [atOnce, rounds] of storms) {
    const clicked: number[] = []
    const direct: number[] = []
    const separate: number[] = []
    for (let round = 0; round < rounds; round++) {
      const players = await Promise.all(Array.from({ length: atOnce }, prepared.aPlayer))
      await Promise.all(
        players.map(async ({ start }) => {
          const begun = performance.now()
          const [where = '', port] = (await start()).split(':')
          await firstByte(where, Number(port))
          clicked.push(performance.now() - begun)
        }),
      )
      await clear(await openDocker(dockerOptions({ installation: await installation() })))
      await sleep(restMs)
      direct.push(...(await measureBare(atOnce, false)))
      await sleep(restMs)
      separate.push(...(await measureBare(atOnce, true)))
      await sleep(restMs)
    }
    const line = (what: string, each: readonly number[]) =>
      console.log(
        `${atOnce} at once, ${what}: click to first byte p50 ${ms(quantile(each, 0.5))}, p95 ${ms(quantile(each, 0.95))}, last ${ms(Math.max(...each))}`,
      )
    line('by players', clicked)
    line('bare Docker', direct)
    line('bare Docker with a network each', separate)
    for (const [what, bare] of Object.entries({ 'bare Docker': direct, 'bare Docker with a network each': separate })) {
      const ratio = (of: (each: readonly number[]) => number) => (of(clicked) / of(bare)).toFixed(2)
      console.log(
        `${atOnce} at once, ratios to ${what}: p50 ${ratio((each) => quantile(each, 0.5))}, last ${ratio((each) => Math.max(...each))}`,
      )
    }
  }
}

/** Both ways to the same container: bare TCP, and the platform's WebSocket. */
interface Line {
  /** Resolves when the other side takes more. */
  send(data: Buffer | string): Promise<void>
  onData(hear: (data: Buffer) => void): void
  pause(): void
  resume(): void
  close(): void
}

async function overTcp(where: { host: string; port: number }): Promise<Line> {
  const socket = connect({ ...where, noDelay: true })
  await once(socket, 'connect')
  return {
    send: async (data) => void (socket.write(data) || (await once(socket, 'drain'))),
    onData: (hear) => void socket.on('data', hear),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  }
}

async function overProxy(of: Platform, entry: string): Promise<Line> {
  const socket = new WebSocket(`${of.url.replace('http', 'ws')}/api/proxy/${entry}`)
  await once(socket, 'open')
  return {
    send: (data) => new Promise((done, failed) => socket.send(data, (error) => (error ? failed(error) : done()))),
    onData: (hear) => void socket.on('message', hear),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.terminate(),
  }
}

/** Where the platform reaches it. */
async function placeOf(entry: string): Promise<{ host: string; port: number }> {
  const row = await database.db
    .selectFrom('containers')
    .select(['host', 'port'])
    .where('id', '=', entry)
    .executeTakeFirstOrThrow()
  return { host: row.host as string, port: row.port as number }
}

async function measureProxy(of: Platform): Promise<void> {
  const player = await (await aGameWithContainers(of, images.shell)).aPlayer()
  const entry = await player.start()
  const place = await placeOf(entry)
  const recorded = await (await (await aGameWithContainers(of, images.shell, { captureTraffic: true })).aPlayer()).start()
  const ways = { bare: () => overTcp(place), proxy: () => overProxy(of, entry), captured: () => overProxy(of, recorded) }
  const took: Record<string, number[]> = {}
  // The platform keeps the other processor.
  execFileSync('taskset', ['-a', '-p', '-c', '0', String(process.pid)], { stdio: 'ignore' })
  for (let round = 0; round < 5; round++) {
    for (const [way, dial] of Object.entries(ways)) {
      for (const [what, work] of Object.entries({ down: download, up: upload, echo: pingPong })) {
        const line = await dial()
        took[`${way} ${what}`] = [...(took[`${way} ${what}`] ?? []), await work(line)]
        line.close()
      }
    }
  }
  for (const what of ['down', 'up'] as const) {
    const medians = ['bare', 'proxy', 'captured'].map((way) => quantile(took[`${way} ${what}`] as number[], 0.5))
    const [bare, proxy, captured] = medians as [number, number, number]
    const rate = (time: number) => `${((bytes / time / 1048576) * 1000).toFixed(0)} MB/s`
    console.log(`200 MB ${what}: bare ${rate(bare)}, proxy ${rate(proxy)}, ratio ${(bare / proxy).toFixed(2)}`)
    console.log(`200 MB ${what} with capture: ${rate(captured)}, ratio to the proxy without ${(proxy / captured).toFixed(2)}`)
  }
  const [bare, proxy] = ['bare', 'proxy'].map((way) => quantile(took[`${way} echo`] as number[], 0.5)) as [number, number]
  console.log(
    `16 bytes there and back: bare ${us(bare)}, proxy ${us(proxy)}, added ${us(proxy - bare)}, ratio ${(proxy / bare).toFixed(2)}`,
  )
  const inFull = missingBytes(of)
  const slow = await ways.captured()
  const time = await slowDownload(slow)
  slow.close()
  const pace = ((bytes / time / 1048576) * 1000).toFixed(0)
  console.log(
    `missing in captures: at full speed ${inFull} bytes of ten transfers, at ${pace} MB/s ${missingBytes(of) - inFull} bytes`,
  )
  const before = residentMb(of)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentMb(of))
  }, 50)
  for (const work of [slowDownload, upload]) {
    const line = await ways.proxy()
    await work(line)
    line.close()
  }
  clearInterval(watch)
  console.log(`200 MB each way past a slow reader: resident ${before} MB before, ${most} MB at most`)
  if (most - before > memoryMostMb) process.exitCode = 1
}

/** Bytes that the disk could not take in time, from the marks in all captures. */
function missingBytes({ dataDir }: Platform): number {
  const files = globSync(join(dataDir, 'capture/*/*/*.pcap')).map((path) => readFileSync(path, 'latin1'))
  const marks = files.flatMap((text) => text.match(/\{"Missing":.*?\}\}/g) ?? [])
  return marks.map((mark) => JSON.parse(mark).Missing).reduce((sum, missing) => sum + missing.in + missing.out, 0)
}

async function download(line: Line): Promise<number> {
  const begun = performance.now()
  await receive(line)
  return performance.now() - begun
}

/** The reader rests 10 ms after each 256 KB: about 20 MB/s. */
async function slowDownload(line: Line): Promise<number> {
  const begun = performance.now()
  let sinceRest = 0
  await receive(line, (length) => {
    sinceRest += length
    if (sinceRest < 256 * 1024) return
    sinceRest = 0
    line.pause()
    setTimeout(line.resume, 10)
  })
  return performance.now() - begun
}

function receive(line: Line, heard: (length: number) => void = () => undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let got = 0
  line.onData((data) => {
    got += data.length
    heard(data.length)
    if (got >= bytes) resolve()
  })
  return line.send(`dd if=/dev/zero bs=64k count=${bytes / 65_536} 2>/dev/null\n`).then(() => promise)
}

/** Gives the shell its line, and waits until it has read it: what came before that would be part of it. */
async function begin(line: Line, command: string): Promise<void> {
  const read = new Promise<void>((resolve) => line.onData((data) => data.toString().includes('begun') && resolve()))
  await line.send(`echo begun; ${command}\n`)
  await read
}

async function upload(line: Line): Promise<number> {
  const begun = performance.now()
  const heard = new Promise<void>((resolve) => line.onData((data) => data.toString().includes('done') && resolve()))
  await begin(line, `busybox head -c ${bytes} >/dev/null; echo done`)
  const chunk = Buffer.alloc(65_536, 'x')
  for (let sent = 0; sent < bytes; sent += chunk.length) await line.send(chunk)
  await heard
  return performance.now() - begun
}

async function pingPong(line: Line): Promise<number> {
  let answered = (): void => undefined
  let got = 0
  await begin(line, 'exec cat')
  line.onData((data) => {
    got += data.length
    if (got % 16 === 0) answered()
  })
  const each: number[] = []
  for (let i = 0; i < 3000; i++) {
    const begun = performance.now()
    const back = new Promise<void>((resolve) => {
      answered = resolve
    })
    await line.send('0123456789abcdef')
    await back
    each.push(performance.now() - begun)
  }
  return quantile(each, 0.5)
}

async function measureNeighbours(of: Platform): Promise<void> {
  const prepared = await aGameWithContainers(of, images.shell)
  const player = await prepared.aPlayer()
  const entry = await player.start()
  const measure = async () => {
    const line = await overProxy(of, entry)
    const echo = await pingPong(line)
    line.close()
    const each: number[] = []
    for (let i = 0; i < 500; i++) {
      const begun = performance.now()
      const answer = await fetch(`${of.url}/api/game/${prepared.game}/details`, { headers: player.headers })
      await answer.arrayBuffer()
      each.push(performance.now() - begun)
    }
    return { echo, call: quantile(each, 0.5) }
  }
  const engine = await openDocker(dockerOptions({ installation: await installation() }))
  for (const act of ['burn', 'fork', 'fill'] as const) {
    const villain = await aGameWithContainers(of, images[act])
    const [quiet, busy] = [[], []] as [Awaited<ReturnType<typeof measure>>[], Awaited<ReturnType<typeof measure>>[]]
    // Turn by turn, so that what changes on the machine meanwhile concerns both.
    for (let round = 0; round < 9; round++) {
      await sleep(restMs)
      quiet.push(await measure())
      const id = await (await villain.aPlayer()).start()
      await sleep(restMs)
      busy.push(await measure())
      await engine.destroy(id)
    }
    const ratio = (what: 'echo' | 'call') => median(busy.map((one) => one[what])) / median(quiet.map((one) => one[what]))
    console.log(
      `beside "${act}": neighbour ${ratio('echo').toFixed(2)}, call ${ratio('call').toFixed(2)} of the median without it`,
    )
    if (Math.max(ratio('echo'), ratio('call')) > slowerMost) process.exitCode = 1
  }
  await engine.close()
}

/** The port is open before the program in the container listens: connections that end without a byte are tried again. */
async function firstByte(where: string, port: number): Promise<void> {
  for (;;) {
    const socket = connect({ host: where, port })
    const came = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]).catch(
      () => false,
    )
    socket.destroy()
    if (came) return
    await sleep(5)
  }
}

function residentMb(of: Platform): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of.process.pid}/status`, 'utf8'))?.[1]) / 1024)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}
function us(value: number): string {
  return `${(value * 1000).toFixed(0)} us`
}

/**
 * The database breaks under load: sessions ended at random and in the middle of transactions, the server restarted, its postmaster killed. The
 * platform keeps running, nothing acknowledged is lost or duplicated, and service is restored automatically. VEXIL_ROUNDS sets how often (3, and 30
 * for `npm run tool -- breaks`). VEXIL_BREAKS_SERVER describes an outside server (scripts/gate/proof-parts.mjs); two nodes then share it. Prints what
 * it counted.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Platform, startPlatform } from '../../../e2e/platform.ts'
import { isRunning } from '../src/db/folder-lock.ts'
import { embeddedCluster } from './cluster.ts'
import { type Counted, raiseStorm, type Storm, untilMore } from './storm.ts'

const rounds = Number(process.env.VEXIL_ROUNDS ?? 3)
const players = 24
/** Milliseconds. Among other tests, on a busy machine, recovery takes longer. */
const backWithin = process.env.VEXIL_ROUNDS ? 5_000 : 20_000

/** If an embedded database ends earlier than this after its start, its restart is delayed more each time (decision 0011). */
const runsWellAfter = 2_100

const kinds = ['restarted at once', 'transactions ended', 'restarted', 'sessions ended', 'killed'] as const
type Kind = (typeof kinds)[number]

/** The database server that the test breaks. */
interface Server {
  /** Used by the platforms; null: each has its own database. */
  readonly url: string | null
  prepare(): Promise<void>
  connect(): pg.ClientConfig
  /** Breaks it. Returns when it has ended (embedded), or when it was restarted. */
  restart(kind: 'restarted at once' | 'restarted' | 'killed'): Promise<void>
}

const signals = { 'restarted at once': 'SIGQUIT', restarted: 'SIGINT', killed: 'SIGKILL' } as const

/** The embedded one is started again by the platform itself. */
const embedded = (platform: () => Platform): Server => ({
  url: null,
  prepare: async () => undefined,
  connect: () => ({ host: embeddedCluster(platform().dataDir).socket, user: 'vexil', database: 'vexil' }),
  async restart(kind) {
    const { pid } = embeddedCluster(platform().dataDir)
    process.kill(pid, signals[kind])
    while (isRunning(pid)) await sleep(5)
  },
})

interface Outside {
  readonly url: string
  readonly data: string
  readonly bin: string
  readonly owner: { readonly uid: number; readonly gid: number }
}

function outside({ url, data, bin, owner }: Outside): Server {
  /** `restart` keeps the options that it was started with. */
  const restart = (mode: 'fast' | 'immediate') =>
    spawnSync(join(bin, 'pg_ctl'), ['restart', '-s', '-w', '-m', mode, '-D', data, '-l', join(data, '../log')], {
      cwd: '/',
      stdio: 'ignore',
      ...owner,
    }).status === 0
  return {
    url: url.replace('/postgres?', '/breaks?'),
    async prepare() {
      const client = new pg.Client(url)
      await client.connect()
      await client.query('create database breaks')
      await client.end()
    },
    connect: () => ({ connectionString: url.replace('/postgres?', '/breaks?') }),
    async restart(kind) {
      if (kind === 'killed') process.kill(Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      // The restart fails as long as a session of the killed server is alive.
      for (let tries = 0; !restart(kind === 'restarted' ? 'fast' : 'immediate'); tries++) expect(tries).toBeLessThan(50)
    },
  }
}

/** A connection whose end does not fail the test. */
async function open(server: Server): Promise<pg.Client> {
  const client = new pg.Client(server.connect())
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const ours = `from pg_stat_activity where application_name like 'vexil%' and pid <> pg_backend_pid()`

async function breakIt(server: Server, kind: Kind): Promise<void> {
  if (kind !== 'sessions ended' && kind !== 'transactions ended') return server.restart(kind)
  const client = await open(server)
  for (let wave = 0; wave < 10; wave++) {
    const which = kind === 'sessions ended' ? 'random() < 0.4' : `state <> 'idle' or xact_start is not null`
    await client.query(`select pg_terminate_backend(pid) ${ours} and (${which})`)
    await sleep(15)
  }
  await client.end()
}

type Listener = ReturnType<typeof listen>

/** A listener that reconnects after a disconnect, as browsers do. */
function listen(address: () => string, cookie: string) {
  const received: string[] = []
  let cuts = 0
  let over = false
  let isConnected = false
  let socket: WebSocket
  const connect = () => {
    socket = new WebSocket(address(), { headers: { cookie } })
    socket.on('open', () => socket.send('{"protocol":"json","version":1}\x1e'))
    socket.on('message', (data) => {
      isConnected = true
      received.push(String(data))
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      isConnected = false
      if (over) return
      cuts++
      setTimeout(connect, 100)
    })
  }
  connect()
  return {
    cuts: () => cuts,
    isConnected: () => isConnected,
    forget: () => void received.splice(0),
    async hears(text: RegExp) {
      for (const end = performance.now() + backWithin; !received.some((message) => text.test(message)); await sleep(10)) {
        if (performance.now() > end) throw new Error(`No listener heard ${text}.`)
      }
    },
    close() {
      over = true
      socket.close()
    },
  }
}

/**
 * Whether the listeners receive a solve and an answer. False: one was cut off in the meantime, and solves occur only at the begin. A node that did not
 * listen to the others for a moment has all its listeners reconnect within ten seconds.
 */
async function isHeard(storm: Storm, listeners: readonly [solves: Listener, answers: Listener], round: number): Promise<boolean> {
  const cuts = () => listeners.reduce((sum, listener) => sum + listener.cuts(), 0)
  while (!listeners.every((listener) => listener.isConnected())) await sleep(10)
  const before = cuts()
  for (const listener of listeners) listener.forget()
  const { stop } = await storm.blow(round)
  const receivedAll = [listeners[0].hears(/Vexil(Solves|Board)/), listeners[1].hears(new RegExp(`r${round} `))]
  const failure = await Promise.all(receivedAll).then(
    () => null,
    (error: unknown) => error,
  )
  await stop()
  if (failure !== null && cuts() === before) throw failure
  return failure === null
}

/** Load in addition to the answers: transactions, reads, boards. Every status is counted. */
function busy(storm: Storm, statuses: Counted): () => Promise<void> {
  let over = false
  const work = storm.people.slice(0, 6).map(async (cookie, i) => {
    for (let k = 0; !over; k++) {
      const calls = [
        storm.ask('PUT', '/api/account/update', { bio: `wave ${k} of ${i}` }, cookie),
        storm.ask('GET', `/api/game/${storm.game}/scoreboard`),
        storm.ask('GET', `/api/game/${storm.game}/details`, undefined, cookie),
      ]
      for (const call of await Promise.allSettled(calls)) {
        const status = call.status === 'fulfilled' ? call.value.status : 'none'
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      await sleep(50)
    }
  })
  return async () => {
    over = true
    await Promise.all(work)
  }
}

test(
  `after ${rounds} database failures the platform runs, has every acknowledged answer once, and serves again without a restart`,
  async () => {
    const described = process.env.VEXIL_BREAKS_SERVER
    const server = described ? outside(JSON.parse(described)) : embedded(() => nodes[0] as Platform)
    const env = {
      DISABLE_RATE_LIMIT: 'true',
      VEXIL_DATABASE_POOL: '20',
      LOG_LEVEL: 'fatal',
      SECRET_KEY: 'a key of more than 32 characters',
    }
    const nodes: Platform[] = []
    await server.prepare()
    for (let node = 0; node < (server.url ? 2 : 1); node++)
      nodes.push(await startPlatform({ env: { ...env, ...(server.url && { DATABASE_URL: server.url }) } }))
    const last = nodes.at(-1) as Platform
    const storm = await raiseStorm(() => nodes[0] as Platform, players)
    // With two nodes, listeners and players are at different ones.
    const hub = (path: string) => () => `${last.url.replace('http', 'ws')}${path}?game=${storm.game}`
    const listeners = [listen(hub('/hub/user'), ''), listen(hub('/hub/monitor'), storm.admin)] as const
    const statuses: Counted = new Map()
    try {
      let back = 0
      for (let round = 0; round < rounds; round++) {
        const kind = kinds[round % kinds.length] as Kind
        if (!server.url) await sleep(Math.max(0, back + runsWellAfter - performance.now()))
        const { stop } = await storm.blow(round)
        const rest = busy(storm, statuses)
        await untilMore(storm, 60)
        const [before, underWay] = [storm.acknowledged.size, storm.inFlight()]
        await breakIt(server, kind)
        const broken = performance.now()
        // Requests that were under way may still be answered; later ones are served again.
        await untilMore(storm, players * 2)
        back = performance.now()
        for (const node of nodes) {
          while ((await fetch(`${node.url}/healthz`)).status !== 200) expect(performance.now() - broken).toBeLessThan(backWithin)
        }
        await rest()
        await stop()
        const { stored } = await storm.mustHoldAll()

        // Listeners receive the next solve and the next answers at either node.
        await fetch(`${last.url}/api/game/${storm.game}/scoreboard`)
        for (let gale = 100 + round; !(await isHeard(storm, listeners, gale)); gale += 100);
        for (const node of nodes) expect([node.process.exitCode, node.process.signalCode]).toEqual([null, null])
        expect(back - broken, kind).toBeLessThan(backWithin)
        process.stdout.write(
          `break ${round + 1} (${kind}): ${before} acknowledged before, ${underWay} in flight, back after ${Math.round(back - broken)} ms, ${stored} stored in all\n`,
        )
      }
      for (const counted of [storm.statuses, statuses])
        expect([...counted.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
      const database = await open(server)
      const { rows } = await database.query(
        'select count(*)::int as rows, max(number)::int as highest from solves where game_id = $1',
        [storm.game],
      )
      expect(rows[0].rows).toBe(rows[0].highest)
      await database.end()
      const show = (counted: Counted) => JSON.stringify(Object.fromEntries(counted))
      process.stdout.write(
        `answers ${show(storm.statuses)}, other calls ${show(statuses)}, listeners cut off ${listeners.map(({ cuts }) => cuts()).join(' and ')} times\n`,
      )
    } finally {
      for (const listener of listeners) listener.close()
      for (const node of nodes) await node.stop()
    }
  },
  60_000 * Math.max(2, rounds),
)

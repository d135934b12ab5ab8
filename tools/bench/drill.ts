/**
 * npm run tool -- drill [--players 2000] [--within 60] [--addresses 2000,4]: the opening minute. The players arrive at random times within so
 * many seconds, and each does all steps: sign in, profile, game, join, hub, challenges, one of them, a wrong and a right flag with their verdicts,
 * the board. All limits are on; the players use this many addresses, with one run for each number. Prints the latencies and faults of each step.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import { openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { migrate } from '../../apps/server/src/db/migrate.ts'
import type { Db } from '../../apps/server/src/db/transaction.ts'
import { aChallenge, aGame } from '../../apps/server/test/builders/game.ts'
import { startPlatform } from '../../e2e/platform.ts'
import { monitor } from './listen.ts'

const { values: options } = parseArgs({
  options: {
    players: { type: 'string', default: '2000' },
    within: { type: 'string', default: '60' },
    addresses: { type: 'string', default: '2000,4' },
  },
})
const players = Number(options.players)
const withinMs = Number(options.within) * 1000
const challenges = 30
const password = 'Correct-Horse-9'

interface PreparedGame {
  readonly game: number
  /** In the order of their flags `flag{drill_N}`. */
  readonly challenges: readonly number[]
}

/** Creates a game that has just started, and captains with teams that have not joined it yet. */
async function prepare(db: Db): Promise<PreparedGame> {
  const game = await aGame(db, { title: 'Opening minute', starts: '-1s', ends: '5h', acceptWithoutReview: true })
  const made: number[] = []
  for (let at = 0; at < challenges; at++)
    made.push(await aChallenge(db, game, { title: `Challenge ${at}`, flags: [`flag{drill_${at}}`] }))
  const accounts = Array.from({ length: players }, () => randomUUID())
  await sql`
    with account as (
      insert into accounts (id, user_name, name_key, email, password_hash, active)
      select id, 'player' || place, 'player' || place, 'player' || place || '@example.org', ${await hash(password)}, true
      from unnest(${accounts}::uuid[]) with ordinality as a (id, place) returning id
    ), team as (
      insert into teams (name, captain_id, invite_token, created_at)
      select 'Team ' || left(id::text, 8), id, md5(id::text), now() from account returning id, captain_id
    )
    insert into team_members (team_id, account_id) select id, captain_id from team`.execute(db)
  await sql`insert into accounts (id, user_name, name_key, email, password_hash, active, role)
    values (${randomUUID()}, 'monitor', 'monitor', 'monitor@example.org', ${await hash(password)}, true, 'Monitor')`.execute(db)
  return { game, challenges: made }
}

/** Milliseconds of each answer by step, and the number of faults by description. */
const times = new Map<string, number[]>()
const faults = new Map<string, number>()
const fault = (what: string) => faults.set(what, (faults.get(what) ?? 0) + 1)

interface Answer {
  readonly status: number
  readonly body: string
  readonly cookies: readonly string[]
  readonly etag: string
}

/** Wrong answers that the monitor's page has not received yet, with the time at which each was sent. */
const watched = new Map<string, number>()

/** Opens the page of a monitor and measures how long it takes until it receives each wrong answer. */
async function watch(port: number, game: number): Promise<{ close(): void }> {
  const player = new Player(port, '203.0.113.1')
  await player.step('sign in', 'POST', '/api/account/login', { userName: 'monitor', password })
  const page = await monitor({ port, game, cookie: player.cookies() }, (answer) => {
    const sentAt = watched.get(answer)
    if (sentAt === undefined) return
    watched.delete(answer)
    const list = times.get('heard by a monitor') ?? []
    times.set('heard by a monitor', list)
    list.push(performance.now() - sentAt)
  })
  player.close()
  return page
}

class Player {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 2 })
  readonly #port: number
  readonly #address: string
  readonly #cookies = new Map<string, string>()

  constructor(port: number, address: string) {
    this.#port = port
    this.#address = address
  }

  ask(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const asking = request(
      {
        port: this.#port,
        method,
        path,
        agent: this.#agent,
        headers: {
          'x-forwarded-for': this.#address,
          'accept-encoding': 'gzip, br',
          ...(this.#cookies.size > 0 && { cookie: this.cookies() }),
          ...(sent && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            cookies: answer.headers['set-cookie'] ?? [],
            etag: String(answer.headers.etag ?? ''),
          }),
        )
      },
    )
    asking.once('error', reject)
    asking.once('upgrade', (answer, socket) => {
      socket.on('error', () => undefined)
      this.#open.push(socket)
      resolve({ status: answer.statusCode ?? 0, body: '', cookies: [], etag: '' })
    })
    asking.end(sent)
    return promise
  }
  readonly #open: { destroy(): void }[] = []

  cookies(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ')
  }

  /** One step: records its latency, and a fault if the status is not `right`. */
  async step(name: string, method: string, path: string, body?: object, right = 200): Promise<Answer> {
    const startedAt = performance.now()
    const answer = await this.ask(method, path, body).catch((error: Error) => {
      fault(`${name}: ${error.message}`)
      throw error
    })
    const list = times.get(name) ?? []
    times.set(name, list)
    list.push(performance.now() - startedAt)
    if (answer.status !== right) fault(`${name}: ${answer.status} ${answer.body.slice(0, 80)}`)
    for (const cookie of answer.cookies) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.#cookies.set(key ?? '', value ?? '')
    }
    return answer
  }

  async listen(game: number): Promise<void> {
    const startedAt = performance.now()
    const answer = await this.ask('GET', `/hub/user?game=${game}`, undefined, {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    })
    const list = times.get('hub') ?? []
    times.set('hub', list)
    list.push(performance.now() - startedAt)
    if (answer.status !== 101) fault(`hub: ${answer.status}`)
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
    this.#agent.destroy()
  }
}

async function play(player: Player, number: number, { game, challenges: ids }: PreparedGame): Promise<void> {
  const think = () => sleep(Math.random() * 1500)
  await player.step('sign in', 'POST', '/api/account/login', { userName: `player${number}`, password })
  await player.step('profile', 'GET', '/api/account/profile')
  await player.step('games', 'GET', '/api/game')
  const { body } = await player.step('own teams', 'GET', '/api/team')
  const [team] = JSON.parse(body) as { id: number }[]
  await player.step('game', 'GET', `/api/game/${game}`)
  await think()
  await player.step('join', 'POST', `/api/game/${game}`, { teamId: team?.id, organization: null, inviteCode: null })
  await player.listen(game)
  await player.step('challenges', 'GET', `/api/game/${game}/details`)
  await player.step('notices', 'GET', `/api/game/${game}/notices`)
  await think()
  const at = number % ids.length
  await player.step('challenge', 'GET', `/api/game/${game}/challenges/${ids[at]}`)
  for (const [flag, verdict] of [
    [`flag{wrong_${number}}`, 'WrongAnswer'],
    [`flag{drill_${at}}`, 'Accepted'],
  ] as const) {
    await think()
    if (verdict === 'WrongAnswer') watched.set(flag, performance.now())
    const { body: submission } = await player.step('flag', 'POST', `/api/game/${game}/challenges/${ids[at]}`, { flag })
    const told = await player.step('verdict', 'GET', `/api/game/${game}/challenges/${ids[at]}/status/${submission}`)
    if (JSON.parse(told.body) !== verdict) fault(`verdict: ${told.body} instead of ${verdict}`)
  }
  const { etag } = await player.step('board', 'GET', `/api/game/${game}/scoreboard/feed`)
  await player.step('board', 'GET', `/api/game/${game}/scoreboard/feed?after=${/\.(\d+)/.exec(etag)?.[1]}`)
}

const part = (sorted: readonly number[], of: number) => (sorted[Math.floor((sorted.length - 1) * of)] ?? Number.NaN).toFixed(0)

async function drill(addresses: number): Promise<void> {
  times.clear()
  faults.clear()
  watched.clear()
  const folder = mkdtempSync(join(tmpdir(), 'vexil-drill-'))
  const embedded = await startEmbedded({ dataDir: folder, printLine: console.error })
  const { host, user, database: name } = embedded.connection
  const url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`
  const database = await openDatabase({ source: embedded.connection, poolSize: 2 })
  try {
    await migrate(database)
    const prepared = await prepare(database.db)
    const platform = await startPlatform({ env: { DATABASE_URL: url, TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const port = Number(new URL(platform.url).port)
      const page = await watch(port, prepared.game)
      const all = Array.from({ length: players }, async (_, at) => {
        const of = at % addresses
        const player = new Player(port, `203.0.${Math.floor(of / 250) + 1}.${(of % 250) + 1}`)
        await sleep(Math.random() * withinMs)
        await play(player, at + 1, prepared).catch(() => undefined)
        return player
      })
      for (const player of await Promise.all(all)) player.close()
      await sleep(1000)
      page.close()
      if (watched.size > 0) fault(`a monitor did not hear of ${watched.size} answers`)
      console.log(`\n## ${players} players within ${options.within} s from ${addresses} addresses\n`)
      console.log('| step | answers | p50 ms | p99 | worst |\n|---|---|---|---|---|')
      for (const [step, list] of times) {
        list.sort((a, b) => a - b)
        console.log(`| ${step} | ${list.length} | ${part(list, 0.5)} | ${part(list, 0.99)} | ${part(list, 1)} |`)
      }
      for (const [what, number] of faults) console.log(`${number} x ${what}`)
      const solved = await sql<{ count: number }>`select count(*)::int as count from solves`.execute(database.db)
      console.log(
        `${[...faults.values()].reduce((sum, number) => sum + number, 0)} errors; ${solved.rows[0]?.count} solves stored.`,
      )
    } finally {
      await platform.stop()
    }
  } finally {
    await database.close()
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const addresses of options.addresses.split(',')) await drill(Number(addresses))

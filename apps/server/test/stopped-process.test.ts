// Waits: for processes that are stopped.
/** A process that was stopped by a signal has outdated data in memory: it answers with current data, or not at all. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Platform, startPlatform } from '../../../e2e/platform.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Answered, askOver, type Door, doorsTo, furtherOf } from './node-processes.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 60_000, interval: 20 }
const stoppedMs = 3000
const waiting = 40

describe.runIf(process.platform === 'linux')('a node of two processes beside another node', () => {
  let database: TestDatabase
  /** The first node has two processes. */
  let nodes: [Platform, Platform]
  let pids: [number, number]
  let doors: Door[]
  let admin: { cookie: string }
  let round = 0
  const received: number[] = []
  let listener: WebSocket

  beforeAll(async () => {
    database = await freshDatabase()
    const env = { DATABASE_URL: database.url, SECRET_KEY: 'test secret key of 32 characters', VEXIL_DATABASE_POOL: '10' }
    const rest = { DISABLE_RATE_LIMIT: 'true', LOG_LEVEL: 'warn' }
    nodes = [
      await startPlatform({ env: { ...env, ...rest, VEXIL_PROCESSES: '2' } }),
      await startPlatform({ env: { ...env, ...rest } }),
    ]
    const first = nodes[0].process.pid as number
    await vi.waitFor(() => expect(furtherOf(first)).toHaveLength(1), soon)
    pids = [first, furtherOf(first)[0] as number]
    doors = await doorsTo(nodes[0].url, pids)
    admin = await signedIn(await anAccount(database.db, { role: 'Admin' }))
  })
  afterAll(async () => {
    for (const door of doors) door.close()
    listener?.terminate()
    for (const node of nodes) await node.stop()
    await database.drop()
  })

  const signedIn = async (account: string) => ({ cookie: `${cookieName}=${await startSession(database.db, account)}` })
  const lines = async () => {
    const logs = database.db.selectFrom('logs').select(['level', 'message']).where('message', 'like', '%did not run for%')
    // A busy machine stops processes too, but for a shorter time.
    return (await logs.execute())
      .map(({ level, message }) => `${level}: ${message}`)
      .filter((line) => /for ([3-9]|\d\d) s/.test(line))
  }

  /** What each process has in memory: the title, a board, and two sessions, one of which will end. */
  async function aScene() {
    const game = await aGame(database.db)
    const challenge = await aChallenge(database.db, game)
    const [player, banned] = [await anAccount(database.db), await anAccount(database.db)]
    await aParticipation(database.db, game, await aTeam(database.db, { members: [player] }))
    const cookies = { player: await signedIn(player), banned: await signedIn(banned) }
    const board = `/api/game/${game}/scoreboard`
    const isNew: Record<string, (answer: Answered) => boolean> = {
      '/api/config': ({ body }) => body.title === `Title ${round}`,
      [board]: ({ body }) => body.items[0].solvedCount === 1,
      '/api/account/profile': ({ status }) => status === 403,
    }
    const ask = (door: Pick<Door, 'ask'>, path: string) =>
      door.ask('GET', path, { headers: path.includes('profile') ? cookies.banned : {} })
    /** Changes everything at the other node. */
    const change = async () => {
      const there = askOver(nodes[1].url, false)
      const config = { globalConfig: { title: `Title ${round}` } }
      expect((await there('PUT', '/api/admin/config', { body: config, headers: admin })).status).toBe(200)
      await database.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', banned).execute()
      const path = `/api/game/${game}/challenges/${challenge}`
      const taken = await there('POST', path, { body: { flag: 'flag{right}' }, headers: cookies.player })
      expect(taken.status).toBe(200)
    }
    return { game, paths: Object.keys(isNew), isNew, ask, change }
  }

  /** Stops these processes, changes everything at the other node, and continues them while requests wait in their sockets. */
  async function stopAndContinue(stopped: readonly number[], scene: Awaited<ReturnType<typeof aScene>>) {
    round++
    const { paths, ask } = scene
    const kept = new Agent({ keepAlive: true })
    const over = (agent: Agent | false) => ({ ask: askOver(nodes[0].url, agent) })
    await Promise.all(Array.from({ length: waiting }, (_, at) => ask(over(kept), paths[at % paths.length] as string)))
    for (const door of doors) for (const path of paths) await ask(door, path)
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    await scene.change()
    // A process that runs may be a second late.
    await sleep(1000)
    const answers = Array.from({ length: 3 * waiting }, async (_, at) => {
      const path = paths[at % paths.length] as string
      return { path, answer: await ask(over(at % 3 === 0 ? false : kept), path) }
    })
    const atDoors = doors.flatMap((door) => paths.map(async (path) => ({ path, answer: await ask(door, path) })))
    await sleep(stoppedMs - 1000)
    for (const pid of stopped) process.kill(pid, 'SIGCONT')
    const all = await Promise.all([...answers, ...atDoors])
    kept.destroy()
    const old = all.filter(({ path, answer }) => answer.status !== 503 && !scene.isNew[path]?.(answer))
    return old.map(({ path, answer: { status, body } }) => `${path}: ${status} ${JSON.stringify(body)}`)
  }

  async function listen(game: number): Promise<void> {
    received.length = 0
    listener?.terminate()
    listener = new WebSocket(`${nodes[0].url.replace('http', 'ws')}/hub/user?game=${game}`)
    // A node that ends may reset the connection.
    listener.on('error', () => undefined)
    listener.on('message', (data) => {
      for (const [, to] of String(data).matchAll(/"VexilSolves".*?"to":(\d+)/g)) received.push(Number(to))
    })
    await new Promise((resolve) => listener.once('open', resolve))
    listener.send('{"protocol":"json","version":1}\x1e')
    await new Promise((resolve) => listener.once('message', resolve))
  }

  const mustServe = (scene: Awaited<ReturnType<typeof aScene>>) =>
    vi.waitFor(async () => {
      for (const door of doors)
        for (const path of scene.paths) expect([path, scene.isNew[path]?.(await scene.ask(door, path))]).toEqual([path, true])
    }, soon)

  test('both processes stopped: each first answer is new or 503, the listener gets the solve, and each writes one line', async () => {
    const before = (await lines()).length
    const scene = await aScene()
    await listen(scene.game)
    expect(await stopAndContinue(pids, scene)).toEqual([])
    await mustServe(scene)
    await vi.waitFor(() => expect(received).toEqual([1]), soon)
    await vi.waitFor(async () => expect(await lines()).toHaveLength(before + 2), soon)
    expect((await lines()).at(-1)).toMatch(/^Warning: A process of this node did not run for /)
  })

  test('the worker process stopped for less than ten seconds: it is not replaced, and answers nothing old', async () => {
    const before = (await lines()).length
    const scene = await aScene()
    expect(await stopAndContinue([pids[1]], scene)).toEqual([])
    await mustServe(scene)
    expect(furtherOf(pids[0])).toEqual([pids[1]])
    await vi.waitFor(async () => expect(await lines()).toHaveLength(before + 1), soon)
  })
})

/** The live channel as its clients use it: over real sockets, with the official client and without it. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { wireTime } from '@vexil/contract/wire'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { listenAt } from './hub.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let url: string
let admin: string
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await anAccount(platform.db, { role: 'Admin' })
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`
})
afterAll(() => platform.stop())

const cookieOf = async (account: string) => `${cookieName}=${await startSession(platform.db, account)}`

async function aScene() {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  return { game, challenge, player: await platform.as(team.captain), team }
}

type Listener = Awaited<ReturnType<typeof listenAt>>

/** The official client at a hub; all messages that it receives are kept by target. */
async function official(path: string, targets: string[], cookie?: string) {
  const received: Record<string, unknown[]> = Object.fromEntries(targets.map((target) => [target, []]))
  const connection = new HubConnectionBuilder()
    .withUrl(`${url}${path}`, cookie ? { headers: { cookie } } : {})
    .configureLogging(LogLevel.None)
    .build()
  for (const target of targets) connection.on(target, (argument: unknown) => received[target]?.push(argument))
  await connection.start()
  return { received, stop: () => connection.stop() }
}

test('the official client receives notices, events, submissions and logs', async () => {
  const { game, challenge, player } = await aScene()
  const cookie = await cookieOf(admin)
  const user = await official(`/hub/user?game=${game}`, ['ReceivedGameNotice'])
  const monitor = await official(`/HUB/Monitor?game=${game}`, ['ReceivedGameEvent', 'ReceivedSubmissions'], cookie)
  const logs = await official('/hub/admin', ['ReceivedLog'], cookie)
  await (await platform.as(admin)).post(`/api/edit/games/${game}/notices`, { content: 'Ahoy' })
  await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'nope' })
  await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await vi.waitFor(
    () => {
      expect(user.received.ReceivedGameNotice).toMatchObject([{ type: 'Normal', values: ['Ahoy'] }, { type: 'FirstBlood' }])
      expect(monitor.received.ReceivedSubmissions).toMatchObject([
        { status: 'WrongAnswer', answer: 'nope' },
        { status: 'Accepted' },
      ])
      expect(monitor.received.ReceivedGameEvent).toMatchObject([
        { type: 'FlagSubmit', values: ['WrongAnswer', 'nope', expect.any(String), String(challenge)] },
        { type: 'FlagSubmit' },
      ])
      expect(logs.received.ReceivedLog).toContainEqual(expect.objectContaining({ level: 'Information', status: 'Failed' }))
    },
    { timeout: 5000 },
  )
  for (const one of [user, monitor, logs]) await one.stop()
})

test('after an interruption of the connection between nodes listeners are asked to connect again', async () => {
  const node = await startTestPlatform({ DATABASE_URL: 'postgres://elsewhere/' })
  try {
    const listener = await listenAt(node, '/hub/site')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'vexil bus' and datname = current_database()`.execute(node.db)
    await vi.waitFor(() => expect(listener.isOpen()).toBe(false), 5000)
  } finally {
    await node.stop()
  }
})

test('monitors receive a copied flag as the event of a wrong answer, the event of the cheat, and the submission with its status, in this order', async () => {
  const { game, player, team } = await aScene()
  const challenge = await aChallenge(platform.db, game, { title: 'Own', type: 'DynamicContainer', flags: [] })
  const owner = await aTeam(platform.db, { name: 'Owner' })
  const holder = await aParticipation(platform.db, game, owner)
  await platform.db
    .insertInto('teamFlags')
    .values({ participationId: holder, challengeId: challenge, flag: 'f{owned}' })
    .execute()
  const listener = await listenAt(platform, `/hub/monitor?game=${game}`, { cookie: await cookieOf(admin) })
  await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'f{owned}' })
  await listener.until('ReceivedSubmissions')
  const [{ name }, { userName: user }, { arrivedAt }] = await Promise.all([
    platform.db.selectFrom('teams').select('name').where('id', '=', team.id).executeTakeFirstOrThrow(),
    platform.db.selectFrom('accounts').select('userName').where('id', '=', team.captain).executeTakeFirstOrThrow(),
    platform.db.selectFrom('submissions').select('arrivedAt').where('gameId', '=', game).executeTakeFirstOrThrow(),
  ])
  const by = { time: wireTime(arrivedAt), user, team: name }
  expect(listener.received.map(({ target, argument }) => [target, argument])).toEqual([
    ['ReceivedGameEvent', { ...by, type: 'FlagSubmit', values: ['WrongAnswer', 'f{owned}', 'Own', String(challenge)] }],
    ['ReceivedGameEvent', { ...by, type: 'CheatDetected', values: ['Own', name, 'Owner'] }],
    ['ReceivedSubmissions', { ...by, answer: 'f{owned}', status: 'CheatDetected', challenge: 'Own' }],
  ])
  listener.close()
})

test('a bare WebSocket without negotiation receives notices; board messages have from and to', async () => {
  const { game, challenge, player } = await aScene()
  await platform.anyone.get(`/api/game/${game}/scoreboard`)
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await listener.until('ReceivedGameNotice', ({ type }) => type === 'FirstBlood')
  const { argument } = await listener.until('VexilSolves')
  expect(argument).toMatchObject({ gameId: game, from: 0, to: 1 })
  expect(argument.solves[0]).toHaveLength(7)
  listener.close()
})

test('the tail of the feed loaded by a listener after a solve is never older than the solve', async () => {
  const { game, challenge } = await aScene()
  const feed = async () => (await platform.anyone.get(`/api/game/${game}/scoreboard/feed?after=0`)).body
  await feed()
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  for (let head = 1; head <= 3; head++) {
    const team = await aTeam(platform.db)
    await aParticipation(platform.db, game, team)
    await (await platform.as(team.captain)).post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
    await listener.until('VexilSolves', ({ to }) => to === head)
    expect(await feed()).toMatchObject({ from: 0, to: head })
  }
  listener.close()
})

test('a listener receives solves without a request for the board', async () => {
  const { game, challenge } = await aScene()
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  // The next poll of the logs draws the board for the listeners, with the solves so far; later ones are sent.
  const received = () => listener.received.find(({ target }) => target === 'VexilSolves')?.argument
  for (let team = 0; team < 50 && !received(); team++) {
    const { captain } = await aTeam(platform.db).then(async (made) => {
      await aParticipation(platform.db, game, made)
      return made
    })
    await (await platform.as(captain)).post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
    await new Promise((later) => setTimeout(later, 100))
  }
  const { argument } = await listener.until('VexilSolves')
  expect(argument).toMatchObject({ gameId: game, from: argument.to - argument.solves.length })
  listener.close()
})

async function closesAtOnce(path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  await once(socket, 'open')
  socket.send('{"protocol":"json","version":1}\x1e')
  await once(socket, 'close')
  return messages.join('')
}

test.each([
  ['no game', '/hub/user'],
  ['an unknown game', '/hub/user?game=999999'],
  ['no right', '/hub/monitor?game=1'],
  ['no administrator', '/hub/admin'],
])('P6.9 P6.10 after the handshake a client with %s is closed without reconnection', async (_name, path) => {
  const closing = await closesAtOnce(path)
  expect(closing.startsWith('{}\x1e')).toBe(true)
  expect(closing).toContain('"type":7')
  expect(closing).toContain('"allowReconnect":false')
})

test('a demoted monitor receives nothing more', async () => {
  const { game, challenge, player } = await aScene()
  const monitor = await anAccount(platform.db, { role: 'Monitor' })
  const listener = await listenAt(platform, `/hub/monitor?game=${game}`, { cookie: await cookieOf(monitor) })
  await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'one' })
  await listener.until('ReceivedSubmissions', ({ answer }) => answer === 'one')
  await platform.db.updateTable('accounts').set({ role: 'User' }).where('id', '=', monitor).execute()
  // At the latest the poll of the versions reports it, four times a second.
  await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/monitor', game })).toBe(0), { timeout: 2000 })
  await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'two' })
  await player.get(`/api/game/${game}/details`)
  expect(listener.received.filter(({ argument }) => argument.answer === 'two')).toEqual([])
})

test.each([
  ['a ban', (id: string) => platform.db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', id).execute()],
  ['a logout', (id: string) => platform.db.deleteFrom('sessions').where('accountId', '=', id).execute()],
])('%s closes the monitor hub', async (_name, act) => {
  const { game } = await aScene()
  const monitor = await anAccount(platform.db, { role: 'Monitor' })
  await listenAt(platform, `/hub/monitor?game=${game}`, { cookie: await cookieOf(monitor) })
  await act(monitor)
  await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/monitor', game })).toBe(0), { timeout: 2000 })
})

test('a client that stops reading is disconnected, and the others receive everything', async () => {
  const { game } = await aScene()
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const { port } = new URL(url)
  const raw = connect(Number(port), '127.0.0.1')
  await once(raw, 'connect')
  // The server resets the connection.
  raw.on('error', () => undefined)
  raw.write(
    `GET /hub/user?game=${game} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  )
  await once(raw, 'data')
  const handshake = Buffer.from('{"protocol":"json","version":1}\x1e')
  // A client's frame is masked; a mask of zeros leaves the bytes as they are.
  raw.write(Buffer.concat([Buffer.from([0x81, 0x80 | handshake.length, 0, 0, 0, 0]), handshake]))
  await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/user', game })).toBe(2), 5000)
  raw.pause()
  const text = 'x'.repeat(200_000)
  const sent = 200
  for (let i = 0; i < sent; i++) {
    platform.live.send({ hub: '/hub/user', game }, 'ReceivedGameNotice', {
      id: i,
      time: wireTime(0),
      type: 'Normal',
      values: [text],
    })
    // At the pace of the client that reads, however busy the machine is.
    await listener.until('ReceivedGameNotice', ({ id }) => id === i)
  }
  await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/user', game })).toBe(1), { timeout: 5000 })
  expect(listener.received).toHaveLength(sent)
  raw.destroy()
  listener.close()
})

test('a token opens only its own hub and game', async () => {
  const { game } = await aScene()
  const answer = await platform.anyone.post(`/hub/user/negotiate?game=${game}&negotiateVersion=1`, undefined, {
    'content-type': 'text/plain',
  })
  expect(answer).toMatchObject({ status: 200, body: { negotiateVersion: 1, availableTransports: [{ transport: 'WebSockets' }] } })
  const token = answer.body.connectionToken
  const opens = async (path: string) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}&id=${token}`)
    return new Promise((done) => {
      socket.once('open', () => {
        socket.close()
        done(101)
      })
      socket.once('unexpected-response', (_request, { statusCode }) => done(statusCode))
      socket.once('error', () => {})
    })
  }
  expect(await opens(`/hub/user?game=${game}`)).toBe(101)
  expect(await opens(`/hub/monitor?game=${game}`)).toBe(404)
  expect(await opens(`/hub/user?game=${game + 1}`)).toBe(404)
})

test('a client that calls a method gets an error', async () => {
  const { game } = await aScene()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hub/user?game=${game}`)
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  await once(socket, 'open')
  socket.send('{"protocol":"json","version":1}\x1e{"type":1,"target":"Anything","arguments":[],"invocationId":"1"}\x1e')
  await vi.waitFor(() => expect(messages.join('')).toContain('"invocationId":"1"'), 5000)
  expect(messages.join('')).toContain('"type":3')
  socket.close()
})

test('before the start no board message is sent', async () => {
  const game = await aGame(platform.db, { starts: '1h', ends: '2h' })
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  await new Promise((later) => setTimeout(later, 600))
  expect(
    listener.received.filter(
      ({ target }) => target.startsWith('VexilBoard') || target === 'VexilRoster' || target === 'VexilSolves',
    ),
  ).toEqual([])
  listener.close()
})

test('P7.60 a notice of the organisers is pushed before the start too, to the listeners of its game', async () => {
  const game = await aGame(platform.db, { starts: '1h', ends: '2h' })
  const neighbour = await aGame(platform.db)
  const [listener, other] = [
    await listenAt(platform, `/hub/user?game=${game}`),
    await listenAt(platform, `/hub/user?game=${neighbour}`),
  ]
  const staff = await platform.as(admin)
  await staff.post(`/api/edit/games/${game}/notices`, { content: 'Before the start' })
  expect((await platform.anyone.get(`/api/game/${game}/notices`)).error).toMatchObject({ status: 400, code: 'game.not_started' })
  const { argument } = await listener.until('ReceivedGameNotice')
  expect(argument).toMatchObject({ type: 'Normal', values: ['Before the start'] })
  // Notices are pushed one after the other, so the first one was processed before this one.
  await staff.post(`/api/edit/games/${neighbour}/notices`, { content: 'Elsewhere' })
  await other.until('ReceivedGameNotice')
  const elsewhere = other.received.filter(({ target }) => target === 'ReceivedGameNotice')
  expect(elsewhere.map(({ argument }) => argument.values)).toEqual([['Elsewhere']])
  for (const one of [listener, other]) one.close()
})

test('a player who repeatedly changes texts costs each viewer a few hundred bytes a second, regardless of the number of teams', async () => {
  const { game, player, team } = await aScene()
  await sql`
    with captains as (
      insert into accounts (id, user_name, name_key, email, password_hash, active)
      select gen_random_uuid(), 'c' || n, 'c' || n, 'c' || n || '@example.org', 'none', true from generate_series(1, 400) n returning id, user_name
    ), made as (
      insert into teams (name, bio, captain_id, invite_token)
      select user_name, repeat('x', 72), id, lpad(substr(user_name, 2), 32, '0') from captains returning id
    )
    insert into participations (game_id, team_id, status, token) select ${game}, id, 'Accepted', 'x' from made`.execute(
    platform.db,
  )
  const viewers = [await listenAt(platform, `/hub/user?game=${game}`), await listenAt(platform, `/hub/user?game=${game}`)]
  await platform.anyone.get(`/api/game/${game}/scoreboard`)
  const startedAt = performance.now()
  for (let i = 0; i < 30; i++) expect((await player.put(`/api/team/${team.id}`, { bio: `text ${i}` })).status).toBe(200)
  await viewers[0]?.until('VexilRoster', ({ teams }) => teams.some(({ bio }: { bio: string }) => bio === 'text 29'))
  const seconds = Math.ceil((performance.now() - startedAt) / 1000) + 1
  for (const viewer of viewers) {
    const rosters = viewer.received.filter(({ target }) => target === 'VexilRoster')
    expect(rosters.length).toBeLessThanOrEqual(seconds)
    expect(JSON.stringify(rosters).length).toBeLessThan(seconds * 600)
    viewer.close()
  }
})

test('listeners of one game receive nothing of another, players and monitors alike', async () => {
  const [one, other] = [await aScene(), await aScene()]
  const cookie = { cookie: await cookieOf(admin) }
  const listeners = async (game: number) => [
    await listenAt(platform, `/hub/user?game=${game}`),
    await listenAt(platform, `/hub/monitor?game=${game}`, cookie),
  ]
  const [players, monitors] = (await listeners(one.game)) as [Listener, Listener]
  const beside = await listeners(other.game)
  for (const { game } of [one, other]) await platform.anyone.get(`/api/game/${game}/scoreboard`)
  const staff = await platform.as(admin)
  await staff.post(`/api/edit/games/${one.game}/notices`, { content: 'Ahoy' })
  await one.player.post(`/api/game/${one.game}/challenges/${one.challenge}`, { flag: 'nope' })
  await one.player.post(`/api/game/${one.game}/challenges/${one.challenge}`, { flag: 'flag{right}' })
  await one.player.put(`/api/team/${one.team.id}`, { bio: 'new words' })
  await players.until('VexilSolves')
  await players.until('VexilRoster', ({ teams }) => teams.some(({ bio }: { bio: string }) => bio === 'new words'))
  await players.until('ReceivedGameNotice', ({ type }) => type === 'FirstBlood')
  await monitors.until('ReceivedGameEvent')
  await monitors.until('ReceivedSubmissions', ({ status }) => status === 'Accepted')
  await staff.put(`/api/edit/games/${one.game}/challenges/${one.challenge}`, { originalScore: 500 })
  await players.until('VexilBoard')
  await players.until('VexilGame', ({ what }) => what === 'challenges')
  for (const { received } of [players, monitors])
    for (const { argument } of received) if ('gameId' in argument) expect(argument.gameId).toBe(one.game)
  expect(beside.flatMap(({ received }) => received)).toEqual([])
  expect(players.received.filter(({ target }) => /Event|Submissions|Log/.test(target))).toEqual([])
  expect(monitors.received.filter(({ target }) => /Notice|Vexil|Log/.test(target))).toEqual([])
  for (const listener of [players, monitors, ...beside]) listener.close()
})

test('a right answer after the end changes no board', async () => {
  const game = await aGame(platform.db, { starts: '-2h', ends: '-1h' })
  const challenge = await aChallenge(platform.db, game)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team, { madeAt: '-90m' })
  const before = await platform.anyone.get(`/api/game/${game}/scoreboard`)
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const player = await platform.as(team.captain)
  expect((await player.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })).status).toBe(200)
  expect((await player.get(`/api/game/${game}/details`)).body.practiceSolves).toEqual([challenge])
  await platform.deps.versions.poll()
  await new Promise((later) => setTimeout(later, 400))
  expect(listener.received.flatMap(({ target, argument }) => (target === 'VexilSolves' ? argument.solves : []))).toEqual([])
  expect(listener.received.filter(({ target }) => target === 'VexilBoard' || target === 'ReceivedGameNotice')).toEqual([])
  const after = await platform.anyone.get(`/api/game/${game}/scoreboard`)
  expect({ ...after.body, updateTimeUtc: 0 }).toEqual({ ...before.body, updateTimeUtc: 0 })
  listener.close()
})

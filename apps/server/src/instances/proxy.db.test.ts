/** The platform proxy in front of an engine in memory: admission, both directions, ends, counting, capture. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { tunnelLimits } from '@vexil/core/limits'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { readPcap, tcpFlags } from '../../test/pcap.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { rawUpgrade, sendRaw, statusIn } from '../../test/raw.ts'
import { followWithTcpflow, followWithTshark, haveCaptureTools, readWithTshark, tcpProblems } from '../../test/tshark.ts'
import { listZip } from '../../test/zip.ts'
import { reportNode } from '../health/nodes.queries.ts'
import { renewTunnels } from './tunnels.queries.ts'

const engine = openMemoryEngine({ published: false })
let platform: TestPlatform
let admin: Caller
let monitor: Caller
let base: string
const sockets = new Set<WebSocket>()
const closing: (() => void)[] = []
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_CONTAINER_PORTS: 'PlatformProxy', VEXIL_CONTAINER_CAPTURE: 'true' }, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  base = `127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`
})
afterEach(() => {
  for (const socket of sockets) socket.terminate()
  sockets.clear()
  for (const close of closing.splice(0)) close()
})
afterAll(() => platform.stop())

async function anInstance({ captureTraffic = false, type = 'StaticContainer' as 'StaticContainer' | 'DynamicContainer' } = {}) {
  const game = await aGame(platform.db, { practiceMode: true })
  const team = await aTeam(platform.db, { name: 'Red' })
  const participation = await aParticipation(platform.db, game, team, { division: 'North' })
  const challenge = await aChallenge(platform.db, game, { type, containerImage: 'echo', title: 'Task', captureTraffic })
  const call = await platform.as(team.captain)
  const { body } = await call.post(`/api/game/${game}/container/${challenge}`)
  return { game, team, participation, challenge, call, id: body.entry as string }
}

/** A client that collects what it receives. */
async function connectTo(path: string, options: { headers?: Record<string, string> } = {}) {
  const socket = new WebSocket(`ws://${base}${path}`, { perMessageDeflate: true, ...options })
  sockets.add(socket)
  const frames: { data: Buffer; binary: boolean }[] = []
  socket.on('message', (data: Buffer, binary) => frames.push({ data, binary }))
  const closed = new Promise<{ code: number }>((resolve) => socket.on('close', (code) => resolve({ code })))
  socket.on('error', () => undefined)
  const opened = await Promise.race([
    once(socket, 'open').then(() => null),
    once(socket, 'unexpected-response').then(async ([, answer]) => {
      const response = answer as IncomingMessage
      return { status: response.statusCode, body: (await json(response)) as { status: number; code: string; title: string } }
    }),
  ])
  const text = () => Buffer.concat(frames.map(({ data }) => data)).toString()
  return {
    socket,
    frames,
    closed,
    text,
    refused: opened,
    until: (wanted: string) => expect.poll(text, { timeout: 60_000 }).toBe(wanted),
  }
}
const proxy = (id: string) => `/api/proxy/${id}`
const openTunnels = async (id: string) =>
  (await platform.db.selectFrom('tunnels').select('id').where('containerId', '=', id).execute()).length

/** Points a container of the engine at a listener of this test. */
async function behind(id: string, serve: (socket: Socket) => void) {
  const inner = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    inner.add(socket.on('error', () => undefined))
    serve(socket)
  }).listen(0, '127.0.0.1')
  closing.push(() => {
    server.close()
    for (const socket of inner) socket.destroy()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await platform.db.updateTable('containers').set({ port }).where('id', '=', id).execute()
  return server
}

describe('admission', () => {
  test('P7.100 the path has the container’s id; without an upgrade it returns 204 while it exists and 404 otherwise', async () => {
    const { id, game, challenge, participation, call } = await anInstance()
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(await platform.anyone.get(proxy(id))).toMatchObject({ status: 204, body: '' })
    expect((await platform.anyone.get(proxy(id.toUpperCase()))).status).toBe(204)
    for (const path of [proxy('00000000-0000-4000-8000-000000000000'), `/api/proxy/noinst/${id}`])
      expect(await platform.anyone.get(path)).toMatchObject({ status: 404, error: { status: 404, code: 'proxy.not_found' } })
    expect((await platform.anyone.get('/api/proxy/7')).error.code).toBe('request.not_found')
    await platform.db
      .updateTable('containers')
      .set({ actedAt: new Date(Date.now() - 10_000) })
      .where('participationId', '=', participation)
      .execute()
    await call.delete(`/api/game/${game}/container/${challenge}`)
    await expect.poll(async () => (await platform.anyone.get(proxy(id))).status).toBe(404)
    expect((await connectTo(proxy(id))).refused).toMatchObject({ status: 404, body: { code: 'proxy.not_found' } })
  })

  test('the address and port of a later instance of another team are not reached with the id of an earlier one', async () => {
    const [earlier, later, neighbour] = [await anInstance(), await anInstance(), await anInstance()]
    const server = await behind(later.id, (socket) => void socket.end('of the later one'))
    const { port } = server.address() as AddressInfo
    await platform.db.updateTable('containers').set({ port }).where('id', '=', earlier.id).execute()
    await platform.db.updateTable('containers').set({ port, host: '127.0.0.2' }).where('id', '=', neighbour.id).execute()
    expect((await connectTo(proxy(earlier.id))).refused).toMatchObject({ status: 404, body: { code: 'proxy.not_found' } })
    await (await connectTo(proxy(later.id))).until('of the later one')
    expect((await connectTo(proxy(neighbour.id))).refused?.body.code).not.toBe('proxy.not_found')
    await platform.db.updateTable('containers').set({ state: 'Ending' }).where('id', '=', later.id).execute()
    await (await connectTo(proxy(earlier.id))).until('of the later one')
  })

  test('P7.101 a test container has a separate path that reaches no team’s container', async () => {
    const { id, game, challenge } = await anInstance()
    const { body } = await admin.post(`/api/edit/games/${game}/challenges/${challenge}/container`)
    const test = await connectTo(`/api/proxy/noinst/${body.entry}`)
    expect(test.refused).toBeNull()
    await test.until('no flag\n')
    expect((await connectTo(`/api/proxy/noinst/${id}`)).refused).toMatchObject({ status: 404 })
  })

  test('P7.100 a container that does not respond returns 418 with the reason, and is not counted', async () => {
    const { id } = await anInstance()
    const server = await behind(id, () => undefined)
    await new Promise((resolve) => server.close(resolve))
    expect((await connectTo(proxy(id))).refused).toMatchObject({
      status: 418,
      body: { status: 418, code: 'proxy.unreachable', title: expect.stringContaining('ECONNREFUSED') },
    })
    expect((await platform.anyone.get(`${proxy(id)}?connect=true`)).error.code).toBe('proxy.unreachable')
    expect((await platform.anyone.get(`${proxy(id)}?connect=perhaps`)).status).toBe(400)
    expect(await openTunnels(id)).toBe(0)
  })

  test('a connection that is only tried is closed and not counted', async () => {
    const { id } = await anInstance()
    const ended = vi.fn()
    await behind(id, (socket) => void socket.on('end', ended).resume())
    expect((await platform.anyone.get(`${proxy(id)}?connect=true`)).status).toBe(204)
    await expect.poll(() => ended.mock.calls.length).toBe(1)
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('an address outside the engine’s is never dialled', async () => {
    const { id } = await anInstance()
    const server = createServer().listen(0, '127.0.0.2')
    await once(server, 'listening')
    const connected = vi.fn()
    server.on('connection', connected)
    await platform.db
      .updateTable('containers')
      .set({ host: '127.0.0.2', port: (server.address() as AddressInfo).port })
      .where('id', '=', id)
      .execute()
    expect((await connectTo(proxy(id))).refused).toMatchObject({ status: 400, body: { code: 'proxy.address_unknown' } })
    expect(connected).not.toHaveBeenCalled()
    server.close()
  })

  test('of 80 concurrent connections 64 are admitted, and 64 again after these close; another instance is not affected', async () => {
    const [{ id }, neighbour] = [await anInstance(), await anInstance()]
    const all = await Promise.all(Array.from({ length: 80 }, () => connectTo(proxy(id))))
    const refused = all.flatMap((one) => (one.refused ? [one.refused] : []))
    expect(refused).toHaveLength(16)
    for (const one of refused)
      expect(one).toMatchObject({
        status: 400,
        body: { code: 'proxy.too_many_connections', title: expect.stringContaining('64') },
      })
    expect((await connectTo(proxy(neighbour.id))).refused).toBeNull()
    // A browser sends this request because it cannot read the refusal of its WebSocket.
    const connectPath = `${proxy(id)}?connect=true`
    expect((await platform.anyone.get(connectPath)).error).toMatchObject({ code: 'proxy.too_many_connections' })
    expect((await platform.anyone.get(proxy(id))).status).toBe(204)
    for (const { socket } of all) socket.close()
    await expect.poll(() => openTunnels(id), { timeout: 60_000 }).toBe(0)
    expect((await connectTo(proxy(id))).refused).toBeNull()
  })

  test('a client that disconnects before the upgrade, or never completes it, leaves nothing counted or open', async () => {
    const { id } = await anInstance()
    const [connected, ended] = [vi.fn(), vi.fn()]
    const server = await behind(id, (socket) => {
      connected()
      socket.on('close', ended).on('end', () => socket.end())
      socket.resume()
    })
    const port = Number(base.split(':')[1])
    const upgrade = rawUpgrade(proxy(id))
    const broken = upgrade.replace('Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 12')
    for (let i = 0; i < 10; i++) expect(statusIn(await sendRaw(port, { pieces: [broken] }))).toBeGreaterThanOrEqual(400)
    expect(connected).toHaveBeenCalledTimes(10)
    // The clients disconnect while the database is queried or the container is dialled.
    await Promise.all(Array.from({ length: 40 }, () => sendRaw(port, { pieces: [upgrade], leave: 'reset' })))
    await expect.poll(() => openTunnels(id)).toBe(0)
    await expect.poll(() => ended.mock.calls.length - connected.mock.calls.length).toBe(0)
    server.close()
  })

  test('connections of a crashed node count until their lease expires', async () => {
    const { id } = await anInstance()
    const leases = (until: Date) =>
      platform.db
        .insertInto('tunnels')
        .values(Array.from({ length: 64 }, () => ({ id: crypto.randomUUID(), containerId: id, leaseUntil: until })))
        .execute()
    await leases(new Date(Date.now() + 5000))
    expect((await connectTo(proxy(id))).refused?.status).toBe(400)
    await platform.db
      .updateTable('tunnels')
      .set({ leaseUntil: new Date(Date.now() - 1) })
      .where('containerId', '=', id)
      .execute()
    expect((await connectTo(proxy(id))).refused).toBeNull()
    // The next renewal removes them, but no row of an open connection.
    await renewTunnels(platform.db, new Map())
    expect(await platform.db.selectFrom('tunnels').select('leaseUntil').where('containerId', '=', id).execute()).toHaveLength(1)
  })

  test('connections stay open after a failure of the database, in which all leases expired, and count again', async () => {
    const { id, game, challenge, participation } = await anInstance()
    const { socket, until } = await connectTo(proxy(id))
    await until('no flag\n')
    await platform.db
      .updateTable('tunnels')
      .set({ leaseUntil: new Date(Date.now() - 1) })
      .where('containerId', '=', id)
      .execute()
    // Another node renews first.
    await renewTunnels(platform.db, new Map())
    expect(await openTunnels(id)).toBe(0)
    platform.deps.bus.publish('instance.changed', { gameId: game, challengeId: challenge, participationId: participation })
    await expect.poll(() => openTunnels(id)).toBe(1)
    socket.send('still here')
    await until('no flag\nstill here')
    socket.close()
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('pages of other sites can open a connection: the id grants access, and no cookie is read', async () => {
    const { id } = await anInstance()
    const { refused } = await connectTo(proxy(id), { headers: { origin: 'https://elsewhere.example' } })
    expect(refused).toBeNull()
  })
})

describe('a connection', () => {
  test('P7.100 passes text and binary messages as bytes, and sends binary frames of at most 4096 bytes', async () => {
    const { id } = await anInstance()
    const { socket, frames, until, text } = await connectTo(proxy(id))
    await until('no flag\n')
    socket.send('text ')
    socket.send(Buffer.from('binary\0\xff', 'latin1'))
    await expect.poll(() => Buffer.concat(frames.map(({ data }) => data)).toString('latin1')).toBe('no flag\ntext binary\0\xff')
    socket.send(Buffer.alloc(100_000, 'x'))
    await expect.poll(() => text().length, { timeout: 60_000 }).toBeGreaterThan(100_000)
    expect(frames.every(({ binary, data }) => binary && data.length <= 4096)).toBe(true)
    expect(socket.extensions).toBe('')
  })

  test('ends with a close frame without a code after the last byte of the container', async () => {
    const { id } = await anInstance()
    await behind(id, (socket) => socket.end(Buffer.alloc(300_000, 'e')))
    const { closed, text } = await connectTo(proxy(id))
    expect((await closed).code).toBe(1005)
    expect(text().length).toBe(300_000)
  })

  test('closed by the client is passed on as FIN; the container can still finish', async () => {
    const { id } = await anInstance()
    const received = Promise.withResolvers<string>()
    await behind(id, (socket) => {
      let got = ''
      socket.on('data', (chunk) => {
        got += chunk
      })
      socket.on('end', () => {
        socket.write(Buffer.alloc(1_000_000))
        socket.end(() => received.resolve(got))
      })
    })
    const { socket } = await connectTo(proxy(id))
    socket.send('last words')
    socket.close()
    expect(await received.promise).toBe('last words')
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('is closed with 1001 when its container ends, and other connections stay open', async () => {
    const [{ id }, neighbour] = [await anInstance(), await anInstance()]
    const [mine, other] = [await connectTo(proxy(id)), await connectTo(proxy(neighbour.id))]
    await behind(id, () => undefined)
    await admin.delete(`/api/admin/instances/${id}`)
    expect([1001, 1005, 1006]).toContain((await mine.closed).code)
    await other.until('no flag\n')
    other.socket.send('still here')
    await other.until('no flag\nstill here')
  })

  test('is closed with 1001 when another node ends the row', async () => {
    const { id, game, challenge, participation } = await anInstance()
    await behind(id, () => undefined)
    const { closed } = await connectTo(proxy(id))
    await platform.db.updateTable('containers').set({ state: 'Ending' }).where('id', '=', id).execute()
    platform.deps.bus.publish('instance.changed', { gameId: game, challengeId: challenge, participationId: participation })
    expect((await closed).code).toBe(1001)
  })

  test('buffers 30 MB for a slow client in the container, not in the platform, and delivers all of it', async () => {
    const { id } = await anInstance()
    const size = 30_000_000
    let sent = 0
    await behind(id, (socket) => {
      const chunk = Buffer.alloc(64 * 1024, 'z')
      const go = () => {
        while (sent < size && socket.write(chunk)) sent += chunk.length
        if (sent >= size) socket.end()
      }
      socket.on('drain', go)
      go()
    })
    // The server side of the same connection, in this process.
    const accepted = once(platform.app.websocketServer, 'connection')
    const socket = new WebSocket(`ws://${base}${proxy(id)}`)
    sockets.add(socket)
    let got = 0
    await once(socket, 'open')
    socket.pause()
    socket.on('message', (data: Buffer) => {
      got += data.length
    })
    const [here] = (await accepted) as [WebSocket]
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, here.bufferedAmount)
    }, 1)
    await expect.poll(() => most).toBeGreaterThan(tunnelLimits.waitingBytes)
    // Everything would arrive soon if the container were still read.
    await sleep(500)
    clearInterval(watching)
    // At most one chunk more than may wait. The kernel's buffers hold the rest on both sides.
    expect(most).toBeLessThan(3 * tunnelLimits.waitingBytes)
    expect(sent).toBeLessThan(size)
    socket.resume()
    await once(socket, 'close')
    expect(got).toBeGreaterThanOrEqual(size)
  })

  test('answers pings', async () => {
    const { id } = await anInstance()
    const { socket } = await connectTo(proxy(id))
    const pong = once(socket, 'pong')
    socket.ping('hello')
    expect(String((await pong)[0])).toBe('hello')
  })
})

describe('traffic', () => {
  const files = async (challenge: number, participation: number) =>
    (await monitor.get(`/api/game/captures/${challenge}/${participation}`)).body as {
      fileName: string
      size: number
      updateTime: string
    }[]

  test('P3.25 P7.88 P7.89 P7.90 P7.91 P7.92 P7.93 P7.94 is captured per connection and can be listed, read, archived and deleted', async () => {
    const { id, game, team, challenge, participation } = await anInstance({ captureTraffic: true, type: 'DynamicContainer' })
    const { flag } = await platform.db
      .selectFrom('teamFlags')
      .select('flag')
      .where('participationId', '=', participation)
      .executeTakeFirstOrThrow()
    for (const words of ['first', 'second']) {
      const { socket, until } = await connectTo(proxy(id))
      await until(`${flag}\n`)
      socket.send(words)
      await until(`${flag}\n${words}`)
      socket.close()
    }
    await expect.poll(() => openTunnels(id)).toBe(0)
    expect((await monitor.get(`/api/game/games/${game}/captures`)).body).toEqual([
      { id: challenge, title: 'Task', category: 'Misc', type: 'DynamicContainer', isEnabled: true, count: 1 },
    ])
    expect((await monitor.get(`/api/game/captures/${challenge}`)).body).toEqual([
      { id: participation, teamId: team.id, name: 'Red', organization: 'North', avatar: null, count: 2 },
    ])
    const list = await files(challenge, participation)
    expect(list).toHaveLength(2)
    const path = `/api/game/captures/${challenge}/${participation}`
    const download = async (name: string) =>
      platform.app.inject({ method: 'GET', url: `${path}/${name}`, headers: { cookie: await cookieOf() } })
    for (const { fileName, size, updateTime } of list) {
      expect(fileName).toMatch(new RegExp(`^${id.replaceAll('-', '').slice(0, 8)}-[A-Z0-9]{13}\\.pcap$`))
      const { headers, rawPayload: bytes } = await download(fileName)
      expect([bytes.length, headers['content-length'], headers['content-type']]).toEqual([
        size,
        String(size),
        'application/octet-stream',
      ])
      expect(headers['content-disposition']).toContain(`filename=${fileName};`)
      expect(Math.abs(Date.parse(updateTime) - Date.now())).toBeLessThan(60_000)
      const [facts, ...passed] = readPcap(bytes)
      expect(JSON.parse(facts!.payload.toString())).toEqual({
        Challenge: 'Task',
        ChallengeId: challenge,
        Team: 'Red',
        TeamId: team.id,
        ContainerId: expect.stringMatching(/^memory-/),
        Flag: flag,
      })
      expect(Buffer.concat(passed.map(({ payload }) => payload)).toString()).toMatch(
        new RegExp(`^${flag.replaceAll(/[{}]/g, '\\$&')}\n(first){2}$|^${flag.replaceAll(/[{}]/g, '\\$&')}\n(second){2}$`),
      )
      expect(passed[0]!.from).toMatch(/^127\.0\.0\.1 /)
    }
    const zip = await platform.app.inject({ method: 'GET', url: `${path}/all`, headers: { cookie: await cookieOf() } })
    const name = new RegExp(`Capture-${challenge}-${participation}-\\d{8}-\\d\\d\\.\\d\\d\\.\\d\\dZ`)
    expect(zip.headers['content-disposition']).toMatch(name)
    // The method of the first entry: captures are compressed with deflate.
    expect(zip.rawPayload.readUInt16LE(8)).toBe(8)
    const entries = listZip(zip.rawPayload)
    expect(entries.map(({ name: inside }) => inside.split('/')[1])).toEqual(list.map(({ fileName }) => fileName))
    for (const entry of entries) {
      expect(entry.name.split('/')[0]).toMatch(new RegExp(`^${name.source}$`))
      expect(readPcap(entry.bytes).length).toBeGreaterThan(2)
    }
    const tcp = await platform.app.inject({ method: 'GET', url: `${path}/all?format=tcp`, headers: { cookie: await cookieOf() } })
    for (const { bytes } of listZip(tcp.rawPayload)) expect(tcpFlags(bytes).slice(0, 3)).toEqual(['SYN', 'SYN ACK', 'ACK'])
    for (const file of ['all', list[0]!.fileName])
      expect((await monitor.get(`${path}/${file}?format=pcapng`)).error.code).toBe('request.invalid')
    expect((await monitor.delete(`${path}/${list[0]!.fileName}`)).status).toBe(200)
    expect((await files(challenge, participation)).map(({ fileName }) => fileName)).toEqual([list[1]!.fileName])
    expect((await monitor.delete(`${path}/${list[0]!.fileName}`)).error.code).toBe('capture.file_not_found')
    expect((await monitor.delete(`${path}/all`)).status).toBe(200)
    for (const deletedPath of [`/api/game/captures/${challenge}`, path, `${path}/all`])
      expect((await monitor.get(deletedPath)).error.code).toBe('capture.not_found')
    expect((await monitor.delete(`${path}/all`)).error.code).toBe('capture.not_found')
    expect((await monitor.get(`/api/game/games/${game}/captures`)).body[0].count).toBe(0)
  })
  let cookie: string | null = null
  const cookieOf = async () => {
    const { startSession } = await import('../accounts/sessions.ts')
    cookie ??= `vexil_session=${await startSession(platform.db, await anAccount(platform.db, { role: 'Monitor' }))}`
    return cookie
  }

  test.each([true, false])(
    'P3.25 is captured only if the platform and the challenge do so when the connection opens (at the start: %s), and not of test containers',
    async (captureTraffic) => {
      const { game, challenge, participation, id } = await anInstance({ captureTraffic })
      const { body } = await admin.post(`/api/edit/games/${game}/challenges/${challenge}/container`)
      const set = async (ofPlatform: boolean, ofChallenge: boolean) => {
        Object.assign(platform.deps.config, { containerCapture: ofPlatform })
        await platform.db.updateTable('challenges').set({ captureTraffic: ofChallenge }).where('id', '=', challenge).execute()
      }
      const connect = async (path = proxy(id)) => (await connectTo(path)).until('no flag\n')
      await set(true, false)
      await connect()
      await set(false, true)
      await connect()
      await set(true, true)
      await connect(`/api/proxy/noinst/${body.entry}`)
      await connect()
      await expect.poll(async () => (await monitor.get(`/api/game/captures/${challenge}`)).status).toBe(200)
      expect(await files(challenge, participation)).toHaveLength(1)
    },
  )

  test('P3.25 of an instance that was started after the end of the game is not captured', async () => {
    const { game, challenge, call } = await anInstance({ captureTraffic: true })
    const values = { type: 'StaticContainer', containerImage: 'echo', captureTraffic: true } as const
    const later = await aChallenge(platform.db, game, values)
    await platform.db
      .updateTable('games')
      .set({ endsAt: at('-1s') })
      .where('id', '=', game)
      .execute()
    const { body } = await call.post(`/api/game/${game}/container/${later}`)
    for (const one of [later, challenge]) {
      const { id } = await platform.db
        .selectFrom('containers')
        .select('id')
        .where('challengeId', '=', one)
        .executeTakeFirstOrThrow()
      if (one === later) expect(id).toBe(body.entry)
      await (await connectTo(proxy(id))).until('no flag\n')
    }
    await expect.poll(async () => (await monitor.get(`/api/game/captures/${challenge}`)).status).toBe(200)
    expect((await monitor.get(`/api/game/captures/${later}`)).status).toBe(404)
  })

  test('P7.93 P7.94 files outside the folder cannot be reached by any name', async () => {
    const { challenge, participation } = await anInstance()
    const folder = join(platform.dataDir, 'capture', String(challenge), String(participation))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'a.pcap'), 'x')
    writeFileSync(join(folder, 'b.txt'), 'x')
    writeFileSync(join(platform.dataDir, 'capture', 'secret.pcap'), 'x')
    const path = `/api/game/captures/${challenge}/${participation}`
    expect((await files(challenge, participation)).map(({ fileName }) => fileName)).toEqual(['a.pcap'])
    for (const file of ['b.txt', '..%2F..%2Fsecret.pcap', '..%2Fa.pcap', '%2e%2e%2f%2e%2e%2fsecret.pcap'])
      for (const act of [monitor.get, monitor.delete]) expect((await act(`${path}/${file}`)).status).toBe(404)
    expect((await monitor.get(`${path}/a.pcap`)).body).toBe('x')
  })

  /** A container that sends numbers of 4 bytes, counting from 0, when it receives the first byte: the value at each position is known. */
  async function counting(bytes: number, perSecond: number) {
    const instance = await anInstance({ captureTraffic: true })
    const all = Buffer.alloc(bytes)
    for (let at = 0; at < bytes; at += 4) all.writeUInt32BE(at / 4, at)
    const at = { begun: 0, received: 0, sentLast: 0 }
    const server = await behind(instance.id, (socket) => {
      socket.once('data', async () => {
        at.begun = Date.now()
        const step = 50_000
        for (let from = 0; from < bytes; from += step) {
          const early = at.begun + (from / perSecond) * 1000 - Date.now()
          if (early > 0) await new Promise((later) => setTimeout(later, early))
          at.sentLast = Date.now()
          if (!socket.write(all.subarray(from, from + step))) await once(socket, 'drain')
        }
        socket.end()
      })
    })
    const { socket, closed, frames } = await connectTo(proxy(instance.id))
    socket.once('message', () => {
      at.received = Date.now()
    })
    socket.send('go')
    await closed
    const ended = Date.now()
    expect(Buffer.concat(frames.map(({ data }) => data)).equals(all)).toBe(true)
    await expect.poll(() => openTunnels(instance.id)).toBe(0)
    server.close()
    const folder = join(platform.dataDir, 'capture', String(instance.challenge), String(instance.participation))
    const paths = async () => {
      const names = (await files(instance.challenge, instance.participation)).map(({ fileName }) => fileName)
      // The first file has no number, the next ones end with -2 and so on.
      return names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).map((name) => join(folder, name))
    }
    const { challenge, participation } = instance
    return { all, at, ended, paths, challenge, participation }
  }

  test.skipIf(!haveCaptureTools)(
    'P7.93 at 5 MB/s, read by tshark and tcpflow, equals the sent bytes, in order and with times',
    async () => {
      const { all, at, ended, paths, challenge, participation } = await counting(10_000_000, 5_000_000)
      // Data that waits for the disk when the connection ends is written afterwards.
      const bytes = (path: string) =>
        readPcap(readFileSync(path)).reduce((sum, { from, payload }) => sum + (from.endsWith(' 65535') ? 0 : payload.length), 0)
      await expect.poll(async () => bytes((await paths())[0]!)).toBe(all.length + 'go'.length)
      const [path, ...more] = await paths()
      expect(more).toEqual([])
      const packets = readWithTshark(path!)
      expect(packets.every(({ checksum }) => checksum === 'Good')).toBe(true)
      const facts = packets.shift()!
      expect([facts.sourcePort, JSON.parse(facts.payload.toString()).Challenge]).toEqual([65_535, 'Task'])
      expect(packets.shift()!.payload.toString()).toBe('go')
      expect(Buffer.concat(packets.map(({ payload }) => payload)).equals(all)).toBe(true)
      const times = packets.map(({ at }) => at)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      const name = path!.split('/').at(-1)
      const asTcp = join(platform.dataDir, 'tcp.pcap')
      const url = `/api/game/captures/${challenge}/${participation}/${name}?format=tcp`
      const answer = await platform.app.inject({ method: 'GET', url, headers: { cookie: await cookieOf() } })
      writeFileSync(asTcp, answer.rawPayload)
      expect(followWithTshark(asTcp)).toEqual({ client: Buffer.from('go'), container: all })
      expect(tcpProblems(asTcp)).toEqual([])
      expect(followWithTcpflow(asTcp).toSorted((a, b) => a.length - b.length)).toEqual([Buffer.from('go'), all])
      // The first was taken between its sending and its arrival, the last one after it was sent.
      expect(times[0]).toBeGreaterThan(at.begun - 50)
      expect(times[0]).toBeLessThan(at.received + 50)
      expect(times.at(-1)).toBeGreaterThan(at.sentLast - 50)
      expect(times.at(-1)).toBeLessThan(ended + 50)
    },
  )

  test('at full speed has markers for every missing byte, in place', async () => {
    const { all, paths } = await counting(100_000_000, Number.POSITIVE_INFINITY)
    /** How far the files reach: data that waits for the disk when the connection ends is written afterwards. */
    const reached = async () => {
      let at = 0
      for (const path of await paths()) {
        const [, ...passed] = readPcap(readFileSync(path))
        for (const { from, payload } of passed) {
          if (payload.toString() === 'go') continue
          if (from.endsWith(' 65535')) at += JSON.parse(payload.toString()).Missing.out
          else {
            if (!payload.equals(all.subarray(at, at + payload.length))) return `other bytes at ${at}`
            at += payload.length
          }
        }
      }
      return at
    }
    await expect.poll(reached, { timeout: 60_000 }).toBe(all.length)
  })
})

test('a node that drains beside another keeps open tunnels until they end, and refuses new ones in the language of the caller', async () => {
  const ofNode = { VEXIL_CONTAINER_PORTS: 'PlatformProxy', VEXIL_CONTAINER_CAPTURE: 'true' }
  const node = await startTestPlatform(ofNode, engine)
  const [before, baseBefore] = [platform, base]
  try {
    platform = node
    await anAccount(node.db, { role: 'Admin' })
    await reportNode(node.db, { id: randomUUID(), version: '1.0.0', url: null, processes: 1, state: 'Serving' })
    await node.app.listen({ port: 0, host: '127.0.0.1' })
    base = `127.0.0.1:${(node.app.server.address() as AddressInfo).port}`
    const { id } = await anInstance()
    const open = await connectTo(`/api/proxy/${id}`)
    const drained = node.drain().then(() => 'drained')
    const refused = async (path: string) => (await node.anyone.get(path, { 'accept-language': 'zh-CN' })).error
    const wanted = { code: 'proxy.node_stopping', status: 503, title: '此服务器正在重启，请重新连接' }
    for (const path of [`/api/proxy/${id}`, `/api/proxy/${id}/web`, `/api/proxy/noinst/${id}`])
      await expect.poll(() => refused(`${path}?connect=true`)).toMatchObject(wanted)
    open.socket.send('still here')
    await open.until('no flag\nstill here')
    expect(await Promise.race([drained, 'waits'])).toBe('waits')
    open.socket.close()
    expect(await drained).toBe('drained')
  } finally {
    ;[platform, base] = [before, baseBefore]
    await node.stop()
  }
})

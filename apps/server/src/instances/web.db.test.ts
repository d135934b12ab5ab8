/** Web pages of instances at separate hosts, on an engine in memory: what passes, what never passes, and when it ends. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { openFilesIn } from '../../test/open-files.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { rawFrame, rawUpgrade } from '../../test/raw.ts'
import { cookieName } from '../http/session-cookie.ts'

/** The answers of the platform's own /healthz: on a busy machine the database may answer late. */
const ofPlatform = /^(Healthy|Unhealthy)$/
const base = 'instances.example.net'
const engine = openMemoryEngine({ published: false })
let platform: TestPlatform
let admin: Caller
let port: number
const closing: (() => void)[] = []
beforeAll(async () => {
  const env = { VEXIL_CONTAINER_PORTS: 'PlatformProxy', VEXIL_CONTAINER_CAPTURE: 'true', VEXIL_CONTAINER_WEB: `*.${base}` }
  platform = await startTestPlatform(env, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  port = (platform.app.server.address() as AddressInfo).port
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
afterAll(() => platform.stop())

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** A running instance whose container is the web server `serve`. */
async function anInstance(serve: Serve = (_request, response) => void response.end('page'), { captureTraffic = false } = {}) {
  const game = await aGame(platform.db, { practiceMode: true })
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, game, team)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'web', captureTraffic })
  const call = await platform.as(team.captain)
  const id = (await call.post(`/api/game/${game}/container/${challenge}`)).body.entry as string
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await platform.db
    .updateTable('containers')
    .set({ port: (server.address() as AddressInfo).port })
    .where('id', '=', id)
    .execute()
  return { id, host: `${id}.${base}`, server, challenge, participation }
}

interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: Buffer
}

async function visit(host: string, path = '/', { method = 'GET', headers = {}, body }: Ask = {}) {
  const httpRequest = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers }, agent: false })
  httpRequest.end(body)
  const [incoming] = (await once(httpRequest, 'response')) as [IncomingMessage]
  const bytes = await buffer(incoming)
  return { status: incoming.statusCode, headers: incoming.headers, text: bytes.toString(), bytes }
}
const openTunnels = async (id: string) =>
  (await platform.db.selectFrom('tunnels').select('id').where('containerId', '=', id).execute()).length

describe('a page of an instance', () => {
  test('is passed from the container with its status and headers, without the platform’s headers', async () => {
    const { host } = await anInstance((_request, response) => {
      response.writeHead(
        201,
        [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['x-powered-by', 'buoy'],
        ].flat(),
      )
      response.end('<h1>Buoy</h1>')
    })
    const { status, headers, text } = await visit(host)
    expect([status, text]).toEqual([201, '<h1>Buoy</h1>'])
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-powered-by': 'buoy' })
    for (const ours of ['x-frame-options', 'referrer-policy', 'content-security-policy', 'x-content-type-options'])
      expect(headers).not.toHaveProperty(ours)
  })

  test('is requested with the browser’s method, path, host and body, without the platform’s cookies and proxy headers', async () => {
    const seen: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }[] = []
    const { host } = await anInstance(async (httpRequest, response) => {
      seen.push({
        method: httpRequest.method!,
        url: httpRequest.url!,
        headers: httpRequest.headers,
        body: String(await buffer(httpRequest)),
      })
      response.end()
    })
    const cookie = `x=1; ${cookieName}=secret; vexil_device=mine; y=${cookieName}`
    const ofProxies = { 'x-forwarded-for': '192.0.2.9', forwarded: 'for=1', 'x-real-ip': '1', 'proxy-authorization': 'Basic b' }
    const ofConnection = { te: 'trailers', 'keep-alive': 'timeout=5' }
    const headers = { cookie, ...ofProxies, ...ofConnection, authorization: 'Basic a' }
    await visit(host, '/a%2Fb?c=/d&&', { method: 'PATCH', headers, body: Buffer.from('hello') })
    await visit(host.toUpperCase(), '/', { headers: { cookie: `${cookieName}=secret` } })
    expect(seen[0]).toMatchObject({ method: 'PATCH', url: '/a%2Fb?c=/d&&', body: 'hello' })
    expect(seen[0]!.headers).toMatchObject({ host, cookie: `x=1; y=${cookieName}`, authorization: 'Basic a' })
    for (const name of Object.keys({ ...ofProxies, ...ofConnection })) expect(seen[0]!.headers).not.toHaveProperty(name)
    expect(seen[1]!.headers).not.toHaveProperty('cookie')
    // A body of unknown length.
    await visit(host, '/', { method: 'DELETE', headers: { 'transfer-encoding': 'chunked' }, body: Buffer.from('all') })
    expect(seen[2]).toMatchObject({ method: 'DELETE', body: 'all' })
  })

  test('hides all platform routes: calls, hubs, health and files go to the container', async () => {
    const { host } = await anInstance((httpRequest, response) => void response.end(`container ${httpRequest.url}`))
    for (const path of [
      '/api/config',
      '/healthz',
      '/hub/user/negotiate',
      '/',
      '/assets/x',
      '/API/CONFIG',
      `/api/proxy/${host.slice(0, 36)}`,
    ])
      expect((await visit(host, path)).text).toBe(`container ${path}`)
    const signedIn = { cookie: `${cookieName}=whatever` }
    expect((await visit(host, '/api/account/profile', { headers: signedIn })).status).toBe(200)
  })

  test('can be large in both directions, and the container receives the whole body', async () => {
    const large = Buffer.alloc(5_000_000, 'vexil ')
    const { host } = await anInstance((httpRequest, response) => void httpRequest.pipe(response))
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const { bytes } = await visit(host, '/', { method: 'POST', headers: headers as Record<string, string>, body: large })
      expect(bytes.equals(large)).toBe(true)
    }
  })

  test('can become a WebSocket on any path, without the platform’s cookies', async () => {
    const { host, server } = await anInstance()
    const sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket, httpRequest) => {
      socket.send(`${httpRequest.url} ${httpRequest.headers.cookie}`)
      socket.on('message', (data) => socket.send(`heard ${data}`))
    })
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, { headers: { host, cookie: `${cookieName}=s; z=1` } })
    closing.push(() => socket.terminate())
    const messages: string[] = []
    socket.on('message', (data) => messages.push(String(data)))
    await once(socket, 'open')
    socket.send('you')
    await expect.poll(() => messages).toEqual(['/live z=1', 'heard you'])
  })

  test('can become a WebSocket whose first message comes with the request', async () => {
    const { host, server } = await anInstance()
    const received: string[] = []
    new WebSocketServer({ server }).on('connection', (socket) => socket.on('message', (data) => received.push(String(data))))
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    closing.push(() => socket.destroy())
    socket.write(Buffer.concat([Buffer.from(rawUpgrade('/live').replace('vexil.example', host)), rawFrame('early')]))
    await expect.poll(() => received).toEqual(['early'])
  })
})

describe('a host', () => {
  test('without an instance returns 404 in the visitor’s language for every path', async () => {
    const none = '00000000-0000-4000-8000-000000000000'
    for (const host of [base, `x.${base}`, `${none}.${base}`, `a.${none}.${base}`, `${base}:8080`, `${none}.${base}.`]) {
      const { status, text, headers } = await visit(host, '/api/config', { headers: { 'accept-language': 'ja' } })
      expect([status, headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
      expect(text).toMatch(/[ぁ-ん]/)
    }
  })

  test('without an instance refuses a WebSocket with 404 and closes the connection', async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    closing.push(() => socket.destroy())
    socket.write(rawUpgrade('/live').replace('vexil.example', `${randomUUID()}.${base}`))
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    await once(socket, 'close')
    expect(String(Buffer.concat(received))).toBe('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })

  test('that is unknown returns 503 beyond the limit of concurrent lookups, and instances are still served', async () => {
    const { host } = await anInstance()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const holding = platform.db.transaction().execute(async (tx) => {
      await sql`lock table containers in access exclusive mode`.execute(tx)
      hold()
      await released
    })
    await held
    const statuses: (number | undefined)[] = []
    const guesses = Array.from({ length: 100 }, () =>
      visit(`${randomUUID()}.${base}`).then(({ status }) => statuses.push(status)),
    )
    await expect.poll(() => statuses.length, { timeout: 60_000 }).toBe(32)
    release()
    await Promise.all([...guesses, holding])
    expect(statuses).toEqual([...Array(32).fill(503), ...Array(68).fill(404)])
    expect((await visit(host)).text).toBe('page')
  })

  test('of the platform, or any other name, is answered by the platform', async () => {
    for (const host of [`127.0.0.1:${port}`, 'localhost', `not${base}`, `${base}.example.org`])
      expect((await visit(host, '/healthz')).text).toMatch(ofPlatform)
  })

  test('leads to a test container too', async () => {
    const { challenge } = await anInstance()
    const row = await platform.db.selectFrom('challenges').select('gameId').where('id', '=', challenge).executeTakeFirstOrThrow()
    const { body } = await admin.post(`/api/edit/games/${row.gameId}/challenges/${challenge}/container`)
    // The engine's own containers do not speak HTTP: the container is reached, but does not send a valid response.
    expect((await visit(`${body.entry}.${base}`)).status).toBe(502)
  })
})

describe('a connection to an instance', () => {
  test('is counted only while it is open', async () => {
    const begun = Promise.withResolvers<ServerResponse>()
    const { id, host } = await anInstance((_request, response) => {
      response.write('begun')
      begun.resolve(response)
    })
    const visiting = visit(host)
    await expect.poll(() => openTunnels(id)).toBe(1)
    // The tunnel is counted before the container receives the request.
    ;(await begun.promise).end()
    expect((await visiting).text).toBe('begun')
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('that its visitor aborts is closed towards the container', async () => {
    let closed = 0
    const { id, host } = await anInstance((httpRequest, response) => {
      response.write('begun')
      httpRequest.socket.on('close', () => closed++)
    })
    const httpRequest = request({ host: '127.0.0.1', port, headers: { host } }).end()
    const [incoming] = (await once(httpRequest, 'response')) as [IncomingMessage]
    incoming.on('error', () => undefined)
    httpRequest.destroy()
    await expect.poll(() => closed).toBe(1)
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('that became a WebSocket is closed towards the container when its visitor aborts', async () => {
    const { id, host, server } = await anInstance()
    const sockets = new WebSocketServer({ server })
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(rawUpgrade('/live').replace('vexil.example', host))
    await once(socket, 'data')
    expect(sockets.clients.size).toBe(1)
    socket.resetAndDestroy()
    await expect.poll(() => sockets.clients.size).toBe(0)
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('that became a WebSocket is closed when its container ends', async () => {
    const { id, host, server } = await anInstance()
    new WebSocketServer({ server })
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, { headers: { host } })
    closing.push(() => socket.terminate())
    await once(socket, 'open')
    const closed = once(socket, 'close')
    expect((await admin.delete(`/api/admin/instances/${id}`)).status).toBe(200)
    await closed
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('ends with its container', async () => {
    const { id, host } = await anInstance((_request, response) => void response.write('begun'))
    const httpRequest = request({ host: '127.0.0.1', port, headers: { host } }).end()
    const [incoming] = (await once(httpRequest, 'response')) as [IncomingMessage]
    const broken = once(incoming, 'error')
    incoming.resume()
    expect((await admin.delete(`/api/admin/instances/${id}`)).status).toBe(200)
    await broken
    expect((await visit(host)).status).toBe(404)
  })

  test('above the limit of its container is refused with 503', async () => {
    const { id, host } = await anInstance()
    const open = Array.from({ length: 64 }, () => ({
      id: crypto.randomUUID(),
      containerId: id,
      leaseUntil: new Date(Date.now() + 60_000),
    }))
    await platform.db.insertInto('tunnels').values(open).execute()
    expect(await visit(host)).toMatchObject({ status: 503 })
    await platform.db.deleteFrom('tunnels').where('id', '=', open[0]!.id).execute()
    expect((await visit(host)).text).toBe('page')
  })

  test('that fails or gets no response returns 502 with the reason; an incomplete response is aborted', async () => {
    const { host, server } = await anInstance((httpRequest, response) => {
      if (httpRequest.url === '/switch')
        httpRequest.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
      else if (httpRequest.url?.startsWith('/status'))
        httpRequest.socket.end(`HTTP/1.1 ${httpRequest.url.slice(-3)} X\r\ncontent-length: 0\r\n\r\n`)
      else if (httpRequest.url === '/half')
        response.writeHead(200, { 'content-length': '10' }).write('half', () => httpRequest.socket.destroy())
      else httpRequest.socket.destroy()
    })
    // The rest of the request is not read.
    const refused = { 'cache-control': 'no-store', connection: 'close' }
    expect(await visit(host, '/', { headers: { connection: 'keep-alive' } })).toMatchObject({
      ...{ status: 502, headers: refused },
      text: expect.stringContaining('ECONNRESET'),
    })
    // The platform cannot send these.
    for (const path of ['/status/000', '/status/099', '/status/101', '/switch'])
      expect(await visit(host, path)).toMatchObject({
        status: 502,
        text: expect.stringContaining('INVALID_STATUS'),
      })
    expect((await visit(host, '/status/999')).status).toBe(999)
    await expect(visit(host, '/half')).rejects.toThrow(/aborted/)
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
    expect(await visit(host)).toMatchObject({ status: 502, text: expect.stringContaining('ECONNREFUSED') })
  })

  test('that fails because of the platform returns 500, and the error is logged', async () => {
    const { host } = await anInstance()
    const logged = vi.spyOn(platform.app.log, 'error').mockReturnValue()
    await sql`alter table container_ports rename to container_ports_away`.execute(platform.db)
    try {
      expect(await visit(host)).toMatchObject({ status: 500, text: 'Internal server error\n' })
      const err = expect.objectContaining({ message: 'relation "container_ports" does not exist' })
      expect(logged.mock.calls).toEqual([[expect.objectContaining({ err }), 'fault']])
    } finally {
      await sql`alter table container_ports_away rename to container_ports`.execute(platform.db)
      logged.mockRestore()
    }
  })

  test('is captured, both directions, when capture is enabled for the challenge', async () => {
    const { host, challenge, participation, id } = await anInstance(
      (_request, response) => void response.end('the answer of the container'),
      { captureTraffic: true },
    )
    await visit(host, '/the-path', { method: 'POST', body: Buffer.from('the body of the visitor') })
    await expect.poll(() => openTunnels(id)).toBe(0)
    const folder = join(platform.dataDir, 'capture', String(challenge), String(participation))
    await expect.poll(() => readdirSync(folder)).toHaveLength(1)
    const pcap = () => readFileSync(join(folder, readdirSync(folder)[0]!)).toString('latin1')
    for (const part of ['POST /the-path HTTP/1.1', 'the body of the visitor', 'the answer of the container'])
      await expect.poll(pcap).toContain(part)
    await expect.poll(() => openFilesIn(folder)).toEqual([])
  })
})

test('the config has the pattern of these hosts when containers are reached through the platform', async () => {
  expect((await platform.anyone.get('/api/config')).body.instanceHosts).toBe(`http://*.${base}:8080`)
  const direct = await startTestPlatform({ VEXIL_CONTAINER_WEB: `*.${base}` }, openMemoryEngine())
  try {
    expect((await direct.anyone.get('/api/config')).body.instanceHosts).toBeNull()
  } finally {
    await direct.stop()
  }
})

test('without the setting every host is the platform’s', async () => {
  const other = await startTestPlatform({ VEXIL_CONTAINER_PORTS: 'PlatformProxy' }, openMemoryEngine())
  try {
    const { payload } = await other.app.inject({ url: '/healthz', headers: { host: `x.${base}` } })
    expect(payload).toMatch(ofPlatform)
  } finally {
    await other.stop()
  }
})

test('a container that speaks first and is not a web server returns 502, and is not counted', async () => {
  const { id, host } = await anInstance()
  const server = createTcpServer((socket) => void socket.resume().end('flag{not http}\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const { port: now } = server.address() as AddressInfo
  await platform.db.updateTable('containers').set({ port: now }).where('id', '=', id).execute()
  expect((await visit(host)).status).toBe(502)
  await expect.poll(() => openTunnels(id)).toBe(0)
})

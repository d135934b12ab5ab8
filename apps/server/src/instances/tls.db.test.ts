/** TLS connections to instances by host name, with a certificate from openssl, in front of an engine in memory. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectTcp, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, TLSSocket } from 'node:tls'
import { tlsEntryLimits, tunnelLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../e2e/platform.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { readPcap } from '../../test/pcap.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { StartError } from '../start-error.ts'
import { labelOf, openTlsEntry, type TlsEntry } from './tls.routes.ts'
import type { Tunnels } from './tunnels.ts'

const suffix = 'tcp.example.net'
const engine = openMemoryEngine({ published: false })
const folder = mkdtempSync(join(tmpdir(), 'vexil-tls-'))
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
const plain = { suffix, host: '127.0.0.1', cert, key, proxyProtocol: null }
let platform: TestPlatform
let admin: Caller
let port: number
const closing: (() => void)[] = []

function makeCertificate(name: string): void {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`], { stdio: 'ignore' })
}

beforeAll(async () => {
  makeCertificate(`*.${suffix}`)
  port = await freePort()
  const env = {
    VEXIL_CONTAINER_PORTS: 'PlatformProxy',
    VEXIL_CONTAINER_CAPTURE: 'true',
    VEXIL_CONTAINER_TLS: `*.${suffix}:8443`,
    VEXIL_CONTAINER_TLS_LISTEN: `127.0.0.1:${port}`,
    VEXIL_CONTAINER_TLS_CERT: cert,
    VEXIL_CONTAINER_TLS_KEY: key,
  }
  platform = await startTestPlatform(env, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  await platform.tlsEntry!.listen({ reusePort: false })
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
afterAll(async () => {
  await platform.stop()
  rmSync(folder, { recursive: true })
})

/** A running instance whose container is the server `serve`; by default the one of the engine, which sends a line and echoes. */
async function anInstance(serve?: (socket: Socket) => void, { captureTraffic = false, allowHalfOpen = false } = {}) {
  const game = await aGame(platform.db, { practiceMode: true })
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, game, team)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo', captureTraffic })
  const call = await platform.as(team.captain)
  const id = (await call.post(`/api/game/${game}/container/${challenge}`)).body.entry as string
  if (serve) {
    const inner = new Set<Socket>()
    const server = createServer({ allowHalfOpen }, (socket) => {
      inner.add(socket.on('error', () => undefined))
      serve(socket)
    }).listen(0, '127.0.0.1')
    closing.push(() => {
      server.close()
      for (const socket of inner) socket.destroy()
    })
    await once(server, 'listening')
    await platform.db
      .updateTable('containers')
      .set({ port: (server.address() as AddressInfo).port })
      .where('id', '=', id)
      .execute()
  }
  const { hostName } = await platform.db
    .selectFrom('containers')
    .select('hostName')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return {
    id,
    name: `${hostName}.${suffix}`,
    call,
    path: `/api/game/${game}/container/${challenge}`,
    game,
    challenge,
    participation,
  }
}

async function dial(
  servername: string,
  { allowHalfOpen = false, at = port } = {},
): Promise<{ socket: TLSSocket; text: () => string; closed: Promise<unknown> }> {
  const options = { host: '127.0.0.1', port: at, servername, rejectUnauthorized: false, allowHalfOpen }
  const socket = connect(options)
  closing.push(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await once(socket, 'secureConnect')
  return { socket, text: () => text, closed }
}
/** The file is written after the connection has ended. */
const firstPacket = (challenge: number, participation: number) =>
  vi.waitFor(() => {
    const path = join(platform.dataDir, 'capture', String(challenge), String(participation))
    const [, first] = readPcap(readFileSync(join(path, readdirSync(path)[0]!)))
    return first ?? Promise.reject(new Error('no packet yet'))
  })
const openTunnels = async (id: string) =>
  (await platform.db.selectFrom('tunnels').select('id').where('containerId', '=', id).execute()).length

describe('a TLS connection', () => {
  test('that fails because of the platform ends with a text, and the error is logged', async () => {
    const { name } = await anInstance()
    const logged = vi.spyOn(platform.app.log, 'error').mockReturnValue()
    await sql`alter table container_ports rename to container_ports_away`.execute(platform.db)
    try {
      const { text, closed } = await dial(name)
      await closed
      expect(text()).toBe('Internal server error\n')
      const err = expect.objectContaining({ message: 'relation "container_ports" does not exist' })
      expect(logged.mock.calls).toEqual([[expect.objectContaining({ err }), 'fault']])
    } finally {
      await sql`alter table container_ports_away rename to container_ports`.execute(platform.db)
      logged.mockRestore()
    }
  })

  test('reaches the instance that its name says and no other, and counts while it is open', async () => {
    const [one, two] = [await anInstance((socket) => socket.end('one')), await anInstance((socket) => socket.write('two'))]
    expect(one.name).toMatch(/^[0-9a-f]{32}\.tcp\.example\.net$/)
    expect(one.name).not.toContain(one.id.replaceAll('-', ''))
    const [first, second] = [await dial(one.name), await dial(two.name.toUpperCase())]
    await expect.poll(() => [first.text(), second.text()]).toEqual(['one', 'two'])
    expect(await openTunnels(two.id)).toBe(1)
    second.socket.destroy()
    await expect.poll(async () => [await openTunnels(one.id), await openTunnels(two.id)]).toEqual([0, 0])
  })

  test('the player and the organiser of a test container read where to connect; a container without the proxy has none', async () => {
    const { name, call, game, challenge, id } = await anInstance()
    const entry = `${name}:8443`
    expect((await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context.tlsEntry).toBe(entry)
    const [listed] = (await call.get(`/api/game/${game}/instances`)).body
    expect(listed).toMatchObject({ entry: id, tlsEntry: entry })
    const made = await admin.post(`/api/edit/games/${game}/challenges/${challenge}/container`)
    const { text } = await dial(made.body.tlsEntry.split(':')[0])
    await expect.poll(text).toBe('no flag\n')
    await platform.db.updateTable('containers').set({ proxied: false }).where('id', '=', id).execute()
    expect((await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context.tlsEntry).toBeNull()
  })

  test('passes on the end of each direction: the container answers after the client has sent everything', async () => {
    const { id, name } = await anInstance(
      (socket) => {
        let got = ''
        socket.on('data', (chunk) => {
          got += chunk
        })
        socket.on('end', () => socket.end(`${got.length} bytes`))
      },
      { allowHalfOpen: true },
    )
    const { socket, text, closed } = await dial(name, { allowHalfOpen: true })
    socket.end('x'.repeat(300_000))
    await closed
    expect(text()).toBe('300000 bytes')
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('whose client has left ends soon, also where the container does not close it', async () => {
    const { id, name } = await anInstance((socket) => socket.write('there'), { allowHalfOpen: true })
    const { setTimeout } = Socket.prototype
    const set = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, ...more) {
      return setTimeout.call(this, ms === tunnelLimits.lingers ? 50 : ms, ...more)
    })
    closing.push(() => set.mockRestore())
    const { socket, text } = await dial(name)
    await expect.poll(text).toBe('there')
    expect(await openTunnels(id)).toBe(1)
    socket.destroy()
    await expect.poll(() => openTunnels(id)).toBe(0)
  })

  test('works with openssl s_client', async () => {
    const { name } = await anInstance()
    const client = spawn('openssl', ['s_client', '-quiet', '-connect', `127.0.0.1:${port}`, '-servername', name], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    closing.push(() => client.kill())
    let text = ''
    client.stdout.on('data', (chunk) => {
      text += chunk
    })
    client.stdin.write('hello\n')
    await expect.poll(() => text).toBe('no flag\nhello\n')
  })

  test('is captured as other connections are, with the address of the client', async () => {
    const { name, challenge, participation, id } = await anInstance(undefined, { captureTraffic: true })
    const { socket, text, closed } = await dial(name)
    await expect.poll(text).toBe('no flag\n')
    const own = socket.localPort
    socket.end()
    await closed
    await expect.poll(() => openTunnels(id)).toBe(0)
    const { payload, to } = await firstPacket(challenge, participation)
    expect([String(payload), to]).toEqual(['no flag\n', `127.0.0.1 ${own}`])
  })

  test.each([
    ['an unknown name', () => `${'0'.repeat(32)}.${suffix}`],
    ['a name below another suffix', (name: string) => name.replace(suffix, 'other.example.net')],
    ['a name with another label before it', (name: string) => `x.${name}`],
    ['the suffix alone', () => suffix],
  ])('to %s reads why, and is closed', async (_, change) => {
    const { id, name } = await anInstance()
    const { text, closed } = await dial(change(name))
    await closed
    expect(text()).toBe('Container not found\n')
    expect(await openTunnels(id)).toBe(0)
  })

  test('without a name is refused like an unknown one', async () => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    await once(socket, 'close')
    expect(text).toBe('Container not found\n')
  })

  test('above the limit of the container reads the limit', async () => {
    const { name, id } = await anInstance((socket) => socket.write('there'))
    const all = await Promise.all(Array.from({ length: tunnelLimits.perContainer }, () => dial(name)))
    await expect.poll(() => all.every(({ text }) => text() === 'there')).toBe(true)
    const more = await dial(name)
    await more.closed
    expect(more.text()).toBe(`At most ${tunnelLimits.perContainer} connections per container are allowed\n`)
    expect(await openTunnels(id)).toBe(tunnelLimits.perContainer)
  })

  test('ends with the instance, whose name then reaches nothing', async () => {
    const { id, name, call, path } = await anInstance((socket) => socket.write('there'))
    const { text, closed } = await dial(name)
    await expect.poll(text).toBe('there')
    await platform.db
      .updateTable('containers')
      .set({ actedAt: new Date(Date.now() - 10_000) })
      .where('id', '=', id)
      .execute()
    await call.delete(path)
    await closed
    const later = await dial(name)
    await later.closed
    expect(later.text()).toBe('Container not found\n')
  })
})

describe('behind a proxy that sends the PROXY protocol', () => {
  let at: number
  let entry: TlsEntry
  beforeAll(async () => {
    at = await freePort()
    const isTrusted = (address: string) => address.endsWith('127.0.0.1')
    entry = openTlsEntry(platform.deps, platform.tunnels, { ...plain, host: '::', port: at, proxyProtocol: { isTrusted } })
    await entry.listen({ reusePort: false })
  })
  afterAll(() => entry.close())

  async function dialBehind(line: string, name: string, { host = '127.0.0.1', localPort = 0 } = {}) {
    const raw = connectTcp({ host, port: at, localPort })
    closing.push(() => raw.destroy())
    raw.on('error', () => undefined)
    const closed = new Promise((resolve) => raw.on('close', resolve))
    await once(raw, 'connect')
    raw.write(line)
    const socket = connect({ socket: raw, servername: name, rejectUnauthorized: false })
    socket.on('error', () => undefined)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    return { raw, socket, closed, text: () => text }
  }

  test('a connection has the address that the proxy names, and that of the proxy where it names none, also from a port of an earlier one', async () => {
    let localPort = 0
    for (const [line, from] of [
      ['PROXY TCP4 203.0.113.9 192.0.2.1 40123 443\r\n', '203.0.113.9 40123'],
      ['PROXY UNKNOWN\r\n', /^127\.0\.0\.1 \d+$/],
    ] as const) {
      const { id, name, challenge, participation } = await anInstance(undefined, { captureTraffic: true })
      const { raw, text } = await dialBehind(line, name, { localPort })
      await expect.poll(text).toBe('no flag\n')
      localPort = raw.localPort!
      // The port can be used again at once.
      raw.resetAndDestroy()
      await expect.poll(() => openTunnels(id)).toBe(0)
      expect((await firstPacket(challenge, participation)).to).toMatch(from)
    }
  })

  test('a connection from another address, or without the line, is closed', async () => {
    const { name } = await anInstance()
    const line = 'PROXY TCP4 203.0.113.9 192.0.2.1 40123 443\r\n'
    for (const wrong of [
      await dialBehind(line, name, { host: '::1' }),
      await dialBehind('', name),
      await dialBehind('PROXY TCP4 x\r\n', name),
    ]) {
      await wrong.closed
      expect(wrong.text()).toBe('')
    }
    const right = await dialBehind(line, name)
    await expect.poll(right.text).toBe('no flag\n')
  })

  test('a connection that sends no line is closed after the time for a handshake', async () => {
    const { handshakeWithin } = tlsEntryLimits
    Object.assign(tlsEntryLimits, { handshakeWithin: 1 })
    try {
      const silent = connectTcp({ host: '127.0.0.1', port: at })
      closing.push(() => silent.destroy())
      silent.resume().on('error', () => undefined)
      await new Promise((resolve) => silent.on('close', resolve))
    } finally {
      Object.assign(tlsEntryLimits, { handshakeWithin })
    }
  })

  test('a connection that sends no line is limited and closed with the entry', async () => {
    const silent = Array.from({ length: tlsEntryLimits.handshakes }, () => connectTcp({ host: '127.0.0.1', port: at }))
    for (const socket of silent) socket.on('error', () => undefined)
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    const more = connectTcp({ host: '127.0.0.1', port: at })
    more.on('error', () => undefined)
    await new Promise((resolve) => more.on('close', resolve))
    // Those before it, which have sent their line, count no longer.
    expect(silent.filter(({ closed }) => closed)).toEqual([])
    await entry.close()
    await Promise.all(silent.map((socket) => socket.closed || new Promise((resolve) => socket.on('close', resolve))))
    expect(silent.every(({ closed }) => closed)).toBe(true)
  })
})

test('a client that is gone when its container answers leaves no connection to the container', async () => {
  let closed = 0
  const { id, name } = await anInstance((socket) => void socket.on('close', () => closed++))
  const at = await freePort()
  const admit: Tunnels['admit'] = async (...asked) => {
    const admitted = await platform.tunnels.admit(...asked)
    // Ends the connections of its clients, which it learns a moment later.
    await entry.close()
    await sleep(50)
    return admitted
  }
  const entry = openTlsEntry(platform.deps, { ...platform.tunnels, admit }, { ...plain, port: at })
  await entry.listen({ reusePort: false })
  await (await dial(name, { at })).closed
  await expect.poll(async () => [closed, await openTunnels(id)]).toEqual([1, 0])
})

test('an entry that stops listening accepts no more connections, and the open ones remain', async () => {
  const { name } = await anInstance()
  const at = await freePort()
  const entry = openTlsEntry(platform.deps, platform.tunnels, { ...plain, port: at })
  await entry.listen({ reusePort: false })
  const { socket, text } = await dial(name, { at })
  await expect.poll(text).toBe('no flag\n')
  await entry.stopListening()
  await expect(dial(name, { at })).rejects.toThrow('ECONNREFUSED')
  socket.write('hello\n')
  await expect.poll(text).toBe('no flag\nhello\n')
  await entry.close()
})

test('an entry does not keep a connection that has ended', async () => {
  const { id, name } = await anInstance()
  const at = await freePort()
  const entry = openTlsEntry(platform.deps, platform.tunnels, { ...plain, port: at })
  await entry.listen({ reusePort: false })
  const { socket, text } = await dial(name, { at })
  await expect.poll(text).toBe('no flag\n')
  const destroyed = vi.spyOn(Socket.prototype, 'destroy')
  try {
    socket.destroy()
    await expect.poll(() => openTunnels(id)).toBe(0)
    const ended = new Set(destroyed.mock.contexts)
    expect([...ended].filter((one) => one instanceof TLSSocket)).toHaveLength(2)
    destroyed.mockClear()
    await entry.close()
    expect(destroyed.mock.contexts.filter((one) => ended.has(one))).toEqual([])
  } finally {
    destroyed.mockRestore()
  }
})

test('a connection in its handshake is closed with the entry', async () => {
  const at = await freePort()
  const { handshakeWithin } = tlsEntryLimits
  // Longer than a test.
  Object.assign(tlsEntryLimits, { handshakeWithin: 600_000 })
  const entry = openTlsEntry(platform.deps, platform.tunnels, { ...plain, port: at })
  Object.assign(tlsEntryLimits, { handshakeWithin })
  await entry.listen({ reusePort: false })
  const silent = connectTcp({ host: '127.0.0.1', port: at })
  closing.push(() => silent.destroy())
  const closed = once(silent, 'close')
  await once(silent, 'connect')
  await entry.close()
  await closed
})

test('handshakes under way are limited, and those that end or fail count no longer', async () => {
  const { name } = await anInstance()
  const raw = () => {
    const socket = connectTcp({ host: '127.0.0.1', port })
    closing.push(() => socket.destroy())
    socket.on('error', () => undefined)
    return socket
  }
  const silent = Array.from({ length: tlsEntryLimits.handshakes }, raw)
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  const refused = connect({ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false })
  const [error] = (await once(refused, 'error')) as [Error & { code: string }]
  expect(error.code).toBe('ECONNRESET')
  // One half disconnects, the other half sends something that is not a handshake.
  for (const [i, socket] of silent.entries()) i % 2 ? socket.destroy() : socket.write('GET / HTTP/1.1\r\n\r\n')
  await Promise.all(silent.map((socket) => socket.closed || once(socket, 'close')))
  const { text } = await dial(name)
  await expect.poll(text).toBe('no flag\n')
  const again = Array.from({ length: tlsEntryLimits.handshakes }, raw)
  await Promise.all(again.map((socket) => once(socket, 'connect')))
  await expect(dial(name)).rejects.toThrow()
})

describe('the certificate', () => {
  const subjectAt = async (at: number) => {
    const socket = connect({ host: '127.0.0.1', port: at, servername: `x.${suffix}`, rejectUnauthorized: false })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    const { subject } = socket.getPeerCertificate()
    socket.destroy()
    return subject.CN
  }

  test('is read again when its files change; while they cannot be used, the one of before stays, with one warning', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const at = await freePort()
    const lines: string[] = []
    const deps = {
      ...platform.deps,
      log: { ...platform.deps.log, write: ({ message }: { message: string }) => lines.push(message) },
    }
    const own = openTlsEntry(deps as never, null as never, { ...plain, port: at })
    await own.listen({ reusePort: false })
    expect(await subjectAt(at)).toBe(`*.${suffix}`)
    writeFileSync(cert, 'no certificate')
    utimesSync(cert, new Date(), new Date(Date.now() + 5000))
    vi.advanceTimersByTime(tlsEntryLimits.certificateEvery)
    await expect.poll(() => lines).toHaveLength(1)
    for (let i = 0; i < 2; i++) {
      vi.advanceTimersByTime(tlsEntryLimits.certificateEvery)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(lines).toEqual([expect.stringMatching(/^Could not renew the certificate of VEXIL_CONTAINER_TLS: /)])
    expect(await subjectAt(at)).toBe(`*.${suffix}`)
    makeCertificate('new')
    utimesSync(cert, new Date(), new Date(Date.now() + 10_000))
    // A turn is left out while the one before is not complete.
    await expect
      .poll(() => {
        vi.advanceTimersByTime(tlsEntryLimits.certificateEvery)
        return subjectAt(at)
      })
      .toBe('new')
    // The same fault as before.
    writeFileSync(cert, 'no certificate')
    utimesSync(cert, new Date(), new Date(Date.now() + 15_000))
    vi.advanceTimersByTime(tlsEntryLimits.certificateEvery)
    await expect.poll(() => lines).toEqual([lines[0], lines[0]])
    makeCertificate('new')
    await own.close()
    vi.useRealTimers()
    await expect(subjectAt(at)).rejects.toThrow()
  })

  test('that cannot be read at the start, or a port in use, ends the start with the reason', async () => {
    const options = { ...plain, port: await freePort() }
    for (const [wrong, reason] of [
      [{ key: '/nowhere/key.pem' }, /ENOENT/],
      [{ port }, /EADDRINUSE/],
    ] as const) {
      const entry = openTlsEntry(platform.deps, null as never, { ...options, ...wrong })
      const refused = await entry.listen({ reusePort: false }).catch((error: Error) => error)
      expect(refused).toBeInstanceOf(StartError)
      expect((refused as Error).message).toMatch(reason)
      await entry.close()
    }
  })
})

test.each([
  ['ab.tcp.example.net', 'ab'],
  ['AB.TCP.example.NET', 'ab'],
  ['tcp.example.net', null],
  ['.tcp.example.net', null],
  ['a.b.tcp.example.net', null],
  ['ab.tcp.example.org', null],
  ['', null],
])('the label of %s is %s', (name, label) => {
  expect(labelOf(name, suffix)).toBe(label)
})

/** The programs that open a local port to an instance: served by the platform and run as a player runs them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

const engine = openMemoryEngine({ published: false })
const folder = mkdtempSync(join(tmpdir(), 'vexil-forward-'))
let platform: TestPlatform
let admin: Caller
let base: string
const running = new Set<ChildProcess>()
const closing: (() => void)[] = []
beforeAll(async () => {
  platform = await startTestPlatform({ VEXIL_CONTAINER_PORTS: 'PlatformProxy' }, engine)
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  base = `127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`
  for (const name of ['forward.mjs', 'forward.py'])
    writeFileSync(join(folder, name), await (await fetch(`http://${base}/${name}`)).text())
})
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
  for (const close of closing.splice(0)) close()
})
afterAll(async () => {
  await platform.stop()
  rmSync(folder, { recursive: true })
})

async function anInstance(serve: (socket: Socket) => void) {
  const game = await aGame(platform.db, { practiceMode: true })
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo' })
  const { body } = await (await platform.as(team.captain)).post(`/api/game/${game}/container/${challenge}`)
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => void server.close())
  const { port } = server.address() as AddressInfo
  await platform.db.updateTable('containers').set({ port }).where('id', '=', body.entry).execute()
  return body.entry as string
}

const hasPython = spawnSync('python3', ['--version']).status === 0
const programs = [
  ['Node', process.execPath, 'forward.mjs'],
  ['Python', 'python3', 'forward.py'],
] as const

describe.each(programs)('with %s', (name, command, file) => {
  const here = test.skipIf(name === 'Python' && !hasPython)

  /** Starts the program and waits for the local port that it opens. */
  async function forward(id: string, host = base): Promise<{ port: number; child: ChildProcess; received: () => string }> {
    const child = spawn(command, [join(folder, file), `ws://${host}/api/proxy/${id}`], { stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    let received = ''
    for (const stream of [child.stdout, child.stderr]) stream!.on('data', (text) => (received += text))
    await expect.poll(() => received).toMatch(/127\.0\.0\.1:\d+ forwards to the instance/)
    return { port: Number(/127\.0\.0\.1:(\d+)/.exec(received)![1]), child, received: () => received }
  }
  async function open(port: number): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    closing.push(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }

  here('what either side sends arrives unchanged on several connections at the same time', async () => {
    let count = 0
    const id = await anInstance((socket) => {
      socket.write(`flag{${++count}}\n`)
      socket.pipe(socket)
    })
    const { port } = await forward(id)
    const sockets = [await open(port), await open(port)]
    const received = ['', '']
    for (const [i, socket] of sockets.entries()) {
      socket.on('data', (bytes) => (received[i] += bytes.toString('latin1')))
      socket.write(Buffer.from([i, 0, 255, 128, 10]))
    }
    await expect.poll(() => received.map((text) => text.slice(-5)).sort()).toEqual(['\x00\x00\xff\x80\n', '\x01\x00\xff\x80\n'])
    expect(received.map((text) => text.slice(0, 7)).sort()).toEqual(['flag{1}', 'flag{2}'])
  })

  here('a few megabytes come back whole, also to a slow reader', async () => {
    const id = await anInstance((socket) => void socket.pipe(socket))
    const { port } = await forward(id)
    const socket = await open(port)
    const bytes = Buffer.alloc(3_000_000, 'vexil 0123456789 ')
    const parts: Buffer[] = []
    socket.on('data', (part: Buffer) => {
      parts.push(part)
      socket.pause()
      setImmediate(() => socket.resume())
    })
    socket.write(bytes)
    await expect.poll(() => parts.reduce((sum, { length }) => sum + length, 0), { timeout: 20_000 }).toBe(bytes.length)
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  })

  here('messages of any length arrive whole, however their bytes are split', async () => {
    const heard: number[] = []
    const joined = Promise.withResolvers<Duplex>()
    const server = new WebSocketServer({ noServer: true })
    const web = createWebServer((_, answer) => void answer.writeHead(204).end()).listen(0, '127.0.0.1')
    web.on('upgrade', (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (client) => {
        client.on('message', (bytes: Buffer) => heard.push(bytes.length))
        joined.resolve(socket)
      }),
    )
    await once(web, 'listening')
    closing.push(() => void web.close())
    const { port } = await forward('any', `127.0.0.1:${(web.address() as AddressInfo).port}`)
    const local = await open(port)
    const parts: Buffer[] = []
    local.on('data', (part: Buffer) => parts.push(part))
    const remote = await joined.promise
    closing.push(() => remote.destroy())
    const messages = [1, 125, 126, 65_535, 65_536].map((size) => Buffer.alloc(size, size % 251))
    for (const message of messages) {
      const { length } = message
      const start = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
      start.writeUInt16BE(0x8200 | (length < 126 ? length : length < 65_536 ? 126 : 127))
      if (start.length === 4) start.writeUInt16BE(length, 2)
      if (start.length === 10) start.writeBigUInt64BE(BigInt(length), 2)
      for (const byte of start) {
        remote.write(Buffer.of(byte))
        await sleep(5)
      }
      remote.write(message.subarray(0, -1))
      await sleep(20)
      remote.write(message.subarray(-1))
    }
    const whole = Buffer.concat(messages)
    await expect.poll(() => parts.reduce((sum, { length }) => sum + length, 0)).toBe(whole.length)
    expect(Buffer.concat(parts).equals(whole)).toBe(true)
    for (const size of [125, 126, 127]) {
      local.write(Buffer.alloc(size))
      await expect.poll(() => heard.at(-1)).toBe(size)
    }
  })

  here('a client that ends its side still hears the answer, and the instance hears the end', async () => {
    let ended = false
    const id = await anInstance((socket) => {
      socket.on('data', (bytes) => setTimeout(() => socket.write(`answer to ${bytes}`), 300))
      socket.on('end', () => {
        ended = true
        socket.end()
      })
    })
    const { port } = await forward(id)
    const socket = await open(port)
    const answer = buffer(socket)
    socket.end('question')
    expect(String(await answer)).toBe('answer to question')
    await expect.poll(() => ended).toBe(true)
  })

  here('an instance that closes the connection ends it, and a missing instance is reported', async () => {
    const id = await anInstance((socket) => void socket.end('bye'))
    const { port, received } = await forward(id)
    expect(String(await buffer(await open(port)))).toBe('bye')
    await admin.delete(`/api/admin/instances/${id}`)
    expect(String(await buffer(await open(port)))).toBe('')
    await expect.poll(received).toContain('404: Container not found')
  })

  here('a connection above the limit is refused with the reason', async () => {
    const id = await anInstance((socket) => void socket.resume())
    const { port, received } = await forward(id)
    await platform.db
      .insertInto('tunnels')
      .values(Array.from({ length: 64 }, () => ({ id: crypto.randomUUID(), containerId: id, leaseUntil: at('1m') })))
      .execute()
    expect(String(await buffer(await open(port)))).toBe('')
    await expect.poll(received).toMatch(/400: .*64/)
  })
})

test('the Node program reports a missing instance and its usage', async () => {
  const run = async (...words: string[]) => {
    const child = spawn(process.execPath, [join(folder, 'forward.mjs'), ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
    const [text] = await Promise.all([buffer(child.stderr), once(child, 'exit')])
    return { code: child.exitCode, text: String(text) }
  }
  const none = `ws://${base}/api/proxy/00000000-0000-4000-8000-000000000000`
  expect(await run(none)).toMatchObject({ code: 1, text: expect.stringMatching(/^404: \S/) })
  expect(await run('http://example.org')).toMatchObject({ code: 2, text: expect.stringContaining('Usage') })
  expect(await run('ws://127.0.0.1:1/api/proxy/x')).toMatchObject({ code: 1, text: expect.stringContaining('cannot be reached') })
})

test('the programs are served as downloads without a login', async () => {
  for (const [, , file] of programs) {
    const { status, headers } = await platform.anyone.get(`/${file}`)
    expect([status, headers['content-disposition']]).toEqual([200, `attachment; filename="${file}"`])
  }
})

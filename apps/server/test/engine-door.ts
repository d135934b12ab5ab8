/**
 * Doors of engines. One is between the platform and the socket of a real engine, and can be shut: the engine keeps running, but the platform cannot
 * reach it. The other is that of a fake engine, and answers single requests in the manner that a test sets.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

export interface EngineDoor {
  /** `unix:///path`, for VEXIL_DOCKER_HOST. */
  readonly host: string
  /** `refusing` ends every connection; `silent` accepts new ones and never answers. Each change ends open connections. */
  turn(state: 'open' | 'refusing' | 'silent'): void
  close(): void
}

export async function openEngineDoor(engine: string): Promise<EngineDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-door-'))
  const path = join(folder, 'engine.sock')
  const sockets = new Set<Socket>()
  let state: Parameters<EngineDoor['turn']>[0] = 'open'
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    return socket
  }
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    keep(socket)
    if (state === 'refusing') socket.destroy()
    if (state !== 'open') return
    const inner = keep(connect({ path: engine.replace('unix://', ''), allowHalfOpen: true }))
    socket.pipe(inner).pipe(socket)
    socket.on('close', () => inner.destroy())
    inner.on('close', () => socket.destroy())
  }).listen(path)
  await once(server, 'listening')
  return {
    host: `unix://${path}`,
    turn(next) {
      state = next
      end()
    },
    close() {
      server.close()
      end()
      rmSync(folder, { recursive: true })
    },
  }
}

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/**
 * How a request is answered:
 * - `held`: not before `release`, then like the engine, if the client is still connected.
 * - `reset`: the connection ends without a byte, and the engine does nothing. `away`: so does every later one.
 * - `cut`, `short`: the engine does it, but the connection ends in the middle of its answer, or the declared length is half of the real one.
 * - otherwise with this status and text, or these parts of one, and the engine does nothing.
 */
export type Manner =
  | 'held'
  | 'reset'
  | 'unreachable'
  | 'cut'
  | 'short'
  | {
      readonly status: number
      readonly text: string | AsyncIterable<string>
      readonly headers?: Readonly<Record<string, string>>
    }

export interface HttpDoor {
  /** `unix:///path`, `http://127.0.0.1:port` or `https://127.0.0.1:port`. */
  readonly address: string
  /** Method, path and query of every request, in order, whatever the answer was. */
  readonly asked: string[]
  /** Requests for which `fits` is true are answered in this manner, until it is null for the same key. */
  meet(key: string, manner: Manner | null, fits?: (call: string) => boolean): void
  /** Resolves when a request is held. */
  untilHeld(): Promise<void>
  release(): void
  /** Resolves when no connection is open. */
  untilIdle(): Promise<void>
  close(): Promise<void>
}

/** `place`: a Unix socket, TCP, or TLS with this certificate. */
export async function openHttpDoor(
  engine: (asked: Asked) => [status: number, text: string],
  place: 'unix' | 'tcp' | { readonly key: Buffer; readonly cert: Buffer },
): Promise<HttpDoor> {
  const manners = new Map<string, { readonly manner: Manner; readonly fits: (call: string) => boolean }>()
  const calls: string[] = []
  const sockets = new Set<Socket>()
  const waiting: { idle: (() => void)[]; held: (() => void)[] } = { idle: [], held: [] }
  const held: (() => void)[] = []
  let isAway = false

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', 'http://engine')
    const body = (await buffer(request)).toString()
    const call = `${method} ${url.pathname}${url.search}`
    calls.push(call)
    const manner = [...manners.values()].find(({ fits }) => fits(call))?.manner
    if (manner === 'unreachable') isAway = true
    if (isAway || manner === 'reset') return void request.socket.destroy()
    if (manner === 'held') {
      await new Promise<void>((resolve) => {
        held.push(resolve)
        for (const told of waiting.held.splice(0)) told()
      })
      if (request.socket.destroyed) return
    }
    if (typeof manner === 'object') {
      response.writeHead(manner.status, manner.headers)
      if (typeof manner.text !== 'string') for await (const part of manner.text) response.write(part)
      return void response.end(typeof manner.text === 'string' ? manner.text : '')
    }
    const [status, text] = engine({ method, url, headers, body })
    const bytes = Buffer.from(text)
    const half = Math.floor(bytes.length / 2)
    // A status without a body has no length either.
    response.writeHead(status, status === 204 ? {} : { 'content-length': manner === 'short' ? half : bytes.length })
    if (manner !== 'cut') return void response.end(bytes)
    response.write(bytes.subarray(0, half), () => request.socket.destroy())
  }

  const listener = (request: IncomingMessage, response: ServerResponse) =>
    // The client has disconnected.
    void answer(request, response).catch(() => request.socket.destroy())
  const server = typeof place === 'object' ? createHttps(place, listener) : createHttp(listener)
  server.on(typeof place === 'object' ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket)
    socket
      .on('error', () => undefined)
      .on('close', () => {
        sockets.delete(socket)
        if (sockets.size === 0) for (const told of waiting.idle.splice(0)) told()
      })
  })
  const folder = mkdtempSync(join(tmpdir(), 'vexil-door-'))
  const path = join(folder, 'engine.sock')
  if (place === 'unix') server.listen(path)
  else server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  return {
    address: place === 'unix' ? `unix://${path}` : `${place === 'tcp' ? 'http' : 'https'}://127.0.0.1:${port}`,
    asked: calls,
    meet(key, manner, fits = (call) => call.startsWith(key)) {
      isAway = false
      if (manner === null) manners.delete(key)
      else manners.set(key, { manner, fits })
    },
    untilHeld: () => (held.length > 0 ? Promise.resolve() : new Promise((resolve) => void waiting.held.push(resolve))),
    release: () => {
      for (const answered of held.splice(0)) answered()
    },
    untilIdle: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.idle.push(resolve))),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

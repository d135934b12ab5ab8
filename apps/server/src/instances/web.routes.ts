/** Web pages of instances at `{id of the container}.{base}`, and at `{id}-{name of the port}.{base}`, another site than the platform, because they are untrusted. They reach no route and see no cookie of the platform. */
import { request as httpRequest, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import proxyAddr from '@fastify/proxy-addr'
import { ProxyTargetNotFound, ProxyUnreachable, RuleError } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { answerOf } from '../http/error-answer.ts'
import { deviceCookie } from '../http/known-device.ts'
import { acceptedLanguage } from '../http/language.ts'
import { callerIp } from '../http/network.ts'
import type { OtherHosts } from '../http/other-hosts.ts'
import { openSemaphore } from '../semaphore.ts'
import { codeOf } from '../start-error.ts'
import type { Tunnels } from './tunnels.ts'
import { fromContainer, toContainer } from './web-headers.ts'

/** Statuses that differ from those of the proxy's API calls. */
const statuses: Readonly<Record<string, number>> = {
  'proxy.too_many_connections': 503,
  'proxy.address_unknown': 502,
  'proxy.unreachable': 502,
}
/** Callers have no account to count by, and many players share an address. Few lookups run at once, so that guesses cannot overload the database. */
const queueLimits = { atOnce: 4, waiting: 64 }
const label = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:-([a-z][a-z0-9-]*))?\./

export function webHosts(hosts: OtherHosts, { config, onError }: Pick<Deps, 'config' | 'onError'>, tunnels: Tunnels): void {
  const ours = [config.sessionCookie, deviceCookie]
  const semaphore = openSemaphore(queueLimits.atOnce, queueLimits.waiting)
  const trusted = proxyAddr.compile([...config.trustedProxies])

  /** Connects to the container that the host names. @throws as Tunnels.admit */
  async function connect(request: IncomingMessage) {
    const [, id, name = null] = label.exec(request.headers.host?.toLowerCase() ?? '') ?? []
    if (id === undefined) throw new ProxyTargetNotFound()
    const address = callerIp({ ip: proxyAddr(request, trusted) })
    const wanted = { test: false, name }
    await semaphore(() => tunnels.find(id, wanted))
    const admitted = await tunnels.admit(id, wanted)
    return tunnels.relay(admitted, { address, port: request.socket.remotePort ?? 0 })
  }

  function refusal(error: unknown, request: IncomingMessage): { status: number; text: string } {
    if (!(error instanceof RuleError)) onError(error)
    const { http, body } = answerOf(error, acceptedLanguage(request.headers['accept-language']), '')
    return { status: (body.code && statuses[body.code]) || http, text: `${body.title}\n` }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const container = await connect(request)
    const over = () => void container.destroy()
    if (response.destroyed || request.socket.destroyed) return over()
    response.on('close', over)
    const { method = 'GET', url = '/' } = request
    const headers = toContainer(request.rawHeaders, ours)
    // By default, requests such as DELETE are sent as if they had no body.
    if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked')
    const outgoing = httpRequest({ method, path: url, headers, setHost: false, createConnection: () => container })
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    // A switch of protocols, which was not requested, has a status that is refused below.
    outgoing.on('response', resolve).on('upgrade', resolve).on('error', reject)
    request.pipe(outgoing)
    const answer = await promise.catch((error: Error) => {
      throw new ProxyUnreachable({ reason: codeOf(error) || error.message })
    })
    const { statusCode = 0 } = answer
    // The parser accepts these, but they cannot be sent as a response.
    if (statusCode < 200) throw new ProxyUnreachable({ reason: 'HPE_INVALID_STATUS' })
    response.writeHead(statusCode, fromContainer(answer.rawHeaders))
    pipeline(answer, response, () => undefined)
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const container = await connect(request)
    if (socket.destroyed) return void container.destroy()
    const headers = toContainer(request.rawHeaders, ours, { upgrade: true })
    const lines = Array.from({ length: headers.length / 2 }, (_, i) => `${headers[2 * i]}: ${headers[2 * i + 1]}\r\n`)
    container.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
    container.write(head)
    socket.pipe(container).pipe(socket)
    container.on('close', () => socket.destroy())
    socket.on('close', () => container.destroy())
  }

  hosts.handlers = {
    request(request, response) {
      answer(request, response).catch((error) => {
        if (response.headersSent) return void response.destroy()
        const { status, text } = refusal(error, request)
        response.writeHead(status, {
          'content-type': 'text/plain; charset=utf-8',
          'cache-control': 'no-store',
          connection: 'close',
        })
        response.end(text)
      })
    },
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      upgrade(request, socket, head).catch((error) => {
        const { status } = refusal(error, request)
        socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      })
    },
  }
}

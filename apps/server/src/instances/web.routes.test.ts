/** What happens to the connections of a visitor and a container in rare moments. The rest is in web.db.test.ts. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { hostsBelow } from '../http/other-hosts.ts'
import type { Admitted, Tunnels } from './tunnels.ts'
import { webHosts } from './web.routes.ts'

const host = '00000000-0000-4000-8000-000000000000.instances.example'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** `meanwhile` runs while the container is dialled. */
function open(container: Socket, meanwhile: () => void = () => undefined) {
  const hosts = hostsBelow('instances.example')
  const onError = vi.fn()
  const tunnels = {
    find: async () => undefined,
    admit: async () => {
      meanwhile()
      return {} as Admitted
    },
    relay: () => container,
  }
  webHosts(hosts, { config: { sessionCookie: 'session', trustedProxies: [] }, onError } as never, tunnels as unknown as Tunnels)
  return { ...hosts.handlers, onError }
}

test('a visitor that disconnects during the dial leaves no connection to the container', async () => {
  for (const what of ['request', 'upgrade'] as const) {
    const [visitor, container] = [new Socket(), new Socket()]
    const handlers = open(container, () => visitor.destroy())
    const httpRequest = { headers: { host }, rawHeaders: ['Host', host], socket: visitor } as unknown as IncomingMessage
    if (what === 'request') handlers.request(httpRequest, { destroyed: false } as never)
    else handlers.upgrade(httpRequest, visitor, Buffer.alloc(0))
    await expect.poll(() => container.destroyed).toBe(true)
    expect(handlers.onError).not.toHaveBeenCalled()
  }
})

test('a visitor that disconnects before the container answers leaves no connection to it', async () => {
  const inner = createServer(() => httpRequest.destroy()).listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const container = connect((inner.address() as AddressInfo).port, '127.0.0.1')
  const server = createServer(open(container).request).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close().closeAllConnections()
    inner.close().closeAllConnections()
  })
  const httpRequest = request({ port: (server.address() as AddressInfo).port, headers: { host } }).on('error', () => undefined)
  httpRequest.end()
  await expect.poll(() => container.destroyed).toBe(true)
})

test('a response that fails after its head is aborted, not followed by a second one', async () => {
  const inner = createServer((_request, response) => void response.end('page')).listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const handlers = open(connect((inner.address() as AddressInfo).port, '127.0.0.1'))
  const server = createServer((httpRequest, response) => {
    const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => unknown
    response.writeHead = (...head: unknown[]) => {
      writeHead(...head)
      throw new Error('a fault')
    }
    handlers.request(httpRequest, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close().closeAllConnections()
    inner.close().closeAllConnections()
  })
  const httpRequest = request({ port: (server.address() as AddressInfo).port, headers: { host } }).end()
  await expect(once(httpRequest, 'response')).rejects.toThrow('socket hang up')
})

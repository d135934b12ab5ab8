/** What happens to a container's connection when its client disconnects. The rest of the proxy is in proxy.db.test.ts. */
import { EventEmitter } from 'node:events'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Http } from '../http/route.ts'
import { proxyRoutes } from './proxy.routes.ts'
import type { Admitted, Tunnels } from './tunnels.ts'

const bound = vi.hoisted((): unknown[] => [])
vi.mock('../http/route.ts', () => ({ socketRoute: (_http: unknown, _call: unknown, serve: unknown) => void bound.push(serve) }))

const [abandon, join, terminate, debug] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()]
const target = { host: '10.0.0.2', port: 80 }
const admitted = { containerId: 'container', target, abandon } as unknown as Admitted
/** Runs while the container is dialled. */
let meanwhile: () => void = () => undefined
let socket: EventEmitter & { destroyed: boolean; remotePort: number }
beforeEach(() => {
  bound.length = 0
  vi.clearAllMocks()
  meanwhile = () => undefined
  socket = Object.assign(new EventEmitter(), { destroyed: false, remotePort: 4000 })
})
const leave = () => {
  socket.destroyed = true
  socket.emit('close')
}
const client = { terminate }
function bind() {
  const admit = async () => {
    meanwhile()
    return admitted
  }
  proxyRoutes({} as Http, { admit, join } as unknown as Tunnels)
  const request = { ws: true, params: { guid: 'ID' }, raw: { socket }, ip: '192.0.2.1', log: { debug } }
  const serve = bound[0] as {
    mayOpen(request: unknown, query: unknown): Promise<void>
    opened(client: unknown, request: unknown): void
  }
  return { mayOpen: () => serve.mayOpen(request, {}), open: () => serve.opened(client, request) }
}
const became = () => [abandon, join, terminate].map(({ mock }) => mock.calls.length)

test('a client that disconnects during the dial leaves no connection to the container', async () => {
  meanwhile = leave
  const { mayOpen, open } = bind()
  await mayOpen()
  expect(became()).toEqual([1, 0, 0])
  expect(socket.listenerCount('close')).toBe(0)
  open()
  expect(became()).toEqual([1, 0, 1])
})

test('a client that disconnects between the dial and the upgrade leaves none either', async () => {
  const { mayOpen } = bind()
  await mayOpen()
  expect(became()).toEqual([0, 0, 0])
  leave()
  expect(became()).toEqual([1, 0, 0])
})

test('a client that stays is connected once, and the tunnel handles its end', async () => {
  const { mayOpen, open } = bind()
  await mayOpen()
  open()
  leave()
  expect(became()).toEqual([0, 1, 0])
  const [, , from, closed] = join.mock.calls[0]!
  expect(from).toEqual({ address: '192.0.2.1', port: 4000 })
  closed({ in: 3, out: 5 })
  const line = { container: 'containe', client: '192.0.2.1', target: '10.0.0.2:80', in: 3, out: 5 }
  expect(debug.mock.calls).toEqual([[line, 'tunnel']])
})

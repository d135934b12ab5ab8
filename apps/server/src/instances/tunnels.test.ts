/** What a connection is joined with, and that it is forgotten after it. The rest is in proxy.db.test.ts. */
import { once } from 'node:events'
import { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { TunnelOptions } from './tunnel.ts'
import { openTunnels, type Tunnels } from './tunnels.ts'

const joined = vi.hoisted((): TunnelOptions[] => [])
const ended = vi.hoisted(() => vi.fn())
vi.mock('./tunnel.ts', () => ({
  openTunnel: (options: TunnelOptions) => {
    joined.push(options)
    return { end: ended, held: () => 7 }
  },
}))

const config = { proxyIdleMinutes: 3, proxyTotalMinutes: 45 }
const openThem = () => openTunnels({ bus: openInProcessBus(() => undefined), config } as unknown as Deps)
const admitted = (container = new Socket()) => ({
  id: 'connection',
  containerId: 'container',
  container,
  target: { host: '127.0.0.1', port: 1, capture: null },
  abandon: () => undefined,
})
const client = {} as Parameters<Tunnels['join']>[0]
const from = { address: '192.0.2.1', port: 2 }

test('P7.100 a connection has the limits for silence and for its whole time that are configured, and is ended with the platform', async () => {
  const tunnels = openThem()
  tunnels.join(client, admitted(), from, () => undefined)
  expect(joined.splice(0)).toMatchObject([{ idleMs: 180_000, totalMs: 2_700_000 }])
  await tunnels.close()
  expect(ended.mock.calls).toEqual([[1001]])
})

test('a connection hears what the unfinished messages of all connections to its container hold', async () => {
  const tunnels = openThem()
  for (const [id, containerId] of [
    ['first', 'container'],
    ['second', 'container'],
    ['third', 'another'],
  ] as const)
    tunnels.join(client, { ...admitted(), id, containerId }, from, () => undefined)
  expect(joined.splice(0).map(({ heldTogether }) => heldTogether())).toEqual([14, 14, 7])
  await tunnels.close()
})

test('a connection that closed is not kept', async () => {
  const tunnels = openThem()
  const said = vi.fn()
  tunnels.join(client, admitted(), from, said)
  joined.splice(0)[0]?.closed({ in: 1, out: 2 })
  expect(said.mock.calls).toEqual([[{ in: 1, out: 2 }]])
  ended.mockClear()
  await tunnels.close()
  expect(ended).not.toHaveBeenCalled()
})

test('a connection of the visitor’s own kind has the same limits, and is not kept after it closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tunnels = openThem()
  const [silent, long] = [admitted().container, admitted().container]
  tunnels.carry(admitted(silent), from)
  expect(silent.timeout).toBe(180_000)
  silent.emit('timeout')
  await once(silent, 'close')
  expect(vi.getTimerCount()).toBe(0)
  tunnels.carry(admitted(long), from)
  vi.advanceTimersByTime(2_699_999)
  expect(long.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(long.destroyed).toBe(true)
  await once(long, 'close')
  vi.useRealTimers()
  const destroys = [silent, long].map((container) => vi.spyOn(container, 'destroy'))
  await tunnels.close()
  for (const destroy of destroys) expect(destroy).not.toHaveBeenCalled()
})

/** What a connection is joined with: the limits of the configuration. The rest is in proxy.db.test.ts. */
import type { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { Deps } from '../deps.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { TunnelOptions } from './tunnel.ts'
import { openTunnels, type Tunnels } from './tunnels.ts'

const joined = vi.hoisted((): TunnelOptions[] => [])
vi.mock('./tunnel.ts', () => ({
  openTunnel: (options: TunnelOptions) => {
    joined.push(options)
    return { end: () => undefined, held: () => 7 }
  },
}))

test('a connection has the limits that are configured for silence and its whole time, and hears what those to its container hold', async () => {
  const config = { proxyIdleMinutes: 3, proxyTotalMinutes: 45 }
  const deps = { bus: openInProcessBus(() => undefined), config } as unknown as Deps
  const tunnels = openTunnels(deps)
  const admitted = {
    id: 'connection',
    containerId: 'container',
    container: {} as Socket,
    target: { host: '127.0.0.1', port: 1, capture: null },
    abandon: () => undefined,
  }
  const join = (more: { id?: string; containerId?: string }) => {
    const client = {} as Parameters<Tunnels['join']>[0]
    tunnels.join(client, { ...admitted, ...more }, { address: '192.0.2.1', port: 2 }, () => undefined)
  }
  join({})
  join({ id: 'second' })
  join({ id: 'third', containerId: 'another' })
  expect(joined[0]).toMatchObject({ idleMs: 180_000, totalMs: 2_700_000 })
  expect(joined.map(({ heldTogether }) => heldTogether())).toEqual([14, 14, 7])
  await tunnels.close()
})

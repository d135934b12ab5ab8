/** What a connection is joined with: the limits of the configuration. The rest is in proxy.db.test.ts. */
import type { Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import type { Deps } from '../deps.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import type { TunnelOptions } from './tunnel.ts'
import { openTunnels } from './tunnels.ts'

const joined = vi.hoisted((): TunnelOptions[] => [])
vi.mock('./tunnel.ts', () => ({
  openTunnel: (options: TunnelOptions) => {
    joined.push(options)
    return { end: () => undefined }
  },
}))

test('a connection has the limits for silence and for its whole time that are configured', async () => {
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
  tunnels.join({} as WebSocket, admitted, { address: '192.0.2.1', port: 2 }, () => undefined)
  expect(joined).toMatchObject([{ idleMs: 180_000, totalMs: 2_700_000 }])
  await tunnels.close()
})

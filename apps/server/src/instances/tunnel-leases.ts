/** Open connections through the proxy as leased database rows, so that connections of a dead node do not count. */
import { tunnelLimits } from '@vexil/core/limits'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import type { Tunnel } from './tunnel.ts'
import { enterTunnel, leaveTunnel, renewTunnels, type TunnelRequest, type TunnelTarget } from './tunnels.queries.ts'

export interface TunnelLeases {
  /** @throws ProxyTargetNotFound, ProxyTooManyConnections */
  enter(id: string, containerId: string, request: TunnelRequest): Promise<TunnelTarget>
  leave(id: string): Promise<void>
  /** Renews the leases at once, if there are any: a container may have ended. */
  checkSoon(): void
  close(): Promise<void>
}

/** `open`: tunnels by id. Closes those whose container has ended. */
export function openTunnelLeases(
  { db, onError }: Pick<Deps, 'db' | 'onError'>,
  open: ReadonlyMap<string, Pick<Tunnel, 'end'>>,
): TunnelLeases {
  /** Containers by tunnel. */
  const counted = new Map<string, string>()

  async function leave(id: string): Promise<void> {
    if (!counted.delete(id)) return
    await leaveTunnel(db, id).catch(onError)
  }

  async function renew(): Promise<void> {
    // Excludes tunnels that open during the query.
    const listed = [...open]
    const alive = await renewTunnels(db, new Map(counted))
    // The query may have stored the rows of tunnels again that ended meanwhile.
    const over = [...alive].filter((id) => !counted.has(id))
    for (const [id, tunnel] of listed) if (!alive.has(id)) tunnel.end(1001)
    for (const id of over) await leaveTunnel(db, id)
  }
  let checking: Promise<void> = Promise.resolve()
  const check = () => {
    checking = checking.then(renew).catch(onError)
    return checking
  }
  const timer = every(tunnelLimits.lease / 3, check, onError)

  return {
    async enter(id, containerId, request) {
      const target = await enterTunnel(db, id, containerId, request)
      counted.set(id, containerId)
      return target
    },
    leave,
    checkSoon() {
      if (counted.size > 0) void check()
    },
    async close() {
      await timer.close()
      await checking
      for (const id of [...counted.keys()]) await leave(id)
    },
  }
}

/** All connections through the proxy on this node: counts and leases them, and closes them with their container. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProxyAddressUnknown, ProxyNodeStopping, ProxyOff, ProxyTargetNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import type { Capture } from './capture.ts'
import { listenIn, openCaptures } from './capture-tunnel.ts'
import { openKnownTargets } from './known-targets.ts'
import type { End } from './pcap.ts'
import { dial, openTunnel, type Tunnel, type TunnelOptions } from './tunnel.ts'
import { openTunnelLeases, type TunnelLeases } from './tunnel-leases.ts'
import type { TunnelRequest, TunnelTarget } from './tunnels.queries.ts'

export interface Admitted {
  readonly id: string
  readonly containerId: string
  readonly container: Socket
  readonly target: TunnelTarget
  abandon(): void
}

export interface Tunnels {
  /** @throws ProxyOff, ProxyTargetNotFound */
  find(containerId: string, request: TunnelRequest): Promise<void>
  /** @throws ProxyOff, ProxyTargetNotFound, ProxyTooManyConnections, ProxyAddressUnknown, ProxyNodeStopping, ProxyUnreachable */
  admit(containerId: string, request: TunnelRequest): Promise<Admitted>
  /** `from`: the client's address and port for the capture; `closed` receives the bytes from and to the client. */
  join(client: Pick<TunnelOptions, 'client' | 'stream'>, admitted: Admitted, from: End, closed: TunnelOptions['closed']): void
  /** For callers that use TCP directly: a connection that is limited and captured like a tunnel. */
  relay(admitted: Admitted, from: End): Socket
  /** Open connections. */
  count(): number
  /** Refuses new connections, and resolves when the open ones have ended or after the given milliseconds. */
  drain(ms: number): Promise<void>
  close(): Promise<void>
}

type OpenTunnel = { readonly containerId: string } & Tunnel

function heldFor(open: ReadonlyMap<string, OpenTunnel>, containerId: string): { container: number; all: number } {
  const sum = { container: 0, all: 0 }
  for (const tunnel of open.values()) {
    const held = tunnel.held()
    sum.all += held
    if (tunnel.containerId === containerId) sum.container += held
  }
  return sum
}

async function admit(
  { engine, leases }: Pick<Deps, 'engine'> & { readonly leases: TunnelLeases },
  containerId: string,
  request: TunnelRequest,
): Promise<Admitted> {
  const id = randomUUID()
  try {
    const target = await leases.enter(id, containerId, request)
    if (!engine.reaches(target.host)) throw new ProxyAddressUnknown()
    const container = await dial(target.host, target.port)
    const abandon = () => {
      container.destroy()
      void leases.leave(id)
    }
    return { id, containerId, container, target, abandon }
  } catch (error) {
    await leases.leave(id)
    throw error
  }
}

/** Milliseconds at the shutdown for the captures of open connections. */
const finishWithin = 1_000

export function openTunnels(deps: Pick<Deps, 'db' | 'bus' | 'log' | 'config' | 'engine' | 'onError'>): Tunnels {
  const { db, bus, config, engine, onError } = deps
  const open = new Map<string, OpenTunnel>()
  const leases = openTunnelLeases(deps, open)
  const targets = openKnownTargets(db)
  const captureOf = openCaptures(deps)
  /** Until they are complete. */
  const captures = new Set<Capture>()
  let allFinished: (() => void) | null = null
  let draining = false
  const allEnded = Promise.withResolvers<void>()

  bus.subscribe('instance.changed', () => {
    targets.forget()
    leases.checkSoon()
  })

  async function find(containerId: string, request: TunnelRequest): Promise<void> {
    if (engine.kind === 'None' || config.containerPorts !== 'PlatformProxy') throw new ProxyOff()
    if (!(await targets.has(containerId, request))) throw new ProxyTargetNotFound()
  }

  function over(id: string, capture: Capture | null): void {
    open.delete(id)
    if (draining && open.size === 0) allEnded.resolve()
    if (capture) void finish(capture)
    void leases.leave(id)
  }

  function capturing(from: End, admitted: Admitted): Capture | null {
    const capture = captureOf(from, admitted)
    if (capture) captures.add(capture)
    return capture
  }

  async function finish(capture: Capture): Promise<void> {
    await capture.close().catch(onError)
    captures.delete(capture)
    if (captures.size === 0) allFinished?.()
  }

  return {
    find,
    async admit(containerId, request) {
      if (draining) throw new ProxyNodeStopping()
      await find(containerId, request)
      return admit({ engine, leases }, containerId, request)
    },
    join(client, admitted, from, closed) {
      const { id, container, containerId } = admitted
      const capture = capturing(from, admitted)
      const tunnel = openTunnel({
        ...client,
        container,
        heldTogether: () => heldFor(open, containerId),
        idleMs: config.proxyIdleMinutes * 60_000,
        totalMs: config.proxyTotalMinutes * 60_000,
        ...(capture && { passed: capture.write }),
        closed: (bytes) => {
          closed(bytes)
          over(id, capture)
        },
      })
      open.set(id, { ...tunnel, containerId })
    },
    relay(admitted, from) {
      const { id, container, containerId } = admitted
      const capture = capturing(from, admitted)
      if (capture) listenIn(container, capture)
      const end = () => void container.destroy()
      const total = setTimeout(end, config.proxyTotalMinutes * 60_000).unref()
      container.setTimeout(config.proxyIdleMinutes * 60_000, end)
      const ended = () => {
        clearTimeout(total)
        over(id, capture)
      }
      // The TCP caller has its own flow control, so nothing is held.
      open.set(id, { containerId, held: () => 0, end })
      // The container may have ended after the dial.
      if (container.closed) ended()
      else container.on('close', ended)
      return container
    },
    count: () => open.size,
    async drain(ms) {
      draining = true
      if (open.size === 0 || ms === 0) return
      const late = setTimeout(allEnded.resolve, ms)
      await allEnded.promise
      clearTimeout(late)
    },
    async close() {
      for (const tunnel of open.values()) tunnel.end(1001)
      if (captures.size > 0) {
        const finished = Promise.withResolvers<void>()
        allFinished = finished.resolve
        await Promise.race([finished.promise, sleep(finishWithin, undefined, { ref: false })])
      }
      await leases.close()
    },
  }
}

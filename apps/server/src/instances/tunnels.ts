/** All connections through the proxy on this node: counted, leased, and closed with their container. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { tunnelLimits } from '@vexil/core/limits'
import { ProxyAddressUnknown, ProxyOff, ProxyTargetNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { type Capture, openCapture } from './capture.ts'
import { captureFolder, hasRoom } from './captures.ts'
import type { End } from './pcap.ts'
import { dial, openTunnel, type Tunnel, type TunnelOptions } from './tunnel.ts'
import { enterTunnel, isReachable, leaveTunnel, renewTunnels, type TunnelTarget } from './tunnels.queries.ts'

/** A counted connection whose container has been reached. It is joined with its client or abandoned. */
export interface Admitted {
  readonly id: string
  readonly containerId: string
  readonly container: Socket
  readonly target: TunnelTarget
  abandon(): void
}

export interface Tunnels {
  /** Is there such a container? @throws ProxyOff, ProxyTargetNotFound */
  find(containerId: string, options: { test: boolean }): Promise<void>
  /** @throws ProxyOff, ProxyTargetNotFound, ProxyTooManyConnections, ProxyAddressUnknown, ProxyUnreachable */
  admit(containerId: string, options: { test: boolean }): Promise<Admitted>
  /** `from` is the client's address and port as the capture shows them; `closed` hears the bytes from and to the client. */
  join(client: Pick<TunnelOptions, 'client' | 'stream'>, admitted: Admitted, from: End, closed: TunnelOptions['closed']): void
  /** For what speaks TCP itself: the connection, which ends as a tunnel does and is captured as one. */
  carry(admitted: Admitted, from: End): Socket
  close(): Promise<void>
}

export function openTunnels(deps: Pick<Deps, 'db' | 'bus' | 'log' | 'config' | 'engine' | 'report'>): Tunnels {
  const { db, bus, config, engine, report } = deps
  const open = new Map<string, { readonly containerId: string } & Tunnel>()
  /** Counted, dialled or not. */
  const counted = new Set<string>()
  const known = new Map<string, { readonly there: Promise<boolean>; readonly until: number }>()

  /** Asked again after some seconds, so that guesses cost no query each. */
  function isThere(containerId: string, test: boolean): Promise<boolean> {
    const key = `${test} ${containerId}`
    const now = performance.now()
    for (const [old, { until }] of known) {
      if (until > now) break
      known.delete(old)
    }
    const kept = known.get(key)
    if (kept) return kept.there
    const there = isReachable(db, containerId, { test })
    const asked = { there, until: now + tunnelLimits.knownFor }
    known.set(key, asked)
    // A database that was away is asked again at once.
    there.catch(() => known.get(key) === asked && known.delete(key))
    return there
  }

  function heldFor(containerId: string): { container: number; all: number } {
    const sum = { container: 0, all: 0 }
    for (const tunnel of open.values()) {
      const held = tunnel.held()
      sum.all += held
      if (tunnel.containerId === containerId) sum.container += held
    }
    return sum
  }

  async function leave(id: string): Promise<void> {
    if (!counted.delete(id)) return
    await leaveTunnel(db, id).catch(report)
  }

  async function check(): Promise<void> {
    // One that opens while the database answers was not asked for.
    const asked = [...open]
    const alive = await renewTunnels(db, [...counted])
    for (const [id, tunnel] of asked) if (!alive.has(id)) tunnel.end(1001)
  }
  let checking: Promise<void> = Promise.resolve()
  const checkSoon = () => {
    checking = checking.then(check).catch(report)
  }
  const timer = setInterval(checkSoon, tunnelLimits.lease / 3).unref()
  bus.subscribe('instance.changed', () => {
    known.clear()
    if (counted.size > 0) checkSoon()
  })

  function captureOf(from: End, { containerId, container, target }: Admitted): Capture | null {
    if (!target.capture) return null
    const { facts, participationId } = target.capture
    return openCapture({
      folder: captureFolder(config.dataDir, facts.ChallengeId, participationId),
      containerId,
      facts,
      client: from,
      container: { address: container.remoteAddress ?? target.host, port: target.port },
      hasRoom: () => hasRoom(config.dataDir),
      failed: (error) => {
        const message = `Could not capture traffic of ${facts.Challenge} (#${facts.ChallengeId}): ${(error as Error).message}`
        deps.log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
      },
    })
  }

  async function find(containerId: string, { test }: { test: boolean }): Promise<void> {
    if (engine.kind === 'None' || config.containerPorts !== 'PlatformProxy') throw new ProxyOff()
    if (!(await isThere(containerId, test))) throw new ProxyTargetNotFound()
  }

  return {
    find,
    async admit(containerId, { test }) {
      await find(containerId, { test })
      const id = randomUUID()
      counted.add(id)
      try {
        const target = await enterTunnel(db, id, containerId, { test })
        if (!engine.reaches(target.host)) throw new ProxyAddressUnknown()
        const container = await dial(target.host, target.port)
        const abandon = () => {
          container.destroy()
          void leave(id)
        }
        return { id, containerId, container, target, abandon }
      } catch (error) {
        await leave(id)
        throw error
      }
    },
    join(client, admitted, from, closed) {
      const { id, container, containerId } = admitted
      const capture = captureOf(from, admitted)
      const tunnel = openTunnel({
        ...client,
        container,
        heldTogether: () => heldFor(containerId),
        idleMs: config.proxyIdleMinutes * 60_000,
        totalMs: config.proxyTotalMinutes * 60_000,
        ...(capture && { passed: capture.write }),
        closed: (bytes) => {
          closed(bytes)
          open.delete(id)
          void capture?.close().catch(report)
          void leave(id)
        },
      })
      open.set(id, { ...tunnel, containerId })
    },
    carry(admitted, from) {
      const { id, container, containerId } = admitted
      const capture = captureOf(from, admitted)
      if (capture) listenIn(container, capture)
      const end = () => void container.destroy()
      const total = setTimeout(end, config.proxyTotalMinutes * 60_000).unref()
      container.setTimeout(config.proxyIdleMinutes * 60_000, end)
      const over = () => {
        clearTimeout(total)
        open.delete(id)
        void capture?.close().catch(report)
        void leave(id)
      }
      // What speaks TCP waits for the container itself.
      open.set(id, { containerId, held: () => 0, end })
      // It may have ended between the dial and here.
      if (container.closed) over()
      else container.on('close', over)
      return container
    },
    async close() {
      clearInterval(timer)
      for (const tunnel of open.values()) tunnel.end(1001)
      await checking
      for (const id of [...counted]) await leave(id)
    },
  }
}

/** Passes all bytes that are written to a connection and read from it to a capture. */
function listenIn(container: Socket, capture: Capture): void {
  container.on('data', (chunk: Buffer) => capture.write('out', chunk))
  const write = container.write.bind(container) as (...args: unknown[]) => boolean
  container.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8'
    capture.write('in', typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    return write(chunk, ...rest)
  }) as Socket['write']
}

/** All connections through the proxy on this node: counted, leased, and closed with their container. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { tunnelLimits } from '@vexil/core/limits'
import { ProxyAddressUnknown, ProxyOff, ProxyTargetNotFound } from '@vexil/core/rules'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Deps } from '../deps.ts'
import { type Capture, openCapture } from './capture.ts'
import { captureFolder, hasRoom } from './captures.ts'
import { dial, openTunnel, type Tunnel } from './tunnel.ts'
import { enterTunnel, isReachable, leaveTunnel, renewTunnels, type TunnelTarget } from './tunnels.queries.ts'

export interface Tunnels {
  /** Before the upgrade; without one (`tunnel` false) it only says whether something is there. @throws ProxyOff and the rest of proxy.… */
  admit(request: FastifyRequest, containerId: string, options: { test: boolean; tunnel: boolean }): Promise<void>
  join(client: WebSocket, request: FastifyRequest): void
  close(): Promise<void>
}

interface Admitted {
  readonly id: string
  readonly containerId: string
  readonly container: Socket
  readonly target: TunnelTarget
  readonly leave: () => void
}

export function openTunnels(deps: Pick<Deps, 'db' | 'bus' | 'log' | 'config' | 'engine' | 'report'>): Tunnels {
  const { db, bus, config, engine, report } = deps
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const open = new Map<string, Tunnel>()
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
    if (kept && kept.until > now) return kept.there
    const there = isReachable(db, containerId, { test })
    known.delete(key)
    known.set(key, { there, until: now + tunnelLimits.knownFor })
    return there
  }

  async function leave(id: string): Promise<void> {
    if (!counted.delete(id)) return
    await leaveTunnel(db, id).catch(report)
  }

  async function check(): Promise<void> {
    const alive = await renewTunnels(db, [...counted])
    for (const [id, tunnel] of open) if (!alive.has(id)) tunnel.end(1001)
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

  function captureOf(request: FastifyRequest, { containerId, container, target }: Admitted): Capture | null {
    if (!target.capture) return null
    const { facts, participationId } = target.capture
    const { remoteAddress = '', remotePort = 0 } = request.raw.socket
    return openCapture({
      folder: captureFolder(config.dataDir, facts.ChallengeId, participationId),
      containerId,
      facts,
      client: { address: request.caller.ip || remoteAddress, port: remotePort },
      container: { address: container.remoteAddress ?? target.host, port: target.port },
      hasRoom: () => hasRoom(config.dataDir),
      failed: (error) => {
        const message = `Traffic of ${facts.Challenge} (#${facts.ChallengeId}) could not be captured: ${(error as Error).message}`
        deps.log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
      },
    })
  }

  return {
    async admit(request, containerId, { test, tunnel }) {
      if (engine.kind === 'None' || config.containerPorts !== 'PlatformProxy') throw new ProxyOff()
      if (!(await isThere(containerId, test))) throw new ProxyTargetNotFound()
      if (!tunnel) return
      const id = randomUUID()
      counted.add(id)
      try {
        const target = await enterTunnel(db, id, containerId, { test })
        if (!engine.reaches(target.host)) throw new ProxyAddressUnknown()
        const container = await dial(target.host, target.port)
        const gone = () => {
          container.destroy()
          void leave(id)
        }
        // A client that goes before the upgrade leaves nothing open.
        request.raw.socket.once('close', gone)
        admitted.set(request, { id, containerId, container, target, leave: () => request.raw.socket.off('close', gone) })
        if (request.raw.socket.destroyed) gone()
      } catch (error) {
        await leave(id)
        throw error
      }
    },
    join(client, request) {
      const here = admitted.get(request)
      if (!here) return client.terminate()
      here.leave()
      const capture = captureOf(request, here)
      const { id, container, target } = here
      const tunnel = openTunnel({
        client,
        container,
        idleMs: config.proxyIdleMinutes * 60_000,
        totalMs: config.proxyTotalMinutes * 60_000,
        ...(capture && { passed: capture.write }),
        closed: (bytes) => {
          open.delete(id)
          void capture?.close().catch(report)
          void leave(id)
          const line = { container: here.containerId.slice(0, 8), client: request.caller.ip, target, ...bytes }
          request.log.debug({ ...line, target: `${target.host}:${target.port}` }, 'tunnel')
        },
      })
      open.set(id, tunnel)
    },
    async close() {
      clearInterval(timer)
      for (const tunnel of open.values()) tunnel.end(1001)
      await checking
      for (const id of [...counted]) await leave(id)
    },
  }
}

import type { Query } from '@vexil/contract/endpoint'
import * as contract from '@vexil/contract/instances'
import type { FastifyRequest } from 'fastify'
import { callerIp } from '../http/network.ts'
import { type Http, socketRoute } from '../http/route.ts'
import type { Admitted, Tunnels } from './tunnels.ts'

/** Tunnels to containers, for everyone who knows the GUID. A request without an upgrade checks that the container exists, or with `connect` that it can be reached. */
export function proxyRoutes(http: Http, tunnels: Tunnels): void {
  const waiting = new WeakMap<FastifyRequest, Admitted>()

  async function admit(request: FastifyRequest, test: boolean, connect: boolean): Promise<void> {
    const { guid, name = null } = request.params as { guid: string; name?: string }
    const [id, wanted] = [guid.toLowerCase(), { test, name }]
    if (!request.ws) return connect ? (await tunnels.admit(id, wanted)).abandon() : tunnels.find(id, wanted)
    const admitted = await tunnels.admit(id, wanted)
    const { socket } = request.raw
    // Closes the admitted connection if the client disconnects before the upgrade.
    if (socket.destroyed) return admitted.abandon()
    socket.once('close', () => waiting.has(request) && admitted.abandon())
    waiting.set(request, admitted)
  }

  for (const [call, test] of [
    [contract.proxyInstance, false],
    [contract.proxyTestContainer, true],
    [contract.proxyNamedPort, false],
    [contract.proxyNamedTestPort, true],
  ] as const) {
    socketRoute(http, call, {
      mayOpen: (request, query) => admit(request, test, (query as Query<typeof call>).connect === true),
      plain: (reply) => reply.code(204).send(),
      opened(client, request) {
        const admitted = waiting.get(request)
        waiting.delete(request)
        if (!admitted) return client.terminate()
        const from = { address: callerIp(request), port: request.raw.socket.remotePort ?? 0 }
        const { containerId, target } = admitted
        tunnels.join({ client, stream: request.raw.socket }, admitted, from, (bytes) => {
          const about = { container: containerId.slice(0, 8), client: from.address, target: `${target.host}:${target.port}` }
          request.log.debug({ ...about, ...bytes }, 'tunnel')
        })
      },
    })
  }
}

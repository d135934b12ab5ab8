import * as contract from '@vexil/contract/instances'
import type { FastifyRequest } from 'fastify'
import { type Http, socketRoute } from '../http/route.ts'
import type { Tunnels } from './tunnels.ts'

/** Tunnels to containers. Whoever knows the GUID may connect; a request without an upgrade asks whether something is there. */
export function proxyRoutes(http: Http, tunnels: Tunnels): void {
  for (const [call, test] of [
    [contract.proxyInstance, false],
    [contract.proxyTestContainer, true],
  ] as const) {
    socketRoute(http, call, {
      mayOpen: (request: FastifyRequest) =>
        tunnels.admit(request, (request.params as { guid: string }).guid.toLowerCase(), { test, tunnel: request.ws === true }),
      plain: (reply) => reply.code(204).send(),
      opened: tunnels.join,
    })
  }
}

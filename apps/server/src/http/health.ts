/** `/healthz` and `/healthz/ready`, without login. */
import { health, readiness } from '@vexil/contract/pages'
import type { FastifyReply } from 'fastify'
import { type Http, route } from './route.ts'

/**
 * `answers` and `isWritable` are called at each probe and must cost nothing. A full disk makes a node only not ready, since a restart does not help.
 * A draining node serves, is not ready, and closes connections after each answer.
 */
export function healthRoutes(http: Http, answers: () => boolean, isWritable: () => boolean): { drain(): void } {
  let state: 'starting' | 'serving' | 'draining' = 'starting'
  http.app.addHook('onListen', async () => {
    state = 'serving'
  })
  http.app.addHook('onSend', (_request, reply, _payload, done) => {
    if (state === 'draining') reply.header('connection', 'close')
    done()
  })
  const respond = (reply: FastifyReply, well: boolean) =>
    reply
      .code(well ? 200 : 503)
      .type('text/plain')
      .send(well ? 'Healthy' : 'Unhealthy')

  route(http, health, async ({ reply }) => respond(reply, answers()))
  route(http, readiness, async ({ reply }) => respond(reply, state === 'serving' && answers() && isWritable()))

  return {
    drain: () => {
      state = 'draining'
    },
  }
}

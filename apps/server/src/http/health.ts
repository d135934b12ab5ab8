/** `/healthz` and `/healthz/ready`, for everybody. */
import { health, readiness } from '@vexil/contract/pages'
import type { FastifyReply } from 'fastify'
import { type Http, route } from './route.ts'

/**
 * `answers` must cost nothing: it is asked as often as anybody likes. While the node drains it still serves, is not ready, and asks
 * every caller to close the connection, so that none is cut later without an answer.
 */
export function healthRoutes(http: Http, answers: () => boolean): { drain(): void } {
  let state: 'starting' | 'serving' | 'draining' = 'starting'
  http.app.addHook('onListen', async () => {
    state = 'serving'
  })
  http.app.addHook('onSend', (_request, reply, _payload, done) => {
    if (state === 'draining') reply.header('connection', 'close')
    done()
  })
  const say = (reply: FastifyReply, well: boolean) =>
    reply
      .code(well ? 200 : 503)
      .type('text/plain')
      .send(well ? 'Healthy' : 'Unhealthy')

  route(http, health, async ({ reply }) => say(reply, answers()))
  route(http, readiness, async ({ reply }) => say(reply, state === 'serving' && answers()))

  return {
    /** From here on no new work is wanted. */
    drain: () => {
      state = 'draining'
    },
  }
}

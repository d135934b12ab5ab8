/** `/healthz` and `/healthz/ready`, for everybody. */
import { health, readiness } from '@vexil/contract/pages'
import type { FastifyReply } from 'fastify'
import { type Http, route } from './route.ts'

/**
 * `answers` (the database answers) and `isWritable` (it takes writes) must cost nothing: they are asked at each probe. `/healthz` is the liveness
 * probe, so a full disk, which a restart does not mend, makes a node only not ready. While the node drains it still serves, is not ready, and
 * asks every caller to close the connection, so that none is cut later without an answer.
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
  const say = (reply: FastifyReply, well: boolean) =>
    reply
      .code(well ? 200 : 503)
      .type('text/plain')
      .send(well ? 'Healthy' : 'Unhealthy')

  route(http, health, async ({ reply }) => say(reply, answers()))
  route(http, readiness, async ({ reply }) => say(reply, state === 'serving' && answers() && isWritable()))

  return {
    /** From here on no new work is wanted. */
    drain: () => {
      state = 'draining'
    },
  }
}

import type { FastifyInstance, FastifyReply } from 'fastify'

/** `/healthz` and `/healthz/ready`, for everybody. `answers` must cost nothing: it is asked as often as anybody likes. */
export function healthRoutes(app: FastifyInstance, answers: () => boolean): { drain(): void } {
  let state: 'starting' | 'serving' | 'draining' = 'starting'
  app.addHook('onListen', async () => {
    state = 'serving'
  })
  const say = (reply: FastifyReply, well: boolean) =>
    reply
      .code(well ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('text/plain')
      .send(well ? 'Healthy' : 'Unhealthy')

  app.get('/healthz', async (_request, reply) => say(reply, answers()))
  app.get('/healthz/ready', async (_request, reply) => say(reply, state === 'serving' && answers()))

  return {
    /** From here on no new work is wanted. */
    drain: () => {
      state = 'draining'
    },
  }
}

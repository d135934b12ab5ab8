import type { FastifyRequest } from 'fastify'

/** Whether the caller asks for an answer before the work is done (`Prefer: respond-async`, RFC 7240, in any case and among others). */
export function prefersAsync({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return [headers.prefer ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .some((one) => one.split(';')[0]?.trim().toLowerCase() === 'respond-async')
}

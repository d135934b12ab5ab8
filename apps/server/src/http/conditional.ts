import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'

/** Sets the ETag and time of an answer. True if the client has this version: answer 304. Its ETag takes precedence over its time. */
export function isHeld({ headers }: FastifyRequest, reply: FastifyReply, etag: string, modified?: Date): boolean {
  reply.header('etag', etag)
  if (modified) reply.header('last-modified', modified.toUTCString())
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  const conditions = {
    ...(tags !== undefined && { 'if-none-match': tags }),
    ...(since !== undefined && { 'if-modified-since': since }),
  }
  const isFresh = fresh(conditions, { etag, ...(modified && { 'last-modified': modified.toUTCString() }) })
  if (isFresh) reply.code(304)
  return isFresh
}

/** Conditional requests, in one place. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'

/**
 * Names the version of an answer by its tag (with its quotes, weak or strong) and by its time where it has one. True when the reader has this
 * version: the answer is then a 304 without a body. A reader that sends a tag is not judged by the time.
 */
export function isHeld({ headers }: FastifyRequest, reply: FastifyReply, etag: string, modified?: Date): boolean {
  reply.header('etag', etag)
  if (modified) reply.header('last-modified', modified.toUTCString())
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  const asked = {
    ...(tags !== undefined && { 'if-none-match': tags }),
    ...(since !== undefined && { 'if-modified-since': since }),
  }
  const isFresh = fresh(asked, { etag, ...(modified && { 'last-modified': modified.toUTCString() }) })
  if (isFresh) reply.code(304)
  return isFresh
}

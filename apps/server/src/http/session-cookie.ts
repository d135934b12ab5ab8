/** The session cookie: opaque, HttpOnly, SameSite=Lax, Secure over HTTPS. */
import '@fastify/cookie'
import { sessionLimits } from '@vexil/core/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const cookieName = 'vexil_session'

/** The token that a request brings. A page of another site speaks for nobody. */
export function sessionToken(request: FastifyRequest): string | null {
  if (request.isForeign) return null
  const value = request.cookies[cookieName]
  return value && value.length <= 128 ? value : null
}

const attributes = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' }) as const

export function giveSession(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(cookieName, token, { ...attributes(request), maxAge: sessionLimits.life / 1000 })
  reply.header('cache-control', 'no-cache, no-store').header('pragma', 'no-cache')
}

export function takeSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName, attributes(request))
}

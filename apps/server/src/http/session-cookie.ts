/** The session cookie: opaque, HttpOnly, SameSite=Lax, Secure over HTTPS. */
import '@fastify/cookie'
import { sessionLimits } from '@vexil/core/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** The default of VEXIL_SESSION_COOKIE. */
export const cookieName = 'vexil_session'

declare module 'fastify' {
  interface FastifyInstance {
    sessionCookie: { readonly name: string; readonly publicUrl: string }
  }
}

export function nameSessionCookie(app: FastifyInstance, { name, publicUrl }: { name: string; publicUrl: string }): void {
  app.decorate('sessionCookie', { name, publicUrl })
}

/** The token of a request; null for requests from pages of other sites. */
export function sessionToken(request: FastifyRequest): string | null {
  if (request.isForeign) return null
  const value = request.cookies[request.server.sessionCookie.name]
  return value && value.length <= 128 ? value : null
}

/** Over HTTPS, or sent to the host of an https PUBLIC_URL by a proxy that does not forward the protocol. */
export function isSecure(request: FastifyRequest): boolean {
  if (request.protocol === 'https') return true
  const { publicUrl } = request.server.sessionCookie
  const address = `https://${request.host}`
  return publicUrl.startsWith('https:') && URL.canParse(address) && new URL(address).host === new URL(publicUrl).host
}

const attributes = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request) }) as const

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(request.server.sessionCookie.name, token, { ...attributes(request), maxAge: sessionLimits.life / 1000 })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(request.server.sessionCookie.name, attributes(request))
}

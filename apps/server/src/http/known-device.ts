/**
 * A signed cookie identifies a browser that signed in to an account; it grants no access and remains after logout. Guesses from the browser count
 * separately, so that others cannot lock out the owner.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { knownDeviceLife } from '@vexil/core/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSecure, setSessionCookie } from './session-cookie.ts'

export interface DeviceOwner {
  readonly accountId: string
  /** The stored hash: a new password invalidates all devices of the account. */
  readonly passwordHash: string
}

export interface Devices {
  /** The number of a device whose cookie shows a sign-in to this account with this password, or null. */
  known(request: FastifyRequest, owner: DeviceOwner): string | null
  /** Sets the session and device cookies. A known device keeps its number and counters. */
  setCookies(request: FastifyRequest, reply: FastifyReply, to: DeviceOwner & { readonly token: string }): void
}

export const deviceCookie = 'vexil_device'

/** `now`: milliseconds since 1970. */
export function openDevices(secrets: { derive(purpose: string): Buffer }, now: () => number = () => Date.now()): Devices {
  const key = secrets.derive('known devices')
  const sign = ({ accountId, passwordHash }: DeviceOwner, device: string, expires: string): Buffer =>
    createHmac('sha256', key).update(`${accountId}.${device}.${expires}.${passwordHash}`).digest()

  function known(request: FastifyRequest, owner: DeviceOwner): string | null {
    const parts = /^([\w-]{22})\.(\d{1,15})\.([\w-]{43})$/.exec(request.cookies[deviceCookie] ?? '')
    if (!parts) return null
    const [, device, expires, signature] = parts as unknown as [string, string, string, string]
    if (Number(expires) <= now()) return null
    return timingSafeEqual(Buffer.from(signature, 'base64url'), sign(owner, device, expires)) ? device : null
  }

  return {
    known,
    setCookies(request, reply, to) {
      setSessionCookie(request, reply, to.token)
      const device = known(request, to) ?? randomBytes(16).toString('base64url')
      const expires = String(now() + knownDeviceLife)
      const value = `${device}.${expires}.${sign(to, device, expires).toString('base64url')}`
      const maxAge = knownDeviceLife / 1000
      reply.setCookie(deviceCookie, value, { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request), maxAge })
    },
  }
}

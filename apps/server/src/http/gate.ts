import type { Access, Endpoint, EndpointShape } from '@vexil/contract/endpoint'
import { atLeast } from '@vexil/core/accounts'
import { SiteNotSetUp } from '@vexil/core/rules'
import type { Role } from '@vexil/core/vocabulary'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerIp, isLocal, networkOf } from './network.ts'
import { pathOf } from './path.ts'
import type { Limiter } from './rate-limit.ts'
import { RequestError } from './request-errors.ts'
import { sessionToken, setSessionCookie } from './session-cookie.ts'

/** Read from the database for requests that may change something; otherwise at most a second old after a change on another node. */
export interface SignedInAccount {
  readonly id: string
  readonly userName: string
  readonly role: Role
}

/** The session of the request's cookie, valid or not: its token, and the hash of it that is stored. */
export interface CallerSession {
  readonly token: string
  readonly hash: string
}

export interface Caller {
  readonly actor: SignedInAccount | null
  readonly ip: string
  /** The key of limits: the account, otherwise the address. */
  readonly key: string
  readonly session: CallerSession | null
}

export interface Gate {
  /** Null if memory is at most a second older than the database. @throws `server.unavailable` when the database does not answer */
  catchUp(): Promise<void> | null
  /** The account of a session token, or null. `isOld`: the session is due for renewal. */
  findActor(token: string): Promise<{ readonly actor: SignedInAccount; readonly isOld: boolean } | null>
  renew(token: string): Promise<void>
  sessionOf(token: string): string
  /** The account of a cached session; null: call `findActor`. Never due for renewal. */
  knownActor(session: string): SignedInAccount | null
  /** Called when a signed-in caller lacks the role. */
  denied(actor: SignedInAccount, ip: string, path: string): void
  seen(actor: SignedInAccount, ip: string): void
  isSetUp(): Promise<boolean>
}

const leastRole: Record<Exclude<Access, 'anyone'>, Role> = { user: 'User', monitor: 'Monitor', admin: 'Admin' }

export const mayUse = (access: Access, actor: SignedInAccount | null): boolean =>
  access === 'anyone' || (actor !== null && atLeast(actor.role, leastRole[access]))

/**
 * Admits a request or throws, cheapest check first: global limit of the address (429; only without a cookie of an account, so that users behind one
 * address count separately), memory that cannot be compared with the database (503), set-up (503), session, global limit of the account (429), limit of the call (429), login (401), role (403). Costs at
 * most one query, none for a cached account.
 */
export async function admit(
  { gate, limiter }: { readonly gate: Gate; readonly limiter: Limiter },
  { shape }: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const ip = callerIp(request)
  const address = networkOf(ip)
  if (shape.unguarded) return { actor: null, ip, key: address, session: null }
  const token = sessionToken(request)
  const pass = async (key: string) => {
    if (!isLocal(request)) await limiter.pass('global', key)
  }
  if (token === null) await pass(address)
  const behind = gate.catchUp()
  if (behind) await behind
  if (!shape.beforeSetUp && !(await gate.isSetUp())) throw new SiteNotSetUp()
  const session = token === null ? null : { token, hash: gate.sessionOf(token) }
  const actor =
    session &&
    (knownActor(gate, shape, session.hash, request) ?? (await findActor(gate, shape, { token: session.token, request, reply })))
  const key = actor?.id ?? address
  if (token !== null) await pass(key)
  const spent = spendLimit(limiter, shape, key)
  if (spent) await spent
  mayCall(gate, shape.access, actor, request)
  return { actor, ip, key, session }
}

/** A cached account is used only if it has access: refusals always check the database. */
function knownActor(
  gate: Gate,
  { access, sends, testsSession }: EndpointShape,
  session: string,
  request: FastifyRequest,
): SignedInAccount | null {
  const reads = (request.method === 'GET' || request.method === 'HEAD') && sends !== 'socket'
  const actor = reads || testsSession ? gate.knownActor(session) : null
  if (!actor || !mayUse(access, actor)) return null
  gate.seen(actor, callerIp(request))
  return actor
}

/** Renews an old session only if the answer carries its new cookie: files are kept by shared caches, and streams and sockets send their own headers. */
async function findActor(
  gate: Gate,
  { sends }: EndpointShape,
  { token, request, reply }: { readonly token: string; readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<SignedInAccount | null> {
  const found = await gate.findActor(token)
  if (!found) return null
  if (found.isOld && !sends) {
    await gate.renew(token)
    setSessionCookie(request, reply, token)
  }
  gate.seen(found.actor, callerIp(request))
  return found.actor
}

const spendLimit = (limiter: Limiter, { limit }: EndpointShape, key: string) =>
  limit && limit !== 'login' ? limiter.take(limit, key) : undefined

/** 401 without a login, 403 without the role; logs the latter where a staff role is required. */
function mayCall(gate: Gate, access: Access, actor: SignedInAccount | null, request: FastifyRequest): void {
  if (mayUse(access, actor)) return
  if (!actor) throw new RequestError('auth.required')
  if (access !== 'user') gate.denied(actor, callerIp(request), pathOf(request.url))
  throw new RequestError('auth.forbidden')
}

/** Checks login and role again, as at the end of a long upload. Throws as `admit`. */
export async function mustStillBeAllowed(gate: Gate, request: FastifyRequest): Promise<void> {
  const token = sessionToken(request)
  const found = token === null ? null : await gate.findActor(token)
  mayCall(gate, request.routeOptions.config.endpoint?.shape.access ?? 'user', found?.actor ?? null, request)
}

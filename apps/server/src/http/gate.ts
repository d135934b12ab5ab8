/** The gate: what every request passes before a byte of its body is read. */
import type { Access, Endpoint, EndpointShape } from '@vexil/contract/endpoint'
import { atLeast } from '@vexil/core/accounts'
import { SiteNotSetUp } from '@vexil/core/rules'
import type { Role } from '@vexil/core/vocabulary'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerIp, isLocal, networkOf } from './network.ts'
import { pathOf } from './path.ts'
import type { Limiter } from './rate-limit.ts'
import { RequestError } from './request-errors.ts'
import { giveSession, sessionToken } from './session-cookie.ts'

/**
 * An account that calls. Read from the database on every request that may change something, so that a ban or a new role acts at once there;
 * calls that only read may know it from memory, for a second at the most after a right was withdrawn on another node.
 */
export interface SignedInAccount {
  readonly id: string
  readonly userName: string
  readonly role: Role
}

/** Who calls, as the gate found out. */
export interface Caller {
  readonly actor: SignedInAccount | null
  readonly ip: string
  /** What limits count by: the account, else the address. */
  readonly key: string
  /** What the session that the request named is known by; null without one. */
  readonly session: string | null
}

/** What the http room needs to know of the rooms above it. */
export interface Gate {
  /** The account behind a session token, null when there is none (any more). `renewed` asks for a fresh cookie. */
  findActor(token: string): Promise<{ readonly actor: SignedInAccount; readonly renewed: boolean } | null>
  /** What a session is known by: the hexadecimal hash of its token. */
  sessionOf(token: string): string
  /** The account of a session from memory; null: ask `findActor`. Never renewed. */
  knownActor(session: string): SignedInAccount | null
  /** A signed-in caller asked for something above its role. */
  denied(actor: SignedInAccount, ip: string, path: string): void
  /** A signed-in caller was seen. */
  seen(actor: SignedInAccount, ip: string): void
  isSetUp(): Promise<boolean>
}

const leastRole: Record<Exclude<Access, 'anyone'>, Role> = { user: 'User', monitor: 'Monitor', admin: 'Admin' }

/** Whether this account (null: a visitor) may use what requires `access`. */
export const mayUse = (access: Access, actor: SignedInAccount | null): boolean =>
  access === 'anyone' || (actor !== null && atLeast(actor.role, leastRole[access]))

/**
 * Lets a request in or throws, the cheapest refusal first: global limit of the address (429; only for requests without a cookie and for
 * cookies that lead to no account, so that a hall behind one address is not counted together), set-up (503), session, global limit of
 * the account (429), limit of the call (429), login (401), role (403). Costs one query for a request with a cookie whose account is not
 * known from memory, else none.
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
  if (!shape.beforeSetUp && !(await gate.isSetUp())) throw new SiteNotSetUp()
  const session = token === null ? null : gate.sessionOf(token)
  const actor =
    token === null || session === null
      ? null
      : (knownActor(gate, shape, session, request) ?? (await findActor(gate, token, request, reply)))
  const key = actor?.id ?? address
  if (token !== null) await pass(key)
  const spent = spendLimit(limiter, shape, key)
  if (spent) await spent
  mayCall(gate, shape.access, actor, request)
  return { actor, ip, key, session }
}

/** A refusal is never given from memory. */
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

async function findActor(
  gate: Gate,
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedInAccount | null> {
  const found = await gate.findActor(token)
  if (!found) return null
  if (found.renewed) giveSession(request, reply, token)
  gate.seen(found.actor, callerIp(request))
  return found.actor
}

/** The limit of the login counts failures, which the login knows best. */
const spendLimit = (limiter: Limiter, { limit }: EndpointShape, key: string) =>
  limit && limit !== 'login' ? limiter.take(limit, key) : undefined

/** 401 without a login, 403 below the wanted role; the refusal of a signed-in account is logged where a staff role was required. */
function mayCall(gate: Gate, access: Access, actor: SignedInAccount | null, request: FastifyRequest): void {
  if (mayUse(access, actor)) return
  if (!actor) throw new RequestError('auth.required')
  if (access !== 'user') gate.denied(actor, callerIp(request), pathOf(request.url))
  throw new RequestError('auth.forbidden')
}

/** Checks login and role again, as at the end of a long upload. Throws as the gate does. */
export async function mustStillBeAllowed(gate: Gate, request: FastifyRequest): Promise<void> {
  const token = sessionToken(request)
  const found = token === null ? null : await gate.findActor(token)
  mayCall(gate, request.routeOptions.config.endpoint?.shape.access ?? 'user', found?.actor ?? null, request)
}

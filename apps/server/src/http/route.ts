/** Binds a described call: who may, how often, with what, and what comes back are read from its description. */
import type { Access, Body, Endpoint, EndpointShape, Params, Query, Reply } from '@vexil/contract/endpoint'
import { atLeast } from '@vexil/core/accounts'
import { SiteNotSetUp } from '@vexil/core/rules'
import type { Language, Role } from '@vexil/core/vocabulary'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestFault } from './faults.ts'
import { acceptBody } from './json-body.ts'
import { requestLanguage } from './language.ts'
import type { Limiter } from './rate-limit.ts'
import { giveSession, sessionToken } from './session-cookie.ts'
import { accept, acceptQuery } from './tolerance.ts'
import { check, compile } from './validate.ts'

/** Who calls. Read from the database on every request, so that a ban or a new role acts at once. */
export interface Actor {
  readonly id: string
  readonly userName: string
  readonly role: Role
}

/** What the http room needs to know of the rooms above it. */
export interface Gate {
  /** The account behind a session token, null when there is none (any more). `renewed` asks for a fresh cookie. */
  findActor(token: string): Promise<{ readonly actor: Actor; readonly renewed: boolean } | null>
  /** Somebody signed in asked for something above the own role. */
  denied(actor: Actor, ip: string, path: string): void
  /** A signed-in caller was seen. */
  seen(actor: Actor, ip: string): void
  isSetUp(): Promise<boolean>
}

export interface Http {
  readonly app: FastifyInstance
  readonly gate: Gate
  readonly limiter: Limiter
}

type ActorFor<E> = E extends Endpoint<infer S> ? (S['access'] extends 'anyone' ? Actor | null : Actor) : never

export interface Call<E> {
  readonly params: Params<E>
  readonly query: Query<E>
  readonly body: Body<E>
  readonly actor: ActorFor<E>
  readonly ip: string
  readonly language: Language
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Calls with an answer must return it; the others answer 200 without a body. Raw ones (`sends`) answer through `reply`. */
type Handler<E> =
  E extends Endpoint<infer S>
    ? (call: Call<E>) => Promise<S extends { sends: string } ? unknown : S extends { reply: object } ? Reply<E> : void>
    : never

const leastRole: Record<Exclude<Access, 'anyone'>, Role> = { user: 'User', monitor: 'Monitor', admin: 'Admin' }
const withoutSetUp = new Set(['/api/config', '/api/setup'])

/** What was bound, for the test that every described call is bound exactly once. */
export const bound: Endpoint[] = []

/** `::ffff:10.0.0.1` is 10.0.0.1. */
export const callerIp = (request: FastifyRequest) => request.ip.replace(/^::ffff:/, '')

const loopback = /^(127\.|::1$)/

/** The account behind the request's cookie; the cookie is renewed when its session was. */
export async function authenticate(http: Http, request: FastifyRequest, reply: FastifyReply): Promise<Actor | null> {
  const token = sessionToken(request)
  if (token === null) return null
  const found = await http.gate.findActor(token)
  if (!found) return null
  if (found.renewed) giveSession(request, reply, token)
  http.gate.seen(found.actor, callerIp(request))
  return found.actor
}

/** Binds one call. Order: limits (429), login and role (401, 403), validation (400), handler. */
export function route<const S extends EndpointShape>(http: Http, endpoint: Endpoint<S>, handler: Handler<Endpoint<S>>): void {
  const { method, path, shape } = endpoint
  const fits = {
    params: shape.params && compile(shape.params),
    query: shape.query && compile(shape.query),
    body: shape.body && compile(shape.body),
  }
  bound.push(endpoint)
  const json = shape.reply && !shape.sends

  http.app.route({
    method,
    url: path,
    config: { endpoint },
    ...(json && { schema: { response: { 200: shape.reply } } }),
    async handler(request, reply) {
      const language = requestLanguage(request)
      const ip = callerIp(request)
      if (!withoutSetUp.has(path) && !(await http.gate.isSetUp())) throw new SiteNotSetUp()

      const actor = await authenticate(http, request, reply)
      await limit(http.limiter, shape, actor?.id ?? ip, request, ip)
      mayCall(http.gate, shape.access, actor, ip, request.url)

      let params: unknown
      if (shape.params && fits.params) {
        params = accept(shape.params, request.params)
        // A parameter that does not parse means that the address leads nowhere.
        if (!fits.params(params)) throw new RequestFault('request.not_found')
      }
      let query: unknown
      if (shape.query && fits.query) {
        query = acceptQuery(shape.query, request.query as Record<string, unknown>)
        check(fits.query, query, 'query')
      }
      let body: unknown
      if (shape.body && fits.body) body = acceptBody(shape.body, fits.body, request.body)

      reply.header('cache-control', 'no-store')
      const call = { params, query, body, actor, ip, language, request, reply } as unknown as Call<Endpoint<S>>
      const answer = await handler(call)
      if (shape.sends) return reply
      if (!shape.reply) return reply.code(200).send()
      if (typeof answer === 'string' || typeof answer === 'number') {
        return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(answer)
      }
      return reply.type('application/json; charset=utf-8').send(answer)
    },
  })
}

async function limit(limiter: Limiter, shape: EndpointShape, key: string, request: FastifyRequest, ip: string): Promise<void> {
  // Loopback is exempt only when nobody stands behind it.
  if (!(loopback.test(ip) && request.headers['x-forwarded-for'] === undefined)) await limiter.pass('global', key)
  if (shape.limit && shape.limit !== 'login') limiter.take(shape.limit, key)
}

/** 401 without a login, 403 below the wanted role; the refusal of somebody signed in is recorded where a staff role was asked for. */
export function mayCall(gate: Gate, access: Access, actor: Actor | null, ip: string, path: string): void {
  if (access === 'anyone') return
  if (!actor) throw new RequestFault('auth.required')
  if (atLeast(actor.role, leastRole[access])) return
  if (access !== 'user') gate.denied(actor, ip, path.split('?')[0] as string)
  throw new RequestFault('auth.forbidden')
}

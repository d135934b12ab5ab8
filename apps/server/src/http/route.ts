/** Binds calls: their description defines access, limits, input and answer. */
import type { Readable } from 'node:stream'
import type { Body, Endpoint, EndpointShape, Params, Query, Reply } from '@vexil/contract/endpoint'
import type { Language } from '@vexil/core/vocabulary'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Actor } from '../audit.ts'
import { currentRequest } from '../request-trace.ts'
import { admit, type Caller, type CallerSession, type Gate, type SignedInAccount } from './gate.ts'
import { acceptBody } from './json-body.ts'
import { answerLanguage } from './language.ts'
import type { Limiter } from './rate-limit.ts'
import { RequestError } from './request-errors.ts'
import { acceptParams, acceptQuery } from './tolerance.ts'
import type { UploadSlots } from './upload-watch.ts'
import { check, compile } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read. */
    caller: Caller
    /** Arrival of the last byte of the body, by this process's monotonic clock (ms). */
    arrived: number
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** The route serves a file of the built web. */
    builtFile?: boolean
  }
}

export interface Http {
  readonly app: FastifyInstance
  readonly gate: Gate
  readonly limiter: Limiter
  readonly uploads: UploadSlots
}

type ActorFor<E> = E extends Endpoint<infer S> ? (S['access'] extends 'anyone' ? SignedInAccount | null : SignedInAccount) : never

interface Call<E> {
  readonly params: Params<E>
  readonly query: Query<E>
  readonly body: Body<E>
  readonly actor: ActorFor<E>
  readonly ip: string
  /** The caller as the log names it; only where a login is required. */
  readonly by: null extends ActorFor<E> ? never : Actor
  /** The caller's session; only where a login is required. */
  readonly session: null extends ActorFor<E> ? never : CallerSession
  readonly language: Language
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Returns the answer, or a stream of the same JSON; without an answer 200 with no body. Raw calls (`sends`) use `reply`. */
type Handler<E> =
  E extends Endpoint<infer S>
    ? (call: Call<E>) => Promise<S extends { sends: string } ? unknown : S extends { reply: object } ? Reply<E> | Readable : void>
    : never

/** For the test that every described call is bound exactly once. */
export const bound: Endpoint[] = []

const compiled = ({ params, query, body }: EndpointShape) => ({
  params: params && compile(params),
  query: query && compile(query),
  body: body && compile(body),
})

/** Converts and validates the parameters of the address; 404 if they do not parse. */
function readParams(shape: EndpointShape, fits: ReturnType<typeof compiled>, request: FastifyRequest): unknown {
  if (!shape.params || !fits.params) return undefined
  const params = acceptParams(shape.params, request.params as Record<string, unknown>)
  if (!fits.params(params)) throw new RequestError('request.not_found')
  return params
}

function readQuery(shape: EndpointShape, fits: ReturnType<typeof compiled>, request: FastifyRequest): unknown {
  if (!shape.query || !fits.query) return undefined
  const query = acceptQuery(shape.query, request.query as Record<string, unknown>)
  check(fits.query, query, 'query')
  return query
}

function readBody(shape: EndpointShape, fits: ReturnType<typeof compiled>, request: FastifyRequest): unknown {
  if (!shape.body || !fits.body) return undefined
  // Its parser accepts forms on every route.
  if (request.isMultipart()) throw new RequestError('request.wrong_type')
  return acceptBody(shape.body, fits.body, request.body)
}

function optionsOf(http: Http, endpoint: Endpoint) {
  bound.push(endpoint)
  return {
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      request.caller = await admit(http, endpoint, request, reply)
      const trace = currentRequest()
      if (trace) trace.admitted = performance.now()
    },
    preValidation: (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      request.arrived = performance.now()
      done()
    },
  } as const
}

/** Binds one call. Order: `admit` (429, 401, 403; see gate.ts), read of the body, params (404), query and body (400), handler. */
export function route<const S extends EndpointShape>(http: Http, endpoint: Endpoint<S>, handler: Handler<Endpoint<S>>): void {
  const { shape } = endpoint
  const fits = compiled(shape)
  const json = shape.reply && !shape.sends

  http.app.route({
    ...optionsOf(http, endpoint),
    ...(json && { schema: { response: { '2xx': shape.reply } } }),
    async handler(request, reply) {
      const { actor, ip, session } = request.caller
      const params = readParams(shape, fits, request)
      const query = readQuery(shape, fits, request)
      const body = readBody(shape, fits, request)

      reply.header('cache-control', 'no-store')
      const by = actor && { ...actor, ip }
      const call = {
        params,
        query,
        body,
        actor,
        ip,
        by,
        session,
        request,
        reply,
        // Reading the language sets the headers of the answer.
        get language() {
          return answerLanguage(request, reply)
        },
      }
      const answer = await handler(call as unknown as Call<Endpoint<S>>)
      if (shape.sends) return reply
      if (!shape.reply) return reply.code(200).send()
      if (typeof answer === 'string' || typeof answer === 'number') {
        return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(answer)
      }
      return reply.type('application/json; charset=utf-8').send(answer)
    },
  })
}

interface SocketHandlers {
  /** Called after `admit` and before the upgrade; throws to refuse. */
  readonly mayOpen: (request: FastifyRequest, query: unknown) => Promise<void>
  /** Answers a request without an upgrade; default 404. */
  readonly plain?: (reply: FastifyReply) => unknown
  readonly opened: (socket: WebSocket, request: FastifyRequest) => void
}

/** Binds a call that becomes a WebSocket. Order: `admit`, params (404), query (400), `mayOpen`. */
export function socketRoute(http: Http, endpoint: Endpoint, { mayOpen, plain, opened }: SocketHandlers): void {
  const fits = compiled(endpoint.shape)
  http.app.route({
    ...optionsOf(http, endpoint),
    method: 'GET',
    preHandler: async (request) => {
      readParams(endpoint.shape, fits, request)
      await mayOpen(request, readQuery(endpoint.shape, fits, request))
    },
    handler: async (_request, reply) => {
      if (!plain) throw new RequestError('request.not_found')
      plain(reply.header('cache-control', 'no-store'))
      return reply
    },
    wsHandler: opened,
  })
}

/** Description of a call, shared by the server, the web client and the API documentation. */
import type * as Type from 'typebox'
import type { ErrorCode } from './errors.ts'

/** Minimum role. `anyone`: no login; `user`: User or higher. */
export type Access = 'anyone' | 'user' | 'monitor' | 'admin'

type LimitName = 'register' | 'login' | 'team' | 'container' | 'submit'

type Schema = Type.TSchema

export interface EndpointShape {
  readonly access: Access
  readonly summary: string
  readonly limit?: LimitName
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** `large`: lists of flags, batches of users and long texts (values in `bodyLimits` of core). Default: small. */
  readonly bodySize?: 'large'
  /** Multipart part with the file or files; the call has no JSON body. */
  readonly upload?: string
  /** JSON response. Absent: status 200 without a body. */
  readonly reply?: Schema
  /** With `Prefer: respond-async` (RFC 7240) it answers 202 with the same shape before the work is done. */
  readonly mayRespondAsync?: true
  /** Kind of a response that is not JSON, which the handler writes itself. `page`: HTML for a browser. */
  readonly sends?: 'file' | 'stream' | 'socket' | 'page' | 'text'
  /** Media types of the response without parameters; not for sockets and JSON. */
  readonly types?: readonly string[]
  /** Allowed before an administrator exists. */
  readonly beforeSetUp?: boolean
  /** Without rate limit and session check, because the response is cheap and the same for all callers. */
  readonly unguarded?: boolean
  /** Allowed from pages of other origins. Cookies are ignored: the caller is a visitor. */
  readonly foreignOrigins?: boolean
  /** The response contains a secret and texts of other users. It is not compressed, because its length would reveal the secret (BREACH). */
  readonly secret?: true
  /** The transaction of the write checks the session again, so a cached caller is sufficient before. */
  readonly testsSession?: true
  /** Rules that this call can break, in addition to those of every call. */
  readonly throws?: readonly ErrorCode[]
  /** Not in GZ::CTF 0.24. */
  readonly ours?: boolean
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Endpoint<S extends EndpointShape = EndpointShape> {
  readonly method: Method
  readonly path: string
  readonly shape: S
}

type Static<T> = T extends Schema ? Type.Static<T> : undefined
export type Params<E> = E extends Endpoint<infer S> ? Static<S['params']> : never
export type Query<E> = E extends Endpoint<infer S> ? Static<S['query']> : never
export type Body<E> = E extends Endpoint<infer S> ? Static<S['body']> : never
export type Reply<E> = E extends Endpoint<infer S> ? Static<S['reply']> : never

export const endpoints: Endpoint[] = []

/** Describes one call and adds it to `endpoints`. `line`: `METHOD /path/:param`. */
export function endpoint<const S extends EndpointShape>(line: `${Method} /${string}`, shape: S): Endpoint<S> {
  const [method, path] = line.split(' ') as [Method, string]
  const described = { method, path, shape }
  endpoints.push(described)
  return described
}

/** How a call is described: once, here, for the server that binds it, the web that calls it and the page that documents it. */
import type * as Type from 'typebox'
import type { ErrorCode } from './errors.ts'

/** Least caller. `anyone` needs no login, `user` is any role from User up. */
export type Access = 'anyone' | 'user' | 'monitor' | 'admin'

/** Named rate limits (figures in `limits.ts` of core). */
type LimitName = 'register' | 'login' | 'team' | 'container' | 'submit'

type Schema = Type.TSchema

export interface EndpointShape {
  readonly access: Access
  readonly summary: string
  /** Further named limit beside the global one. */
  readonly limit?: LimitName
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** `large` for lists of flags, batches of users and long texts (figures in `bodyLimits` of core); all others are small. */
  readonly bodySize?: 'large'
  /** Multipart part that carries the file or files; such a call has no JSON body. */
  readonly upload?: string
  /** JSON answer. Absent: status 200 without a body. */
  readonly reply?: Schema
  /** Calls that do not answer with JSON are given the raw reply. `page` is what a browser shows. */
  readonly sends?: 'file' | 'stream' | 'socket' | 'page' | 'text'
  /** Media types of what `sends` answers with, without parameters; for all but sockets and JSON. */
  readonly types?: readonly string[]
  /** Answers although no administrator was made yet. */
  readonly beforeSetUp?: boolean
  /** Neither limit nor session is asked, since the answer costs next to nothing and is the same for everybody. */
  readonly unguarded?: boolean
  /** Pages of other sites may call it. Their cookies are not read: the caller is a visitor. */
  readonly foreignOrigins?: boolean
  /** The answer has a secret beside texts from other users: it is not compressed, because its length would reveal the secret (BREACH). */
  readonly secret?: true
  /** Its write checks the session again in the transaction that stores it, so the gate may take the caller from memory. */
  readonly testsSession?: true
  /** Rules this call can break, beside those every call can. */
  readonly throws?: readonly ErrorCode[]
  /** True for calls that GZ::CTF 0.24 does not have. */
  readonly ours?: boolean
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Endpoint<S extends EndpointShape = EndpointShape> {
  readonly method: Method
  /** Path with `:name` parameters. */
  readonly path: string
  readonly shape: S
}

type Static<T> = T extends Schema ? Type.Static<T> : undefined
export type Params<E> = E extends Endpoint<infer S> ? Static<S['params']> : never
export type Query<E> = E extends Endpoint<infer S> ? Static<S['query']> : never
export type Body<E> = E extends Endpoint<infer S> ? Static<S['body']> : never
export type Reply<E> = E extends Endpoint<infer S> ? Static<S['reply']> : never

/** Every endpoint ever described, in order of description; the list tests walk it. */
export const endpoints: Endpoint[] = []

/**
 * Describes one call. `line` is `METHOD /path/:param`.
 * The description is also entered in `endpoints`.
 */
export function endpoint<const S extends EndpointShape>(line: `${Method} /${string}`, shape: S): Endpoint<S> {
  const [method, path] = line.split(' ') as [Method, string]
  const described = { method, path, shape }
  endpoints.push(described)
  return described
}

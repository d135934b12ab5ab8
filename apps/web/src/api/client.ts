import type { Body, Endpoint, EndpointShape, Params, Query, Reply } from '@vexil/contract/endpoint'
import type { ErrorBody, ErrorCode } from '@vexil/contract/errors'
import { recordServerTime } from './clock.ts'
import { markAnswered, markUnreachable, watchCall } from './connection.ts'
import { takePreloaded } from './early.ts'

/** A call that the server refused or that never reached it, with the fields of the response body. */
export class Refusal extends Error {
  /** Message in the language of the request; empty without a body. */
  readonly title: string
  readonly code: ErrorCode | undefined
  readonly data: unknown
  /** Names the request in the log of the platform; undefined without an answer of it. */
  readonly requestId: string | undefined
  /** HTTP status; 0 without a response. */
  readonly http: number
  /** Seconds until the next try. */
  readonly retryAfter: number | undefined
  /** The user was already notified that the session ended. */
  readonly notified: boolean

  constructor(http: number, body: Partial<ErrorBody> | undefined, retryAfter?: number, notified = false) {
    super(body?.title ?? 'unknown error')
    this.name = 'Refusal'
    this.title = typeof body?.title === 'string' ? body.title : ''
    this.code = body?.code
    this.data = body?.data
    this.requestId = body?.requestId
    this.http = http
    this.retryAfter = retryAfter
    this.notified = notified
  }
}

type None = Record<never, never>
/** Absent where the endpoint has none, optional where all its members are. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? None
  : T extends object
    ? Partial<T> extends T
      ? { [N in Name]?: T }
      : { [N in Name]: T }
    : { [N in Name]: T }
type Given<E> = Part<'params', Params<E>> & Part<'query', Query<E>> & Part<'body', Body<E>>
type Uploads<E> = E extends Endpoint<infer S> ? (S extends { upload: string } ? { files: File | readonly File[] } : None) : never

/** Parts of a call: `params`, `query`, `body`, `files`, each required only where the endpoint has it. */
export type CallParts<E> = Given<E> & Uploads<E> & { readonly signal?: AbortSignal }

type Rest<E> = Partial<CallParts<E>> extends CallParts<E> ? [parts?: CallParts<E>] : [parts: CallParts<E>]

export interface LooseParts {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly files?: File | readonly File[]
  readonly signal?: AbortSignal
}

let language = 'en_US'

export function setCallLanguage(code: string): void {
  language = code
}

/** `acts`: the call would have changed something. Returns whether the user is notified. */
type EndListener = (acts: boolean) => boolean
const listeners = new Set<EndListener>()

/** Listens for calls without a session. Returns a function that stops it. */
export function onSessionEnded(listener: EndListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const forbiddenListeners = new Set<() => void>()

/** Listens for calls that the role of the account does not allow. Returns a function that stops it. */
export function onForbidden(listener: () => void): () => void {
  forbiddenListeners.add(listener)
  return () => forbiddenListeners.delete(listener)
}

let blockedReason: string | undefined

/** Refuses calls that change something while the session belongs to another user than the page does; undefined allows them again. */
export function blockWrites(reason: string | undefined): void {
  blockedReason = reason
}

/** @throws Refusal when the endpoint changes something and such calls are blocked. */
export function refuseBlocked({ method }: Pick<Endpoint, 'method'>): void {
  if (blockedReason && method !== 'GET') throw new Refusal(409, { title: blockedReason })
}

/** The address of a call with its `:names` filled in and its query appended; absent values are omitted. */
export function addressOf(endpoint: Pick<Endpoint, 'path'>, parts: Pick<LooseParts, 'params' | 'query'> = {}): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(parts.params?.[name] ?? '')))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parts.query ?? {})) {
    if (value !== undefined && value !== null) query.append(name, String(value))
  }
  return query.size > 0 ? `${path}?${query}` : path
}

function bodyOf(shape: EndpointShape, parts: LooseParts): { body?: BodyInit; headers: Record<string, string> } {
  if (shape.upload !== undefined) {
    const form = new FormData()
    const files = parts.files instanceof File ? [parts.files] : (parts.files ?? [])
    for (const file of files) form.append(shape.upload, file, file.name)
    return { body: form, headers: {} }
  }
  if (parts.body === undefined) return { headers: {} }
  return { body: JSON.stringify(parts.body), headers: { 'Content-Type': 'application/json' } }
}

/** @throws Refusal when the connection breaks off in the middle of the body */
async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text().catch((cause) => {
    if (isAbort(cause)) throw cause
    markUnreachable()
    throw new Refusal(0, undefined)
  })
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isAbort = (cause: unknown) => cause instanceof DOMException && cause.name === 'AbortError'

/** The response that the page requested early; undefined where it failed. Rejects when the call is aborted first. */
const earlyAnswer = (early: Promise<Response | undefined>, signal: AbortSignal | undefined) =>
  new Promise<Response | undefined>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
    early.then(resolve, () => resolve(undefined))
  })

/** Sends the request of a call. Rejects when it does not reach the platform, or when the connection is dead. */
async function request(endpoint: Endpoint, parts: LooseParts, early?: Promise<Response | undefined>): Promise<Response> {
  const { body, headers } = bodyOf(endpoint.shape, parts)
  // An upload may be slow and use the whole bandwidth, so a delay means nothing.
  const sent = endpoint.shape.upload === undefined ? watchCall(parts.signal) : undefined
  try {
    const answer = early && (await earlyAnswer(early, sent?.signal))
    if (answer) return answer
    return await fetch(addressOf(endpoint, parts), {
      method: endpoint.method,
      headers: {
        'Accept-Language': language.replace('_', '-'),
        ...(endpoint.shape.mayRespondAsync && { Prefer: 'respond-async' }),
        ...headers,
      },
      body: body ?? null,
      signal: sent?.signal ?? parts.signal ?? null,
      credentials: 'same-origin',
    })
  } catch (cause) {
    if (isAbort(cause) && !sent?.wasAborted()) throw cause
    markUnreachable()
    throw new Refusal(0, undefined)
  } finally {
    sent?.settled()
  }
}

/** The refusal of a response outside 200 to 299, after the listeners of an ended session or a missing role. `retryAfter`: the header, in seconds. */
export function refusalOf(endpoint: Endpoint, status: number, body: unknown, retryAfter: string | null): Refusal {
  const wait = Number.parseInt(retryAfter ?? '', 10)
  const error = (body ?? undefined) as Partial<ErrorBody> | undefined
  if (error?.code === 'auth.forbidden') for (const listener of forbiddenListeners) listener()
  const ended = status === 401 && endpoint.shape.access !== 'anyone'
  const notified = ended && [...listeners].map((listener) => listener(endpoint.method !== 'GET')).includes(true)
  return new Refusal(status, error, Number.isNaN(wait) ? undefined : wait, notified)
}

/** Makes a call and returns the raw response, for files and sheets. @throws Refusal */
export async function send(endpoint: Endpoint, parts: LooseParts = {}): Promise<Response> {
  refuseBlocked(endpoint)
  const early = endpoint.method === 'GET' ? takePreloaded(addressOf(endpoint, parts)) : undefined
  const { sentAt = Date.now() } = early ?? {}
  const answer = await request(endpoint, parts, early?.answer)
  recordServerTime(answer.headers.get('Date'), sentAt, Date.now())
  markAnswered(answer.status)
  if (answer.ok) return answer
  throw refusalOf(endpoint, answer.status, await readJson(answer).catch(() => undefined), answer.headers.get('Retry-After'))
}

/** Makes a call and returns its parsed response. @throws Refusal */
export async function call<E extends Endpoint>(endpoint: E, ...[parts]: Rest<E>): Promise<Reply<E>> {
  const answer = await send(endpoint as Endpoint, parts as LooseParts | undefined)
  return (await readJson(answer)) as Reply<E>
}

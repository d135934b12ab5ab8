/** The one way to call the server. What a call takes and answers is read from its description in the contract. */
import type { Body, Endpoint, EndpointShape, Params, Query, Reply } from '@vexil/contract/endpoint'
import type { ErrorBody, ErrorCode } from '@vexil/contract/errors'
import { hearServerTime } from './clock.ts'
import { heardPlatform, markUnreachable, watchCall } from './connection.ts'
import { takeEarly } from './early.ts'

/** A call that the server refused, or that never reached it. Carries the fields of the answer's body. */
export class Refusal extends Error {
  /** Text for people, in the language of the request; empty when there was no body. */
  readonly title: string
  /** Status as the body says it; 0 when there was no answer. */
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly data: unknown
  /** HTTP status of the answer; 0 when there was none. */
  readonly http: number
  /** Seconds until another try makes sense (FB-2). */
  readonly retryAfter: number | undefined
  /** The user was told already that the session has ended (GUARD-7). */
  readonly told: boolean

  constructor(http: number, body: Partial<ErrorBody> | undefined, retryAfter?: number, told = false) {
    super(body?.title ?? 'unknown error')
    this.name = 'Refusal'
    this.title = typeof body?.title === 'string' ? body.title : ''
    this.status = typeof body?.status === 'number' ? body.status : http
    this.code = body?.code
    this.data = body?.data
    this.http = http
    this.retryAfter = retryAfter
    this.told = told
  }
}

type None = Record<never, never>
/** Absent where the endpoint has none, optional where all of it is. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? None
  : T extends object
    ? Partial<T> extends T
      ? { [N in Name]?: T }
      : { [N in Name]: T }
    : { [N in Name]: T }
type Given<E> = Part<'params', Params<E>> & Part<'query', Query<E>> & Part<'body', Body<E>>
type Uploads<E> = E extends Endpoint<infer S> ? (S extends { upload: string } ? { files: File | readonly File[] } : None) : never

/** Parts of a call: `params`, `query`, `body`, `files`, each demanded only where the endpoint has it. */
export type CallParts<E> = Given<E> & Uploads<E> & { readonly signal?: AbortSignal }

type Rest<E> = Partial<CallParts<E>> extends CallParts<E> ? [parts?: CallParts<E>] : [parts: CallParts<E>]

interface LooseParts {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly files?: File | readonly File[]
  readonly signal?: AbortSignal
}

let language = 'en_US'

/** Language of later calls; set by the shell when the screen changes its own. */
export function speak(code: string): void {
  language = code
}

const listeners = new Set<() => boolean>()

/** Hears of every call that needs a session and finds none (GUARD-7); true when it tells the user. Returns how to stop. */
export function onSessionEnded(listener: () => boolean): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let hold: string | undefined

/** Refuses every further act with this text: the person on screen is not the one whose session this is any more (SESS-2). Undefined ends it. */
export function holdActs(reason: string | undefined): void {
  hold = reason
}

/** Throws where the endpoint is an act and acts are held. @throws Refusal */
export function refuseHeld({ method }: Pick<Endpoint, 'method'>): void {
  if (hold && method !== 'GET') throw new Refusal(409, { title: hold })
}

/** The address of a call, its `:names` filled in and its query appended; absent values are left out. */
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

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The answer that the page asked for early, unless the call is given up before it comes; undefined where it failed. */
const earlyAnswer = (early: Promise<Response | undefined>, signal: AbortSignal | undefined) =>
  new Promise<Response | undefined>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
    early.then(resolve, () => resolve(undefined))
  })

/** The request of a call. One that never reaches the platform rejects, also when the connection died without a word. */
async function request(endpoint: Endpoint, parts: LooseParts, early?: Promise<Response | undefined>): Promise<Response> {
  const { body, headers } = bodyOf(endpoint.shape, parts)
  // A file may take long and fill the line, so that nothing can be concluded from waiting.
  const sent = endpoint.shape.upload === undefined ? watchCall(parts.signal) : undefined
  try {
    const answer = early && (await earlyAnswer(early, sent?.signal))
    if (answer) return answer
    return await fetch(addressOf(endpoint, parts), {
      method: endpoint.method,
      headers: { 'Accept-Language': language.replace('_', '-'), ...headers },
      body: body ?? null,
      signal: sent?.signal ?? parts.signal ?? null,
      credentials: 'same-origin',
    })
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError' && !sent?.wasGivenUp()) throw cause
    markUnreachable()
    throw new Refusal(0, undefined)
  } finally {
    sent?.settled()
  }
}

/** Sends a call as it is and gives the raw answer; a refused one rejects. For files and sheets. */
export async function send(endpoint: Endpoint, parts: LooseParts = {}): Promise<Response> {
  refuseHeld(endpoint)
  const early = endpoint.method === 'GET' ? takeEarly(addressOf(endpoint, parts)) : undefined
  const { sentAt = Date.now() } = early ?? {}
  const answer = await request(endpoint, parts, early?.answer)
  hearServerTime(answer.headers.get('Date'), sentAt, Date.now())
  // A proxy speaks for a platform that is away, and so does a platform without its database.
  if (answer.status < 502) heardPlatform()
  else markUnreachable()
  if (answer.ok) return answer

  const refused = (await readJson(answer).catch(() => undefined)) as Partial<ErrorBody> | undefined
  const wait = Number.parseInt(answer.headers.get('Retry-After') ?? '', 10)
  const ended = answer.status === 401 && endpoint.shape.access !== 'anyone'
  const told = ended && [...listeners].map((listener) => listener()).includes(true)
  throw new Refusal(answer.status, refused, Number.isNaN(wait) ? undefined : wait, told)
}

/** Makes a call. A part that its description demands and that is missing does not compile. */
export async function call<E extends Endpoint>(endpoint: E, ...[parts]: Rest<E>): Promise<Reply<E>> {
  const answer = await send(endpoint as Endpoint, parts as LooseParts | undefined)
  return (await readJson(answer)) as Reply<E>
}

/** Compares answers in the tests with the description of the interface. */
import { codesOf } from '@vexil/contract/codes-of'
import { type Endpoint, endpoints } from '@vexil/contract/endpoint'
import { type ErrorBody, type ErrorCode, statusOf } from '@vexil/contract/errors'
import { GameEvent, GameNotice } from '@vexil/contract/games'
import { LogMessage } from '@vexil/contract/logs'
import { errorBody } from '@vexil/contract/openapi'
import { Submission } from '@vexil/contract/submissions'
import type { ValidateFunction } from 'ajv'
import { compile } from '../src/http/validate.ts'

/** Throws when bytes are sent with a media type that is not described. */
export function mustHaveDescribedType(method: string, url: string, type: string): void {
  const found = find(method, url)
  const types = found?.call.shape.types
  if (types && !types.includes(type.split(';', 1)[0] as string)) throw new Error(`${method} ${url} answers with ${type}`)
}

interface Described {
  readonly call: Endpoint
  readonly matches: RegExp
  fits?: ValidateFunction
}

const described: Described[] = endpoints.map((call) => ({
  call,
  matches: new RegExp(`^${call.path.replace(/:\w+/g, '[^/]+')}/?$`, 'i'),
}))

/** The call that an address belongs to. */
function find(method: string, url: string): Described | undefined {
  const path = url.split('?', 1)[0] as string
  // If both `/api/team/:id` and `/api/team/invite` match, the one with fewer parameters is meant.
  return described
    .filter(({ call, matches }) => call.method === method && matches.test(path))
    .sort((a, b) => a.call.path.split(':').length - b.call.path.split(':').length)[0]
}

/** Throws when a successful answer does not match the schema of its call. */
export function mustBeAsDescribed(method: string, url: string, body: unknown): void {
  const found = find(method, url)
  if (!found?.call.shape.reply) return
  found.fits ??= compile(found.call.shape.reply)
  if (found.fits(body)) return
  const problems = (found.fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  throw new Error(`${method} ${url} does not answer as described: ${problems.slice(0, 5).join('; ')}`)
}

const isRefusal = compile(errorBody)

/** Codes with which every call can be refused; descriptions do not repeat them. */
const everywhere: readonly ErrorCode[] = [
  'request.address_too_long',
  // A row that the call depends on was deleted at the same moment.
  'request.not_found',
  'site.not_set_up',
  'server.unavailable',
  'server.unknown',
]

/** Throws when a refusal does not match the schema of refusals, or its code is not in the description of the call. */
export function mustBeRefusedAsDescribed(method: string, url: string, status: number, body: unknown): void {
  const what = `${method} ${url} is refused with ${status} ${JSON.stringify(body)}`
  if (!isRefusal(body)) throw new Error(`${what}, which has not the form of a refusal`)
  const { code, data } = body as ErrorBody
  if (code && statusOf[code]?.http !== status) throw new Error(`${what}, but the status of this code is another`)
  const call = find(method, url)?.call
  if (code && call && ![...everywhere, ...codesOf(call)].includes(code))
    throw new Error(`${what}, a code that it is not described with`)
  mustHaveWireTimes(what, data)
}

/** Hub messages that have a schema. */
const messages: Readonly<Record<string, ValidateFunction>> = {
  ReceivedGameNotice: compile(GameNotice),
  ReceivedGameEvent: compile(GameEvent),
  ReceivedSubmissions: compile(Submission),
  ReceivedLog: compile(LogMessage),
}

/** Throws when a message of a hub does not match its schema, or has a time in another format. */
export function mustBeMessageAsDescribed(target: string, argument: unknown): void {
  const what = `${target} ${JSON.stringify(argument).slice(0, 500)}`
  if (messages[target]?.(argument) === false) throw new Error(`${what} is not as described`)
  mustHaveWireTimes(what, argument)
}

/** A time with any other offset than `+00:00`. */
const otherTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?!.*\+00:00$)/

function mustHaveWireTimes(what: string, value: unknown): void {
  if (typeof value === 'string' && otherTime.test(value)) throw new Error(`${what} has a time that does not end with +00:00`)
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) mustHaveWireTimes(what, part)
}

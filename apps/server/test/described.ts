/** Answers of the tests against the description. */
import { type Endpoint, endpoints } from '@vexil/contract/endpoint'
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

const described: Described[] = endpoints
  .filter(({ shape }) => shape.reply ?? shape.types)
  .map((call) => ({ call, matches: new RegExp(`^${call.path.replace(/:\w+/g, '[^/]+')}/?$`, 'i') }))

/** The call of an address. */
function find(method: string, url: string): Described | undefined {
  const path = url.split('?', 1)[0] as string
  // Of `/api/team/:id` and `/api/team/invite` the one with fewer parameters is meant.
  return described
    .filter(({ call, matches }) => call.method === method && matches.test(path))
    .sort((a, b) => a.call.path.split(':').length - b.call.path.split(':').length)[0]
}

/** Throws when a good answer does not fit the schema of its call. */
export function mustBeAsDescribed(method: string, url: string, body: unknown): void {
  const found = find(method, url)
  if (!found?.call.shape.reply) return
  found.fits ??= compile(found.call.shape.reply)
  if (found.fits(body)) return
  const problems = (found.fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  throw new Error(`${method} ${url} does not answer as described: ${problems.slice(0, 5).join('; ')}`)
}

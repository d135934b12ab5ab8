/** Answers of the tests against the description: what clients are told is what they get. */
import { type Endpoint, endpoints } from '@vexil/contract/endpoint'
import type { ValidateFunction } from 'ajv'
import { compile } from '../src/http/validate.ts'

interface Described {
  readonly call: Endpoint
  readonly matches: RegExp
  fits?: ValidateFunction
}

const described: Described[] = endpoints
  .filter(({ shape }) => shape.reply)
  .map((call) => ({ call, matches: new RegExp(`^${call.path.replace(/:\w+/g, '[^/]+')}/?$`, 'i') }))

/** Throws when a good answer does not fit the schema of its call. What `endpoints` does not hold with a reply is not looked at. */
export function mustBeAsDescribed(method: string, url: string, body: unknown): void {
  const path = url.split('?', 1)[0] as string
  // Of `/api/team/:id` and `/api/team/invite` the one with fewer parameters is meant.
  const found = described
    .filter(({ call, matches }) => call.method === method && matches.test(path))
    .sort((a, b) => a.call.path.split(':').length - b.call.path.split(':').length)[0]
  if (!found) return
  found.fits ??= compile(found.call.shape.reply)
  if (found.fits(body)) return
  const problems = (found.fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  throw new Error(`${method} ${path} does not answer as described: ${problems.slice(0, 5).join('; ')}`)
}

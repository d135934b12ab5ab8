/** Reads JSON bodies within the limits of their call; refuses too large, too deep or too slow ones as they arrive. */
import type { Readable } from 'node:stream'
import { nameOf } from '@vexil/contract/interface'
import { bodyLimits } from '@vexil/core/limits'
import type { ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openScan } from './json-scan.ts'
import { type LargeBodies, openLargeBodies } from './large-bodies.ts'
import { parseJson } from './parse-json.ts'
import { type BodyBuffer, openBodyBuffer } from './read-body.ts'
import { RequestError } from './request-errors.ts'
import { accept } from './tolerance.ts'
import { check } from './validate.ts'

const json = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** A body validated while it was parsed. Its error is thrown only after path and query were checked. */
class ValidatedBody {
  readonly #outcome: { readonly value: unknown } | { readonly refusal: unknown }
  constructor(outcome: { readonly value: unknown } | { readonly refusal: unknown }) {
    this.#outcome = outcome
  }
  take(): unknown {
    if ('refusal' in this.#outcome) throw this.#outcome.refusal
    return this.#outcome.value
  }
}

/** The parsed body in the schema's spelling. Throws the first problem. */
export function acceptBody(schema: unknown, fits: ValidateFunction, parsed: unknown): unknown {
  if (parsed instanceof ValidatedBody) return parsed.take()
  const value = accept(schema, parsed)
  check(fits, value, 'body')
  return value
}

export function takeBodies(app: FastifyInstance): void {
  const large = openLargeBodies()
  app.addHook('onClose', async () => large.close())
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(json, (request: FastifyRequest, payload: Readable) => readJson(request, payload, large))
  app.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) => refuseOther(request, payload))
}

async function readJson(request: FastifyRequest, payload: Readable, large: LargeBodies): Promise<unknown> {
  const { endpoint } = request.routeOptions.config
  if (!endpoint || endpoint.shape.upload) return undefined
  const limits = bodyLimits[endpoint.shape.bodySize ?? 'small']
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) throw new RequestError('request.too_large')
  const { bytes, values } = await readAll(payload, limits)
  const pieces = bytes.pieces()
  if (!endpoint.shape.body || (bytes.size <= bodyLimits.besideBytes && values <= bodyLimits.besideValues))
    return parseJson(pieces)
  try {
    return new ValidatedBody({ value: await large.validate(nameOf(endpoint), pieces) })
  } catch (refusal) {
    return new ValidatedBody({ refusal })
  }
}

interface Read {
  readonly bytes: BodyBuffer
  readonly values: number
}

/** With events: leaving a loop over the stream would close the connection before the answer. */
function readAll(payload: Readable, limits: { readonly bytes: number; readonly ms: number }): Promise<Read> {
  return new Promise((resolve, reject) => {
    const bytes = openBodyBuffer()
    const scan = openScan()
    let values = 0
    const stop = () => {
      clearTimeout(late)
      payload.off('data', take).off('end', end).off('close', left)
    }
    const fail = (error: unknown) => {
      stop()
      reject(error)
    }
    const end = () => {
      stop()
      resolve({ bytes, values })
    }
    // A client that disconnects is not an error of the platform.
    const left = () => fail(new RequestError('request.malformed'))
    const take = (chunk: Buffer) => {
      try {
        if (bytes.size + chunk.length > limits.bytes) throw new RequestError('request.too_large')
        values = scan(chunk)
        bytes.add(chunk)
      } catch (error) {
        fail(error)
      }
    }
    const late = setTimeout(() => fail(new RequestError('request.too_slow')), limits.ms)
    payload.on('data', take).on('end', end).on('close', left)
  })
}

/** Refuses a body of another type at its first byte; the hubs' negotiation accepts any body. */
async function refuseOther(request: FastifyRequest, payload: Readable): Promise<undefined> {
  const { endpoint } = request.routeOptions.config
  if (!endpoint || request.url.split('?')[0]?.toLowerCase().endsWith('/negotiate')) return
  try {
    await readAll(payload, { bytes: 0, ms: bodyLimits.small.ms })
  } catch (error) {
    throw error instanceof RequestError && error.code === 'request.too_large' ? new RequestError('request.wrong_type') : error
  }
}

/** One HTTP call with time limits on a new connection, which cannot be stale after a restart of the server. */
import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { request as tlsRequest } from 'node:https'

/** Milliseconds. */
const connectTime = 5_000

export type Target = RequestOptions & { readonly secure: boolean }

/** Connected, but without a whole answer in time. */
export class NoAnswer extends Error {}

export interface Answer {
  readonly status: number
  readonly bytes: Buffer
  /** The header of this name. */
  readonly retryAfter: string | undefined
}

/** `time`: milliseconds for the whole response. `onChunk` gets its bytes as they arrive. @throws the error of the request, or the reason of `closing` */
export async function exchange(
  { secure, ...options }: Target,
  body: Buffer | undefined,
  time: number,
  closing: AbortSignal,
  onChunk: (chunk: Buffer) => void = () => undefined,
): Promise<Answer> {
  const ending = new AbortController()
  const endAfter = (ms: number, missing: string, Reason: new (message: string) => Error = Error) =>
    setTimeout(() => ending.abort(new Reason(`no ${missing} within ${ms / 1000} s`)), ms)
  const [connecting, answering] = [endAfter(Math.min(connectTime, time), 'connection'), endAfter(time, 'answer', NoAnswer)]
  const signal = AbortSignal.any([closing, ending.signal])
  try {
    return await new Promise((resolve, reject) => {
      const request = (secure ? tlsRequest : plainRequest)({ ...options, signal })
      request.on('error', reject)
      request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting)))
      request.on('response', (response) => {
        const status = response.statusCode ?? 0
        const retryAfter = response.headers['retry-after']
        resolve(collect(response, onChunk).then((bytes) => ({ status, bytes, retryAfter })))
      })
      // A response that switches protocols (101) ends the connection without an error. No effect after a response has begun.
      request.on('close', () => reject(new Error('no answer before the connection ended')))
      request.end(body)
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(connecting)
    clearTimeout(answering)
  }
}

async function collect(response: IncomingMessage, onChunk: (chunk: Buffer) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    onChunk(chunk)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

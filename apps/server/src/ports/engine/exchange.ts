/** One call over HTTP with time limits, on a connection of its own, so none goes stale when the other side is started anew. */
import { request as plainRequest, type RequestOptions } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** Milliseconds. */
const connectTime = 5_000

export type Target = RequestOptions & { readonly secure: boolean }

export interface Answer {
  readonly status: number
  readonly bytes: Buffer
}

/** `time`: milliseconds for the whole answer. Throws what went wrong, or the reason of `closing`. */
export async function exchange(
  { secure, ...options }: Target,
  body: Buffer | undefined,
  time: number,
  closing: AbortSignal,
): Promise<Answer> {
  const connect = new AbortController()
  const signal = AbortSignal.any([closing, connect.signal, AbortSignal.timeout(time)])
  const timer = setTimeout(() => connect.abort(new Error(`no connection within ${connectTime / 1000} s`)), connectTime)
  try {
    return await new Promise((resolve, reject) => {
      const request = (secure ? tlsRequest : plainRequest)({ ...options, signal })
      request.on('error', reject)
      request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(timer)))
      request.on('response', (response) => {
        const status = response.statusCode ?? 0
        buffer(response).then((bytes) => resolve({ status, bytes }), reject)
      })
      request.end(body)
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** One call over HTTP with time limits, on a separate connection, so that none is stale after the other side restarts. */
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
  const ending = new AbortController()
  const endAfter = (ms: number, missing: string) =>
    setTimeout(() => ending.abort(new Error(`no ${missing} within ${ms / 1000} s`)), ms)
  const [connecting, answering] = [endAfter(connectTime, 'connection'), endAfter(time, 'answer')]
  const signal = AbortSignal.any([closing, ending.signal])
  try {
    return await new Promise((resolve, reject) => {
      const request = (secure ? tlsRequest : plainRequest)({ ...options, signal })
      request.on('error', reject)
      request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting)))
      request.on('response', (response) => {
        const status = response.statusCode ?? 0
        resolve(buffer(response).then((bytes) => ({ status, bytes })))
      })
      // An answer with another protocol (101) ends the connection without an error. Once a response has begun, this changes nothing.
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

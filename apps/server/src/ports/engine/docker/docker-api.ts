import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { Static, TSchema } from 'typebox'
import * as Type from 'typebox'
import { codeOf, StartError } from '../../../start-error.ts'
import { messageOf, readAnswer } from '../answer.ts'
import { EngineError } from '../engine.ts'
import { exchange, type Target } from '../exchange.ts'

/** Milliseconds. */
const callTime = 30_000
const pingTime = 3_000
/** The version of Docker 20.10, the oldest supported release. For engines that require a newer API, the oldest version that they accept is used. */
const apiVersion = '1.41'
/** Sent by a proxy when the engine behind it is unreachable. */
const unreachableStatuses = [502, 503, 504]

export const Made = Type.Object({ Id: Type.String() })
const Version = Type.Object({ MinAPIVersion: Type.Optional(Type.String()) })

export class DockerRefusal extends EngineError {
  readonly status: number
  constructor(status: number, message: string) {
    super('failed', message)
    this.status = status
  }
}

export interface DockerPlace {
  /** `unix:///path` or `tcp://host:port`. */
  readonly host: string
  /** A folder with ca.pem, cert.pem and key.pem; null without TLS. */
  readonly certs: string | null
}

interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>
  /** JSON, or raw bytes (a tar). */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for the whole response; 30 s by default. */
  readonly time?: number
  /** Gets the bytes of the response as they arrive. */
  readonly onChunk?: (chunk: Buffer) => void
}

export interface DockerApi {
  /** Returns the response, which must have this shape. @throws DockerRefusal, EngineError (unreachable) */
  read<T extends TSchema>(shape: T, method: string, path: string, options?: RequestOptions): Promise<Static<T>>
  /** Returns a response of one JSON value per line, at least one; `seen` gets each as it arrives. @throws DockerRefusal, EngineError (unreachable) */
  readLines<T extends TSchema>(
    shape: T,
    method: string,
    path: string,
    options?: RequestOptions,
    seen?: (line: Static<T>) => void,
  ): Promise<Static<T>[]>
  /** @throws DockerRefusal, EngineError (unreachable) */
  bytes(method: string, path: string, options?: RequestOptions): Promise<Buffer>
  /** The cheapest request to Docker, within 3 s. @throws EngineError (unreachable) */
  ping(): Promise<unknown>
  close(): void
}

/** Opens no connection. @throws StartError when the certificates cannot be read. */
export function openDockerApi(place: DockerPlace): DockerApi {
  const target = targetOf(place)
  const closing = new AbortController()
  let version: Promise<string> | null = null

  const send = async (method: string, path: string, options: RequestOptions = {}): Promise<Buffer> => {
    const bytes =
      options.body === undefined || Buffer.isBuffer(options.body) ? options.body : Buffer.from(JSON.stringify(options.body))
    const type = Buffer.isBuffer(options.body) ? 'application/x-tar' : 'application/json'
    const query = options.query ? `?${new URLSearchParams(options.query)}` : ''
    const headers = { ...options.headers, 'content-type': type, 'content-length': String(bytes?.length ?? 0) }
    const { time = callTime } = options
    const call = { ...target, method, path: `${path}${query}`, headers }
    const answer = await exchange(call, bytes, time, closing.signal, options.onChunk).catch((error) => {
      throw unreachable(place.host, error)
    })
    if (answer.status < 400) return answer.bytes
    const message = messageOf(answer.status, answer.bytes)
    if (unreachableStatuses.includes(answer.status)) throw unreachable(place.host, message)
    throw new DockerRefusal(answer.status, message)
  }
  const shaped = <T extends TSchema>(shape: T, text: Buffer | string) => {
    try {
      return readAnswer(shape, text.toString())
    } catch (error) {
      throw unreachable(place.host, error)
    }
  }
  const negotiate = async () => {
    // Any failure of this call means that the engine is unreachable.
    const answer = await send('GET', '/version').catch((error) => {
      throw unreachable(place.host, error)
    })
    const { MinAPIVersion = apiVersion } = shaped(Version, answer)
    return Number(MinAPIVersion.split('.')[1]) > Number(apiVersion.split('.')[1]) ? MinAPIVersion : apiVersion
  }
  const sendInVersion = async (method: string, path: string, options?: RequestOptions) => {
    version ??= negotiate()
    const known = await version.catch((error) => {
      version = null
      throw error
    })
    return send(method, `/v${known}${path}`, options)
  }
  const bytes: DockerApi['bytes'] = (...args) =>
    sendInVersion(...args).catch((error) => {
      if (!isOtherVersion(error)) throw error
      version = null
      return sendInVersion(...args)
    })
  return {
    bytes,
    read: async (shape, ...args) => shaped(shape, await bytes(...args)),
    readLines: async (shape, method, path, options, seen) =>
      (await bytes(method, path, { ...options, ...(seen && { onChunk: linesTo((line) => seen(shaped(shape, line))) }) }))
        .toString()
        .trim()
        .split('\n')
        .map((line) => shaped(shape, line)),
    ping: () => send('GET', '/_ping', { time: pingTime }),
    close: () => closing.abort(),
  }
}

/** Splits bytes into lines. An error of `seen`, for example about an invalid line, is that of the whole response, which is read at its end. */
function linesTo(seen: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let incomplete = ''
  return (chunk) => {
    const lines = (incomplete + decoder.write(chunk)).split('\n')
    incomplete = lines.pop() ?? ''
    try {
      for (const line of lines) seen(line)
    } catch {
      incomplete = ''
    }
  }
}

const isOtherVersion = (error: unknown): boolean =>
  error instanceof DockerRefusal && error.status === 400 && error.message.includes('client version')

function targetOf({ host, certs }: DockerPlace): Target {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length), secure: false, agent: false }
  const { hostname, port } = new URL(host)
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port, agent: false as const }
  if (certs === null) return { ...place, secure: false }
  try {
    const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFileSync(join(certs, name)))
    return { ...place, secure: true, ca, cert, key } as Target
  } catch (error) {
    throw new StartError(`The certificates in ${certs} (VEXIL_DOCKER_CERTS) cannot be read: ${(error as Error).message}.`)
  }
}

function unreachable(host: string, error: unknown): EngineError {
  if (error instanceof EngineError && error.problem === 'unreachable') return error
  const why = codeOf(error) || (error instanceof Error ? error.message : String(error))
  return new EngineError('unreachable', `Docker does not answer at ${host}: ${why}`)
}

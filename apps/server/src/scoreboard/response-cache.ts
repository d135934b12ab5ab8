/** Response bodies built once per version: plain, gzip and brotli, with the version as tag. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface Finished {
  readonly tag: string
  readonly bytes: Buffer
}

export interface Body {
  readonly version: string
  readonly plain: Buffer
  /** Duration of the build in milliseconds. */
  readonly ms: number
}

interface Built extends Body {
  readonly packed: Map<Encoding, Promise<Buffer>>
  /** Not rebuilt before this time (ms, monotonic). */
  readonly until: number
}

const pack: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  // The default quality takes some hundred times as long.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
}

const bodiesMost = 64

const restMostMs = 10_000

interface Keeping {
  /** Minimum lifetime of a body as a multiple of its build time: with 20, one that took 5 ms is kept for at least 100 ms; with 0 an old one is never sent. At most ten seconds. */
  readonly rest: number
  /** Whether an older version may be sent while the newer one is built and compressed. */
  readonly serves?: (older: string, version: string) => boolean
}

/** Keeps the newest body of each key. Concurrent callers share one build. A cached body costs only the copy. */
export function keepBytes({
  rest,
  serves = () => false,
}: Keeping): (key: string, version: string, build: () => Promise<Body>, encoding: Encoding) => Promise<Finished> {
  const kept = new Map<string, Built>()
  const building = new Map<string, Promise<Built>>()

  async function make(key: string, build: () => Promise<Body>, encodings: Iterable<Encoding>): Promise<Built> {
    const body = await build()
    const built = {
      ...body,
      packed: new Map<Encoding, Promise<Buffer>>(),
      until: performance.now() + Math.min(body.ms * rest, restMostMs),
    }
    for (const encoding of encodings) await packedOf(built, encoding)
    kept.delete(key)
    kept.set(key, built)
    if (kept.size > bodiesMost) kept.delete(kept.keys().next().value as string)
    return built
  }

  function packedOf(built: Built, encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return Promise.resolve(built.plain)
    let packed = built.packed.get(encoding)
    if (!packed) {
      packed = pack[encoding](built.plain)
      built.packed.set(encoding, packed)
    }
    return packed
  }

  async function newest(key: string, version: string, build: () => Promise<Body>): Promise<Built> {
    const known = kept.get(key)
    if (known && (known.version === version || performance.now() < known.until)) return known
    const older = known && serves(known.version, version) ? known : undefined
    let under = building.get(key)
    if (!under) {
      under = make(key, build, older?.packed.keys() ?? []).finally(() => building.delete(key))
      building.set(key, under)
      // Requests after a failure wait for the next build and get its error.
      if (older) under.catch(() => kept.delete(key))
    }
    return older ?? under
  }

  return async (key, version, build, encoding) => {
    const built = await newest(key, version, build)
    const tag = encoding === 'identity' ? `"${built.version}"` : `"${built.version}.${encoding}"`
    return { tag, bytes: await packedOf(built, encoding) }
  }
}

/** Bodies made once and copied to everybody: plain, gzip and brotli, with the tag of the version they show. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface Finished {
  readonly tag: string
  readonly bytes: Buffer
}

/** A body as it was built, and what it shows. */
export interface Body {
  readonly version: string
  readonly plain: Buffer
  /** How long building it took. */
  readonly ms: number
}

interface Built extends Body {
  readonly packed: Map<Encoding, Promise<Buffer>>
  /** Not built again before this moment (ms, monotonic). */
  readonly until: number
}

const pack: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  // The default quality would take some hundred times as long.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
}

/** Few games run at once; the bodies of old ones need not stay. */
const most = 64

/**
 * Keeps the newest body of each key. A reader gets what is there; it is built again when the version moved and the last build has
 * rested: `rest` times as long as it took, so with 20 a body that took 5 ms is kept for at least 100 ms; with 0 nobody ever gets an old
 * one. Readers that come while it is built wait for the same one. Costs a reader nothing but the copy.
 */
export function keepBytes(
  rest: number,
): (key: string, version: string, build: () => Promise<Body>, encoding: Encoding) => Promise<Finished> {
  const kept = new Map<string, Built>()
  const building = new Map<string, Promise<Built>>()

  async function make(key: string, build: () => Promise<Body>): Promise<Built> {
    const body = await build()
    const built = { ...body, packed: new Map(), until: performance.now() + body.ms * rest }
    kept.delete(key)
    kept.set(key, built)
    if (kept.size > most) kept.delete(kept.keys().next().value as string)
    return built
  }

  async function newest(key: string, version: string, build: () => Promise<Body>): Promise<Built> {
    const known = kept.get(key)
    if (known && (known.version === version || performance.now() < known.until)) return known
    let under = building.get(key)
    if (!under) {
      under = make(key, build).finally(() => building.delete(key))
      building.set(key, under)
    }
    return under
  }

  return async (key, version, build, encoding) => {
    const built = await newest(key, version, build)
    if (encoding === 'identity') return { tag: `"${built.version}"`, bytes: built.plain }
    let packed = built.packed.get(encoding)
    if (!packed) {
      packed = pack[encoding](built.plain)
      built.packed.set(encoding, packed)
    }
    return { tag: `"${built.version}.${encoding}"`, bytes: await packed }
  }
}

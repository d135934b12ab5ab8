/** Bodies made once and copied to everybody: plain, gzip and brotli, with the tag of the version they show. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface Finished {
  readonly tag: string
  readonly bytes: Buffer
}

interface Built {
  readonly version: string
  readonly plain: Buffer
  readonly packed: Map<Encoding, Promise<Buffer>>
  /** Not built again before this moment (ms, monotonic). */
  readonly until: number
}

const pack: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  // The default quality would take some hundred times as long.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
}

/**
 * Keeps the newest body of each key. A reader gets what is there; it is built again when the version moved and the last build has
 * rested: `rest` times as long as it took, so with 20 a body that took 5 ms is kept for at least 100 ms; with 0 nobody ever gets an old
 * one. Costs a reader nothing but the copy.
 */
export function keepBytes(
  rest: number,
): (key: number, version: string, build: () => unknown, encoding: Encoding) => Promise<Finished> {
  const kept = new Map<number, Built>()
  return async (key, version, build, encoding) => {
    let built = kept.get(key)
    const started = performance.now()
    if (!built || (built.version !== version && started >= built.until)) {
      const plain = Buffer.from(JSON.stringify(build()))
      const now = performance.now()
      built = { version, plain, packed: new Map(), until: now + (now - started) * rest }
      kept.delete(key)
      kept.set(key, built)
      // Few games run at once; the bodies of old ones need not stay.
      if (kept.size > 64) kept.delete(kept.keys().next().value as number)
    }
    if (encoding === 'identity') return { tag: `"${built.version}"`, bytes: built.plain }
    let packed = built.packed.get(encoding)
    if (!packed) {
      packed = pack[encoding](built.plain)
      built.packed.set(encoding, packed)
    }
    return { tag: `"${built.version}.${encoding}"`, bytes: await packed }
  }
}

const pieceLeast = 4 * 1024
const pieceMost = 1024 * 1024

export interface BodyBuffer {
  readonly size: number
  add(chunk: Uint8Array): void
  /** Everything added, in order. The memory may be transferred to another thread. */
  pieces(): Uint8Array<ArrayBuffer>[]
}

export function openBodyBuffer(): BodyBuffer {
  const full: Uint8Array<ArrayBuffer>[] = []
  let tail = new Uint8Array(0)
  let used = 0
  let size = 0
  return {
    get size() {
      return size
    },
    add(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (used === tail.length) {
          if (used > 0) full.push(tail)
          // The first buffer fits the first chunk, which most bodies are; later ones double, so that a large body takes few.
          tail = new Uint8Array(size === 0 ? chunk.length : Math.min(pieceMost, Math.max(pieceLeast, size)))
          used = 0
        }
        const part = chunk.subarray(at, at + tail.length - used)
        tail.set(part, used)
        used += part.length
        size += part.length
        at += part.length
      }
    },
    pieces: () => (used > 0 ? [...full, tail.subarray(0, used)] : full),
  }
}

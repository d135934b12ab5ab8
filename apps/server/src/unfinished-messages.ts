/** Tracks the messages of a WebSocket (RFC 6455, 5.2) as their bytes arrive, to limit unfinished ones. */

/** Bits of a frame's first byte: the last frame of a message; a control frame. */
const [last, control] = [0x80, 0x08]

export interface Unfinished {
  /** Processes the client's next bytes. Costs some nanoseconds per frame. */
  saw(chunk: Uint8Array): void
  /** Bytes of the unfinished message, with all headers and control frames in between; 0 between messages. */
  bytes(): number
  /** Arrival of its first byte in milliseconds of `now`; null between messages. */
  since(): number | null
}

/** Tracks one connection. The WebSocket refuses protocol errors. `now` is a monotonic clock in milliseconds. */
export function watchUnfinished(now: () => number = () => performance.now()): Unfinished {
  const head = new DataView(new ArrayBuffer(14))
  let headBytes = 0
  let left = 0
  let isFragmented = false
  let bytes = 0
  let since: number | null = null

  function isHeadWhole(): boolean {
    if (headBytes < 2) return false
    const [length, mask] = [head.getUint8(1) & 127, head.getUint8(1) & 128 ? 4 : 0]
    if (headBytes < 2 + (length === 127 ? 8 : length === 126 ? 2 : 0) + mask) return false
    left = length === 127 ? Number(head.getBigUint64(2)) : length === 126 ? head.getUint16(2) : length
    return true
  }

  function endFrame(): void {
    const first = head.getUint8(0)
    if (!(first & control)) isFragmented = !(first & last)
    headBytes = 0
    if (isFragmented) return
    bytes = 0
    since = null
  }

  return {
    saw(chunk) {
      for (let at = 0; at < chunk.length; ) {
        since ??= now()
        if (left > 0) {
          const consumed = Math.min(left, chunk.length - at)
          left -= consumed
          at += consumed
          bytes += consumed
        } else {
          head.setUint8(headBytes++, chunk[at++] as number)
          bytes++
          if (!isHeadWhole()) continue
        }
        if (left === 0) endFrame()
      }
    },
    bytes: () => bytes,
    since: () => since,
  }
}

export interface Paced {
  now(): void
  /** Sends now if the interval has passed, otherwise when it has. Returns whether it was sent now. */
  soon(): boolean
}

/** Limits `send` to one call per interval in milliseconds, except for immediate calls. Does not keep the process alive. */
export function paced(everyMs: () => number, send: () => void): Paced {
  let timer: NodeJS.Timeout | null = null
  let sentAt = Number.NEGATIVE_INFINITY
  const now = () => {
    if (timer) clearTimeout(timer)
    timer = null
    sentAt = performance.now()
    send()
  }
  return {
    now,
    soon() {
      const rest = sentAt + everyMs() - performance.now()
      if (rest <= 0) now()
      else timer ??= setTimeout(now, rest).unref()
      return rest <= 0
    },
  }
}

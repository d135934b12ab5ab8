/** Responses that the page requests while this code loads (index.html), by address. */

interface Preloaded {
  /** Device time, ms; not after the request was sent. */
  readonly sentAt: number
  /** Undefined where the page made no request. */
  readonly answer: Promise<Response | undefined>
}

declare global {
  var early: Record<string, Preloaded> | undefined
}

/** Each is returned once. */
export function takePreloaded(address: string): Preloaded | undefined {
  const found = globalThis.early?.[address]
  delete globalThis.early?.[address]
  return found
}

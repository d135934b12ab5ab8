/** Answers that the page asks for while this code is on its way (index.html), by their address. */

interface Early {
  /** By the device's clock, ms; not after the request was sent. */
  readonly sentAt: number
  /** Undefined where the page did not ask after all. */
  readonly answer: Promise<Response | undefined>
}

declare global {
  var early: Record<string, Early> | undefined
}

/** Each is taken once; later calls ask anew. */
export function takeEarly(address: string): Early | undefined {
  const found = globalThis.early?.[address]
  delete globalThis.early?.[address]
  return found
}

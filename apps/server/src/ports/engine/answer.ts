import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'

/** Unknown members are kept. @throws Error for invalid JSON or another shape, such as the response of a proxy in front of the engine */
export function readAnswer<T extends TSchema>(shape: T, text: string): Static<T> {
  const value = jsonOf(text)
  // The message omits the response, which may contain a flag.
  if (!Check(shape, value)) throw new Error('what answers there is no such engine')
  return value
}

export function messageOf(status: number, bytes: Buffer): string {
  const text = bytes.toString()
  const { message } = (jsonOf(text) ?? {}) as { message?: unknown }
  return (typeof message === 'string' && message) || text.slice(0, 500).trim() || `status ${status}`
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What an engine answered, as far as it is what its API promises. */
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'

/**
 * The JSON of an answer. Members that the shape does not name are left in.
 * @throws Error when it is no JSON or has another shape, as what a proxy answers in place of its engine
 */
export function readAnswer<T extends TSchema>(shape: T, text: string): Static<T> {
  const value = jsonOf(text)
  // What it says instead may hold a flag.
  if (!Check(shape, value)) throw new Error('what answers there is no such engine')
  return value
}

/** Why something was refused: the message of the answer, else its text, else its status. */
export function messageOf(status: number, bytes: Buffer): string {
  const text = bytes.toString()
  const { message } = (jsonOf(text) ?? {}) as { message?: unknown }
  return (typeof message === 'string' && message) || text.slice(0, 500).trim() || `status ${status}`
}

/** Undefined for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

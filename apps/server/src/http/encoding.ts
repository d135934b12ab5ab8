import { negotiate } from '@fastify/accept-negotiator'

/** The first of the offered encodings, in order of preference, that an `Accept-Encoding` header allows. */
export function encodingOf<const E extends string>(accepted: string | undefined, offered: readonly E[]): E | 'identity' {
  return ((accepted && negotiate(accepted.toLowerCase(), [...offered])) || 'identity') as E | 'identity'
}

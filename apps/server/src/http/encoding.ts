import { negotiate } from '@fastify/accept-negotiator'

export function encodingOf<const E extends string>(accepted: string | undefined, offered: readonly E[]): E | 'identity' {
  return ((accepted && negotiate(accepted.toLowerCase(), [...offered])) || 'identity') as E | 'identity'
}

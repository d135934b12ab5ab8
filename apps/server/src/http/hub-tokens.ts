/** Connection tokens of hubs, signed with time, hub and game: valid on every node, with no stored state. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hubLimits } from '@vexil/core/limits'

export interface HubTokens {
  make(path: string, game: string): { readonly id: string; readonly token: string }
  /** Whether the token was made for this hub and game at most `hubLimits.tokenLife` ago, by the database's clock. */
  isValid(token: string, path: string, game: string): boolean
}

/** `now` is the database's time in milliseconds since 1970, so that nodes agree on a token's age. */
export function openHubTokens(secret: Buffer, now: () => number): HubTokens {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22)
  return {
    make(path, game) {
      const id = randomBytes(16).toString('base64url')
      const stamp = Math.round(now()).toString(36)
      return { id, token: `${id}.${stamp}.${sign(`${id} ${stamp} ${path} ${game}`)}` }
    },
    isValid(token, path, game) {
      const [id = '', stamp = '', signature = ''] = token.split('.')
      const right = Buffer.from(sign(`${id} ${stamp} ${path} ${game}`))
      const given = Buffer.from(signature)
      const age = now() - Number.parseInt(stamp, 36)
      return given.length === right.length && timingSafeEqual(right, given) && Math.abs(age) <= hubLimits.tokenLife
    },
  }
}

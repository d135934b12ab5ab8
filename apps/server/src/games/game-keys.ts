/** The key pair of a game and the tokens it signs (docs/flags.md). Both keys are in Base64. */
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { formatTeamToken, gameSalt, maskSeed } from '@vexil/core/flags'
import { signedTeamText } from '@vexil/core/interop'

/** DER prefix of the 32 bytes of an Ed25519 seed. */
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export interface GameKeys {
  readonly publicKey: string
  /** The seed, masked with the platform's key. Must not be computed again: the salts of the game depend on this text. */
  readonly privateKey: string
}

/** `secret` is the platform's key. */
export function makeGameKeys(secret: Uint8Array): GameKeys {
  const pair = generateKeyPairSync('ed25519')
  const seed = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  return {
    publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
    privateKey: Buffer.from(maskSeed(seed, secret)).toString('base64'),
  }
}

/** `{teamId}:{signature}`, deterministic. */
export function signTeamToken(privateKey: string, secret: Uint8Array, teamId: number): string {
  const seed = maskSeed(Buffer.from(privateKey, 'base64'), secret)
  const key = createPrivateKey({ key: Buffer.concat([seedPrefix, seed]), format: 'der', type: 'pkcs8' })
  return formatTeamToken(teamId, sign(null, Buffer.from(signedTeamText(teamId)), key).toString('base64'))
}

/** The salt for external challenge servers to compute team hashes: 64 hex digits. */
export const hashSalt = (privateKey: string): string =>
  gameSalt(privateKey, (text) => createHash('sha256').update(text).digest('hex'))

/** Team tokens, `{team id}:{Base64 of an Ed25519 signature}`: external checkers verify them with the public key of a game. */
import { createPublicKey, verify } from 'node:crypto'
import { parseTeamToken } from '@vexil/core/flags'
import { signedTeamText } from '@vexil/core/interop'
import { TeamTokenMalformed, TeamTokenWrong } from '@vexil/core/rules'

/** The DER prefix of a 32-byte Ed25519 key. */
const derHead = Buffer.from('302a300506032b6570032100', 'hex')
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Checks the signature only, not that team or game exist. @throws TeamTokenMalformed, TeamTokenWrong */
export function mustBeTeamToken(token: string, publicKey: string): void {
  const parsed = parseTeamToken(token)
  const key = base64.test(publicKey) ? Buffer.from(publicKey, 'base64') : Buffer.alloc(0)
  if (!parsed || key.length !== 32) throw new TeamTokenMalformed()
  const bytes = base64.test(parsed.signature) ? Buffer.from(parsed.signature, 'base64') : Buffer.alloc(0)
  const text = Buffer.from(signedTeamText(parsed.teamId))
  const ed25519 = createPublicKey({ key: Buffer.concat([derHead, key]), format: 'der', type: 'spki' })
  if (!verify(null, text, ed25519, bytes)) throw new TeamTokenWrong()
}

/** argon2id, a few at a time: hashing shares its threads with downloads, and a wave of logins must not stop them. */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { openTurns } from '../files/turns.ts'

const turns = openTurns(Math.max(1, availableParallelism() - 1), 256)

/** Fits no password. Unknown users are measured against it, so that they take as long as known ones. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$uflzcaUNFIDYOcZRcC92wA$fqXFnSwrhBIpxEWs4l4i/s258xoN0ZzfCe8BGOEf41o'

/** Throws `server.unavailable` when too many wait. */
export const hashPassword = (password: string): Promise<string> => turns(() => hash(password))

/** `stored` null: there is no such user; takes as long and is false. Throws `server.unavailable` when too many wait. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const real = stored?.startsWith('$argon2id$') ? stored : null
  const right = await turns(() => verify(real ?? decoy, password))
  return right && real !== null
}

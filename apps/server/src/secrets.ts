/** SECRET_KEY: from the environment or generated at the first start. Derived keys are the same on every node. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Db } from './db/transaction.ts'
import { StartError } from './start-error.ts'

export interface Secrets {
  /** Masks the private keys of games (docs/flags.md, keys). */
  readonly key: Uint8Array
  derive(purpose: string): Buffer
}

/** Throws StartError when the keys of the environment and the data folder, or of this node and the database, differ. */
export async function openSecrets({ secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>, db: Db): Promise<Secrets> {
  const file = join(dataDir, 'secret-key')
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : null
  if (secretKey !== null && kept !== null && secretKey !== kept) {
    throw new StartError(`SECRET_KEY and the key stored in ${file} differ: remove one of them.`)
  }
  const known = (await db.selectFrom('installation').select('secretFingerprint').executeTakeFirst())?.secretFingerprint ?? null
  let key = secretKey ?? kept
  if (key === null) {
    if (known !== null) {
      throw new StartError(`The SECRET_KEY that the database was created with is missing: set it, or restore ${file}.`)
    }
    key = randomBytes(32).toString('base64url')
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
  }
  const fingerprint = createHmac('sha256', key).update('vexil fingerprint').digest('hex')
  // Of two concurrent first starts, the first one sets it.
  await db.updateTable('installation').set({ secretFingerprint: fingerprint }).where('secretFingerprint', 'is', null).execute()
  const stored = await db.selectFrom('installation').select('secretFingerprint').executeTakeFirstOrThrow()
  if (stored.secretFingerprint !== fingerprint) {
    throw new StartError('This SECRET_KEY is not the one that the database was created with.')
  }
  const text = key
  return {
    key: Buffer.from(text, 'utf8'),
    derive: (purpose) => Buffer.from(hkdfSync('sha256', text, '', purpose, 32)),
  }
}

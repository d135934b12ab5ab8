/** SECRET_KEY: from the environment or generated at the first start. Derived keys are the same on every node. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Db } from './db/transaction.ts'
import { StartError } from './start-error.ts'

export interface Secrets {
  /** Masks the private keys of games (docs/flags.md, keys). */
  readonly key: Uint8Array
  derive(purpose: string): Buffer
  /** Encrypts a text for the database. `name`: of the stored value; a text copied to another name does not open. */
  seal(name: string, text: string): string
  /** Null if the text was changed or sealed with another key or name. */
  unseal(name: string, sealed: string): string | null
}

const [ivBytes, tagBytes] = [12, 16]

/** The form in which the database stores the key. */
export const fingerprintOf = (key: string): string => createHmac('sha256', key).update('vexil fingerprint').digest('hex')

/** The key of the environment or of the data folder; null without one. Throws StartError when they differ, or the file is empty. */
export function configuredKey({ secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>): string | null {
  const file = keyFile(dataDir)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : null
  // As on a disk that was full at the first start: derived keys would be known to everyone.
  if (kept === '')
    throw new StartError(`The key file ${file} is empty: restore it, or delete it if the platform has not run yet.`)
  if (secretKey !== null && kept !== null && secretKey !== kept) {
    throw new StartError(`SECRET_KEY and the key stored in ${file} differ: remove one of them.`)
  }
  return secretKey ?? kept
}

const keyFile = (dataDir: string) => join(dataDir, 'secret-key')

/** Stores the key in a data folder that has none. */
export function storeKey(dataDir: string, key: string): void {
  writeFileSync(keyFile(dataDir), `${key}\n`, { mode: 0o600, flag: 'wx' })
}

/** Throws StartError when the keys of the environment and the data folder, or of this node and the database, differ. */
export async function openSecrets({ secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>, db: Db): Promise<Secrets> {
  let key = configuredKey({ secretKey, dataDir })
  const known = (await db.selectFrom('installation').select('secretFingerprint').executeTakeFirst())?.secretFingerprint ?? null
  if (key === null) {
    if (known !== null) {
      throw new StartError(
        `The SECRET_KEY that the database was created with is missing: set it, or restore ${keyFile(dataDir)}.`,
      )
    }
    key = randomBytes(32).toString('base64url')
    storeKey(dataDir, key)
  }
  const fingerprint = fingerprintOf(key)
  // Of two concurrent first starts, the first one sets it.
  await db.updateTable('installation').set({ secretFingerprint: fingerprint }).where('secretFingerprint', 'is', null).execute()
  const stored = await db.selectFrom('installation').select('secretFingerprint').executeTakeFirstOrThrow()
  if (stored.secretFingerprint !== fingerprint) {
    throw new StartError('This SECRET_KEY is not the one that the database was created with.')
  }
  const text = key
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', text, '', purpose, 32))
  const sealing = derive('stored secrets')
  return {
    key: Buffer.from(text, 'utf8'),
    derive,
    seal: (name, plain) => seal(sealing, name, plain),
    unseal: (name, sealed) => unseal(sealing, name, sealed),
  }
}

/** AES-256-GCM with a random nonce of 96 bits (NIST SP 800-38D): nonce, tag and ciphertext in Base64url. */
function seal(key: Buffer, name: string, plain: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name))
  const bytes = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64url')
}

function unseal(key: Buffer, name: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return null
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

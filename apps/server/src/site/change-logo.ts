import { ImageInvalid, LogoUpdateFailed } from '@vexil/core/rules'
import { sql } from 'kysely'
import { type Actor, audit } from '../audit.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { withStored } from '../files/file-leases.ts'
import { type EncodedImage, encodedBytesMost, encodeImage } from '../files/images.ts'
import { releaseFiles } from '../files/release-file.ts'
import { enterFile, putFile } from '../files/store-file.ts'
import { readSettings, saveSettings } from './settings.ts'

type SiteDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'storage' | 'onError'>

/** Maximum width in pixels. */
const logoWidth = 640
const faviconWidth = 256

/** Creates logo and favicon from one picture; the old files are deleted unless they are referenced elsewhere. @throws LogoUpdateFailed */
export async function changeLogo(deps: SiteDeps, by: Actor, bytes: Buffer): Promise<void> {
  const [logo, favicon] = await encoded(deps, bytes)
  const put = [
    { ...(await putFile(deps, logo.bytes, encodedBytesMost)), name: `logo.${logo.extension}`, bytes: logo.bytes },
    { ...(await putFile(deps, favicon.bytes, encodedBytesMost)), name: `favicon.${favicon.extension}`, bytes: favicon.bytes },
  ]
  // In the order of their hashes, as uploads do; both forms of a GIF are the same file.
  const files = [
    ...new Map(
      put.map(({ bytes, ...file }) => [
        file.hash,
        { file, hash: file.hash, again: () => deps.storage.put(bytes, encodedBytesMost) },
      ]),
    ).values(),
  ]
  files.sort((a, b) => (a.hash < b.hash ? -1 : 1))
  const [logoHash, faviconHash] = put.map(({ hash }) => hash) as [string, string]
  const old = await withStored(deps, files, async (tx) => {
    for (const { file } of files) await enterFile(tx, file)
    return replace(tx, logoHash, faviconHash)
  })
  await finishChange(deps, by, `Changed the logo: ${logoHash.slice(0, 8)}`, old)
}

export async function removeLogo(deps: SiteDeps, by: Actor): Promise<void> {
  const old = await inTransaction(deps.db, (tx) => replace(tx, '', ''))
  await finishChange(deps, by, 'Removed the logo', old)
}

async function encoded({ log }: SiteDeps, bytes: Buffer): Promise<[EncodedImage, EncodedImage]> {
  try {
    return [await encodeImage(bytes, logoWidth), await encodeImage(bytes, faviconWidth)]
  } catch (error) {
    if (!(error instanceof ImageInvalid)) throw error
    log.write({ level: 'Warning', status: 'Failed', name: 'System', message: 'Could not read image (logo)' })
    throw new LogoUpdateFailed()
  }
}

async function replace(tx: Tx, logoHash: string, faviconHash: string): Promise<string[]> {
  // Concurrent changes are serialised, so that each releases the files that it replaces.
  await sql`select from installation for update`.execute(tx)
  const before = await readSettings(tx)
  await saveSettings(tx, { 'GlobalConfig:LogoHash': logoHash, 'GlobalConfig:FaviconHash': faviconHash })
  return [before['GlobalConfig:LogoHash'], before['GlobalConfig:FaviconHash']]
}

async function finishChange(deps: SiteDeps, by: Actor, message: string, old: readonly string[]): Promise<void> {
  await deps.settings.reload()
  deps.bus.publish('settings.changed', {})
  audit(deps, by, message)
  await releaseFiles(deps, old)
}

import { type Actor, audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { avatarUse, storeImage } from '../files/store-image.ts'
import { getAccount, updateAccount } from './accounts.queries.ts'

export async function changeAvatar(
  deps: Pick<Deps, 'db' | 'storage' | 'log' | 'onError'>,
  by: Actor,
  bytes: Buffer,
): Promise<string> {
  let old: string | null = null
  const { hash, url } = await storeImage(deps, bytes, avatarUse, async (tx, avatarHash) => {
    old = (await getAccount(tx, by.id)).avatarHash
    await updateAccount(tx, by.id, { avatarHash })
  })
  audit(deps, by, `Avatar changed: ${hash.slice(0, 8)}`)
  await releaseFiles(deps, [old])
  return url
}

import { GameNotFound } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import type { Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { storeImage } from '../files/store-image.ts'

/** Stores the picture, then releases the old one. Returns the new URL. @throws GameNotFound, ImageInvalid */
export async function changePoster(
  deps: Pick<Deps, 'db' | 'bus' | 'storage' | 'log' | 'onError'>,
  { id, title }: { readonly id: number; readonly title: string },
  bytes: Buffer,
  by: Actor,
): Promise<string> {
  let oldHash: string | null = null
  const { url } = await storeImage(deps, bytes, { name: 'poster', width: null }, async (tx, hash) => {
    oldHash = await setPoster(tx, id, hash)
  })
  deps.bus.publish('game.changed', { gameId: id })
  audit(deps, by, `Changed the poster of ${title} (#${id})`)
  await releaseFiles(deps, [oldHash])
  return url
}

/** Returns the hash of the previous poster. @throws GameNotFound */
async function setPoster(tx: Tx, gameId: number, hash: string): Promise<string | null> {
  const game = await tx.selectFrom('games').select('posterHash').where('id', '=', gameId).forNoKeyUpdate().executeTakeFirst()
  if (!game) throw new GameNotFound()
  await tx.updateTable('games').set({ posterHash: hash }).where('id', '=', gameId).execute()
  return game.posterHash
}

import { fileLimits } from '@vexil/core/limits'
import { ImageInvalid } from '@vexil/core/rules'
import type { Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type EncodedImage, encodedBytesMost, encodeImage } from './images.ts'
import { storeFile } from './store-file.ts'

/** Width null: original width. */
export interface ImageUse {
  readonly name: 'avatar' | 'logo' | 'favicon' | 'poster'
  readonly width: number | null
}

export const avatarUse: ImageUse = { name: 'avatar', width: fileLimits.avatarPixels }

/** Encodes and stores a picture; `refer` creates the reference in the same transaction. Returns its URL. */
export async function storeImage(
  deps: Pick<Deps, 'db' | 'storage' | 'log'>,
  bytes: Buffer,
  use: ImageUse,
  refer: (tx: Tx, hash: string) => Promise<void>,
): Promise<{ hash: string; url: string }> {
  const image = await encode(deps, bytes, use)
  const name = `${use.name}.${image.extension}`
  const { hash } = await storeFile(deps, image.bytes, { name, max: encodedBytesMost }, refer)
  return { hash, url: `/assets/${hash}/${name}` }
}

async function encode({ log }: Pick<Deps, 'log'>, bytes: Buffer, { name, width }: ImageUse): Promise<EncodedImage> {
  try {
    return await encodeImage(bytes, width)
  } catch (error) {
    if (error instanceof ImageInvalid) {
      log.write({ level: 'Warning', status: 'Failed', name: 'System', message: `Could not read image (${name})` })
    }
    throw error
  }
}

/** The URL of a picture; its name is arbitrary, so it has no extension. */
export const imageUrl = (hash: string | null, name: ImageUse['name'] = 'avatar'): string | null =>
  hash ? `/assets/${hash}/${name}` : null

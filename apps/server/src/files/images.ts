/** Pictures that people hand in are never served as they came: they are decoded within limits and encoded anew. */
import { ImageInvalid } from '@vexil/core/rules'
import { fileTypeFromBuffer } from 'file-type'
import sharp, { type SharpOptions } from 'sharp'
import { openSemaphore } from '../semaphore.ts'

export interface EncodedImage {
  readonly bytes: Buffer
  readonly extension: 'webp' | 'gif'
}

/** Checked before anything is decoded: a small file can claim to be a huge picture. */
const pixelsMost = 50_000_000
const gifFramesMost = 512
/** Of all frames together; each of them is encoded. */
const gifPixelsMost = 30_000_000
/** WebP goes no further. */
const sideMost = 16_383
const secondsMost = 10
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/tiff'])

// A decoded picture takes 200 MB at worst.
const semaphore = openSemaphore(2, 100)

/**
 * WebP of at most this width (null: as wide as it is), upright, without metadata, never enlarged. A GIF stays a GIF of its size, so that it
 * goes on moving. Throws ImageInvalid for what is no picture by its content, whatever it is called.
 */
export async function encodeImage(bytes: Buffer, width: number | null): Promise<EncodedImage> {
  const mime = (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime ?? ''
  if (!pictures.has(mime)) throw new ImageInvalid()
  return semaphore(async () => {
    try {
      return mime === 'image/gif' ? await toGif(bytes) : await toWebp(bytes, width)
    } catch {
      throw new ImageInvalid()
    }
  })
}

const open = (bytes: Buffer, options: SharpOptions = {}) =>
  sharp(bytes, { limitInputPixels: pixelsMost, failOn: 'error', ...options }).timeout({ seconds: secondsMost })

async function toWebp(bytes: Buffer, width: number | null): Promise<EncodedImage> {
  const encoded = await open(bytes)
    .autoOrient()
    .resize({ width: Math.min(width ?? sideMost, sideMost), height: sideMost, fit: 'inside', withoutEnlargement: true })
    .webp()
    .toBuffer()
  return { bytes: encoded, extension: 'webp' }
}

/** All frames with their times and colours; comments, foreign blocks and bytes after the end are dropped. */
async function toGif(bytes: Buffer): Promise<EncodedImage> {
  const { width, height, pages = 1 } = await open(bytes).metadata()
  if (pages > gifFramesMost || width * height * pages > gifPixelsMost) throw new ImageInvalid()
  return { bytes: await open(bytes, { animated: true }).gif().toBuffer(), extension: 'gif' }
}

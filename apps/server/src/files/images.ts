/** Uploaded pictures are never served unchanged: they are decoded within limits and encoded again. */
import { ImageInvalid } from '@vexil/core/rules'
import { fileTypeFromBuffer } from 'file-type'
import sharp, { type SharpOptions } from 'sharp'
import { openSemaphore } from '../semaphore.ts'

export interface EncodedImage {
  readonly bytes: Buffer
  readonly extension: 'webp' | 'gif'
}

/** Limit of the bytes that are stored; encoding can enlarge a picture. */
export const encodedBytesMost = 32 * 1024 * 1024

/** Checked before decoding: a small file can declare a huge picture. */
const pixelsMost = 50_000_000
const gifFramesMost = 512
/** Sum over all frames. */
const gifPixelsMost = 30_000_000
/** The limit of WebP. */
const sideMost = 16_383
const secondsMost = 10
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/tiff'])

// Each upload is decoded once, so a cache would only take memory.
sharp.cache(false)

// A decoded picture takes up to 200 MB.
const semaphore = openSemaphore(2, 100)

/** WebP without metadata, at most `width` wide (null: unchanged); a GIF stays a GIF, to keep its animation. @throws ImageInvalid */
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

/** Keeps all frames with their times and colours; drops comments, unknown blocks and trailing bytes. */
async function toGif(bytes: Buffer): Promise<EncodedImage> {
  const { width, height, pages = 1 } = await open(bytes).metadata()
  if (pages > gifFramesMost || width * height * pages > gifPixelsMost) throw new ImageInvalid()
  return { bytes: await open(bytes, { animated: true }).gif().toBuffer(), extension: 'gif' }
}

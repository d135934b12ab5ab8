import sharp, { type CreateRaw } from 'sharp'
import { describe, expect, test } from 'vitest'
import { aGif, aPng, htmlBytes } from '../../test/builders/images.ts'
import { encodeImage } from './images.ts'

const sizeOf = async (bytes: Buffer) => {
  const { width, height, format } = await sharp(bytes).metadata()
  return { width, height, format }
}

/** A GIF of so many frames, one pixel each. */
const aGifOf = (frames: number): Promise<Buffer> => {
  const raw: CreateRaw & { pageHeight: number } = { width: 1, height: frames, channels: 3, pageHeight: 1 }
  const pixels = Buffer.from(Array.from({ length: frames * 3 }, (_, i) => (Math.floor(i / 3) % 2) * 255))
  return sharp(pixels, { raw })
    .gif({ delay: Array(frames).fill(50) })
    .toBuffer()
}

describe('a picture', () => {
  test.each([
    ['wider than wanted is made narrower, its height in proportion', 600, 400, 300, { width: 300, height: 200 }],
    ['narrower than wanted is not enlarged', 8, 4, 300, { width: 8, height: 4 }],
    ['for a poster keeps its width', 1200, 10, null, { width: 1200, height: 10 }],
    ['wider than WebP can be is made to fit', 20_000, 20, null, { width: 16_383, height: 16 }],
  ])('%s', async (_, width, height, wanted, expected) => {
    const { bytes, extension } = await encodeImage(await aPng({ width, height }), wanted)
    expect([extension, await sizeOf(bytes)]).toEqual(['webp', { ...expected, format: 'webp' }])
  })

  test.each(['jpeg', 'webp', 'avif', 'tiff', 'png'] as const)('of the format %s is taken', async (format) => {
    const bytes = await sharp(await aPng())
      .toFormat(format)
      .toBuffer()
    expect(await sizeOf((await encodeImage(bytes, 300)).bytes)).toMatchObject({ format: 'webp' })
  })

  test.each([
    ['HTML', htmlBytes],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['nothing', Buffer.alloc(0)],
  ])('that is really %s is refused', async (_, bytes) => {
    await expect(encodeImage(bytes, 300)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })
})

describe('a GIF', () => {
  test('is kept byte for byte', async () => {
    const gif = await aGif()
    expect(await encodeImage(gif, 300)).toEqual({ bytes: gif, extension: 'gif' })
  })

  test('of 512 frames passes, of one more not', async () => {
    expect((await encodeImage(await aGifOf(512), 300)).extension).toBe('gif')
    await expect(encodeImage(await aGifOf(513), 300)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })

  test('that breaks off is refused', async () => {
    const gif = await sharp(await aPng({ width: 64, height: 64 }))
      .gif()
      .toBuffer()
    await expect(encodeImage(gif.subarray(0, 14), 300)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })
})

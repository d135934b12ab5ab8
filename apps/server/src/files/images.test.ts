import sharp, { type CreateRaw } from 'sharp'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { aGif, aPng, htmlBytes } from '../../test/builders/images.ts'
import { encodeImage } from './images.ts'

const sizeOf = async (bytes: Buffer) => {
  const { width, height, format } = await sharp(bytes).metadata()
  return { width, height, format }
}

/** A GIF with this many frames of one pixel. */
const aGifOf = (frames: number): Promise<Buffer> => {
  const raw: CreateRaw & { pageHeight: number } = { width: 1, height: frames, channels: 3, pageHeight: 1 }
  const pixels = Buffer.from(Array.from({ length: frames * 3 }, (_, i) => (Math.floor(i / 3) % 2) * 255))
  return sharp(pixels, { raw })
    .gif({ delay: Array(frames).fill(50) })
    .toBuffer()
}

describe('an image', () => {
  test.each([
    ['wider than the limit is scaled down in proportion', 600, 400, 300, { width: 300, height: 200 }],
    ['narrower than the limit is not enlarged', 8, 4, 300, { width: 8, height: 4 }],
    ['for a poster keeps its width', 1200, 10, null, { width: 1200, height: 10 }],
    ['wider than WebP permits is scaled down', 20_000, 20, null, { width: 16_383, height: 16 }],
  ])('%s', async (_, width, height, wanted, expected) => {
    const { bytes, extension } = await encodeImage(await aPng({ width, height }), wanted)
    expect([extension, await sizeOf(bytes)]).toEqual(['webp', { ...expected, format: 'webp' }])
  })

  test.each(['jpeg', 'webp', 'avif', 'tiff', 'png'] as const)('in the format %s is accepted', async (format) => {
    const bytes = await sharp(await aPng())
      .toFormat(format)
      .toBuffer()
    expect(await sizeOf((await encodeImage(bytes, 300)).bytes)).toMatchObject({ format: 'webp' })
  })

  test('of a camera that was held upright is stored upright', async () => {
    const bytes = await sharp(await aPng({ width: 8, height: 4 }))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect(await sizeOf((await encodeImage(bytes, 300)).bytes)).toEqual({ width: 4, height: 8, format: 'webp' })
  })

  test('and a GIF are decoded for ten seconds at most', async () => {
    const timeout = vi.spyOn(sharp.prototype, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    await encodeImage(await aPng(), 300)
    await encodeImage(await aGif(), 300)
    expect(timeout.mock.calls).toEqual(Array(3).fill([{ seconds: 10 }]))
  })

  test.each([
    ['HTML', htmlBytes],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
    ['nothing', Buffer.alloc(0)],
  ])('that actually is %s is refused', async (_, bytes) => {
    await expect(encodeImage(bytes, 300)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })
})

describe('a GIF', () => {
  /** Where the blocks begin, behind the header and its colours. */
  const blocksOf = (gif: Buffer) => 13 + (((gif[10] as number) & 0x80) === 0 ? 0 : 3 * 2 ** (((gif[10] as number) & 7) + 1))
  /** Adds a comment after the header and a page after the end. */
  const withMore = (gif: Buffer) => {
    const blocks = blocksOf(gif)
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe, 17]), Buffer.from('<script>secret()<'), Buffer.from([0])])
    return Buffer.concat([gif.subarray(0, blocks), comment, gif.subarray(blocks), htmlBytes])
  }

  test('keeps its animation, size and colours, and loses other data', async () => {
    const raw: CreateRaw & { pageHeight: number } = { width: 400, height: 600, channels: 3, pageHeight: 200 }
    const pixels = Buffer.concat([0x10, 0x80, 0xf0].map((grey) => Buffer.alloc(400 * 200 * 3, grey)))
    const gif = await sharp(pixels, { raw })
      .gif({ delay: [100, 200, 300], loop: 3 })
      .toBuffer()
    const dirty = withMore(gif)
    expect((await sharp(dirty, { animated: true }).metadata()).pages).toBe(3)
    const { bytes, extension } = await encodeImage(dirty, 300)
    expect(extension).toBe('gif')
    expect(await sharp(bytes, { animated: true }).metadata()).toMatchObject({
      format: 'gif',
      width: 400,
      pageHeight: 200,
      pages: 3,
      delay: [100, 200, 300],
      loop: 3,
    })
    for (const word of ['script', 'secret', 'html']) expect([dirty.includes(word), bytes.includes(word)]).toEqual([true, false])
    const shown = await sharp(bytes, { animated: true }).removeAlpha().raw().toBuffer()
    for (const [frame, grey] of [0x10, 0x80, 0xf0].entries())
      expect(Math.abs((shown[frame * 400 * 200 * 3] as number) - grey)).toBeLessThan(8)
  })

  test('with too many pixels over all frames is refused', async () => {
    const one = await sharp({ create: { width: 1000, height: 1000, channels: 3, background: 'red' } })
      .gif()
      .toBuffer()
    const blocks = blocksOf(one)
    const gif = Buffer.concat([one.subarray(0, blocks), ...Array<Buffer>(31).fill(one.subarray(blocks, -1)), one.subarray(-1)])
    expect(await sharp(gif).metadata()).toMatchObject({ pages: 31, width: 1000, height: 1000 })
    await expect(encodeImage(gif, null)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })

  test('with 512 frames is accepted, with one more refused', async () => {
    expect((await encodeImage(await aGifOf(512), 300)).extension).toBe('gif')
    await expect(encodeImage(await aGifOf(513), 300)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })

  test('that is truncated is refused', async () => {
    const gif = await sharp(await aPng({ width: 64, height: 64 }))
      .gif()
      .toBuffer()
    await expect(encodeImage(gif.subarray(0, 14), 300)).rejects.toMatchObject({ code: 'file.image_invalid' })
  })
})

test('two pictures are encoded at a time, a hundred wait, and the next is refused', async () => {
  const large = await sharp({ create: { width: 3_000, height: 3_000, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  // Recognised as a picture, and refused as soon as it is read.
  const broken = (await aPng()).subarray(0, 60)
  const settled: number[] = []
  const answers = await Promise.allSettled(
    [large, large, ...Array<Buffer>(101).fill(broken)].map((bytes, at) => encodeImage(bytes, 8).finally(() => settled.push(at))),
  )
  const codes = answers.map((one) => (one.status === 'fulfilled' ? 'encoded' : one.reason.code))
  expect(codes.map((code, at) => [at, code]).filter(([, code]) => code !== 'file.image_invalid')).toEqual([
    [0, 'encoded'],
    [1, 'encoded'],
    [102, 'server.unavailable'],
  ])
  // No broken one is read before a large one is encoded.
  expect([0, 1]).toContain(settled.filter((at) => at !== 102)[0])
})

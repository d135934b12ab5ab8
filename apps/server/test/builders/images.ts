/** Pictures for tests. */
import sharp, { type CreateRaw } from 'sharp'

/** A PNG of one colour, padded behind its end to exactly `size` bytes when given. */
export async function aPng({
  width = 8,
  height = 8,
  size,
}: {
  width?: number
  height?: number
  size?: number
} = {}): Promise<Buffer> {
  const png = await sharp({ create: { width, height, channels: 3, background: '#2060c0' } })
    .png()
    .toBuffer()
  return size === undefined ? png : Buffer.concat([png, Buffer.alloc(size - png.length)])
}

/** Two frames that move. */
export async function aGif(): Promise<Buffer> {
  const raw: CreateRaw & { pageHeight: number } = { width: 4, height: 8, channels: 3, pageHeight: 4 }
  const pixels = Buffer.concat([Buffer.alloc(48, 0x10), Buffer.alloc(48, 0xf0)])
  return sharp(pixels, { raw })
    .gif({ delay: [100, 100] })
    .toBuffer()
}

/** A JPEG with an EXIF orientation that is not upright, and with the name of a camera. */
export async function aTurnedJpeg(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#c02020' } })
    .withExif({ IFD0: { Make: 'SecretCamera' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

export const htmlBytes = Buffer.from('<!doctype html><html><script>alert(1)</script></html>')

import sharp from 'sharp'

/** Stained paper; the flag is in the lowest bits of red, from the upper left, up to a zero byte. */
export function wetLogbook(flag: string): Promise<Buffer> {
  const [width, height] = [320, 200]
  const bits = [...Buffer.from(`${flag}\0`)].flatMap((byte) => Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1))
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)]
    const stain = 14 * Math.sin((x + 20 * Math.sin(y / 23)) / 31) + 9 * Math.cos((y - x / 3) / 17)
    const line = y % 20 === 19 && x > 24 && x < 296 ? -38 : 0
    const shade = Math.round(214 + stain + line)
    pixels[at * 3] = (shade & 0xfe) | (bits[at] ?? (x * y) & 1)
    pixels[at * 3 + 1] = shade - 12
    pixels[at * 3 + 2] = shade - 44
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 9 })
    .toBuffer()
}

const coast = `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="600" viewBox="0 0 960 600">
  <rect width="960" height="600" fill="#f3d9a4"/><rect width="960" height="250" fill="#9cc4dd"/>
  <circle cx="742" cy="150" r="52" fill="#fbf3d7"/>
  <path d="M0 330 Q160 300 330 340 T660 335 T960 320 V600 H0Z" fill="#2c6e8f"/>
  <path d="M0 420 Q180 395 360 430 T720 425 T960 410 V600 H0Z" fill="#1f5674"/>
  <path d="M210 360 Q330 255 470 262 Q600 268 690 352 Q560 392 430 384 Q300 392 210 360Z" fill="#6b7d4a"/>
  <rect x="400" y="92" width="92" height="186" fill="#c9b08a"/>
  <path d="M400 278 L492 170 V196 L400 304Z M400 190 L492 92 V112 L400 214Z" fill="#a98d63"/>
  <rect x="420" y="66" width="52" height="26" fill="#b79a70"/><rect x="434" y="42" width="24" height="24" fill="#e9dcc0"/>
  <path d="M60 500 q20 -14 40 0 q20 14 40 0 M620 540 q20 -14 40 0 q20 14 40 0 M300 560 q20 -14 40 0 q20 14 40 0" stroke="#7fb0c8" stroke-width="5" fill="none"/>
</svg>`

/** A square tower above a bay, with its position in the EXIF data. */
export function postcard(): Promise<Buffer> {
  const place = {
    GPSLatitudeRef: 'N',
    GPSLatitude: '43/1 23/1 906/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '8/1 24/1 2316/100',
  }
  return sharp(Buffer.from(coast)).withExif({ IFD3: place }).jpeg({ quality: 82 }).toBuffer()
}

const drawings = [
  '<rect width="96" height="96" fill="#12355b"/><path d="M0 60q24-18 48 0t48 0v36H0z" fill="#d7e8f2"/><circle cx="68" cy="28" r="13" fill="#f4c95d"/>',
  '<rect width="96" height="96" fill="#f2efe6"/><path d="M20 76 48 16l28 60z" fill="#b3363e"/><path d="M48 16v60" stroke="#fff" stroke-width="5"/>',
  '<rect width="96" height="96" fill="#1d6f5c"/><circle cx="48" cy="48" r="28" fill="none" stroke="#f6e7b4" stroke-width="10"/><circle cx="48" cy="48" r="7" fill="#f6e7b4"/>',
  '<rect width="96" height="96" fill="#ece3f4"/><path d="M16 66h64l-9 16H25zM46 16h5v46h-5z" fill="#4b2e83"/><path d="M53 20l24 38H53z" fill="#8d6cc9"/>',
  '<rect width="96" height="96" fill="#f7b538"/><path d="M20 20h24v56H20zM52 20h24v28H52zM52 56h24v20H52z" fill="#32292f"/>',
  '<rect width="96" height="96" fill="#2b2d42"/><path d="M48 14l9 25h26L62 55l8 27-22-16-22 16 8-27-21-16h26z" fill="#edf2f4"/>',
  '<rect width="96" height="96" fill="#d9ead3"/><path d="M18 70c8-40 52-40 60 0z" fill="#31572c"/><circle cx="37" cy="50" r="5" fill="#fff"/><circle cx="59" cy="50" r="5" fill="#fff"/>',
  '<rect width="96" height="96" fill="#0b7a75"/><path d="M14 34h68M14 50h68M14 66h68" stroke="#fff" stroke-width="7"/><circle cx="34" cy="34" r="9" fill="#f4d35e"/><circle cx="62" cy="66" r="9" fill="#f4d35e"/>',
]

export function avatar(number: number): Promise<Buffer> {
  const drawing = drawings[number % drawings.length]!
  return sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="192" height="192" viewBox="0 0 96 96">${drawing}</svg>`),
  )
    .png()
    .toBuffer()
}

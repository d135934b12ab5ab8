/** Computes the ten accent steps of both schemes from one colour, with a text contrast of at least 4.5:1. */

export type Steps = readonly [string, string, string, string, string, string, string, string, string, string]

export interface Ramp {
  readonly light: Steps
  readonly dark: Steps
}

export interface RampGround {
  readonly like: Ramp
  readonly ink: string
  readonly darkTint: string
}

type Triple = [number, number, number]
interface Lch {
  readonly l: number
  readonly c: number
  readonly h: number
}

const sixDigits = /^#[0-9a-f]{6}$/i

/** `#RRGGBB`, case-insensitive. */
export function isColour(text: string): boolean {
  return sixDigits.test(text)
}

function channels(hex: string): Triple {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255].map((part) => part / 255) as Triple
}

const linear = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
const gamma = (x: number) => (x <= 0.0031308 ? x * 12.92 : 1.055 * x ** (1 / 2.4) - 0.055)

function luminance(hex: string): number {
  const [r, g, b] = channels(hex).map(linear) as Triple
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Contrast ratio of two colours by WCAG, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

export function toLch(hex: string): Lch {
  const [r, g, b] = channels(hex).map(linear) as Triple
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, c: Math.hypot(a, bb), h: Math.atan2(bb, a) }
}

function toChannels({ l, c, h }: Lch): Triple {
  const a = c * Math.cos(h)
  const b = c * Math.sin(h)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ]
}

/** The nearest sRGB colour: reduces chroma, keeps lightness and hue. */
function toHex(colour: Lch): string {
  const shown = (c: number) => toChannels({ ...colour, c }).every((x) => x >= -0.0005 && x <= 1.0005)
  let low = 0
  let high = colour.c
  if (!shown(high)) {
    for (let round = 0; round < 18; round++) {
      const middle = (low + high) / 2
      if (shown(middle)) low = middle
      else high = middle
    }
    high = low
  }
  const parts = toChannels({ ...colour, c: high }).map((x) => Math.round(255 * gamma(Math.min(1, Math.max(0, x)))))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Changes the lightness of a colour until it is readable on every colour of `on`. */
function readable(colour: Lch, on: readonly string[], towards: 'dark' | 'light'): string {
  const step = towards === 'dark' ? -0.01 : 0.01
  for (let l = colour.l; l > 0 && l < 1; l += step) {
    const hex = toHex({ ...colour, l })
    if (on.every((ground) => contrast(hex, ground) >= 4.55)) return hex
  }
  return toHex({ ...colour, l: towards === 'dark' ? 0 : 1 })
}

/** The ramp of one colour, modelled on `ground.like`. */
export function rampOf(hex: string, ground: RampGround): Ramp {
  const own = toLch(hex)
  const like = toLch(ground.like.light[7])
  const vivid = own.c / like.c
  const draw = (step: string): Lch => {
    const model = toLch(step)
    return { l: model.l, c: Math.min(model.c * vivid, own.c < 0.02 ? own.c : 0.32), h: own.h }
  }

  const light = ground.like.light.map((step) => toHex(draw(step)))
  const dark = ground.like.dark.map((step) => toHex(draw(step)))

  // Light: step 7 carries white text and is text on both tints. It keeps the chosen colour where that is readable.
  light[7] = readable(own, [ground.ink, light[1] as string], 'dark')
  // The steps between tint and fill follow the fill, so that the ramp stays in order.
  const [lightest, model, fill] = [toLch(ground.like.light[1]).l, toLch(ground.like.light[7]).l, toLch(light[7]).l]
  for (const step of [2, 3, 4, 5, 6]) {
    const share = (toLch(ground.like.light[step] as string).l - lightest) / (model - lightest)
    light[step] = toHex({ ...draw(ground.like.light[step] as string), l: lightest + share * (fill - lightest) })
  }
  light[8] = toHex({ ...toLch(light[7]), l: toLch(light[7]).l - 0.06 })
  light[9] = toHex({ ...toLch(light[8]), l: toLch(light[8]).l - 0.05 })
  // Dark: steps 2, 4 and 5 carry white text, step 7 is text on the second tint.
  for (const step of [2, 4, 5]) dark[step] = readable(draw(ground.like.dark[step] as string), [ground.ink], 'dark')
  dark[7] = readable(draw(ground.like.dark[7]), [dark[1] as string, ground.darkTint], 'light')

  return { light: light as unknown as Steps, dark: dark as unknown as Steps }
}

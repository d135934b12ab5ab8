/** The list of all pictures: every screen at four widths, light and dark, in English and one other language. */

import { screens } from './picture-list.ts'
import type { Screen } from './screen.ts'

export const locales = { en: 'en-US', zh: 'zh-CN', ja: 'ja-JP' } as const
const schemes = ['light', 'dark'] as const
/** Widths of desktops and of a phone, with the height of the window. */
const devices = [
  { widths: [1440, 1080, 800], height: 900, phone: false },
  { widths: [390], height: 844, phone: true },
] as const

export type Language = keyof typeof locales
export type Scheme = (typeof schemes)[number]

/** One visit of a screen, of which a picture is taken at each width and in each scheme. */
export interface Visit {
  readonly screen: Screen
  readonly language: Language
  readonly phone: boolean
  readonly height: number
  readonly widths: readonly number[]
  readonly schemes: readonly Scheme[]
}

/** The selected pictures; empty selects all. */
export interface Selection {
  readonly only: readonly string[]
  readonly widths: readonly number[]
  readonly language: string | undefined
  readonly scheme: string | undefined
}

export const nameOf = (screen: Screen, width: number, scheme: Scheme, language: Language) =>
  [screen.name, width, scheme, ...(language === 'en' ? [] : [language])].join('-')

/** Each screen is in English and, in turn, in Chinese or Japanese. `language` selects only one: `other`, or a language by its name. */
export function listVisits({ only, widths: asked, language, scheme }: Selection): Visit[] {
  return screens.flatMap((screen, index) => {
    if (only.length > 0 && !only.includes(screen.name)) return []
    const other = index % 2 === 0 ? 'zh' : 'ja'
    const named = language === 'other' ? other : (language as Language | undefined)
    return (named ? [named] : (['en', other] as const)).flatMap((spoken) =>
      devices.flatMap(({ widths, height, phone }) => {
        const wanted = widths.filter((one) => asked.length === 0 || asked.includes(one))
        const inSchemes = schemes.filter((one) => scheme === undefined || one === scheme)
        return wanted.length > 0 ? [{ screen, language: spoken, phone, height, widths: wanted, schemes: inSchemes }] : []
      }),
    )
  })
}

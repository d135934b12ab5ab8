/** The loaded texts, by language and area (text-areas.ts). */

import type { Texts } from 'texts:*'
import { type Language, languages } from '@vexil/core/vocabulary'

/** Texts of the start are loaded before the first render, the others before a screen that needs them (`routes.tsx`). */
export type TextArea = 'start' | 'players' | 'organisers' | 'site'

const files: Readonly<Record<TextArea, Record<Language, () => Promise<{ default: Texts }>>>> = {
  start: {
    en_US: () => import('texts:start/en_US'),
    zh_CN: () => import('texts:start/zh_CN'),
    ja_JP: () => import('texts:start/ja_JP'),
  },
  players: {
    en_US: () => import('texts:players/en_US'),
    zh_CN: () => import('texts:players/zh_CN'),
    ja_JP: () => import('texts:players/ja_JP'),
  },
  organisers: {
    en_US: () => import('texts:organisers/en_US'),
    zh_CN: () => import('texts:organisers/zh_CN'),
    ja_JP: () => import('texts:organisers/ja_JP'),
  },
  site: {
    en_US: () => import('texts:site/en_US'),
    zh_CN: () => import('texts:site/zh_CN'),
    ja_JP: () => import('texts:site/ja_JP'),
  },
}

const known: Readonly<Record<Language, Map<string, string>>> = { en_US: new Map(), zh_CN: new Map(), ja_JP: new Map() }
const loads = new Map<string, Promise<void>>()
const areas = new Set<TextArea>(['start'])

function keep(language: Language, texts: Texts, before = ''): void {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text === 'string') known[language].set(before + name, text)
    else keep(language, text, `${before}${name}.`)
  }
}

function loadFile(language: Language, area: TextArea): Promise<void> {
  const name = `${area}/${language}`
  const load = loads.get(name) ?? files[area][language]().then((file) => keep(language, file.default))
  loads.set(name, load)
  load.catch(() => loads.delete(name))
  return load
}

/** Loads the texts of a language, including areas that are requested during the load. */
export async function loadLanguage(language: Language): Promise<void> {
  const { size } = areas
  await Promise.all([...areas].map((area) => loadFile(language, area)))
  if (areas.size !== size) await loadLanguage(language)
}

/** Adds an area to all later loads. */
export const requestArea = (area: TextArea) => areas.add(area)

export async function loadAllLanguages(): Promise<void> {
  await Promise.all(languages.map(loadLanguage))
}

/** Cached: creating one takes longer than all other work for a text. */
const plurals = new Map<Language, Intl.PluralRules>()

/** The text of a key, or its plural form; undefined where the language lacks it or is not loaded. */
export function findText(language: Language, key: string, count?: unknown): string | undefined {
  const texts = known[language]
  if (typeof count !== 'number') return texts.get(key)
  const rules = plurals.get(language) ?? new Intl.PluralRules(tag(language))
  plurals.set(language, rules)
  const form = rules.select(count)
  return texts.get(`${key}_${form}`) ?? texts.get(`${key}_other`) ?? texts.get(key)
}

/** The numbered texts below a key, in order. */
export const textsBelow = (language: Language, key: string): string[] =>
  [...known[language]].flatMap(([one, text]) => (one.startsWith(`${key}.`) ? text : []))

const numbers = new Map<Language, Intl.NumberFormat>()

/** A number as the interface shows it: 12,345. */
export function formatNumber(value: number, language: Language): string {
  const format = numbers.get(language) ?? new Intl.NumberFormat(tag(language))
  numbers.set(language, format)
  return format.format(value)
}

/** BCP 47 tag of a language, `en-US`. */
export const tag = (language: string) => language.replace('_', '-')

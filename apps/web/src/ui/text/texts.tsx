/** The texts of the interface in the current language. An unknown key does not compile. */
import { type Language, languages } from '@vexil/core/vocabulary'
import { cloneElement, createElement, Fragment, type ReactElement, type ReactNode, useSyncExternalStore } from 'react'
import type { organiserTexts } from '../../../text-areas.ts'
import { makeWatchers } from '../../api/watchers.ts'
import { loadWithoutReload } from '../base/chunk-recovery.ts'
import { findText, formatNumber, loadLanguage, requestArea, type TextArea, textsBelow } from './text-files.ts'

type Texts = typeof import('../../../locales/en_US.json')
/** `play.solves_one` and `play.solves_other` are the forms of `play.solves`. */
type WithoutForm<Name extends string> = Name extends `${infer Plain}_one` | `${infer Plain}_other` ? Plain : Name
type KeysOf<T> = {
  [Name in keyof T & string]: T[Name] extends string ? WithoutForm<Name> : `${Name}.${KeysOf<T[Name]>}`
}[keyof T & string]
type OrganiserPart = (typeof organiserTexts)[number]
export type TextKey = KeysOf<Omit<Texts, OrganiserPart>>
export type OrganiserTextKey = KeysOf<Pick<Texts, OrganiserPart>>
type ListKeyOf<Key> = Key extends `${infer List}.1` ? List : never
/** `play.hints` for `play.hints.1` and its siblings. */
export type TextListKey = ListKeyOf<TextKey>

/** The value of `{{name}}`, numbers as `formatNumber` writes them; `count` also chooses the plural form. */
type TextValues = Readonly<Record<string, string | number | null | undefined>>
/** The text of a key, unescaped; shown as a text node. */
export type Translate<Key extends string = TextKey> = (key: Key, values?: TextValues) => string
export interface Translation<Key extends string = TextKey> {
  readonly t: Translate<Key>
  readonly language: Language
}

const fill = (text: string, language: Language, values: TextValues = {}) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    return typeof value === 'number' ? formatNumber(value, language) : String(value ?? '')
  })

const lacking = new Set<string>()

/** A missing text falls back to English, which is then loaded. */
function textOf(language: Language, key: string, count?: unknown): string {
  const text = findText(language, key, count) ?? findText('en_US', key, count)
  if (text === undefined && language !== 'en_US' && !lacking.has(key)) {
    lacking.add(key)
    loadWithoutReload(() => loadLanguage('en_US')).then(
      () => setLanguage(current.language),
      () => lacking.delete(key),
    )
  }
  return text ?? ''
}

const translation = (language: Language): Translation => ({
  language,
  t: (key, values) => fill(textOf(language, key, values?.count), language, values),
})

let current = translation('en_US')
const { subscribe, notify } = makeWatchers()

/** Switches to a language whose texts are loaded. */
export function setLanguage(language: Language): void {
  current = translation(language)
  notify()
}

/** Loads the texts of an area, in the current language and every later one. */
export async function loadTexts(area: TextArea): Promise<void> {
  requestArea(area)
  const { language } = current
  await loadLanguage(language)
  if (language !== current.language) await loadTexts(area)
}

export const shownLanguage = (): Language => current.language

/** The text of a key outside of components, which use `useTranslation` to follow a change of the language. */
export const t: Translate = (key, values) => current.t(key, values)

export const listTexts = (key: TextListKey): string[] => textsBelow(current.language, key)

export const useTranslation = (): Translation => useSyncExternalStore(subscribe, () => current)

export const inAllLanguages = (key: TextKey | OrganiserTextKey): string[] =>
  languages.flatMap((language) => findText(language, key) ?? [])

interface TransProps<Key extends string> {
  readonly i18nKey: Key
  readonly values?: TextValues
  readonly count?: number
  /** The element for `<name/>`, or around the text of `<name>text</name>`. */
  readonly components: Readonly<Record<string, ReactElement>>
}

/** A text with elements. Values inside elements are not parsed. */
export function Trans<Key extends string = TextKey>({ i18nKey, values, count, components }: TransProps<Key>): ReactNode {
  const { language } = useTranslation()
  const all = count === undefined ? values : { ...values, count }
  // Groups of three: plain text, name of an element, its content.
  const parts = textOf(language, i18nKey, count).split(/<(\w+)(?:\/>|>([^<]*)<\/\w+>)/)
  const nodes = parts.map((part, at) => {
    if (at % 3 === 0) return fill(part, language, all)
    const element = at % 3 === 1 && components[part]
    const within = parts[at + 1]
    return element && within !== undefined ? cloneElement(element, {}, fill(within, language, all)) : element
  })
  return createElement(Fragment, null, ...nodes)
}

/** Languages: which ones, how the first is found, and where their texts come from. */
import { type Language, languages } from '@vexil/core/vocabulary'
import i18next, { type BackendModule } from 'i18next'
import LanguageDetector, { type DetectorOptions } from 'i18next-browser-languagedetector'
import { initReactI18next } from 'react-i18next'
import { speak } from '../api/client.ts'

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en_US: 'English', zh_CN: '简体中文', ja_JP: '日本語' }

/** `en-us`, `zh_TW`, `JA` to a language of ours; nothing for one that we do not speak. */
export function languageOf(code: string): Language | '' {
  const first = code.trim().toLowerCase().split(/[-_]/, 1)[0] ?? ''
  return languages.find((language) => language.startsWith(`${first}_`)) ?? ''
}

/** One name in query, cookie and both storages; a value that is not one of our languages is ignored. */
export const detection: DetectorOptions = {
  order: ['querystring', 'cookie', 'localStorage', 'sessionStorage', 'navigator', 'htmlTag'],
  lookupQuerystring: 'lng',
  lookupCookie: 'lng',
  lookupLocalStorage: 'lng',
  lookupSessionStorage: 'lng',
  caches: ['localStorage'],
  convertDetectedLanguage: languageOf,
}

const texts = import.meta.glob<{ default: Record<string, unknown> }>('../../locales/*.json')

const backend: BackendModule = {
  type: 'backend',
  init: () => {},
  read: (language, _, done) => {
    const load = texts[`../../locales/${language}.json`]
    if (!load) return done(new Error(`no texts in ${language}`), false)
    load().then(
      (module) => done(null, module.default),
      (error) => done(error as Error, false),
    )
  },
}

/** Name of a language on the page and for the browser, `en-US`. */
export const tag = (language: string) => language.replace('_', '-')

export async function startLanguages(): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = tag(language)
    speak(language)
  })
  // Another tab of this browser chose one (SESS-2).
  window.addEventListener('storage', ({ key, newValue }) => {
    const language = key === detection.lookupLocalStorage && newValue ? languageOf(newValue) : ''
    if (language && language !== i18next.language) void i18next.changeLanguage(language)
  })
  await i18next
    .use(backend)
    .use(LanguageDetector)
    .use(initReactI18next)
    .init({
      supportedLngs: [...languages],
      fallbackLng: 'en_US',
      load: 'currentOnly',
      cleanCode: false,
      // Values are shown as text nodes only, so they are not escaped a second time (MD-5).
      interpolation: { escapeValue: false },
      detection,
      react: { useSuspense: false },
    })
}

/** Changes the language by hand: that choice wins over an address or cookie that named another. */
export async function chooseLanguage(language: Language): Promise<void> {
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser
  document.cookie = 'lng=; Max-Age=0; path=/'
  const address = new URL(location.href)
  if (address.searchParams.has('lng')) {
    address.searchParams.delete('lng')
    history.replaceState(history.state, '', address)
  }
  await i18next.changeLanguage(language)
}

import { type Language, languages } from '@vexil/core/vocabulary'
import { setCallLanguage } from '../api/client.ts'
import { loadWithoutReload } from '../ui/base/chunk-recovery.ts'
import { reportLostCode } from '../ui/base/lazy-part.tsx'
import { loadLanguage, tag } from '../ui/text/text-files.ts'
import { setLanguage, shownLanguage } from '../ui/text/texts.tsx'

export const languageNames: Readonly<Record<Language, string>> = { en_US: 'English', zh_CN: '简体中文', ja_JP: '日本語' }

/** `en-us`, `zh_TW`, `JA` to one of our languages; empty for others. */
export function languageOf(code: string): Language | '' {
  const first = code.trim().toLowerCase().split(/[-_]/, 1)[0] ?? ''
  return languages.find((language) => language.startsWith(`${first}_`)) ?? ''
}

/** One name in query, cookie and both storages. */
const name = 'lng'

const sources: readonly (() => string | null | undefined | readonly string[])[] = [
  () => new URLSearchParams(location.search).get(name),
  () => document.cookie.match(/(?:^|; )lng=([^;]*)/)?.[1],
  () => localStorage.getItem(name),
  () => sessionStorage.getItem(name),
  () => [...(navigator.languages ?? []), navigator.language],
  () => document.documentElement.lang,
]

/** The first source with one of our languages; invalid values and unavailable storage are skipped. */
export function detectLanguage(): Language {
  for (const source of sources) {
    try {
      const found = [source() ?? ''].flat().map(languageOf).find(Boolean)
      if (found) return found
    } catch {}
  }
  return 'en_US'
}

let wanted: Language | undefined

/** The latest call wins. */
async function show(language: Language): Promise<void> {
  wanted = language
  await loadWithoutReload(() => loadLanguage(language))
  if (wanted !== language) return
  document.documentElement.lang = tag(language)
  setCallLanguage(language)
  setLanguage(language)
  try {
    localStorage.setItem(name, language)
  } catch {
    // Storage is off: the choice is lost with the page.
  }
}

/** Texts that cannot be loaded leave the language as it is. */
const change = (language: Language): Promise<unknown> => show(language).catch(reportLostCode)

export async function startLanguages(): Promise<void> {
  // Another tab of this browser changed the language.
  window.addEventListener('storage', ({ key, newValue }) => {
    const language = key === name && newValue ? languageOf(newValue) : ''
    if (language && language !== shownLanguage()) void change(language)
  })
  await show(detectLanguage())
}

/** Changes the language; the choice overrides address and cookie. */
export async function chooseLanguage(language: Language): Promise<void> {
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser
  document.cookie = `${name}=; Max-Age=0; path=/`
  const address = new URL(location.href)
  if (address.searchParams.has(name)) {
    address.searchParams.delete(name)
    history.replaceState(history.state, '', address)
  }
  await change(language)
}

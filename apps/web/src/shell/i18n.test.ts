// @vitest-environment jsdom
// In a separate file: the storage event sent here would also reach modules of earlier files in the process.
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { toasts } from '../../test/page.tsx'
import { t } from '../ui/text/texts.tsx'
import { chooseLanguage, detectLanguage, languageOf, startLanguages } from './i18n.ts'

const texts = vi.hoisted(() => ({ away: false, chinese: Promise.resolve() }))
vi.mock('../ui/text/text-files.ts', async (original) => {
  const real = await original<typeof import('../ui/text/text-files.ts')>()
  const loadLanguage: typeof real.loadLanguage = async (language) => {
    if (texts.away) throw new Error('unreachable')
    if (language === 'zh_CN') await texts.chinese
    await real.loadLanguage(language)
  }
  return { ...real, loadLanguage }
})

const speaks = (...codes: string[]) => Object.defineProperty(navigator, 'languages', { value: codes, configurable: true })

beforeEach(() => {
  history.replaceState(null, '', '/')
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
  document.cookie = 'lng=; Max-Age=0; path=/'
  localStorage.clear()
  sessionStorage.clear()
  document.documentElement.lang = ''
  Object.defineProperty(navigator, 'language', { value: '', configurable: true })
  speaks()
})

// These properties hide those of the prototype for later files in the process.
afterAll(() => {
  Reflect.deleteProperty(navigator, 'language')
  Reflect.deleteProperty(navigator, 'languages')
})

test('P1.24 each source takes precedence over all later ones', () => {
  expect(detectLanguage()).toBe('en_US')
  document.documentElement.lang = 'ja'
  expect(detectLanguage()).toBe('ja_JP')
  speaks('zh-TW', 'ja')
  expect(detectLanguage()).toBe('zh_CN')
  sessionStorage.setItem('lng', 'EN-us')
  expect(detectLanguage()).toBe('en_US')
  localStorage.setItem('lng', 'ja_JP')
  expect(detectLanguage()).toBe('ja_JP')
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
  document.cookie = 'lng=zh_CN; path=/'
  expect(detectLanguage()).toBe('zh_CN')
  history.replaceState(null, '', '/?lng=en_US')
  expect(detectLanguage()).toBe('en_US')
})

test('P1.24 an unsupported language in a source is skipped', () => {
  history.replaceState(null, '', '/?lng=fr')
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
  document.cookie = 'lng=de; path=/'
  localStorage.setItem('lng', 'ja_JP')
  expect(detectLanguage()).toBe('ja_JP')
  localStorage.setItem('lng', 'xx')
  sessionStorage.setItem('lng', '')
  speaks('fr', 'de-AT')
  document.documentElement.lang = 'zh'
  expect(detectLanguage()).toBe('zh_CN')
})

test('P1.25 the detected language is kept in the local storage of the device', async () => {
  history.replaceState(null, '', '/?lng=ja_JP')
  await startLanguages()
  expect(localStorage.getItem('lng')).toBe('ja_JP')
  // Another tab of this browser changed the language.
  window.dispatchEvent(new StorageEvent('storage', { key: 'lng', newValue: 'zh_CN' }))
  await vi.waitFor(() => expect(document.documentElement.lang).toBe('zh-CN'))
  await chooseLanguage('ja_JP')
  history.replaceState(null, '', '/')
  expect(detectLanguage()).toBe('ja_JP')
  await chooseLanguage('en_US')
  localStorage.clear()
})

test('P1.24 a language chosen by the user replaces those in the address and the cookie', async () => {
  // The router's position in the history.
  history.replaceState({ idx: 2 }, '', '/games?lng=ja_JP&page=2')
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
  document.cookie = 'lng=ja_JP; path=/'
  await chooseLanguage('zh_CN')
  expect(`${location.pathname}${location.search}`).toBe('/games?page=2')
  expect(history.state).toEqual({ idx: 2 })
  expect(document.cookie).not.toContain('lng')
  expect([document.documentElement.lang, detectLanguage()]).toEqual(['zh-CN', 'zh_CN'])
  await chooseLanguage('en_US')
})

test('P1.24 of two languages chosen one after the other the later one is shown, whichever is loaded first', async () => {
  const held = Promise.withResolvers<void>()
  texts.chinese = held.promise
  const first = chooseLanguage('zh_CN')
  await chooseLanguage('ja_JP')
  held.resolve()
  await first
  expect([document.documentElement.lang, detectLanguage()]).toEqual(['ja-JP', 'ja_JP'])
  await chooseLanguage('en_US')
})

test('P1.25 a browser without storage shows the chosen language, without a message', async () => {
  const keep = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  onTestFinished(() => keep.mockRestore())
  await chooseLanguage('ja_JP')
  expect([document.documentElement.lang, keep.mock.calls, toasts()]).toEqual(['ja-JP', [['lng', 'ja_JP']], []])
  keep.mockRestore()
  await chooseLanguage('en_US')
})

test('P1.25 a language whose texts cannot be loaded, chosen here or in another tab, changes nothing and shows a message', async () => {
  texts.away = true
  await chooseLanguage('zh_CN')
  window.dispatchEvent(new StorageEvent('storage', { key: 'lng', newValue: 'ja_JP' }))
  texts.away = false
  await vi.waitFor(() => expect(toasts()).toMatchObject([{ title: t('ui.unreachable'), role: 'alert' }]))
  expect(detectLanguage()).toBe('en_US')
  await chooseLanguage('en_US')
})

test('P1.23 a browser without a supported language gets English', () => {
  speaks('fr', 'de-AT')
  expect(detectLanguage()).toBe('en_US')
})

test('P1.24 codes are accepted with dash, underscore, spaces around them and in any case', () => {
  const codes = ['en', 'EN_us', 'zh-Hant-TW', 'ja-JP', ' zh_cn ']
  expect(codes.map(languageOf)).toEqual(['en_US', 'en_US', 'zh_CN', 'ja_JP', 'zh_CN'])
  expect(languageOf('english')).toBe('')
  expect(languageOf('')).toBe('')
})

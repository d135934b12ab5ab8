import { type Language, languages } from '@vexil/core/vocabulary'
import { expect, test } from 'vitest'
import { statusOf } from '../errors.ts'
import { fill, messagesOf } from './messages.ts'

/** Every text of the server in a language, by its place. */
const textsOf = (language: Language): [string, string][] =>
  Object.entries(messagesOf[language]).flatMap(([kind, texts]) =>
    Object.entries(texts as Record<string, string>).map(([key, text]) => [`${kind}.${key}`, text] as [string, string]),
  )
const english = new Map(textsOf('en_US'))
const chinese = new Map(textsOf('zh_CN'))
const placeholders = (text = '') => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

test.each(languages)('P1.27 P1.22 every error has a title in %s', (language) => {
  expect(Object.keys(messagesOf[language].errors).sort()).toEqual(Object.keys(statusOf).sort())
  for (const [key, text] of textsOf(language)) {
    expect(text, key).not.toBe('')
    expect(text.trim(), key).toBe(text)
    expect(text, key).not.toMatch(/[!！]|[。.]$/)
  }
})

test('P1.22 no text is in English, and no Japanese text equals the Chinese one', () => {
  for (const [key, text] of chinese) expect(text, key).not.toBe(english.get(key))
  for (const [key, text] of textsOf('ja_JP')) {
    expect(text, key).not.toBe(english.get(key))
    expect(text, key).not.toBe(chinese.get(key))
  }
  for (const [key, text] of chinese) expect(text, key).not.toMatch(/[ぁ-ヶ]/)
})

test.each(['zh_CN', 'ja_JP'] as const)('the texts in %s have the same placeholders as the English ones', (language) => {
  for (const [key, text] of textsOf(language)) expect(placeholders(text), key).toEqual(placeholders(english.get(key)))
})

test.each([
  ['en_US', 120],
  ['zh_CN', 60],
  ['ja_JP', 60],
] as const)('no text in %s has more than %i characters', (language, most) => {
  for (const [key, text] of textsOf(language)) expect(text.length, key).toBeLessThanOrEqual(most)
})

test.each(['zh_CN', 'ja_JP'] as const)(
  'texts in %s have full-width punctuation, and a space beside Latin letters',
  (language) => {
    const character = '[一-鿿ぁ-ヶ]'
    for (const [key, text] of textsOf(language)) {
      expect(text, key).not.toMatch(new RegExp(`${character} ?[,.;?()]`))
      expect(text, key).not.toMatch(new RegExp(`${character}[A-Za-z0-9{]|[A-Za-z0-9}]${character}`))
    }
  },
)

test('a placeholder without a value stays empty', () => {
  expect(fill('{a} and {b}', { a: 1 })).toBe('1 and ')
})

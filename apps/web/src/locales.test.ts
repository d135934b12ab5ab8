import { expect, test } from 'vitest'
import en from '../locales/en_US.json' with { type: 'json' }
import ja from '../locales/ja_JP.json' with { type: 'json' }
import zh from '../locales/zh_CN.json' with { type: 'json' }

interface Texts {
  readonly [key: string]: string | Texts
}

const flat = (texts: Texts, before = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${before}${key}`, value] as [string, string]] : flat(value, `${before}${key}.`),
  )

/** Chinese and Japanese have one form for all numbers; English has one more. */
const one = /_one$/
const keysOf = (texts: Texts) => flat(texts).map(([key]) => key)
const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}|<\/?\w+\/?>/g) ?? [])].sort()

for (const [name, texts] of Object.entries({ zh_CN: zh, ja_JP: ja })) {
  test(`P1.22 every text exists in ${name} and none is left over`, () => {
    expect(keysOf(texts as Texts).sort()).toEqual(
      keysOf(en)
        .filter((key) => !one.test(key))
        .sort(),
    )
  })

  test(`P1.27 the texts in ${name} name the same values`, () => {
    const english = new Map(flat(en))
    for (const [key, text] of flat(texts as Texts)) expect(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ''))
  })
}

test('no text is empty, ends in a blank or shouts', () => {
  for (const texts of [en, zh, ja]) {
    for (const [key, text] of flat(texts as Texts)) {
      expect(text.trim(), key).toBe(text)
      expect(text, key).not.toBe('')
      expect(text, key).not.toMatch(/[!！]/)
    }
  }
})

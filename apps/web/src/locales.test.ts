import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChallengeField, challengeField, challengeFields } from '@vexil/contract/challenge-fields'
import { updateGame } from '@vexil/contract/games'
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

/** English has an additional singular form; Chinese and Japanese have one form for all numbers. */
const one = /_one$/
const keysOf = (texts: Texts) => flat(texts).map(([key]) => key)
const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}|<\/?\w+\/?>/g) ?? [])].sort()

for (const [name, texts] of Object.entries({ zh_CN: zh, ja_JP: ja })) {
  test(`P1.27 P1.22 every text exists in ${name} and no text is unused`, () => {
    expect(keysOf(texts as Texts).sort()).toEqual(
      keysOf(en)
        .filter((key) => !one.test(key))
        .sort(),
    )
  })

  test(`the texts in ${name} have the same placeholders`, () => {
    const english = new Map(flat(en))
    for (const [key, text] of flat(texts as Texts)) expect(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ''))
  })
}

test('no text is unused: the sources name every key, at least by a template', () => {
  const folder = import.meta.dirname
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!test)\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const named = new Set([...sources.matchAll(/['"]([\w-]+(?:\.[\w-]+)+)['"]/g)].map(([, key]) => key))
  const templates = [...sources.matchAll(/`([\w-]+\.[^`]*\$\{[^`]*)`/g)].map(([, key = '']) =>
    key.replace(/\$\{[^}]*\}/g, '[\\w -]+').replaceAll('.', '\\.'),
  )
  const isNamed = RegExp(`^(?:${templates.filter((key) => /^[\w .[\]+\\-]+$/.test(key)).join('|')})$`)
  const lists = ['play.hints', 'play.examples']
  const unused = keysOf(en)
    .map((key) => key.replace(/_(one|other)$/, ''))
    .filter((key) => !named.has(key) && !isNamed.test(key) && !lists.some((list) => key.startsWith(`${list}.`)))
  expect(unused).toEqual([])
})

/** Number of characters on the screen: without tags; a placeholder counts as four. */
const signs = (text: string) => text.replace(/<[^>]*>/g, '').replace(/\{\{\w+\}\}/g, '0000').length

/** Whether a text must be translated: single letters, numbers and placeholders are the same in every language. */
const sayable = (text: string) => /[a-z]{2}/i.test(text.replace(/\{\{\w+\}\}|<\/?\w+\/?>/g, ''))
const names = [
  'posts.licence',
  'admin.challenge.cpuCount',
  'admin.captcha.providers.GoogleRecaptcha',
  'admin.captcha.providers.CloudflareTurnstile',
  'admin.review.sheet',
  'play.examples.1',
  'monitor.submissions.flag',
  'monitor.traffic.facts.Flag',
]

test('P1.22 no text is in English, and no Japanese text equals the Chinese one', () => {
  const [english, chinese] = [new Map(flat(en)), new Map(flat(zh as Texts))]
  for (const [key, text] of [...flat(zh as Texts), ...flat(ja as Texts)]) {
    if (sayable(text) && !names.includes(key)) expect(text, key).not.toBe(english.get(key))
  }
  // Short words may be identical in both languages (管理, 全部); sentences are not.
  for (const [key, text] of flat(ja as Texts))
    if ((text.match(/[一-鿿]/g) ?? []).length > 4) expect(text, key).not.toBe(chinese.get(key))
  for (const [key, text] of flat(zh as Texts)) expect(text, key).not.toMatch(/[ぁ-ヶ]/)
})

test('P1.22 Chinese and Japanese texts have full-width punctuation, and a space beside Latin letters and digits', () => {
  const character = '[一-鿿ぁ-ヶ]'
  for (const [key, text] of [...flat(zh as Texts), ...flat(ja as Texts)]) {
    const plain = text.replace(/<\/?\w+\/?>/g, '')
    expect(plain, key).not.toMatch(new RegExp(`${character} ?[,;?!()]|${character}[.](?=$|\\s)`))
    expect(plain, key).not.toMatch(new RegExp(`${character}[A-Za-z0-9{]|[A-Za-z0-9}]${character}`))
    expect(plain, key).not.toMatch(/[ａ-ｚＡ-Ｚ０-９｡-ﾟ]/)
  }
})

test('P1.22 the Chinese interface uses the plain form of address', () => {
  for (const [key, text] of flat(zh as Texts)) expect(text, key).not.toContain('您')
})

test('no text is longer than its limit', () => {
  for (const [key, text] of flat(en)) expect(signs(text), key).toBeLessThanOrEqual(180)
  for (const [key, text] of [...flat(zh as Texts), ...flat(ja as Texts)]) expect(signs(text), key).toBeLessThanOrEqual(100)
})

test('no text is empty, starts or ends with a blank or has an exclamation mark', () => {
  for (const texts of [en, zh, ja]) {
    for (const [key, text] of flat(texts as Texts)) {
      expect(text.trim(), key).toBe(text)
      expect(text, key).not.toBe('')
      expect(text, key).not.toMatch(/[!！]/)
    }
  }
})

test('a refusal of a number names the largest one that is accepted', () => {
  const ofGame = (name: 'teamMemberCountLimit' | 'containerCountLimit') =>
    (updateGame.shape.body.properties[name] as { maximum?: number }).maximum
  const most = {
    'admin.info.wholeNumber': ofGame('teamMemberCountLimit'),
    'admin.info.wrong.teamMemberCountLimit': ofGame('teamMemberCountLimit'),
    'admin.info.wrong.containerCountLimit': ofGame('containerCountLimit'),
    ...Object.fromEntries(
      Object.keys(en.admin.challenge.wrong)
        .filter((name) => Object.hasOwn(challengeFields, name))
        .map((name) => [name, challengeField(name as ChallengeField)] as const)
        .filter(([, { kind }]) => kind === 'whole' || kind === 'number')
        .map(([name, { max }]) => [`admin.challenge.wrong.${name}`, max]),
    ),
  }
  expect(Object.keys(most)).toContain('admin.challenge.wrong.difficulty')
  for (const texts of [en, zh, ja]) {
    const all = new Map(flat(texts as Texts))
    for (const [key, max] of Object.entries(most)) expect(all.get(key), key).toContain(String(max))
  }
})

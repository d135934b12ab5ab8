import { languages, mailKinds } from '@vexil/core/vocabulary'
import { describe, expect, test } from 'vitest'
import { drawLetter, type LetterFacts } from './letter.ts'
import { linkOf, readEncoded, tokenOf } from './link-tokens.ts'

const facts: LetterFacts = {
  kind: 'Verify',
  language: 'en_US',
  userName: '<b>Zoë</b> {platform}',
  email: '"a&b"@example.org',
  platform: 'Cup<script>::CTF',
  colour: '',
  link: 'https://ctf.example.org/account/verify?token=QUI%3D&email=YUBi',
  at: new Date('2026-11-21T10:11:12.345Z'),
}

describe.each(languages)('%s', (language) => {
  test.each(mailKinds)('%s has every part and the values of the English text, and every value of a person is escaped', (kind) => {
    const linked = kind !== 'Test'
    const { subject, text, html } = drawLetter({ ...facts, kind, language, link: linked ? facts.link : null })
    expect(subject).toMatch(/^.+ - Cup<script>::CTF$/)
    expect(text).toContain('<b>Zoë</b> {platform}')
    expect(text).toContain('2026-11-21 10:11:12')
    expect(text.includes(facts.link as string)).toBe(linked)
    // The lifetime of a link.
    expect(/ (three hours\.|3 小时内|3 時間以内)/.test(text)).toBe(linked)
    expect(html).toContain('&lt;b&gt;Zoë&lt;/b&gt; {platform}')
    expect(html).toContain(`lang="${language.replace('_', '-')}"`)
    const heading = subject.replace(' - Cup<script>::CTF', '')
    for (const name of ['title', 'h1']) expect(html).toMatch(new RegExp(`<${name}[^>]*>${heading}</${name}>`))
    expect(html.split('href="https://ctf.example.org/account/verify?token=QUI%3D&amp;email=YUBi"')).toHaveLength(linked ? 3 : 1)
    const inEnglish = drawLetter({ ...facts, kind, link: linked ? facts.link : null }).text
    for (const value of [facts.platform, facts.email]) expect(text.split(value).length).toBe(inEnglish.split(value).length)
    // Nothing is loaded, nothing runs.
    expect(html).not.toMatch(/<script|<img|<link|url\(|src=|<b>/i)
    for (const part of [text, html]) expect(part).not.toMatch(/undefined|null|\{(?!platform)\w+\}/)
  })
})

test('the button has the colour of the site, with readable text', () => {
  const button = (colour: string) =>
    /bgcolor="(#\w+)" style="border-radius[^>]*><a [^>]*;color:(#\w+)/.exec(drawLetter({ ...facts, colour }).html)?.slice(1)
  expect(button('#ffee00')).toEqual(['#ffee00', '#141b26'])
  expect(button('#0b3d20')).toEqual(['#0b3d20', '#ffffff'])
  expect(button('red;x')).toEqual(['#124696', '#ffffff'])
})

test('the values of a link are Base64 and percent-encoded, and are accepted in each form', () => {
  const link = linkOf('https://ctf.example.org', 'Reset', 'a?>~ÿ', 'zoë@example.org')
  const { pathname, searchParams } = new URL(link)
  expect(pathname).toBe('/account/reset')
  expect(link).not.toMatch(/[+ ]|==|=&/)
  const token = searchParams.get('token') as string
  expect(readEncoded(token)).toBe('a?>~ÿ')
  expect(readEncoded(token.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''))).toBe('a?>~ÿ')
  expect(readEncoded(searchParams.get('email') as string)).toBe('zoë@example.org')
  for (const broken of ['%%%', 'a b', 'AA\n!', '\u0000']) expect(readEncoded(broken)).toBe('')
})

test('a token is valid for one mail only: any other number, kind, account, address, time or key gives another token', () => {
  const key = Buffer.from('key')
  const mail = { id: 1, kind: 'Reset', accountId: 'a', recipient: 'a@example.org', createdAt: new Date(0) }
  const others = [
    { ...mail, id: 2 },
    { ...mail, kind: 'ChangeEmail' },
    { ...mail, accountId: 'b' },
    { ...mail, recipient: 'b@example.org' },
    { ...mail, createdAt: new Date(1) },
  ]
  const tokens = [...[mail, ...others].map((one) => tokenOf(key, one)), tokenOf(Buffer.from('other'), mail)]
  expect(new Set(tokens).size).toBe(7)
  expect(tokenOf(key, { ...mail })).toBe(tokens[0])
})

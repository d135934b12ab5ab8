import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanTeamName, cleanUserName, mustNotLookLike, nameKey, readable } from './names.ts'

const rlo = '\u202e'

describe('user names', () => {
  test('P3.1 P7.14 are stored trimmed and in NFC', () => {
    expect(cleanUserName('  Zoe\u0308  ')).toBe('Zo\u00eb')
    expect(cleanUserName('\u3000玩家一\u00a0')).toBe('玩家一')
    for (const good of ['abc', 'a'.repeat(15), '玩家一', 'a b', "O'Neill-2", '🏴a', 'Systematic', 'anonymous1']) {
      expect(cleanUserName(good)).toBe(good)
    }
  })

  test('P3.1 P7.14 are refused outside the limits of length, after trimming and composing', () => {
    for (const bad of [
      'ab',
      ' ab ',
      'a'.repeat(16),
      '   ',
      '',
      '\u3164\u3164\u3164',
      '\u2800\u2800\u2800',
      '\u115f\u1160\u034f',
    ]) {
      expect(() => cleanUserName(bad), JSON.stringify(bad)).toThrow('account.name_invalid')
    }
    // Its precomposed form is excluded from NFC: one character becomes two.
    expect(() => cleanUserName('\u0958'.repeat(8))).toThrow('account.name_invalid')
  })

  test.each([
    'a@b.c',
    'abc@',
    'ab＠c',
    'ab\tc',
    'ab\nc',
    'ab\u0000c',
    'ab\u0085c',
    `ab${rlo}c`,
    'ab\u200bc',
    'ab\u200dc',
    'ab\u2066c',
    'ab\u2028c',
    'ab\u2029c',
    '\ufeffabc\u00ad',
  ])('P7.14 %j is refused for its characters', (bad) => {
    expect(() => cleanUserName(bad)).toThrow('account.name_characters')
  })

  test.each(['System', 'SYSTEM', 'ｓｙｓｔｅｍ', 'Anonymous', ' aNONYMOUS ', 'ſystem', 'Sys\u034ftem', 'Ⓢystem'])(
    'P7.14 %j is reserved for the platform',
    (bad) => {
      expect(() => cleanUserName(bad)).toThrow('account.name_taken')
    },
  )

  test.each(['Ѕystem', 'Аnonymous', 'Anonyrnous', 'SYSTΕM', 'sуstеm'])('P7.14 %j looks like a reserved name', (bad) => {
    expect(() => cleanUserName(bad)).toThrow('account.name_taken')
  })

  test('P7.14 that look alike (UTS 39) are refused, both unchanged and ignoring case', () => {
    for (const alike of [
      'Admin',
      'admin',
      'Аdmin',
      'Adrnin',
      'АDМІN',
      'ADMlN',
      'Ꭺdmin',
      'Αdmın',
      '𝐀𝐝𝐦𝐢𝐧',
      'Ａｄｍｉｎ',
      'Ad\u034fmin',
    ])
      expect(() => mustNotLookLike(alike, ['Zoe', 'Admin']), alike).toThrow('account.name_taken')
    for (const other of ['Admins', 'Adm1nn', 'Àdmin', 'Bdmin', '管理员', 'dmin']) mustNotLookLike(other, ['Zoe', 'Admin'])
    expect(() => mustNotLookLike('囗一', ['口一'])).toThrow('account.name_taken')
    mustNotLookLike('Admin', [])
  })

  test('P7.14 are equal in any case and any form of their characters', () => {
    for (const [one, other] of [
      ['Ann', 'aNN'],
      ['Straße', 'STRASSE'],
      ['ΣΑΣ', 'σας'],
      ['Ａｎｎ', 'ann'],
      ['ﬁnn', 'FINN'],
      ['Zo\u00eb', 'zoe\u0308'],
      ['a  b', 'A\u00a0B'],
      ['a\ufe0fnn', 'ann'],
      ['²nd', '2nd'],
    ] as const)
      expect(nameKey(one), `${one} ${other}`).toBe(nameKey(other))
    for (const [one, other] of [
      ['ann', 'anne'],
      ['a b', 'ab'],
      ['Zoë', 'Zoe'],
      ['a_b', 'a-b'],
    ] as const)
      expect(nameKey(one)).not.toBe(nameKey(other))
  })

  test('the key of a key is itself, and the stored form has the key of the typed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 15 }), (text) => {
        const name = text.toWellFormed()
        expect(nameKey(nameKey(name))).toBe(nameKey(name))
        expect(nameKey(name.trim().normalize('NFC'))).toBe(nameKey(name))
      }),
    )
  })
})

describe('team names', () => {
  test('are trimmed and in NFC; @ and the names of the platform are allowed', () => {
    expect(cleanTeamName(' Zoe\u0308 ')).toBe('Zo\u00eb')
    for (const good of ['a', 'H@ckers', 'System', 'a'.repeat(20)]) expect(cleanTeamName(good)).toBe(good)
  })

  test.each(['', '  ', null, undefined, 'a'.repeat(21), '\u3164', '\u2800 '])('%j is not a valid name', (bad) => {
    expect(() => cleanTeamName(bad)).toThrow('team.name_invalid')
  })

  const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'
  test.each(['🏴\u200d☠\ufe0f Crew', '👩\u200d💻👩\u200d💻', `${england} CTF`, '1\ufe0f\u20e3st', 'I ❤\ufe0f flags'])(
    'P7.14 %j is a name: joiners, variation selectors and tags belong to emoji',
    (name) => expect(cleanTeamName(name)).toBe(name),
  )

  test.each([
    'a\u200db',
    '🏴\u200d',
    '🏴\u200d☠\ufe0f\u200d Crew',
    '👩\u200dx',
    'a\ufe0fb',
    '☠\ufe0f\ufe0f',
    '葛\u{e0100}',
    'a\u{e0067}\u{e007f}',
    '🏴\u{e0067}\u{e0062}',
    `🏴\u200d☠\ufe0f${rlo}`,
  ])('P7.14 %j is refused: they are invisible elsewhere', (name) => {
    expect(() => cleanTeamName(name)).toThrow('team.name_characters')
  })

  test('P7.14 a user name may not hold them, also inside emoji', () => {
    expect(() => cleanUserName('🏴\u200d☠\ufe0f Crew')).toThrow('account.name_characters')
  })

  test.each([`a${rlo}b`, 'a\nb', 'a\u200bb', 'a\u2028b'])('%j is refused for its characters', (bad) => {
    expect(() => cleanTeamName(bad)).toThrow('team.name_characters')
  })
})

test('a readable text is one line without characters that change its direction', () => {
  expect(readable(`a${rlo}b\nc\u0000d\u2028e\ud800f`)).toBe('a b c d e\ufffdf')
  expect(readable('玩家 – ok')).toBe('玩家 – ok')
})

test('a refusal of a name gives the broken limits', () => {
  expect(() => cleanUserName('ab')).toThrow(expect.objectContaining({ data: { min: 3, max: 15 } }))
  expect(() => cleanTeamName('x'.repeat(21))).toThrow(expect.objectContaining({ data: { max: 20 } }))
})

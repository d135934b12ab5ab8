import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  challengeSalt,
  cleanTemplate,
  type FlagSources,
  formatTeamToken,
  gameSalt,
  isWebLink,
  judgeFlag,
  leetEntropy,
  makeFlag,
  makeTestFlag,
  maskSeed,
  mustBeGoodTemplate,
  parseTeamToken,
  readAnswer,
  readFlagLines,
  readRemoteLines,
  teamHash,
  trimFlag,
} from './flags.ts'
import { signedTeamText } from './interop.ts'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')
const guid = '0f8fad5b-d9cb-469f-a165-70867728950e'

/** Draws the numbers of a list, repeatedly from its start. */
const drawing = (numbers: readonly number[] = [0]): FlagSources => {
  let i = 0
  return { random: (n) => numbers[i++ % numbers.length]! % n, makeGuid: () => guid, teamHash: () => '5418ce4d815c' }
}

const numbers = fc.array(fc.nat(), { minLength: 1, maxLength: 20 })
const template = fc
  .array(
    fc.constantFrom(
      '[GUID]',
      '[TEAM_HASH]',
      '[LEET]',
      '[CLEET]',
      '{',
      '}',
      '[',
      ']',
      ' ',
      '\t',
      'flag',
      'a',
      'Z',
      '7',
      '-',
      '$&',
      'é',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('template to flag', () => {
  test.each([null, '', '  \t', '\u0085'])('P5.15 the blank template %j gives a random GUID flag', (blank) => {
    expect(makeFlag(blank, drawing())).toBe(`flag{${guid}}`)
    expect(cleanTemplate(blank)).toBeNull()
    expect(() => mustBeGoodTemplate(blank)).not.toThrow()
  })

  test('P5.16 every [GUID] is replaced by the same GUID and the rest stays unchanged', () => {
    expect(makeFlag('MyCTF{[GUID]}', drawing())).toBe(`MyCTF{${guid}}`)
    let made = 0
    expect(makeFlag('{[GUID] [GUID]}', { ...drawing(), makeGuid: () => String(++made) })).toBe('{1 1}')
    expect(makeFlag('[LEET]a b {[GUID] [GUID] [TEAM_HASH]}', drawing())).toBe(`[LEET]a b {${guid} ${guid} [TEAM_HASH]}`)
  })

  test('P5.17 [TEAM_HASH] is replaced, and without a prefix nothing else changes', () => {
    expect(makeFlag('flag{hello_world_[TEAM_HASH]}', drawing())).toBe('flag{hello_world_5418ce4d815c}')
    expect(makeFlag('flag{hello world [TEAM_HASH]}', drawing())).toBe('flag{hello world 5418ce4d815c}')
    expect(makeFlag('[TEAM_HASH]{[TEAM_HASH]}', drawing())).toBe('5418ce4d815c{5418ce4d815c}')
  })

  test('P5.18 [LEET] is removed and the text leeted with the simple table, with and without team hash', () => {
    expect(makeFlag('[LEET]flag{ab [TEAM_HASH]}', drawing([1, 2]))).toBe('flag{a6_5418ce4d815c}')
    expect(makeFlag('[LEET]flag{ab o}', drawing([2]))).toBe('flag{46_0}')
    expect(makeFlag('flag{ab o}', drawing([2]))).toBe('flag{46_0}')
  })

  test('P5.19 [CLEET] is removed and the text leeted with the complex table, with and without team hash', () => {
    expect(makeFlag('[CLEET]flag{as [TEAM_HASH]}', drawing([3]))).toBe('flag{@$_5418ce4d815c}')
    expect(makeFlag('[CLEET]flag{hello sara}', drawing([3]))).toBe('flag{hEII#_$@r@}')
  })

  test('P5.18 the replacement starts after { and ], ends after } and [, and blanks become _ everywhere', () => {
    expect(makeFlag('a a{a}a]a[a{a', drawing([2]))).toBe('a_a{4}a]4[a{4')
  })

  const simple =
    'AAa4 BBb68 CCc DDd EEe3 FFf1 GGg69 HHh IIi1l JJj KKk LLl1I MMm NNn OOo0 PPp QQq9 RRr SSs5 TTt7 UUu VVv WWw XXx YYy ZZz2 ' +
    '00oO 11lI 22zZ 33eE 44aA 55Ss 66Gb 77T 88bB 99g'
  const complex = `${simple} AAa4@ BBb6& CCc( IIi1l! LLl1I! OOo0# SSs5$ ZZz2? 00oO# 11lI| 22zZ? 88B&`
  test.each([
    ['', simple],
    ['[LEET]', simple],
    ['[CLEET]', complex],
  ])('P5.18 P5.19 after %j each letter and digit is replaced by each character of its set', (prefix, rows) => {
    const sets = Object.fromEntries(rows.split(' ').map((row) => [row[0]!, row.slice(1)]))
    for (const [sign, set] of Object.entries(sets)) {
      for (const [place, character] of [...set].entries())
        for (const typed of [sign, sign.toLowerCase()])
          expect(makeFlag(`${prefix}{${typed}}`, drawing([place]))).toBe(`{${character}}`)
    }
  })

  test('P5.18 P5.19 all other characters except blanks stay unchanged', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: fc.constantFrom('-', '_', ' ', '{', '}', 'é', '旗', '$', '&') }), (text) => {
        fc.pre(text.trim() !== '')
        for (const prefix of ['[LEET]', '[CLEET]']) expect(makeFlag(prefix + text, drawing())).toBe(text.replaceAll(' ', '_'))
      }),
    )
    expect(makeFlag('[CLEET]flag{[TEAM_HASH]}', drawing([2]))).toBe('flag{5418ce4d815c}')
  })

  test('P3.29 no flag of a valid template is longer than 127 characters', () => {
    const passes = (text: string) => {
      try {
        mustBeGoodTemplate(text)
        return true
      } catch {
        return false
      }
    }
    const long = fc.tuple(fc.integer({ min: 0, max: 110 }), template).map(([filler, text]) => 'x'.repeat(filler) + text)
    fc.assert(
      fc.property(long, numbers, (text, drawn) => {
        fc.pre(passes(text))
        expect(makeFlag(text, drawing(drawn)).length).toBeLessThanOrEqual(127)
      }),
    )
  })

  test('a test container gets a flag of the same shape', () => {
    expect(makeTestFlag(null, drawing())).toBe('flag{this_is_a_test_flag}')
    expect(makeTestFlag('flag{[GUID]}', drawing())).toBe(`flag{${guid}}`)
    expect(makeTestFlag('flag{[TEAM_HASH]}', drawing([10]))).toBe('flag{aaaaaaaaaaaa}')
    expect(makeTestFlag('[LEET]flag{a}', drawing([2]))).toBe('flag{4}')
  })
})

describe('saving a template', () => {
  test('P3.21 the randomness of leet is measured without the prefix', () => {
    expect(leetEntropy('flag{hello world}')).toBeCloseTo(14.8, 1)
    expect(leetEntropy('[CLEET]flag{hello world}')).toBeCloseTo(16.6, 1)
    expect(leetEntropy('flag{this is a long leet flag}')).toBeCloseTo(31.85, 2)
    expect(leetEntropy('[CLEET]flag{this is a long leet flag}')).toBeCloseTo(35.5, 1)
    expect(leetEntropy('flag{dynamic flag for every single team}')).toBeCloseTo(42, 1)
    expect(leetEntropy('[LEET]flag{hello world}')).toBe(leetEntropy('flag{hello world}'))
  })

  test('P3.21 a template that is too simple is refused, one with a placeholder or enough randomness is not', () => {
    for (const weak of ['flag{hello world}', 'flag{this is a long leet flag}', '[CLEET]flag{hello world}'])
      expect(() => mustBeGoodTemplate(weak)).toThrow('flag.template_too_simple')
    for (const good of [
      'x[GUID]',
      'x[TEAM_HASH]',
      '[CLEET]flag{this is a long leet flag}',
      'flag{dynamic flag for every single team}',
    ])
      expect(() => mustBeGoodTemplate(good)).not.toThrow()
  })

  test('P3.21 white space at the ends of a template is removed, and it is checked without it', () => {
    expect(cleanTemplate(' \tflag{a [GUID]}\u0085')).toBe('flag{a [GUID]}')
    expect(() => mustBeGoodTemplate(` ${'a'.repeat(91)}[GUID] `)).not.toThrow()
    // With the blank it would not start with a prefix.
    expect(() => mustBeGoodTemplate(' [CLEET]dynamic flag for every single team')).toThrow('flag.template_too_simple')
  })

  test('P3.21 P3.29 a template of 121 characters is refused, as is one whose flag could exceed 127', () => {
    expect(() => mustBeGoodTemplate('a'.repeat(121))).toThrow('flag.template_too_long')
    expect(() => mustBeGoodTemplate(`${'a'.repeat(91)}[GUID]`)).not.toThrow()
    expect(() => mustBeGoodTemplate(`${'a'.repeat(92)}[GUID]`)).toThrow('flag.template_expands_too_far')
    expect(() => mustBeGoodTemplate(`${'[TEAM_HASH]'.repeat(10)}${'a'.repeat(8)}`)).toThrow('flag.template_expands_too_far')
  })
})

describe('judging', () => {
  test('P5.4 P8.14 an empty or blank answer is refused', () => {
    for (const empty of ['', ' ', '\t\n', '\u3000\u00a0\u0085']) expect(() => readAnswer(empty)).toThrow('flag.empty')
  })

  test('P3.29 white space of Unicode is removed at both ends of an answer, and kept within it', () => {
    const spaces = '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
    expect(trimFlag(`${spaces}flag{a${spaces}b}${spaces}`)).toBe(`flag{a${spaces}b}`)
    expect(trimFlag(spaces)).toBe('')
    expect(trimFlag('')).toBe('')
    // Invisible, but not white space; neither is the second half of a surrogate pair.
    for (const kept of ['\u200bflag', 'flag\u180e', 'flag\u{1f6a9}']) expect(trimFlag(kept)).toBe(kept)
  })

  test('P3.29 an answer of 128 characters is refused even if it is shorter when trimmed', () => {
    expect(readAnswer(`${' '.repeat(26)}${'a'.repeat(101)}`)).toBe('a'.repeat(101))
    expect(() => readAnswer(`${' '.repeat(27)}${'a'.repeat(101)}`)).toThrow('flag.too_long')
  })

  test('P4.18 any flag of the challenge is correct where teams share the flags', () => {
    const key = { kind: 'any of', flags: ['flag{a}', 'flag{b}'] } as const
    expect(judgeFlag('flag{b}', key)).toBe('Accepted')
    expect(judgeFlag('flag{B}', key)).toBe('WrongAnswer')
    expect(judgeFlag('flag{a', key)).toBe('WrongAnswer')
    expect(judgeFlag('x', { kind: 'any of', flags: [] })).toBe('WrongAnswer')
  })

  test('P4.18 a challenge that the team never opened has no correct answer yet', () => {
    expect(judgeFlag('flag{a}', { kind: 'own', flag: null })).toBe('WrongAnswer')
    expect(judgeFlag('flag{a}', { kind: 'own', flag: 'flag{a}' })).toBe('Accepted')
    expect(judgeFlag('flag{A}', { kind: 'own', flag: 'flag{a}' })).toBe('WrongAnswer')
  })

  test('P4.19 P3.60 without an assigned flag the answer is NotFound', () => {
    expect(judgeFlag('flag{a}', { kind: 'none' })).toBe('NotFound')
  })

  test('P3.60 a flag made for one team is correct for it and wrong for another', () => {
    fc.assert(
      fc.property(template, numbers, (text, drawn) => {
        const flag = makeFlag(text, drawing(drawn))
        // Answers are trimmed before they are compared.
        expect(judgeFlag(trimFlag(flag), { kind: 'own', flag })).toBe('Accepted')
        expect(judgeFlag(flag, { kind: 'own', flag: `${flag}!` })).toBe('WrongAnswer')
      }),
    )
  })
})

describe('pasted lists', () => {
  test('P5.20 a list has one flag per line; blank lines are skipped, repeated and long ones are reported', () => {
    expect(readFlagLines(`flag{a}\r\n\n  flag{b}  \nflag{a}\n${'x'.repeat(128)}`)).toEqual({
      good: [
        { line: 1, flag: 'flag{a}' },
        { line: 3, flag: 'flag{b}' },
      ],
      bad: [
        { line: 4, text: 'flag{a}', reason: 'repeated' },
        { line: 5, text: 'x'.repeat(128), reason: 'too long' },
      ],
    })
    expect(readFlagLines('a\rb').good.map(({ flag }) => flag)).toEqual(['a', 'b'])
  })

  test('P5.22 a remote line is flag, blank or tab, link; any other line is reported by its number', () => {
    const text = 'f{1} https://h/x\nf{2}\thttp://h\n\nf{3} https://h/x y\nf{4}\nf{5} javascript:alert(1)\nf{6}  https://h/x\n'
    expect(readRemoteLines(text)).toEqual({
      good: [
        { line: 1, flag: 'f{1}', url: 'https://h/x' },
        { line: 2, flag: 'f{2}', url: 'http://h' },
      ],
      bad: [
        { line: 4, text: 'f{3} https://h/x y', reason: 'not flag and link' },
        { line: 5, text: 'f{4}', reason: 'not flag and link' },
        { line: 6, text: 'f{5} javascript:alert(1)', reason: 'not a link' },
        { line: 7, text: 'f{6}  https://h/x', reason: 'not flag and link' },
      ],
    })
  })

  test('P3.22 only web links may be offered to players', () => {
    for (const good of ['https://h', 'HTTP://h:8/x?y#z', 'https://h?x']) expect(isWebLink(good)).toBe(true)
    for (const bad of ['', 'ftp://h/x', 'https://', 'https:///x', 'https://h/a b', ' https://h', `https://${'h'.repeat(2048)}`])
      expect(isWebLink(bad)).toBe(false)
  })
})

describe('team hash and token', () => {
  const seed = Uint8Array.from({ length: 32 }, (_, i) => i)
  const stored = (secret: string) => Buffer.from(maskSeed(seed, Buffer.from(secret))).toString('base64')
  const token = '12:jDETKu7ihQpzHP+7VkQG86MxVA5Chd7lKXHB2JdWhjw6bRxn+tWPHNVnPmNu/TIK5SDgCA7Wp6pZXhvWwac0BQ=='

  test('P5.17 P3.34 the hashes match the test vector, with and without a secret over the private key', () => {
    expect(stored('')).toBe('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=')
    expect(stored('helloworld')).toBe('aGRub2tyaXVkbWJuYGFheH9jfnd8cHp7d251aXB5dno=')

    const withSecret = gameSalt(stored('helloworld'), sha256)
    expect(withSecret).toBe('f59f48e58d4f19e1274a306908ed9520dd3847e11a17e298b2c0348d98ae4e12')
    const saltOfChallenge = challengeSalt(withSecret, 7, sha256)
    expect(saltOfChallenge).toBe('a019b2b75bde3f5443ebf8986b05b96a2345e61d63140b6e16a54c3d81777d1d')
    expect(teamHash(saltOfChallenge, token, sha256)).toBe('e40cc9af2c80')

    const without = gameSalt(stored(''), sha256)
    expect(without).toBe('796b764473341ad43e83e5b3caf1ba1b772ef8b907df63b020401ec5d24466db')
    expect(teamHash(challengeSalt(without, 7, sha256), token, sha256)).toBe('54bffd177c8d')
  })

  test('P3.34 a token is split at its first colon', () => {
    const parsed = parseTeamToken(token)!
    expect(parsed.teamId).toBe(12)
    expect(formatTeamToken(parsed.teamId, parsed.signature)).toBe(token)
    expect(parseTeamToken('12:a:b')).toEqual({ teamId: 12, signature: 'a:b' })
    expect(parseTeamToken('2147483647:a')).toEqual({ teamId: 2_147_483_647, signature: 'a' })
    for (const bad of ['', '12', '12:', ':abc', 'x:abc', '1.5:abc', ' 12:abc', '-1:abc', '2147483648:abc', '00000000001:a'])
      expect(parseTeamToken(bad)).toBeNull()
  })

  test('P3.34 the signed text has the form that existing checkers know', () => {
    expect(signedTeamText(12)).toBe('GZCTF_TEAM_12')
  })
})

describe('boundaries', () => {
  const refusal = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return { ...(error as { code: string; data: object }) }
    }
    return null
  }

  test('digits have similar characters, too', () => {
    const choices = (template: string) => {
      const made = [0, 1, 2, 3].map((n) =>
        makeFlag(template, { ...drawing(), random: (most) => Math.min(n, most - 1) }).replaceAll(/[{}]/g, ''),
      )
      return [...(made[0] as string)].map((_, at) => [...new Set(made.map((flag) => flag[at]))].join(''))
    }
    expect(choices('[LEET]{0123456789}')).toEqual('0oO 1lI 2zZ 3eE 4aA 5Ss 6Gb 7T 8bB 9g'.split(' '))
    expect(choices('[CLEET]{0128}')).toEqual(['0oO#', '1lI|', '2zZ?', '8B&'])
  })

  test('a template of 120 characters is accepted, a longer one is refused with the limit', () => {
    const template = (length: number) => `{[GUID]${'x'.repeat(length - 8)}}`
    expect(refusal(() => mustBeGoodTemplate(`{${'x'.repeat(118)}}`))).toBeNull()
    expect(refusal(() => mustBeGoodTemplate(`{${'x'.repeat(119)}}`))?.data).toEqual({ max: 120 })
    expect(refusal(() => mustBeGoodTemplate(template(121)))).toMatchObject({ code: 'flag.template_too_long', data: { max: 120 } })
    expect(refusal(() => mustBeGoodTemplate(template(97)))).toBeNull()
    expect(refusal(() => mustBeGoodTemplate(template(98)))).toMatchObject({
      code: 'flag.template_expands_too_far',
      data: { length: 128, max: 127 },
    })
    expect(refusal(() => mustBeGoodTemplate(`{[TEAM_HASH]${'x'.repeat(107)}}`))).toBeNull()
  })

  test('32 random bits are enough, fewer are refused with both numbers', () => {
    // Two bits each.
    const sixteen = `{${'L'.repeat(16)}}`
    expect(leetEntropy(sixteen)).toBe(32)
    expect(refusal(() => mustBeGoodTemplate(sixteen))).toBeNull()
    const fifteen = `{${'L'.repeat(15)}}`
    expect(refusal(() => mustBeGoodTemplate(fifteen))).toMatchObject({ data: { bits: 30, min: 32 } })
  })

  test('an answer of 127 characters is accepted, a longer one is refused with the limit, counting outer blanks', () => {
    expect(readAnswer('x'.repeat(127))).toHaveLength(127)
    expect(refusal(() => readAnswer(`x${' '.repeat(127)}`))).toMatchObject({ code: 'flag.too_long', data: { max: 127 } })
    const { good, bad } = readFlagLines(`${'x'.repeat(127)}\n${'x'.repeat(128)}`)
    expect([good.map(({ line }) => line), bad]).toEqual([[1], [{ line: 2, text: 'x'.repeat(128), reason: 'too long' }]])
  })

  test('a link has at most 2048 characters', () => {
    const link = (length: number) => `https://a.org/${'x'.repeat(length - 14)}`
    expect([isWebLink(link(2048)), isWebLink(link(2049))]).toEqual([true, false])
  })

  test('a seed is masked by each byte of the secret in turn, and without a secret it stays unchanged', () => {
    expect([...maskSeed(Uint8Array.of(1, 2, 3), Uint8Array.of(255, 1))]).toEqual([254, 3, 252])
    expect([...maskSeed(Uint8Array.of(1, 2, 3), new Uint8Array())]).toEqual([1, 2, 3])
  })

  test('the signature of a team token is all text after the first colon', () => {
    expect(parseTeamToken('2147483647:a:b\nc')).toEqual({ teamId: 2147483647, signature: 'a:b\nc' })
    for (const wrong of ['7:', ':a', 'x7:a', '-7:a', '2147483648:a', '12345678901:a', '7'])
      expect(parseTeamToken(wrong)).toBeNull()
  })
})

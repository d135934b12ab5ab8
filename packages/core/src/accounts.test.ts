import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  atLeast,
  cleanPhone,
  formatInviteCode,
  generatePassword,
  isEmail,
  mustBeAbleToLogIn,
  mustHaveAllowedDomain,
  mustLeaveAnAdmin,
  parseInviteCode,
  passwordHints,
  registerOutcome,
} from './accounts.ts'
import { EmailDomainRefused } from './rules.ts'
import { type Role, roles } from './vocabulary.ts'

describe('roles', () => {
  test('P3.49 P6.1 each role has the permissions of the ones before it', () => {
    for (const [i, role] of roles.entries()) for (const [j, least] of roles.entries()) expect(atLeast(role, least)).toBe(i >= j)
  })

  test('P6.3 at least one administrator always remains', () => {
    const admin = { role: 'Admin', active: true } as const
    const asleep = { ...admin, active: false }
    const user = { role: 'User', active: true } as const
    for (const after of [null, user, asleep, { role: 'Banned', active: true } as const]) {
      expect(() => mustLeaveAnAdmin(admin, after, [user, asleep])).toThrow('user.last_admin')
      expect(() => mustLeaveAnAdmin(admin, after, [user, admin])).not.toThrow()
      expect(() => mustLeaveAnAdmin(user, after, [])).not.toThrow()
    }
    expect(() => mustLeaveAnAdmin(admin, admin, [])).not.toThrow()
  })
})

describe('passwords', () => {
  test('P6.6 a generated password has 16 characters of the four classes, in any position', () => {
    const random = (n: number) => Math.floor(Math.random() * n)
    const made = Array.from({ length: 300 }, () => generatePassword(random))
    for (const password of made) {
      expect(password).toMatch(/^[A-Za-z0-9!@#$%^&*()\-_=+]{16}$/)
      expect(passwordHints(password)).toEqual({ length: true, lower: true, upper: true, digit: true, symbol: true })
    }
    expect(new Set(made).size).toBe(300)
    expect(new Set(made.map((password) => /[a-z]/.test(password.charAt(0)))).size).toBe(2)
    // Each further character is any of all; the last in turn.
    expect(generatePassword((n) => n - 1)).toBe(`${'+'.repeat(13)}9Zz`)
  })

  test('P5.1 P9.1 a password needs six characters and nothing else', () => {
    for (const short of ['', 'aaaaa', '  a  ']) expect(passwordHints(short).length).toBe(false)
    for (const good of ['aaaaaa', '      ', '密码密码密码']) expect(passwordHints(good).length).toBe(true)
  })

  test('P5.2 length and four kinds of characters are hints while typing', () => {
    expect(passwordHints('aB3$')).toEqual({ length: false, lower: true, upper: true, digit: true, symbol: true })
    expect(passwordHints('secret')).toEqual({ length: true, lower: true, upper: false, digit: false, symbol: false })
  })
})

describe('addresses', () => {
  test('P3.1 an e-mail address has one @, a host with a dot, and no blanks', () => {
    for (const good of ['a@b.org', 'first.last+tag@sub.host.example']) expect(isEmail(good)).toBe(true)
    for (const bad of [
      '',
      'a',
      '@b.org',
      'a@',
      'a@b',
      'a@b@c.org',
      'a b@c.org',
      'a@b.org\n',
      'a@.org',
      'a@b.',
      'a@b..org',
      'a<b@c.org',
      'a,b@c.org',
      '"a"@b.org',
      'a@b>.org',
      'a\0@b.org',
    ])
      expect(isEmail(bad)).toBe(false)
  })

  test('P3.3 a phone number has digits and the usual symbols; a blank one clears it', () => {
    for (const good of ['+86 (010) 1234-5678', '5', '555.1234 ext. 12', '555x9', '+1 555 EXT 3'])
      expect(cleanPhone(good)).toBe(good)
    expect(cleanPhone('')).toBeNull()
    expect(cleanPhone('  ')).toBeNull()
    for (const bad of ['abc', '+', '()', '12ext', '12 ext x 3', '1'.repeat(33)])
      expect(() => cleanPhone(bad)).toThrow('account.phone_invalid')
  })

  test('P3.41 P5.25 only listed domains may register, in any case, read after the last @', () => {
    const registering = (email: string, list: string) => () => mustHaveAllowedDomain(email, list)
    expect(registering('x@A.ORG', 'a.org, b.org')).not.toThrow()
    expect(registering('x@sub.a.org', 'a.org')).toThrow('account.domain_refused')
    expect(registering('a.org@evil.org', 'a.org')).toThrow('account.domain_refused')
    for (const list of ['', ' , ']) expect(registering('x@any.org', list)).not.toThrow()
    try {
      mustHaveAllowedDomain('x@c.org', 'A.org,b.org')
      expect.unreachable()
    } catch (error) {
      expect((error as EmailDomainRefused).data).toEqual({ domains: 'a.org, b.org' })
      expect(error).toBeInstanceOf(EmailDomainRefused)
    }
  })
})

describe('outcomes', () => {
  test.each([
    [true, true, 'LoggedIn'],
    [true, false, 'LoggedIn'],
    [false, false, 'AdminConfirmationRequired'],
    [false, true, 'EmailConfirmationRequired'],
  ] as const)(
    'P3.40 P3.48 P4.21 P4.22 with auto-activation %s and mail confirmation %s registration ends with %s',
    (active, mail, outcome) => {
      expect(registerOutcome({ activeOnRegister: active, emailConfirmationRequired: mail })).toBe(outcome)
    },
  )

  test('P6.2 P8.1 P8.2 a ban and a missing activation are revealed only after the correct password', () => {
    const logIn = (passwordRight: boolean, role: Role, active: boolean) =>
      expect(() => mustBeAbleToLogIn({ passwordRight, role, active }))
    logIn(true, 'User', true).not.toThrow()
    logIn(true, 'Banned', false).toThrow('account.banned')
    logIn(true, 'User', false).toThrow('account.not_active')
    logIn(false, 'Banned', true).toThrow('account.credentials_wrong')
    logIn(false, 'User', false).toThrow('account.credentials_wrong')
    expect(() => mustBeAbleToLogIn(null)).toThrow('account.credentials_wrong')
  })
})

describe('invite code of a team', () => {
  const secret = '0123456789abcdef0123456789abcdef'

  test('P3.31 every invite code is read back, even when the name contains colons', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 2 ** 31 - 1 }), (name, teamId) => {
        const code = { name, teamId, secret }
        expect(parseInviteCode(formatInviteCode(code))).toEqual(code)
      }),
    )
    expect(parseInviteCode(`a:7:b:12:${secret}`)).toEqual({ name: 'a:7:b', teamId: 12, secret })
  })

  test('P5.9 a wrongly formed invite code is refused', () => {
    const bad = [
      '',
      secret,
      `team${secret}`,
      `team:12:${secret.slice(1)}`,
      `team:12:${secret} `,
      `team:12:${secret}\n`,
      `team:x:${secret}`,
      `team:12:${secret.toUpperCase()}`,
      `team:2147483648:${secret}`,
    ]
    for (const code of bad) expect(parseInviteCode(code)).toBeNull()
  })
})

describe('boundaries', () => {
  test('a symbol is neither letter nor number nor blank, of any script', () => {
    for (const [text, symbol] of [
      ['!', true],
      ['。', true],
      ['語', false],
      ['½', false],
      ['٣', false],
      [' ', false],
    ] as const)
      expect([text, passwordHints(text).symbol]).toEqual([text, symbol])
  })

  test('an address has at most 254 characters and is refused otherwise', () => {
    const long = (length: number) => `${'a'.repeat(length - 6)}@b.org`
    expect([isEmail(long(254)), isEmail(long(255))]).toEqual([true, false])
    expect([isEmail('a@b.org'), isEmail('a@b')]).toEqual([true, false])
  })

  test('a phone number has at most 32 characters, with digits and only the usual symbols', () => {
    expect(cleanPhone('1'.repeat(32))).toBe('1'.repeat(32))
    for (const wrong of ['1'.repeat(33), 'a1', 'call 1', '1a', '+ -', '1 ext', '1x2x3'])
      expect(() => cleanPhone(wrong)).toThrow('account.phone_invalid')
    expect(cleanPhone(' (030) 12-34 ext. 5 ')).toBe('(030) 12-34 ext. 5')
  })

  test('an allowed domain is accepted, any other is refused with the list', () => {
    expect(() => mustHaveAllowedDomain('a@B.org', 'a.org, b.org')).not.toThrow()
    expect(() => mustHaveAllowedDomain('a@c.org', 'a.org,B.org ')).toThrow(
      expect.objectContaining({ data: { domains: 'a.org, b.org' } }),
    )
  })

  test('the whole text is the invite code: a name may span lines, text after the code is refused', () => {
    const secret = '0123456789abcdef'.repeat(2)
    expect(parseInviteCode(`two\nlines:7:${secret}`)).toEqual({ name: 'two\nlines', teamId: 7, secret })
    for (const wrong of [
      `x:7:${secret}0`,
      `x:7:${secret}\n`,
      `x:7:${secret.slice(1)}`,
      `7:${secret}`,
      `x:7:${secret.toUpperCase()}`,
    ])
      expect(parseInviteCode(wrong)).toBeNull()
    expect([parseInviteCode(`:2147483647:${secret}`)?.teamId, parseInviteCode(`:2147483648:${secret}`)]).toEqual([
      2147483647,
      null,
    ])
  })
})

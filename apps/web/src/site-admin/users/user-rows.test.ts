import { passwordHints } from '@vexil/core/accounts'
import { accountLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import {
  batchesOf,
  emptyRow,
  faultsOf,
  makePassword,
  passwordSheet,
  readUsers,
  secureRandom,
  type UserRow,
  wireUser,
  withPasswords,
} from './user-rows.ts'

const good: UserRow = { ...emptyRow, userName: 'ada', password: 'secret', email: 'ada@example.org' }
const other = (n: number, more: Partial<UserRow> = {}): UserRow => ({
  ...good,
  userName: `user${n}`,
  email: `user${n}@example.org`,
  ...more,
})

test('US-5 a list is read in the order of the columns, with quotes, blank lines and blanks around the cells', () => {
  const { rows, unknown } = readUsers(
    'ada,  pass word ,ada@example.org,"Lovelace, Ada",S-1,+44 20,Halyard\n\n ben ,,ben@example.org\n',
  )
  expect(unknown).toEqual([])
  expect(rows).toEqual([
    {
      userName: 'ada',
      password: '  pass word ',
      email: 'ada@example.org',
      realName: 'Lovelace, Ada',
      stdNumber: 'S-1',
      phone: '+44 20',
      teamName: 'Halyard',
      tooMany: false,
      generated: false,
    },
    { ...emptyRow, userName: 'ben', email: 'ben@example.org' },
  ])
})

test.each([';', '\t'])('US-5 %j is a separator, too, and headings change the order in any letter case', (sign) => {
  const text = [
    ['EMAIL', 'Username', 'class', 'teamname'],
    ['ada@example.org', 'ada', '5b', 'Halyard'],
  ]
  const { rows, unknown } = readUsers(text.map((cells) => cells.join(sign)).join('\n'))
  expect(rows).toEqual([{ ...emptyRow, userName: 'ada', email: 'ada@example.org', teamName: 'Halyard' }])
  expect(unknown).toEqual(['class'])
})

test('US-5 an empty list has no rows, an extra cell is an error', () => {
  expect(readUsers(' \n ').rows).toEqual([])
  expect(faultsOf(readUsers('ada,secret,ada@example.org,,,,,more').rows, false)).toEqual([['tooMany']])
})

test.each([
  ['userName', 'ab'],
  ['userName', 'x'.repeat(16)],
  ['userName', 'a@bc'],
  ['userName', 'System'],
  ['password', '12345'],
  ['password', 'x'.repeat(257)],
  ['email', 'nowhere'],
  ['realName', 'x'.repeat(129)],
  ['stdNumber', 'x'.repeat(65)],
  ['phone', 'call me'],
  ['teamName', 'x'.repeat(21)],
  ['teamName', 'a\u202eb'],
] as const)('US-5 %s %j is an error of that column only', (column, value) => {
  expect(faultsOf([{ ...good, [column]: value }], false)).toEqual([[column]])
  expect(faultsOf([good], false)).toEqual([[]])
})

test('US-5 values of the greatest length are no errors', () => {
  const longest = { userName: 'x'.repeat(15), password: 'x'.repeat(256), realName: 'x'.repeat(128), stdNumber: 'x'.repeat(64) }
  expect(faultsOf([{ ...good, ...longest, teamName: 'x'.repeat(20) }], false)).toEqual([[]])
})

test('US-5 a missing password is an error unless passwords are generated; a short one always is', () => {
  const rows = [{ ...good, password: '' }]
  expect(faultsOf(rows, false)).toEqual([['password']])
  expect(faultsOf(rows, true)).toEqual([[]])
  expect(faultsOf([{ ...good, password: 'short' }], true)).toEqual([['password']])
})

test('US-5 a name or address that is in an earlier row is an error of the later one, in any letter case', () => {
  const rows = [good, other(2, { userName: 'ADA' }), other(3, { email: 'Ada@Example.org' }), other(4)]
  expect(faultsOf(rows, false)).toEqual([[], ['nameTwice'], ['emailTwice'], []])
})

test('US-5 rows without a password each get a random one, the others keep theirs', () => {
  const [kept, made, third] = withPasswords([good, other(2, { password: '' }), other(3, { password: '' })])
  expect(kept).toBe(good)
  expect(made?.password).toHaveLength(accountLimits.generatedPasswordLength)
  expect(Object.values(passwordHints(made?.password ?? ''))).not.toContain(false)
  expect(made?.password).not.toBe(third?.password)
  for (let i = 0; i < 200; i++) expect(makePassword()).toMatch(/^[A-Za-z0-9]/)
  const drawn = Array.from({ length: 300 }, () => secureRandom(3))
  expect(new Set(drawn)).toEqual(new Set([0, 1, 2]))
})

test('US-5 batches keep the order and hold the accounts of one team together, each account once', () => {
  const rows = Array.from({ length: 60 }, (_, i) => other(i, { teamName: i % 20 === 3 ? 'Halyard' : '' }))
  const batches = batchesOf(rows)
  expect(batches.map((batch) => batch.length).every((length) => length <= 25)).toBe(true)
  expect(batches.flat().sort((a, b) => rows.indexOf(a) - rows.indexOf(b))).toEqual(rows)
  expect(batches.filter((batch) => batch.some(({ teamName }) => teamName === 'Halyard'))).toHaveLength(1)
  const crowd = Array.from({ length: 40 }, (_, i) => other(i, { teamName: 'Crowd' }))
  expect(batchesOf([...crowd, good]).map((batch) => batch.length)).toEqual([40, 1])
})

test('US-5 empty fields are not sent', () => {
  expect(wireUser(good)).toEqual({ userName: 'ada', password: 'secret', email: 'ada@example.org' })
  expect(wireUser({ ...good, phone: '1', teamName: 'Halyard' })).toMatchObject({ phone: '1', teamName: 'Halyard' })
})

test('US-5 the sheet of passwords quotes special characters and prevents formulas', () => {
  const sheet = passwordSheet([{ ...good, userName: '=1+1', password: '-a,"b', teamName: '@SUM' }])
  expect(sheet).toBe(`userName,password,email,teamName\r\n'=1+1,"-a,""b",ada@example.org,'@SUM`)
})

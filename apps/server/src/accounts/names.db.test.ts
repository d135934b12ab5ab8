import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { hashPassword } from './passwords.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
  await anAccount(platform.db, { userName: 'Zoë Straße', email: 'neighbour@example.org' })
})
afterAll(() => platform.stop())

let count = 0
const anEmail = () => `named${++count}@example.org`
const nameOf = async (where: { id?: string; email?: string }) => {
  const [[column, value]] = Object.entries(where) as [['id' | 'email', string]]
  const row = await platform.db
    .selectFrom('accounts')
    .select(['userName', 'nameKey'])
    .where(column, '=', value)
    .executeTakeFirst()
  return row ?? null
}

interface Way {
  /** Sends the name. */
  send(name: string): Promise<Answer>
  /** The name as stored afterwards; null: there is no account. */
  read(): Promise<{ userName: string; nameKey: string } | null>
}

/** Every call that sets a name, except the set-up, which works once (setup.db.test.ts). */
const ways: Record<string, () => Promise<Way>> = {
  async registering() {
    const email = anEmail()
    return {
      send: (userName) => platform.anyone.post('/api/account/register', { userName, password: 'aaaaaa', email }),
      read: () => nameOf({ email }),
    }
  },
  async 'changing the own profile'() {
    const id = await anAccount(platform.db)
    const me = await platform.as(id)
    return { send: (userName) => me.put('/api/account/update', { userName }), read: () => nameOf({ id }) }
  },
  async 'an administrator who changes an account'() {
    const id = await anAccount(platform.db)
    return { send: (userName) => admin.put(`/api/admin/users/${id}`, { userName }), read: () => nameOf({ id }) }
  },
  async 'a batch that adds an account'() {
    const email = anEmail()
    return {
      send: (userName) => admin.post('/api/admin/users', [{ userName, password: 'aaaaaa', email }]),
      read: () => nameOf({ email }),
    }
  },
  async 'a batch that changes an account'() {
    const email = anEmail()
    await anAccount(platform.db, { email })
    return {
      send: (userName) => admin.post('/api/admin/users', [{ userName, password: 'aaaaaa', email }]),
      read: () => nameOf({ email }),
    }
  },
}

const refusals = [
  ['an @', 'ann@home', 'account.name_characters'],
  ['a full-width @', 'ann＠home', 'account.name_characters'],
  ['a control character', 'ann\u0007', 'account.name_characters'],
  ['a line break', 'ann\nben', 'account.name_characters'],
  ['a format character', 'an\u200bn', 'account.name_characters'],
  ['a bidirectional character', 'ann\u202etxt', 'account.name_characters'],
  ['blanks only', '\u3000\u3000\u3000', 'account.name_invalid'],
  ['only characters that look blank', '\u3164\u3164\u3164', 'account.name_invalid'],
  ['too few characters besides blanks', ' ab ', 'account.name_invalid'],
  ['the name of the platform', 'sYSTEM', 'account.name_taken'],
  ['the name of visitors, in full width', 'Ａnonymous', 'account.name_taken'],
  ["a name that looks like the platform's", 'Ѕystem', 'account.name_taken'],
  ["a name that looks like an administrator's", 'R\u043eot', 'account.name_taken'],
  ['the name of another in another case', 'ZOË STRASSE', 'account.name_taken'],
  ['the name of another in another form', 'zoe\u0308\u00a0straße', 'account.name_taken'],
] as const

describe.each(Object.keys(ways))('a name set by %s', (way) => {
  test('P7.14 is stored trimmed and in NFC, with its key', async () => {
    const { send, read } = await ways[way]!()
    const name = `Ann\u00c9${++count}`
    expect((await send(`\u3000${name.normalize('NFD')} `)).status).toBe(200)
    expect(await read()).toEqual({ userName: name, nameKey: name.toLowerCase() })
  })

  // A row of a batch with the name of an account changes that account (users.db.test.ts).
  const applying =
    way === 'a batch that adds an account' ? refusals.filter(([what]) => !what.startsWith('the name of another')) : refusals
  test.each(applying)('P7.14 is refused with %s, and nothing changes', async (_, name, code) => {
    const { send, read } = await ways[way]!()
    const before = await read()
    const { status, error } = await send(name)
    expect([status, error.status]).toEqual([400, 400])
    // The error of a batch names the row and quotes the reason.
    if (way.startsWith('a batch')) expect(error.title.length).toBeGreaterThan(10)
    else expect(error.code).toBe(code)
    expect(await read()).toEqual(before)
  })
})

test('P7.14 an administrator keeps a name that resembles their own; a name may resemble a player’s', async () => {
  const id = await anAccount(platform.db, { role: 'Admin', userName: 'Illia' })
  const illia = await platform.as(id)
  for (const userName of ['lllia', 'Illia', 'ILLIA']) {
    expect((await illia.put('/api/account/update', { userName })).status).toBe(200)
    expect(await nameOf({ id })).toMatchObject({ userName })
  }
  await anAccount(platform.db, { userName: 'Player' })
  const email = anEmail()
  const answer = await platform.anyone.post('/api/account/register', { userName: 'P\u0131ayer', password: 'aaaaaa', email })
  expect(answer.status).toBe(200)
})

test('P6.5 a batch reports the row whose name is refused, with the reason', async () => {
  const rows = ['Proper', 'Sys\u034ftem'].map((userName) => ({ userName, password: 'aaaaaa', email: anEmail() }))
  expect((await admin.post('/api/admin/users', rows)).error).toMatchObject({
    code: 'user.batch_row_refused',
    data: { row: 2, reason: 'This username is already in use' },
  })
  expect(await platform.db.selectFrom('accounts').selectAll().where('userName', '=', 'Proper').execute()).toEqual([])
})

test('P6.5 team names in a batch are normalised, so that rows of one team match', async () => {
  const row = (teamName: string) => ({ userName: `Member${++count}`, password: 'aaaaaa', email: anEmail(), teamName })
  expect((await admin.post('/api/admin/users', [row(' Cafe\u0301 '), row('Caf\u00e9')])).status).toBe(200)
  const teams = await platform.db.selectFrom('teams').select('name').execute()
  expect(teams).toEqual([{ name: 'Caf\u00e9' }])
  const refused = await admin.post('/api/admin/users', [row('a\u202eb')])
  expect(refused.error.data).toMatchObject({ row: 1, reason: 'Team names cannot contain invisible or control characters' })
})

test('P7.14 the same name in twenty forms, registered concurrently, makes one account', async () => {
  const forms = ['Twins ﬁ', 'TWINS FI', 'twins\u00a0fi', 'Ｔwins fi', 'twins  fi']
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      platform.anyone.post('/api/account/register', { userName: forms[i % 5], password: 'aaaaaa', email: anEmail() }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ error }) => error.code === 'account.name_taken')).toHaveLength(19)
})

test('P7.8 a name signs in in each of its forms, and another account’s name does not', async () => {
  const passwordHash = await hashPassword('aaaaaa', 'test')
  const id = await anAccount(platform.db, { userName: 'Jürgen Groß', passwordHash })
  await anAccount(platform.db, { userName: 'Jurgen Gross', passwordHash: await hashPassword('bbbbbb', 'test') })
  const login = (userName: string) => platform.anyone.post('/api/account/login', { userName, password: 'aaaaaa' })
  for (const form of ['Jürgen Groß', 'JÜRGEN GROSS', 'ju\u0308rgen groß', ' Ｊürgen\u3000Groß ']) {
    const answer = await login(form)
    expect(answer.status, form).toBe(200)
    const cookie = String((answer.headers['set-cookie'] as string[])[0]).split(';')[0] as string
    expect((await platform.anyone.get('/api/account/profile', { cookie })).body.userId).toBe(id)
  }
  expect((await login('Jurgen Gross')).status).toBe(401)
})

describe('the log', () => {
  const failed = async (userName: string) => {
    await platform.deps.log.flush()
    const from = (await platform.db.selectFrom('logs').select('id').orderBy('id', 'desc').executeTakeFirst())?.id ?? 0
    await platform.anyone.post('/api/account/login', { userName, password: 'wrong!' })
    await platform.deps.log.flush()
    return platform.db.selectFrom('logs').selectAll().where('id', '>', from).execute()
  }

  test('P8.1 shows Anonymous and the address for unknown names, and quotes the typed name in one line', async () => {
    for (const [typed, shown] of [
      ['System', 'System'],
      ['Anonymous', 'Anonymous'],
      ['Root\n2026 System: all is well', 'Root 2026 System: all is well'],
      ['\u202egro.elpmaxe', ' gro.elpmaxe'],
      ['x'.repeat(200), 'x'.repeat(64)],
    ] as const)
      expect(await failed(typed)).toMatchObject([
        {
          level: 'Warning',
          status: 'Failed',
          name: 'Anonymous',
          ip: '127.0.0.1',
          message: `Login failed: no account is named "${shown}"`,
        },
      ])
  })

  test('P8.1 names the account whose password was wrong, not the typed text', async () => {
    expect(await failed('NEIGHBOUR@example.org')).toMatchObject([
      { level: 'Warning', status: 'Failed', name: 'Zoë Straße', ip: '127.0.0.1', message: 'Login failed' },
    ])
  })

  test('keeps every entry on one line', async () => {
    platform.deps.log.write({ status: '', name: 'a\u202eb\n', message: 'one\r\ntwo\u2028three\u0000\u200b' })
    await platform.deps.log.flush()
    const last = await platform.db.selectFrom('logs').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow()
    expect([last.name, last.message]).toEqual(['a b ', 'one  two three  '])
  })
})

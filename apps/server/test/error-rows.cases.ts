/** How each row of error-rows.tsv is provoked, by call and by the words of the row. */
import { hubs } from '@vexil/contract/hubs'
import { DiskFull, FileTooLarge } from '@vexil/core/rules'
import { insertAttempt } from '../src/accounts/registrations.queries.ts'
import { hashToken } from '../src/accounts/sessions.ts'
import { inTransaction } from '../src/db/transaction.ts'
import type { SettingValues } from '../src/site/settings.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from './builders/game.ts'
import { aPng, htmlBytes } from './builders/images.ts'
import { type Person, type Scene, scenePassword } from './builders/scene.ts'
import type { Answer, Caller, TestPlatform } from './platform.ts'

export interface Rows {
  readonly s: Scene
  readonly db: TestPlatform['db']
  readonly by: Readonly<Record<Person, Caller>>
  settings(changes: Partial<SettingValues>): Promise<void>
  /** Sends a JSON body unchanged, without a session. */
  raw(method: 'POST', url: string, body: string): Promise<Answer>
  /** Every captcha is refused. */
  noCaptcha(): void
  /** Simulates a mail server. */
  mailServer(): void
  /** Every later call of this method of the storage fails with the error, or returns this value. */
  storageFails(method: 'put' | 'has', outcome: Error | boolean): void
}
type Send = () => Promise<Answer>
/** Prepares the case, and returns a function that sends the request; checksums are taken before and after it. */
export type Case = (rows: Rows) => Send | Promise<Send>

const unknownId = '00000000-0000-7000-8000-000000000000'
const none = 2_000_000_000
const base64 = (text: string) => Buffer.from(text).toString('base64')
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n')
const [three, twenty] = [3 * 1024 * 1024, 20 * 1024 * 1024]

const nameOf = async ({ db, s }: Rows, who: 'other' | 'captain') =>
  db.selectFrom('accounts').select(['userName', 'email']).where('id', '=', s.account[who]).executeTakeFirstOrThrow()
const set = ({ db, s }: Rows, values: object) => db.updateTable('games').set(values).where('id', '=', s.game).execute()
const setChallenge = ({ db, s }: Rows, values: object) =>
  db.updateTable('challenges').set(values).where('id', 'in', [s.challenge, s.containerChallenge]).execute()
const checkOf = (values: object) => async (rows: Rows) => {
  await setChallenge(rows, values)
  return () => rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.containerChallenge}/checks`)
}
const notStarted = (rows: Rows) => set(rows, { startsAt: at('1h'), endsAt: at('2h') })
const over = (rows: Rows) => set(rows, { startsAt: at('-2h'), endsAt: at('-1h'), practiceMode: false })
const lock = ({ db }: Rows, team: number | undefined) =>
  db
    .updateTable('teams')
    .set({ locked: true })
    .where('id', '=', team as number)
    .execute()
/** Adds the team without a game to a running game, and locks it. */
async function lockFree(rows: Rows) {
  const { db, s } = rows
  await aParticipation(db, await aGame(db), { id: s.team, members: [s.account.captain] })
  await lock(rows, s.team)
}

// Pictures
type Upload = (call: Caller, files: { name: string; type?: string; bytes: Buffer }[], part?: string) => Promise<Answer>
const put =
  (url: string): Upload =>
  (call, files, part = 'file') =>
    call.upload('PUT', url, part, files)
const post =
  (url: string): Upload =>
  (call, files, part = 'file') =>
    call.upload('POST', url, part, files)
const pictures = (to: (rows: Rows) => [Upload, Caller]): Record<string, Case> => ({
  'part missing': async (rows) => {
    const [send, who] = to(rows)
    const bytes = await aPng()
    return () => send(who, [{ name: 'a.png', bytes }], 'picture')
  },
  '0 bytes': (rows) => {
    const [send, who] = to(rows)
    return () => send(who, [{ name: 'a.png', bytes: Buffer.alloc(0) }])
  },
  '3 MiB and one byte': async (rows) => {
    const [send, who] = to(rows)
    const bytes = await aPng({ size: three + 1 })
    return () => send(who, [{ name: 'a.png', bytes }])
  },
  'HTML named .png': (rows) => {
    const [send, who] = to(rows)
    return () => send(who, [{ name: 'a.png', type: 'image/png', bytes: htmlBytes }])
  },
  'the disk is full': async (rows) => {
    const [send, who] = to(rows)
    const bytes = await aPng()
    rows.storageFails('put', new DiskFull())
    return () => send(who, [{ name: 'a.png', bytes }])
  },
})

// Games
const game = (make: (call: Caller, game: number, rows: Rows) => Promise<Answer>, who: Person): Record<string, Case> => ({
  'no such game': (rows) => () => make(rows.by[who], none, rows),
})
const challenge = (
  make: (call: Caller, challenge: number, rows: Rows) => Promise<Answer>,
  who: Person,
): Record<string, Case> => ({
  'no such challenge': (rows) => () => make(rows.by[who], none, rows),
})
const started = (make: (call: Caller, game: number) => Promise<Answer>, who: Person): Record<string, Case> => ({
  ...game(make, who),
  'not started': async (rows) => {
    await notStarted(rows)
    return () => make(rows.by[who], rows.s.game)
  },
})
type Play = (call: Caller, game: number, rows: Rows) => Promise<Answer>
/** Cases of the gate, for every call that plays. */
const gate = (play: Play): Record<string, Case> => ({
  ...game(play, 'accepted'),
  'takes no part': (rows) => () => play(rows.by.outsider, rows.s.game, rows),
  pending: (rows) => () => play(rows.by.pending, rows.s.game, rows),
  suspended: (rows) => () => play(rows.by.suspended, rows.s.game, rows),
  'not started': async (rows) => {
    await notStarted(rows)
    return () => play(rows.by.accepted, rows.s.game, rows)
  },
  'over, practice mode off': async (rows) => {
    await over(rows)
    return () => play(rows.by.accepted, rows.s.game, rows)
  },
})
const { 'over, practice mode off': _untilTheEnd, ...openGate } = gate(async (call, id) => call.get(`/api/game/${id}/writeup`))

const times = (start: string, end: string) => ({ start: at(start).toISOString(), end: at(end).toISOString() })
const register = (rows: Rows, body: object) =>
  rows.by.anonymous.post('/api/account/register', {
    userName: 'newcomer',
    password: scenePassword,
    email: 'newcomer@example.org',
    ...body,
  })
const mailOn = (rows: Rows) =>
  rows.settings({ 'AccountPolicy:EmailConfirmationRequired': true, 'AccountPolicy:ActiveOnRegister': false })
const captchaOn = async (rows: Rows) => {
  await rows.settings({ 'AccountPolicy:UseCaptcha': true })
  rows.noCaptcha()
}
const login = (rows: Rows, body: object) => rows.by.anonymous.post('/api/account/login', body)
const setPerson = (rows: Rows, who: 'other', values: object) =>
  rows.db.updateTable('accounts').set(values).where('id', '=', rows.s.account[who]).execute()
const user = (n: number, more: object = {}) => ({
  userName: `batch${n}`,
  password: scenePassword,
  email: `batch${n}@example.org`,
  ...more,
})

const noTeam =
  (ask: (call: Caller, team: number, rows: Rows) => Promise<Answer>): Case =>
  (rows) =>
  () =>
    ask(rows.by.captain, none, rows)
const ofCaptain = (ask: (call: Caller, team: number, rows: Rows) => Promise<Answer>): Record<string, Case> => ({
  'no such team': noTeam(ask),
  'not the captain': (rows) => () => ask(rows.by.member, rows.s.team, rows),
})
const locked = (
  ask: (call: Caller, team: number, rows: Rows) => Promise<Answer>,
  who: Person = 'captain',
): Record<string, Case> => ({
  locked: async (rows) => {
    await lockFree(rows)
    return () => ask(rows.by[who], rows.s.team, rows)
  },
})

const transfer = (call: Caller, team: number, { s }: Rows, to: unknown = s.account.member) =>
  call.put(`/api/team/${team}/transfer`, { newCaptainId: to })
const kick = (call: Caller, team: number, { s }: Rows, whom: string = s.account.member) =>
  call.post(`/api/team/${team}/kick/${whom}`)
const accept =
  (code: unknown): Case =>
  (rows) =>
  () =>
    rows.by.outsider.post('/api/team/accept', code)
const verify =
  (change: (signed: Scene['signed']) => object): Case =>
  (rows) =>
  () =>
    rows.by.anonymous.post('/api/team/verify', { ...rows.s.signed, ...change(rows.s.signed) })

const mail = {
  host: 'mail.example.org',
  port: 587,
  user: 'vexil',
  sender: 'ctf@example.org',
  senderName: '',
  ignoreCertificate: false,
}
const mailServer =
  (change: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.put('/api/admin/config/mail', { ...mail, ...change })
const captcha =
  (change: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.put('/api/admin/config/captcha', {
      provider: 'CloudflareTurnstile',
      siteKey: 'k',
      threshold: 0.5,
      ...change,
    })
const config =
  (group: string, values: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.put('/api/admin/config', { [group]: values })
const batch =
  (...users: object[]): Case =>
  (rows) =>
  () =>
    rows.by.admin.post('/api/admin/users', [user(1), ...users])
const userAt =
  (method: 'get' | 'delete', path: (id: string) => string, id = unknownId): Case =>
  (rows) =>
  () =>
    rows.by.admin[method](path(id))
const changeUser =
  (id: string | ((rows: Rows) => string), body: object | ((rows: Rows) => Promise<object>)): Case =>
  async (rows) => {
    const sent = typeof body === 'function' ? await body(rows) : body
    return () => rows.by.admin.put(`/api/admin/users/${typeof id === 'string' ? id : id(rows)}`, sent)
  }

const setUp =
  (body: object, tokenRight = false): Case =>
  async (rows) => {
    if (tokenRight) {
      await rows.db.updateTable('accounts').set({ role: 'User' }).where('role', '=', 'Admin').execute()
      await rows.db.deleteFrom('setupTokens').execute()
      await rows.db
        .insertInto('setupTokens')
        .values({ hash: hashToken('right') })
        .execute()
    }
    const input = {
      token: tokenRight ? 'right' : 'wrong',
      userName: 'first',
      password: scenePassword,
      email: 'first@example.org',
    }
    return () => rows.by.anonymous.post('/api/setup', { ...input, ...body })
  }
const newGame =
  (body: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.post('/api/edit/games', body)
const oldGame =
  (body: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.put(`/api/edit/games/${rows.s.game}`, body)
const automatic = async ({ db, s }: Rows) =>
  (
    await db
      .insertInto('notices')
      .values({ gameId: s.game, type: 'NewHint', values: ['A challenge'] })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id
const anotherOne = {
  ...{ name: 'db', image: 'database', cpuCount: 1, memoryLimit: 64, storageLimit: 128 },
  ...{ environment: [], getsFlag: false },
}
const edit =
  (body: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.put(`/api/edit/games/${rows.s.game}/challenges/${rows.s.challenge}`, body)
const inChallenge = (ask: (call: Caller, path: string) => Promise<Answer>): Record<string, Case> => ({
  ...game((call, id, { s }) => ask(call, `/api/edit/games/${id}/challenges/${s.challenge}`), 'admin'),
  ...challenge((call, id, { s }) => ask(call, `/api/edit/games/${s.game}/challenges/${id}`), 'admin'),
})
const attach =
  (body: object): Case =>
  (rows) =>
  () =>
    rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.challenge}/attachment`, body)
const addFlags =
  (flag: string, attachment: object = {}): Case =>
  (rows) =>
  () =>
    rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.challenge}/flags`, [
      { flag: 'flag{fine}' },
      { flag, ...attachment },
    ])

const join = (rows: Rows, who: Person, body: object = {}, id = rows.s.game) =>
  rows.by[who].post(`/api/game/${id}`, { teamId: rows.s.teamOf[who] ?? rows.s.team, ...body })
const leave =
  (who: Person): Case =>
  (rows) =>
  () =>
    rows.by[who].delete(`/api/game/${rows.s.game}`)
const open = (call: Caller, id: number, { s }: Rows, of = s.challenge) => call.get(`/api/game/${id}/challenges/${of}`)
const submit = (call: Caller, id: number, { s }: Rows, flag: unknown = 'flag{right}', of = s.challenge) =>
  call.post(`/api/game/${id}/challenges/${of}`, { flag })
const flag =
  (text: unknown): Case =>
  (rows) =>
  () =>
    submit(rows.by.accepted, rows.s.game, rows, text)
const disabled = (play: Play): Record<string, Case> => ({
  disabled: async (rows) => {
    await setChallenge(rows, { enabled: false })
    return () => play(rows.by.accepted, rows.s.game, rows)
  },
})
const container = (ask: (call: Caller, path: string) => Promise<Answer>, last: string): Record<string, Case> => {
  const play: Play = (call, id, { s }) => ask(call, `/api/game/${id}/container/${s.containerChallenge}`)
  return {
    ...gate(play),
    ...disabled(play),
    'no such challenge': (rows) => () => ask(rows.by.accepted, `/api/game/${rows.s.game}/container/${none}`),
    'a type without container': (rows) => () => ask(rows.by.accepted, `/api/game/${rows.s.game}/container/${rows.s.challenge}`),
    [last]: (rows) => () => play(rows.by.accepted, rows.s.game, rows),
  }
}
const handIn =
  (file: { name?: string; type?: string; bytes?: Buffer }, part = 'file') =>
  (call: Caller, id: number) =>
    post(`/api/game/${id}/writeup`)(call, [{ name: 'writeup.pdf', type: 'application/pdf', bytes: pdf, ...file }], part)
const writeup =
  (file: Parameters<typeof handIn>[0], part?: string): Case =>
  (rows) =>
  () =>
    handIn(file, part)(rows.by.accepted, rows.s.game)
const asset =
  (...failure: Parameters<Rows['storageFails']>): Case =>
  (rows) => {
    rows.storageFails(...failure)
    return () => post('/api/assets')(rows.by.admin, [{ name: 'task.zip', bytes: pdf }], 'files')
  }
const failingWriteup =
  (...failure: Parameters<Rows['storageFails']>): Case =>
  (rows) => {
    rows.storageFails(...failure)
    return () => handIn({ bytes: Buffer.concat([pdf, Buffer.from('of its own')]) })(rows.by.accepted, rows.s.game)
  }
const capture =
  (method: 'get' | 'delete', path: string): Case =>
  ({ by, s }) =>
  () =>
    by.monitor[method](`/api/game/captures/${s.containerChallenge}${path}`)

export const cases: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'POST /api/account/register': {
    'user name of 2 signs': (rows) => () => register(rows, { userName: 'ab' }),
    'user name of 16 signs': (rows) => () => register(rows, { userName: 'a'.repeat(16) }),
    'no e-mail address': (rows) => () => register(rows, { email: 'nobody' }),
    'registration is closed': async (rows) => {
      await rows.settings({ 'AccountPolicy:AllowRegister': false })
      return () => register(rows, {})
    },
    'captcha not passed': async (rows) => {
      await captchaOn(rows)
      return () => register(rows, { challenge: 'token' })
    },
    'domain not in the list': async (rows) => {
      await rows.settings({ 'AccountPolicy:EmailDomainList': 'example.com' })
      return () => register(rows, {})
    },
    'password of 5 signs': (rows) => () => register(rows, { password: '12345' }),
    'user name taken, in another letter case': async (rows) => {
      const { userName } = await nameOf(rows, 'other')
      return () => register(rows, { userName: userName.toUpperCase() })
    },
    'user name with @': (rows) => () => register(rows, { userName: 'new@comer' }),
    'user name of the platform': (rows) => () => register(rows, { userName: 'SYSTEM' }),
    'address of a confirmed account': async (rows) => {
      const { email } = await nameOf(rows, 'other')
      return () => register(rows, { email: email.toUpperCase() })
    },
    'confirmation by mail wanted, no mail server': async (rows) => {
      await mailOn(rows)
      return () => register(rows, {})
    },
  },
  'POST /api/account/recovery': {
    'no e-mail address': (rows) => () => rows.by.anonymous.post('/api/account/recovery', { email: 'nobody' }),
    'captcha not passed': async (rows) => {
      await mailOn(rows)
      await captchaOn(rows)
      return () => rows.by.anonymous.post('/api/account/recovery', { email: 'a@example.org', challenge: 'token' })
    },
    'confirmation by mail is off': (rows) => () => rows.by.anonymous.post('/api/account/recovery', { email: 'a@example.org' }),
    'no mail server': async (rows) => {
      await mailOn(rows)
      const { email } = await nameOf(rows, 'other')
      return () => rows.by.anonymous.post('/api/account/recovery', { email })
    },
  },
  'POST /api/account/passwordreset': {
    'unknown address': (rows) => () =>
      rows.by.anonymous.post('/api/account/passwordreset', {
        password: scenePassword,
        email: base64('nobody@example.org'),
        rToken: base64('token'),
      }),
    'wrong token': async (rows) => {
      const { email } = await nameOf(rows, 'other')
      return () =>
        rows.by.anonymous.post('/api/account/passwordreset', {
          password: scenePassword,
          email: base64(email),
          rToken: base64('token'),
        })
    },
    'password of 5 signs': (rows) => () =>
      rows.by.anonymous.post('/api/account/passwordreset', {
        password: '12345',
        email: base64('nobody@example.org'),
        rToken: base64('token'),
      }),
  },
  'POST /api/account/verify': {
    'unknown address': (rows) => () =>
      rows.by.anonymous.post('/api/account/verify', { email: base64('nobody@example.org'), token: base64('token') }),
    'account confirmed already': async (rows) => {
      const { email } = await nameOf(rows, 'other')
      return () => rows.by.anonymous.post('/api/account/verify', { email: base64(email), token: base64('token') })
    },
    'wrong token': async (rows) => {
      const { email } = await nameOf(rows, 'other')
      await setPerson(rows, 'other', { active: false })
      return () => rows.by.anonymous.post('/api/account/verify', { email: base64(email), token: base64('token') })
    },
    'address of a banned account that was never active': async (rows) => {
      const { email } = await nameOf(rows, 'other')
      await setPerson(rows, 'other', { active: false, role: 'Banned' })
      await inTransaction(rows.db, (tx) =>
        insertAttempt(tx, 'token of a banned person', { userName: 'newcomer', email, passwordHash: 'none' }),
      )
      return () =>
        rows.by.anonymous.post('/api/account/verify', { email: base64(email), token: base64('token of a banned person') })
    },
    'name taken meanwhile': async (rows) => {
      const { userName } = await nameOf(rows, 'other')
      const email = 'newcomer@example.org'
      await inTransaction(rows.db, (tx) => insertAttempt(tx, 'token', { userName, email, passwordHash: 'none' }))
      return () => rows.by.anonymous.post('/api/account/verify', { email: base64(email), token: base64('token') })
    },
  },
  'POST /api/account/login': {
    'no user name': (rows) => () => login(rows, { password: scenePassword }),
    'captcha not passed': async (rows) => {
      await captchaOn(rows)
      return () => login(rows, { userName: rows.s.otherName, password: scenePassword, challenge: 'token' })
    },
    'unknown user': (rows) => () => login(rows, { userName: 'nobody at all', password: scenePassword }),
    'wrong password': (rows) => () => login(rows, { userName: rows.s.otherName, password: 'not this one' }),
    'banned, right password': async (rows) => {
      await setPerson(rows, 'other', { role: 'Banned' })
      return () => login(rows, { userName: rows.s.otherName, password: scenePassword })
    },
    'banned, wrong password': async (rows) => {
      await setPerson(rows, 'other', { role: 'Banned' })
      return () => login(rows, { userName: rows.s.otherName, password: 'not this one' })
    },
    'not activated, right password': async (rows) => {
      await setPerson(rows, 'other', { active: false })
      return () => login(rows, { userName: rows.s.otherName, password: scenePassword })
    },
  },
  'PUT /api/account/update': {
    'user name taken': (rows) => () => rows.by.outsider.put('/api/account/update', { userName: rows.s.otherName, bio: 'x' }),
    'user name with @': (rows) => () => rows.by.outsider.put('/api/account/update', { userName: 'out@side', bio: 'x' }),
    'blank user name': (rows) => () => rows.by.outsider.put('/api/account/update', { userName: '    ', bio: 'x' }),
    'bio of 129 signs': (rows) => () => rows.by.outsider.put('/api/account/update', { bio: 'x'.repeat(129) }),
    'number that is none': (rows) => () => rows.by.outsider.put('/api/account/update', { phone: 'call me', bio: 'x' }),
  },
  'PUT /api/account/changepassword': {
    'old password wrong': (rows) => () =>
      rows.by.outsider.put('/api/account/changepassword', { old: 'not this one', new: scenePassword }),
    'new password of 5 signs': (rows) => () =>
      rows.by.outsider.put('/api/account/changepassword', { old: scenePassword, new: '12345' }),
  },
  'PUT /api/account/changeemail': {
    'no e-mail address': (rows) => () => rows.by.outsider.put('/api/account/changeemail', { newMail: 'nobody' }),
    'address in use': async (rows) => {
      await mailOn(rows)
      const { email } = await nameOf(rows, 'other')
      return () => rows.by.outsider.put('/api/account/changeemail', { newMail: email.toUpperCase() })
    },
    'domain not in the list': async (rows) => {
      await rows.settings({ 'AccountPolicy:EmailDomainList': 'example.com' })
      return () => rows.by.outsider.put('/api/account/changeemail', { newMail: 'new@example.org' })
    },
    'confirmation by mail is off: data is false': (rows) => () =>
      rows.by.outsider.put('/api/account/changeemail', { newMail: 'new@example.org' }),
    'no mail server': async (rows) => {
      await mailOn(rows)
      return () => rows.by.outsider.put('/api/account/changeemail', { newMail: 'new@example.org' })
    },
    'wrong password sent': async (rows) => {
      await mailOn(rows)
      rows.mailServer()
      return () => rows.by.outsider.put('/api/account/changeemail', { newMail: 'new@example.org', password: 'not this one' })
    },
  },
  'POST /api/account/mailchangecancel': {
    'wrong token': (rows) => () =>
      rows.by.anonymous.post('/api/account/mailchangecancel', { email: base64('old@example.org'), token: base64('token') }),
  },
  'POST /api/account/mailchangeconfirm': {
    'wrong token': (rows) => () =>
      rows.by.outsider.post('/api/account/mailchangeconfirm', { email: base64('new@example.org'), token: base64('token') }),
  },
  'PUT /api/account/avatar': pictures((rows) => [put('/api/account/avatar'), rows.by.outsider]),

  'GET /api/team/:id': { 'no such team': (rows) => () => rows.by.anonymous.get(`/api/team/${none}`) },
  'POST /api/team': {
    'captain of a team already, checked before the name': (rows) => () => rows.by.captain.post('/api/team', {}),
    'no name': (rows) => () => rows.by.outsider.post('/api/team', { bio: 'x' }),
    'blank name': (rows) => () => rows.by.outsider.post('/api/team', { name: '   ' }),
    'name of 21 signs': (rows) => () => rows.by.outsider.post('/api/team', { name: 'x'.repeat(21) }),
    'name with a bidirectional sign': (rows) => () => rows.by.outsider.post('/api/team', { name: 'te\u202eam' }),
  },
  'PUT /api/team/:id': {
    ...ofCaptain((call, team) => call.put(`/api/team/${team}`, { name: 'New' })),
    'name of 21 signs': (rows) => () => rows.by.captain.put(`/api/team/${rows.s.team}`, { name: 'x'.repeat(21) }),
    'blank name': (rows) => () => rows.by.captain.put(`/api/team/${rows.s.team}`, { name: '   ', bio: 'x' }),
    'name with a bidirectional sign': (rows) => () =>
      rows.by.captain.put(`/api/team/${rows.s.team}`, { name: 'te\u202eam', bio: 'x' }),
    'a second name in a minute, while boards show the first': async (rows) => {
      await aParticipation(rows.db, rows.s.game, { id: rows.s.team, members: [rows.s.account.captain] })
      await rows.by.captain.put(`/api/team/${rows.s.team}`, { name: 'First' })
      return () => rows.by.captain.put(`/api/team/${rows.s.team}`, { name: 'Second', bio: 'x' })
    },
  },
  'PUT /api/team/:id/transfer': {
    ...ofCaptain(transfer),
    ...locked(transfer),
    'no such user': (rows) => () => transfer(rows.by.captain, rows.s.team, rows, unknownId),
    'user not named': (rows) => () => rows.by.captain.put(`/api/team/${rows.s.team}/transfer`, {}),
    'no member': (rows) => () => transfer(rows.by.captain, rows.s.team, rows, rows.s.account.other),
    'the caller himself': (rows) => () => transfer(rows.by.captain, rows.s.team, rows, rows.s.account.captain),
    'a member who owns a team': async (rows) => {
      await aTeam(rows.db, { captain: rows.s.account.member })
      return () => transfer(rows.by.captain, rows.s.team, rows)
    },
  },
  'GET /api/team/:id/invite': ofCaptain((call, team) => call.get(`/api/team/${team}/invite`)),
  'PUT /api/team/:id/invite': ofCaptain((call, team) => call.put(`/api/team/${team}/invite`)),
  'POST /api/team/accept': {
    'wrong form': accept('not a code'),
    'rubbish behind the code': (rows) => () => rows.by.outsider.post('/api/team/accept', `${rows.s.invite}x`),
    'number beyond 32 bits': accept(`team:99999999999:${'0'.repeat(32)}`),
    'no such team': accept(`team:${none}:${'0'.repeat(32)}`),
    'wrong token': (rows) => () => rows.by.outsider.post('/api/team/accept', `t:${rows.s.team}:${'0'.repeat(32)}`),
    'member already': (rows) => () => rows.by.member.post('/api/team/accept', rows.s.invite),
  },
  'POST /api/team/:id/leave': {
    'no such team': (rows) => () => rows.by.member.post(`/api/team/${none}/leave`),
    'no member': (rows) => () => rows.by.outsider.post(`/api/team/${rows.s.team}/leave`),
    ...locked((call, team) => call.post(`/api/team/${team}/leave`), 'member'),
    'the captain': (rows) => () => rows.by.captain.post(`/api/team/${rows.s.team}/leave`),
  },
  'POST /api/team/:id/kick/:userId': {
    ...ofCaptain(kick),
    ...locked(kick),
    'user not in the team': (rows) => () => kick(rows.by.captain, rows.s.team, rows, rows.s.account.other),
    'the captain himself': (rows) => () => kick(rows.by.captain, rows.s.team, rows, rows.s.account.captain),
  },
  'DELETE /api/team/:id': {
    ...ofCaptain((call, team) => call.delete(`/api/team/${team}`)),
    ...locked((call, team) => call.delete(`/api/team/${team}`)),
    'submissions in a game that has started': (rows) => () => rows.by.accepted.delete(`/api/team/${rows.s.teamOf.accepted}`),
  },
  'PUT /api/team/:id/avatar': {
    'no such team': async (rows) => {
      const bytes = await aPng()
      return () => put(`/api/team/${none}/avatar`)(rows.by.captain, [{ name: 'a.png', bytes }])
    },
    'not the captain': async (rows) => {
      const bytes = await aPng()
      return () => put(`/api/team/${rows.s.team}/avatar`)(rows.by.member, [{ name: 'a.png', bytes }])
    },
    ...pictures((rows) => [put(`/api/team/${rows.s.team}/avatar`), rows.by.captain]),
  },
  'POST /api/team/verify': {
    'key not 32 bytes': verify(() => ({ publicKey: base64('short') })),
    'no colon': verify(({ teamToken }) => ({ teamToken: teamToken.replace(':', '') })),
    'id no integer': verify(({ teamToken }) => ({ teamToken: teamToken.replace('7:', '7.5:') })),
    'signature empty': verify(() => ({ teamToken: '7:' })),
    'signature wrong': verify(() => ({ teamToken: `7:${Buffer.alloc(64).toString('base64')}` })),
    'signature no Base64': verify(() => ({ teamToken: '7:not base64' })),
  },

  'GET /api/posts/:id': { 'no such post': (rows) => () => rows.by.anonymous.get('/api/posts/00000000') },
  'GET /assets/:hash/:name': {
    'upper-case hash': (rows) => () => rows.by.anonymous.get(`/assets/${rows.s.file.toUpperCase().replace(/^./, 'A')}/x`),
    'no such file': (rows) => () => rows.by.anonymous.get(`/assets/${'0'.repeat(64)}/x`),
  },
  'POST /api/assets': {
    'form that ends too early': (rows) => () =>
      rows.by.admin.post('/api/assets', 'x', { 'content-type': 'multipart/form-data; boundary=b' }),
    'no form': (rows) => () => rows.by.admin.post('/api/assets', { files: [] }),
    'a file above the limit': asset('put', new FileTooLarge({ max: 500_000_000 })),
    'the disk is full': asset('put', new DiskFull()),
    'the storage fails': asset('put', new Error('EIO')),
  },
  'DELETE /api/assets/:hash': {
    'upper-case hash': (rows) => () => rows.by.admin.delete(`/api/assets/${'A'.repeat(64)}`),
    'no such file': (rows) => () => rows.by.admin.delete(`/api/assets/${'0'.repeat(64)}`),
  },

  'PUT /api/admin/config': {
    'lifetime of 0 minutes': config('containerPolicy', { defaultLifetime: 0, extensionDuration: 7 }),
    'lifetime of 7201 minutes': config('containerPolicy', { defaultLifetime: 7201 }),
    'extension of 7201 minutes': config('containerPolicy', { extensionDuration: 7201 }),
    'window of 361 minutes': config('containerPolicy', { renewalWindow: 361 }),
    'colour without #': config('globalConfig', { customTheme: '123456', slogan: 'changed' }),
    'text instead of a switch': config('accountPolicy', { allowRegister: 'yes' }),
  },
  'PUT /api/admin/config/mail': {
    'host with a path': mailServer({ host: 'mail.example.org/x' }),
    'port 0': mailServer({ port: 0 }),
    'no sender': mailServer({ sender: '' }),
    'other host without the password': async (rows) => {
      await rows.by.admin.put('/api/admin/config/mail', { ...mail, password: 'secret' })
      return mailServer({ host: 'other.example.org' })(rows)
    },
  },
  'PUT /api/admin/config/captcha': {
    'unknown provider': captcha({ provider: 'Other' }),
    'no site key': captcha({ siteKey: ' ', secret: 's' }),
    'no secret key': captcha({}),
  },
  'POST /api/admin/config/captcha/test': {
    'no provider': (rows) => () => rows.by.admin.post('/api/admin/config/captcha/test'),
  },
  'POST /api/admin/config/logo': pictures((rows) => [post('/api/admin/config/logo'), rows.by.admin]),
  'POST /api/admin/users/search': {
    'no hint': (rows) => () => rows.by.admin.post('/api/admin/users/search'),
    'empty hint': (rows) => () => rows.by.admin.post('/api/admin/users/search?hint='),
  },
  'POST /api/admin/users': {
    'a row with a password of 5 signs': batch(user(2, { password: '12345' })),
    'a row with a user name of 2 signs': batch(user(2, { userName: 'ab' })),
    'a row with a number that is none': batch(user(2, { phone: 'call me' })),
    'a row without address': batch({ userName: 'batch2', password: scenePassword }),
    'a row that updates an administrator': async (rows) => {
      const { userName } = await rows.db
        .selectFrom('accounts')
        .select('userName')
        .where('id', '=', rows.s.account.admin)
        .executeTakeFirstOrThrow()
      return () => rows.by.admin.post('/api/admin/users', [user(1), user(2, { userName })])
    },
    'a row whose team would be a second own one': async (rows) => {
      const { userName } = await nameOf(rows, 'captain')
      return () => rows.by.admin.post('/api/admin/users', [user(2, { userName, teamName: 'Second' }), user(1)])
    },
  },
  'GET /api/admin/users/:userId': {
    'no such user': userAt('get', (id) => `/api/admin/users/${id}`),
    'id that is no guid': userAt('get', (id) => `/api/admin/users/${id}`, 'me'),
  },
  'PUT /api/admin/users/:userId': {
    'no such user': changeUser(unknownId, { bio: 'x' }),
    'id that is no guid': changeUser('me', { bio: 'x' }),
    'user name of 2 signs': changeUser(({ s }) => s.account.member, { userName: 'ab', bio: 'x' }),
    'number that is none': changeUser(({ s }) => s.account.member, { phone: 'call me', bio: 'x' }),
    'name taken': changeUser(
      ({ s }) => s.account.member,
      async ({ s }) => ({ userName: s.otherName, bio: 'x' }),
    ),
    'name with a bidirectional sign': changeUser(({ s }) => s.account.member, { userName: 'mem\u202eber', bio: 'x' }),
    'address taken': changeUser(
      ({ s }) => s.account.member,
      async (rows) => ({ email: (await nameOf(rows, 'other')).email, bio: 'x' }),
    ),
    'address invalid': changeUser(({ s }) => s.account.member, { email: 'nobody', bio: 'x' }),
    'the last administrator loses his role': async (rows) => {
      await rows.db
        .updateTable('accounts')
        .set({ role: 'User' })
        .where('role', '=', 'Admin')
        .where('id', '<>', rows.s.account.admin)
        .execute()
      return () => rows.by.admin.put(`/api/admin/users/${rows.s.account.admin}`, { role: 'User' })
    },
  },
  'DELETE /api/admin/users/:userId/password': { 'no such user': userAt('delete', (id) => `/api/admin/users/${id}/password`) },
  'DELETE /api/admin/users/:userId': {
    'the own account': (rows) => () => rows.by.admin.delete(`/api/admin/users/${rows.s.account.admin}`),
    'no such user': userAt('delete', (id) => `/api/admin/users/${id}`),
    'captain of a team': (rows) => () => rows.by.admin.delete(`/api/admin/users/${rows.s.account.captain}`),
  },
  'POST /api/admin/teams/search': { 'no hint': (rows) => () => rows.by.admin.post('/api/admin/teams/search') },
  'PUT /api/admin/teams/:id': {
    'no such team': (rows) => () => rows.by.admin.put(`/api/admin/teams/${none}`, { locked: true }),
    'name of 21 signs': (rows) => () => rows.by.admin.put(`/api/admin/teams/${rows.s.team}`, { name: 'x'.repeat(21), bio: 'x' }),
    'blank name': (rows) => () => rows.by.admin.put(`/api/admin/teams/${rows.s.team}`, { name: '   ', bio: 'x' }),
    'name with a bidirectional sign': (rows) => () =>
      rows.by.admin.put(`/api/admin/teams/${rows.s.team}`, { name: 'te\u202eam', bio: 'x' }),
  },
  'GET /api/game/:id/silent': game((call, id) => call.get(`/api/game/${id}/silent`), 'monitor'),
  'GET /api/game/:id/instances': {
    ...game((call, id) => call.get(`/api/game/${id}/instances`), 'accepted'),
    'takes no part': (rows) => () => rows.by.outsider.get(`/api/game/${rows.s.game}/instances`),
  },
  'GET /api/game/:id/challenges/:cid/tries': {
    ...game((call, id) => call.get(`/api/game/${id}/challenges/1/tries`), 'accepted'),
    'takes no part': (rows) => () => rows.by.outsider.get(`/api/game/${rows.s.game}/challenges/1/tries`),
  },
  'POST /api/admin/mails/test': {
    'no mail server': (rows) => () => rows.by.admin.post('/api/admin/mails/test'),
  },
  'POST /api/setup': {
    'user name of 2 signs': setUp({ userName: 'ab' }),
    'no e-mail address': setUp({ email: 'nobody' }),
    'password of 5 signs': setUp({ password: '12345' }),
    'colour without #': setUp({ customTheme: '123456' }),
    'there is an administrator': setUp({}),
    'wrong token': async (rows) => {
      await rows.db.updateTable('accounts').set({ role: 'User' }).where('role', '=', 'Admin').execute()
      return setUp({})(rows)
    },
    'user name with @': setUp({ userName: 'ad@min' }, true),
    'user name taken': async (rows) => setUp({ userName: rows.s.otherName }, true)(rows),
  },
  'DELETE /api/admin/teams/:id': { 'no such team': (rows) => () => rows.by.admin.delete(`/api/admin/teams/${none}`) },
  'PUT /api/admin/participation/:id/:status': {
    'no such status': (rows) => () => rows.by.admin.put(`/api/admin/participation/${rows.s.participation}/Loved`),
    'no such participation': (rows) => () => rows.by.admin.put(`/api/admin/participation/${none}/Accepted`),
  },
  'GET /api/admin/writeups/:id': game((call, id) => call.get(`/api/admin/writeups/${id}`), 'admin'),
  'GET /api/admin/writeups/:id/all': game((call, id) => call.get(`/api/admin/writeups/${id}/all`), 'admin'),
  'DELETE /api/admin/instances/:guid': {
    'no such instance': (rows) => () => rows.by.admin.delete(`/api/admin/instances/${unknownId}`),
  },
  'POST /api/admin/backup': {
    'wrong password': (rows) => () => rows.by.admin.post('/api/admin/backup', { password: 'not this one' }),
  },
  'POST /api/admin/engine/isolation': {
    'no engine': (rows) => () => rows.by.admin.post('/api/admin/engine/isolation'),
  },
  'GET /api/admin/engine/image': {
    'no engine': (rows) => () => rows.by.admin.get('/api/admin/engine/image?name=tide'),
  },

  'POST /api/edit/games': {
    'no title': newGame(times('-1h', '1h')),
    'no times': newGame({ title: 'New' }),
    'end before the start': newGame({ title: 'New', ...times('1h', '-1h') }),
    'a division called all': newGame({ title: 'New', ...times('-1h', '1h'), organizations: ['all'] }),
  },
  'GET /api/edit/games/:id': game((call, id) => call.get(`/api/edit/games/${id}`), 'admin'),
  'PUT /api/edit/games/:id': {
    ...game((call, id) => call.put(`/api/edit/games/${id}`, { title: 'New', ...times('-1h', '1h') }), 'admin'),
    'no title': oldGame({ ...times('-1h', '1h'), summary: 'changed' }),
    'end before the start': oldGame({ title: 'New', ...times('1h', '-1h') }),
    'a division called all': oldGame({ title: 'New', ...times('-1h', '1h'), organizations: ['all'] }),
    'invite code of 33 signs': oldGame({ title: 'New', ...times('-1h', '1h'), inviteCode: 'x'.repeat(33) }),
  },
  'DELETE /api/edit/games/:id': game((call, id) => call.delete(`/api/edit/games/${id}`), 'admin'),
  'GET /api/edit/games/:id/hashsalt': game((call, id) => call.get(`/api/edit/games/${id}/hashsalt`), 'admin'),
  'DELETE /api/edit/games/:id/writeups': game((call, id) => call.delete(`/api/edit/games/${id}/writeups`), 'admin'),
  'POST /api/edit/games/:id/challenges/updateaccepted': game(
    (call, id) => call.post(`/api/edit/games/${id}/challenges/updateaccepted`),
    'admin',
  ),
  'GET /api/edit/games/:id/images': game((call, id) => call.get(`/api/edit/games/${id}/images`), 'admin'),
  'POST /api/edit/games/:id/images': {
    ...game((call, id) => call.post(`/api/edit/games/${id}/images`), 'admin'),
    'no engine': (rows) => () => rows.by.admin.post(`/api/edit/games/${rows.s.game}/images`),
  },
  'GET /api/edit/games/:id/notices': game((call, id) => call.get(`/api/edit/games/${id}/notices`), 'admin'),
  'PUT /api/edit/games/:id/poster': {
    'no such game': async (rows) => {
      const bytes = await aPng()
      return () => put(`/api/edit/games/${none}/poster`)(rows.by.admin, [{ name: 'a.png', bytes }])
    },
    ...pictures((rows) => [put(`/api/edit/games/${rows.s.game}/poster`), rows.by.admin]),
  },
  'POST /api/edit/games/:id/notices': {
    blank: (rows) => () => rows.by.admin.post(`/api/edit/games/${rows.s.game}/notices`, { content: '  ' }),
    ...game((call, id) => call.post(`/api/edit/games/${id}/notices`, { content: 'x' }), 'admin'),
  },
  'PUT /api/edit/games/:id/notices/:nid': {
    ...game((call, id, { s }) => call.put(`/api/edit/games/${id}/notices/${s.notice}`, { content: 'x' }), 'admin'),
    blank: (rows) => () => rows.by.admin.put(`/api/edit/games/${rows.s.game}/notices/${rows.s.notice}`, { content: ' ' }),
    'no such notice': (rows) => () => rows.by.admin.put(`/api/edit/games/${rows.s.game}/notices/${none}`, { content: 'x' }),
    'notice of another game': async (rows) => {
      const other = await aGame(rows.db)
      return () => rows.by.admin.put(`/api/edit/games/${other}/notices/${rows.s.notice}`, { content: 'x' })
    },
    'an automatic notice': async (rows) => {
      const id = await automatic(rows)
      return () => rows.by.admin.put(`/api/edit/games/${rows.s.game}/notices/${id}`, { content: 'x' })
    },
  },
  'DELETE /api/edit/games/:id/notices/:nid': {
    ...game((call, id, { s }) => call.delete(`/api/edit/games/${id}/notices/${s.notice}`), 'admin'),
    'no such notice': (rows) => () => rows.by.admin.delete(`/api/edit/games/${rows.s.game}/notices/${none}`),
    'an automatic notice': async (rows) => {
      const id = await automatic(rows)
      return () => rows.by.admin.delete(`/api/edit/games/${rows.s.game}/notices/${id}`)
    },
  },
  'POST /api/edit/games/:id/challenges': {
    ...game((call, id) => call.post(`/api/edit/games/${id}/challenges`, { title: 'New' }), 'admin'),
    'no title': (rows) => () => rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges`, { title: ' ' }),
  },
  'GET /api/edit/games/:id/challenges/:cid': inChallenge((call, path) => call.get(path)),
  'PUT /api/edit/games/:id/challenges/:cid': {
    ...inChallenge((call, path) => call.put(path, { title: 'New' })),
    'enabled without a flag': async (rows) => {
      await setChallenge(rows, { enabled: false })
      await rows.db.deleteFrom('flags').where('challengeId', '=', rows.s.challenge).execute()
      return edit({ isEnabled: true })(rows)
    },
    'capture on a type without container': edit({ enableTrafficCapture: true, title: 'New' }),
    'two containers of one name': edit({ additionalContainers: [anotherOne, anotherOne], title: 'New' }),
    'a named port like the first one': edit({ containerExposePort: 81, namedPorts: [{ name: 'sql', port: 81 }], title: 'New' }),
    'five additional containers': edit({ additionalContainers: Array(5).fill(anotherOne), title: 'New' }),
    'a named port whose name is no DNS label': edit({ namedPorts: [{ name: 'sql-', port: 81 }], title: 'New' }),
    'an additional container without an image': edit({ additionalContainers: [{ ...anotherOne, image: ' ' }], title: 'New' }),
    'a variable of 1025 signs': edit({
      additionalContainers: [{ ...anotherOne, environment: [{ name: 'A', value: 'x'.repeat(1025) }] }],
      title: 'New',
    }),
    'blank file name': edit({ fileName: ' ', title: 'New' }),
    'template too simple': async (rows) => {
      const dynamic = await aChallenge(rows.db, rows.s.game, { type: 'DynamicContainer', flags: [] })
      return () =>
        rows.by.admin.put(`/api/edit/games/${rows.s.game}/challenges/${dynamic}`, { flagTemplate: 'flag{same}', title: 'New' })
    },
    'template whose flags would be too long': async (rows) => {
      const dynamic = await aChallenge(rows.db, rows.s.game, { type: 'DynamicContainer', flags: [] })
      const flagTemplate = `${'a'.repeat(92)}[GUID]`
      return () => rows.by.admin.put(`/api/edit/games/${rows.s.game}/challenges/${dynamic}`, { flagTemplate, title: 'New' })
    },
    'template of 121 signs': edit({ flagTemplate: 'x'.repeat(121), title: 'New' }),
    'rate above 1': edit({ minScoreRate: 1.1, title: 'New' }),
    '31 MB of memory': edit({ memoryLimit: 31, title: 'New' }),
    'difficulty 0': edit({ difficulty: 0, title: 'New' }),
    'port 0': edit({ containerExposePort: 0, title: 'New' }),
    'blank title': edit({ title: ' ' }),
    'a check every 4 minutes': edit({ checkMinutes: 4, title: 'New' }),
  },
  'GET /api/edit/games/:id/challenges/:cid/checks': inChallenge((call, path) => call.get(`${path}/checks`)),
  'POST /api/edit/games/:id/challenges/:cid/checks': {
    ...inChallenge((call, path) => call.post(`${path}/checks`)),
    'a type without container': (rows) => () =>
      rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.challenge}/checks`),
    'no image': checkOf({ containerImage: '' }),
    'no image of a check': checkOf({ checkImage: '' }),
    'no engine': checkOf({ checkImage: 'solver' }),
  },
  'GET /api/edit/games/:id/challenges/:cid/checks/:check': {
    ...inChallenge((call, path) => call.get(`${path}/checks/1`)),
    'no such check': (rows) => () =>
      rows.by.admin.get(`/api/edit/games/${rows.s.game}/challenges/${rows.s.containerChallenge}/checks/1`),
  },
  'GET /api/game/:id/checks': game((call, id) => call.get(`/api/game/${id}/checks`), 'monitor'),
  'DELETE /api/edit/games/:id/challenges/:cid': inChallenge((call, path) => call.delete(path)),
  'POST /api/edit/games/:id/challenges/:cid/container': {
    ...inChallenge((call, path) => call.post(`${path}/container`)),
    'a type without container': (rows) => () =>
      rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.challenge}/container`),
    'no image': async (rows) => {
      await setChallenge(rows, { containerImage: '' })
      return () => rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.containerChallenge}/container`)
    },
    'no engine': (rows) => () =>
      rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${rows.s.containerChallenge}/container`),
  },
  'GET /api/edit/games/:id/challenges/:cid/container': {
    ...inChallenge((call, path) => call.get(`${path}/container`)),
    'no container': (rows) => () =>
      rows.by.admin.get(`/api/edit/games/${rows.s.game}/challenges/${rows.s.containerChallenge}/container`),
  },
  'DELETE /api/edit/games/:id/challenges/:cid/container': inChallenge((call, path) => call.delete(`${path}/container`)),
  'POST /api/edit/games/:id/challenges/:cid/attachment': {
    ...inChallenge((call, path) => call.post(`${path}/attachment`, { attachmentType: 'None' })),
    'files hang on the flags': async (rows) => {
      const dynamic = await aChallenge(rows.db, rows.s.game, { type: 'DynamicAttachment' })
      return () =>
        rows.by.admin.post(`/api/edit/games/${rows.s.game}/challenges/${dynamic}/attachment`, {
          attachmentType: 'Local',
          fileHash: rows.s.file,
        })
    },
    'unknown hash': attach({ attachmentType: 'Local', fileHash: '0'.repeat(64) }),
    'link that would run': attach({ attachmentType: 'Remote', remoteUrl: 'javascript:alert(1)' }),
  },
  'POST /api/edit/games/:id/challenges/:cid/flags': {
    ...inChallenge((call, path) => call.post(`${path}/flags`, [{ flag: 'flag{x}' }])),
    'blank flag': addFlags(' '),
    'flag of 128 signs': addFlags('x'.repeat(128)),
    'unknown hash': addFlags('x', { attachmentType: 'Local', fileHash: '0'.repeat(64) }),
    'link that would run': addFlags('x', { attachmentType: 'Remote', remoteUrl: 'javascript:alert(1)' }),
  },
  'DELETE /api/edit/games/:id/challenges/:cid/flags/:fid': inChallenge((call, path) => call.delete(`${path}/flags/1`)),
  'POST /api/edit/posts': {
    'no title': (rows) => () => rows.by.admin.post('/api/edit/posts', { content: 'x' }),
    'title of 51 signs': (rows) => () => rows.by.admin.post('/api/edit/posts', { title: 'x'.repeat(51) }),
  },
  'PUT /api/edit/posts/:id': {
    'no such post': (rows) => () => rows.by.admin.put('/api/edit/posts/00000000', { title: 'x' }),
    'no title, for a mere change of the pin': (rows) => () =>
      rows.by.admin.put(`/api/edit/posts/${rows.s.post}`, { isPinned: true }),
  },
  'DELETE /api/edit/posts/:id': { 'no such post': (rows) => () => rows.by.admin.delete('/api/edit/posts/00000000') },

  'GET /api/game/:id': game((call, id) => call.get(`/api/game/${id}`), 'anonymous'),
  'POST /api/game/:id': {
    'no such game': (rows) => () => join(rows, 'captain', {}, none),
    'over, practice mode off': async (rows) => {
      await over(rows)
      return () => join(rows, 'captain')
    },
    'wrong invite code': async (rows) => {
      await set(rows, { inviteCode: 'Secret' })
      return () => join(rows, 'captain', { inviteCode: 'secret' })
    },
    'not one of the divisions': async (rows) => {
      await set(rows, { divisions: ['Students'] })
      return () => join(rows, 'captain', { organization: 'Guests' })
    },
    'no such team': (rows) => () => join(rows, 'captain', { teamId: none }),
    'not a member of the team': (rows) => () => join(rows, 'outsider'),
    'takes part already': (rows) => () => join(rows, 'accepted'),
    'member limit reached': async (rows) => {
      await set(rows, { memberLimit: 1 })
      await aParticipation(rows.db, rows.s.game, { id: rows.s.team, members: [rows.s.account.captain] }, { status: 'Pending' })
      return () => join(rows, 'member')
    },
    'the team is suspended': async (rows) => {
      await aParticipation(rows.db, rows.s.game, { id: rows.s.team, members: [rows.s.account.captain] }, { status: 'Suspended' })
      return () => join(rows, 'member')
    },
    'the division of an accepted team': async (rows) => {
      await set(rows, { divisions: ['Students', 'Guests'] })
      const team = { id: rows.s.team, members: [rows.s.account.captain] }
      await aParticipation(rows.db, rows.s.game, team, { division: 'Students' })
      return () => join(rows, 'member', { organization: 'Guests' })
    },
  },
  'DELETE /api/game/:id': {
    'no such game': (rows) => () => rows.by.pending.delete(`/api/game/${none}`),
    'takes no part': leave('outsider'),
    accepted: leave('accepted'),
    suspended: leave('suspended'),
  },
  'GET /api/game/:id/scoreboard': started((call, id) => call.get(`/api/game/${id}/scoreboard`), 'anonymous'),
  'GET /api/game/:id/scoreboard/feed': started((call, id) => call.get(`/api/game/${id}/scoreboard/feed`), 'anonymous'),
  'GET /api/game/:id/scoreboard/start': started((call, id) => call.get(`/api/game/${id}/scoreboard/start`), 'anonymous'),
  'GET /api/game/:id/details': gate((call, id) => call.get(`/api/game/${id}/details`)),
  'GET /api/game/:id/challenges/:cid': {
    ...gate(open),
    ...disabled(open),
    'game 0, before the gate': (rows) => () => open(rows.by.outsider, 0, rows),
    'challenge 0, before the gate': (rows) => () => open(rows.by.outsider, rows.s.game, rows, 0),
    'no such challenge': (rows) => () => open(rows.by.accepted, rows.s.game, rows, none),
    'no file left': async (rows) => {
      const dynamic = await aChallenge(rows.db, rows.s.game, { type: 'DynamicAttachment', flags: [] })
      return () => open(rows.by.accepted, rows.s.game, rows, dynamic)
    },
  },
  'POST /api/game/:id/challenges/:cid': {
    'blank flag': flag('  '),
    'flag of 128 signs': flag('x'.repeat(128)),
    'flag that is a number': flag(7),
    ...gate(submit),
    ...disabled(submit),
    'no such challenge': (rows) => () => submit(rows.by.accepted, rows.s.game, rows, 'x', none),
    'challenge of another game': async (rows) => {
      const other = await aChallenge(rows.db, await aGame(rows.db))
      return () => submit(rows.by.accepted, rows.s.game, rows, 'x', other)
    },
  },
  'GET /api/game/:id/challenges/:cid/status/:sid': {
    'no such submission':
      ({ by, s }) =>
      () =>
        by.accepted.get(`/api/game/${s.game}/challenges/${s.challenge}/status/${none}`),
    'of a team mate': async ({ db, by, s }) => {
      const mate = await anAccount(db)
      await db.updateTable('submissions').set({ accountId: mate }).where('id', '=', s.submission).execute()
      return () => by.accepted.get(`/api/game/${s.game}/challenges/${s.challenge}/status/${s.submission}`)
    },
    'of another challenge':
      ({ by, s }) =>
      () =>
        by.accepted.get(`/api/game/${s.game}/challenges/${s.containerChallenge}/status/${s.submission}`),
  },
  'POST /api/game/:id/container/:cid': container((call, path) => call.post(path), 'no engine'),
  'POST /api/game/:id/container/:cid/extend': container((call, path) => call.post(`${path}/extend`), 'no container'),
  'DELETE /api/game/:id/container/:cid': container((call, path) => call.delete(path), 'no container'),
  'GET /api/game/:id/scoreboardsheet': started((call, id) => call.get(`/api/game/${id}/scoreboardsheet`), 'monitor'),
  'GET /api/game/:id/submissionsheet': started((call, id) => call.get(`/api/game/${id}/submissionsheet`), 'monitor'),
  'GET /api/game/:id/notices': started((call, id) => call.get(`/api/game/${id}/notices`), 'anonymous'),
  'GET /api/game/:id/events': started((call, id) => call.get(`/api/game/${id}/events`), 'monitor'),
  'GET /api/game/:id/activity': started((call, id) => call.get(`/api/game/${id}/activity`), 'monitor'),
  'GET /api/game/:id/submissions': started((call, id) => call.get(`/api/game/${id}/submissions`), 'monitor'),
  'GET /api/game/:id/cheatinfo': started((call, id) => call.get(`/api/game/${id}/cheatinfo`), 'monitor'),
  'GET /api/game/:id/participations': game((call, id) => call.get(`/api/game/${id}/participations`), 'admin'),
  'GET /api/game/:id/writeup': openGate,
  'POST /api/game/:id/writeup': {
    'part missing': writeup({}, 'pdf'),
    '0 bytes': writeup({ bytes: Buffer.alloc(0) }),
    '20 MiB and one byte': (rows) => {
      const bytes = Buffer.concat([pdf, Buffer.alloc(twenty + 1 - pdf.length)])
      return writeup({ bytes })(rows)
    },
    'media type is not PDF': writeup({ type: 'text/plain' }),
    'name does not end in .pdf': writeup({ name: 'writeup.PDF' }),
    'bytes are no PDF': writeup({ bytes: htmlBytes }),
    ...Object.fromEntries(
      Object.entries(gate(async (call, id) => handIn({})(call, id))).filter(([check]) => check !== 'over, practice mode off'),
    ),
    'no writeup wanted': async (rows) => {
      await set(rows, { writeupRequired: false })
      return writeup({})(rows)
    },
    'deadline passed': async (rows) => {
      await set(rows, { writeupDeadline: at('-1s') })
      return writeup({})(rows)
    },
    'the disk is full': failingWriteup('put', new DiskFull()),
    'the bytes are lost before they are entered': failingWriteup('has', false),
  },
  'GET /api/game/captures/:cid': { 'no folder': capture('get', '') },
  'GET /api/game/captures/:cid/:pid': { 'no folder': capture('get', '/1') },
  'GET /api/game/captures/:cid/:pid/all': { 'no folder': capture('get', '/1/all') },
  'DELETE /api/game/captures/:cid/:pid/all': { 'no folder': capture('delete', '/1/all') },
  'GET /api/game/captures/:cid/:pid/:file': {
    'no such file': capture('get', '/1/a.pcap'),
    'another ending than .pcap': capture('get', '/1/passwd'),
  },
  'DELETE /api/game/captures/:cid/:pid/:file': {
    'no such file': capture('delete', '/1/a.pcap'),
    'another ending than .pcap': capture('delete', '/1/passwd'),
  },
  'GET /api/proxy/:guid': { 'platform proxy is off': (rows) => () => rows.by.anonymous.get(`/api/proxy/${unknownId}`) },
  'GET /api/proxy/noinst/:guid': {
    'platform proxy is off': (rows) => () => rows.by.anonymous.get(`/api/proxy/noinst/${unknownId}`),
  },
  'GET /api/proxy/:guid/:name': {
    'platform proxy is off': (rows) => () => rows.by.anonymous.get(`/api/proxy/${unknownId}/sql`),
  },
  'GET /api/proxy/noinst/:guid/:name': {
    'platform proxy is off': (rows) => () => rows.by.anonymous.get(`/api/proxy/noinst/${unknownId}/sql`),
  },

  ...Object.fromEntries(
    hubs.map(({ path }) => [`GET ${path}`, { 'no upgrade': (rows: Rows) => () => rows.by.anonymous.get(path) }]),
  ),
  'GET /*': { 'a file that is not there': (rows) => () => rows.by.anonymous.get('/nothing.here') },

  'every call': {
    'body that is no JSON': (rows) => () => rows.raw('POST', '/api/account/login', '{"userName":'),
    'another content type': (rows) => () => rows.by.outsider.post('/api/team', { name: 'x' }, { 'content-type': 'text/plain' }),
    'unknown path below /api': (rows) => () => rows.by.anonymous.get('/api/nothing/here'),
    'method that the address does not take': (rows) => () => rows.by.outsider.delete('/api/config'),
    'path of 2,049 characters': (rows) => () => rows.by.anonymous.get(`/api/${'a'.repeat(2044)}`),
    'body larger than the limit': (rows) => () => rows.by.outsider.post('/api/team', { name: 'x'.repeat(300_000) }),
    'foreign origin': (rows) => () => rows.by.outsider.post('/api/team', { name: 'x' }, { origin: 'https://evil.example' }),
  },
}

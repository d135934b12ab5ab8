/** Each kind of act and of failure leaves one entry in the log, with its level, its status, and the actor. */
import type { LogLevel, TaskStatus } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { inTransaction } from '../src/db/transaction.ts'
import { discardBytes } from '../src/files/release-file.ts'
import { type SettingValues, saveSettings, settingDefaults } from '../src/site/settings.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import { linkIn, type MailServer, startMailServer } from './mail-server.ts'
import { openMemoryEngine } from './memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

interface Written {
  readonly level?: LogLevel
  readonly status: TaskStatus
  readonly name: string
  readonly ip?: string
  readonly message: string
}

const engine = openMemoryEngine()
let server: MailServer
let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  server = await startMailServer({
    answer: (to) => (to.startsWith('refused') ? { code: 550, message: 'No such mailbox' } : null),
  })
  platform = await startTestPlatform(
    {
      VEXIL_MAIL_HOST: '127.0.0.1',
      VEXIL_MAIL_PORT: String(server.port),
      VEXIL_MAIL_SENDER: 'ctf@example.org',
      VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
    },
    engine,
  )
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
})
afterAll(async () => {
  await platform.stop()
  await server.stop()
})
beforeEach(async () => {
  for (const act of ['create', 'destroy', 'list'] as const) engine.fail(act, null)
  await settings(settingDefaults)
})

async function settings(changes: Partial<SettingValues>) {
  await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
  await platform.deps.settings.reload()
}

let count = 0
const password = 'long enough'
const png = async () => [{ name: 'a.png', type: 'image/png', bytes: await aPng({ width: 8 + ++count }) }]
const pdf = [{ name: 'w.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n%%EOF\n') }]

/** An account that was registered by the call, under the current policy of the site. */
async function register(email?: string) {
  const userName = `Player${++count}`
  const body = { userName, password, email: email ?? `${userName}@example.org` }
  await platform.anyone.post('/api/account/register', body)
  return body
}
/** An account with a session, and its caller. */
async function aPerson() {
  const { userName, email } = await register()
  const { id } = await platform.db.selectFrom('accounts').select('id').where('userName', '=', userName).executeTakeFirstOrThrow()
  return { id, userName, email, call: await platform.as(id) }
}
const ofMail = ({ token, email }: { token: string; email: string }) => ({ token, email })

/** A captain with a team of two that takes part in a running game with writeups. */
async function aPlay(
  type: 'StaticAttachment' | 'DynamicAttachment' | 'StaticContainer' | 'DynamicContainer' = 'StaticAttachment',
) {
  const [captain, member] = [await aPerson(), await aPerson()]
  const name = `Team${++count}`
  const team = await aTeam(platform.db, { captain: captain.id, members: [member.id], name })
  const game = await aGame(platform.db, { title: 'Regatta', writeupRequired: true, containerLimit: 1 })
  const participation = await aParticipation(platform.db, game, team)
  const image = type.endsWith('Container') ? { containerImage: 'echo:1', exposePort: 1337 } : {}
  const flags = type === 'StaticAttachment' ? ['flag{right}'] : []
  const challenge = await aChallenge(platform.db, game, { type, title: 'Knots', flags, ...image })
  const instance = `/api/game/${game}/container/${challenge}`
  return {
    captain,
    member,
    name,
    team: team.id,
    game,
    participation,
    challenge,
    instance,
    by: captain.userName,
    call: captain.call,
  }
}
type Play = Awaited<ReturnType<typeof aPlay>>
const submit = ({ call, game, challenge }: Play, flag: string) => call.post(`/api/game/${game}/challenges/${challenge}`, { flag })
const pause = ({ participation }: Play) =>
  sql`update containers set acted_at = acted_at - interval '10 seconds' where participation_id = ${participation}`.execute(
    platform.db,
  )
const byMail = {
  ...settingDefaults,
  'AccountPolicy:ActiveOnRegister': false,
  'AccountPolicy:EmailConfirmationRequired': true,
}
const success = (name: string, message: string): Written => ({ status: 'Success', name, message })
const ofSystem = (status: TaskStatus, message: string, level: LogLevel = 'Information'): Written => ({
  level,
  status,
  name: 'System',
  ip: '',
  message,
})
const warning = (name: string, message: string): Written => ({ level: 'Warning', status: 'Failed', name, message })

/** The title, and the act, which returns the entry that it must leave. */
const rows: [string, () => Promise<Written>][] = [
  // ---- accounts
  ['a registration', async () => success((await register()).userName, 'User registered')],
  [
    'a registration that waits for approval',
    async () => {
      await settings({ ...settingDefaults, 'AccountPolicy:ActiveOnRegister': false })
      return success((await register()).userName, 'User registered, waiting for approval')
    },
  ],
  [
    'a registration that waits for its mail',
    async () => {
      await settings(byMail)
      const message = 'Registration waiting for email confirmation'
      return { status: 'Pending', name: (await register()).userName, message }
    },
  ],
  [
    'a confirmed address',
    async () => {
      await settings(byMail)
      const { userName, email } = await register()
      await platform.anyone.post('/api/account/verify', ofMail(linkIn(await server.next(email))))
      return success(userName, 'Email confirmed')
    },
  ],
  [
    'a mail that was sent',
    async () => {
      await settings(byMail)
      const { userName, email } = await register()
      await server.next(email)
      return { ...success(userName, 'Verify email sent'), ip: '' }
    },
  ],
  [
    'a mail that was refused',
    async () => {
      await settings(byMail)
      const { userName } = await register(`refused${++count}@example.org`)
      return { ...warning(userName, 'Could not send Verify email: '), ip: '' }
    },
  ],
  [
    'a request for a new password',
    async () => {
      const { userName, email } = await aPerson()
      await settings(byMail)
      await platform.anyone.post('/api/account/recovery', { email })
      await server.next(email)
      return { status: 'Pending', name: 'Anonymous', message: `Password reset requested for ${userName}` }
    },
  ],
  [
    'a password set by its link',
    async () => {
      const { userName, email } = await aPerson()
      await settings(byMail)
      await platform.anyone.post('/api/account/recovery', { email })
      const { token, email: to } = linkIn(await server.next(email))
      await platform.anyone.post('/api/account/passwordreset', { password: 'another one', rToken: token, email: to })
      return success(userName, 'Password reset by email')
    },
  ],
  [
    'a request to change the address',
    async () => {
      const { userName, call } = await aPerson()
      await settings(byMail)
      await call.put('/api/account/changeemail', { newMail: `new${userName}@example.org` })
      return { status: 'Pending', name: userName, message: 'Email change requested' }
    },
  ],
  [
    'a changed address',
    async () => {
      const { userName, call } = await aPerson()
      await settings(byMail)
      const newMail = `new${userName}@example.org`
      await call.put('/api/account/changeemail', { newMail })
      await call.post('/api/account/mailchangeconfirm', ofMail(linkIn(await server.next(newMail))))
      return success(userName, 'Email changed')
    },
  ],
  [
    'a changed password',
    async () => {
      const { userName, call } = await aPerson()
      await call.put('/api/account/changepassword', { old: password, new: 'another one' })
      return success(userName, 'Password changed')
    },
  ],
  [
    'a login',
    async () => {
      const { userName } = await aPerson()
      await platform.anyone.post('/api/account/login', { userName, password })
      return success(userName, 'Logged in')
    },
  ],
  [
    'a failed login',
    async () => {
      const { userName } = await aPerson()
      await platform.anyone.post('/api/account/login', { userName, password: 'a guess' })
      return warning(userName, 'Login failed')
    },
  ],
  [
    'a changed name',
    async () => {
      const { userName, call } = await aPerson()
      await call.put('/api/account/update', { userName: `New${count}` })
      return success(`New${count}`, `Name changed: ${userName} => New${count}`)
    },
  ],
  [
    'an avatar',
    async () => {
      const { userName, call } = await aPerson()
      const { body } = await call.upload('PUT', '/api/account/avatar', 'file', await png())
      return success(userName, `Avatar changed: ${body.split('/')[2].slice(0, 8)}`)
    },
  ],
  // ---- teams
  [
    'a created team',
    async () => {
      const { userName, call } = await aPerson()
      const { body } = await call.post('/api/team', { name: 'Gulls' })
      return success(userName, `Team Gulls (${body.id}) created`)
    },
  ],
  [
    'joining a team',
    async () => {
      const { team, name, call } = await aPlay()
      const { userName, call: other } = await aPerson()
      await other.post('/api/team/accept', (await call.get(`/api/team/${team}/invite`)).body)
      return success(userName, `Joined team ${name} (${team})`)
    },
  ],
  [
    'leaving a team',
    async () => {
      const { id, userName, call } = await aPerson()
      const team = await aTeam(platform.db, { members: [id], name: 'Gulls' })
      await call.post(`/api/team/${team.id}/leave`)
      return success(userName, `Left team Gulls (${team.id})`)
    },
  ],
  [
    'removing a member',
    async () => {
      const [captain, member] = [await aPerson(), await aPerson()]
      const team = await aTeam(platform.db, { captain: captain.id, members: [member.id], name: 'Gulls' })
      await captain.call.post(`/api/team/${team.id}/kick/${member.id}`)
      return success(captain.userName, `Removed ${member.userName} from team Gulls (${team.id})`)
    },
  ],
  [
    'the avatar of a team',
    async () => {
      const { call, team, by } = await aPlay()
      const { body } = await call.upload('PUT', `/api/team/${team}/avatar`, 'file', await png())
      return success(by, `Avatar of team ${team} changed: ${body.split('/')[2].slice(0, 8)}`)
    },
  ],
  [
    'a disbanded team',
    async () => {
      const { id, userName, call } = await aPerson()
      const team = await aTeam(platform.db, { captain: id, name: 'Gulls' })
      await call.delete(`/api/team/${team.id}`)
      return success(userName, `Team Gulls (${team.id}) disbanded`)
    },
  ],
  // ---- games
  [
    'joining a game',
    async () => {
      const { id, userName, call } = await aPerson()
      const team = await aTeam(platform.db, { captain: id, name: 'Gulls' })
      await call.post(`/api/game/${await aGame(platform.db, { title: 'Regatta' })}`, { teamId: team.id })
      return success(userName, 'Joined Regatta for team Gulls')
    },
  ],
  [
    'a writeup',
    async () => {
      const { call, game, name, by } = await aPlay()
      await call.upload('POST', `/api/game/${game}/writeup`, 'file', pdf)
      return success(by, `${name} submitted a writeup for Regatta (#${game})`)
    },
  ],
  [
    'a right answer',
    async () => {
      const play = await aPlay()
      await submit(play, 'flag{right}')
      return success(play.by, `Correct answer of ${play.name} on Knots: flag…`)
    },
  ],
  [
    'a wrong answer',
    async () => {
      const play = await aPlay()
      await submit(play, 'flag{wrong}')
      return { status: 'Failed', name: play.by, message: `Wrong answer of ${play.name} on Knots: flag{wrong}` }
    },
  ],
  [
    'the flag of another team',
    async () => {
      const play = await aPlay('DynamicContainer')
      const other = await aParticipation(platform.db, play.game, await aTeam(platform.db, { name: 'Owners' }))
      const holding = { participationId: other, challengeId: play.challenge, flag: 'flag{theirs}' }
      await platform.db.insertInto('teamFlags').values(holding).execute()
      await submit(play, 'flag{theirs}')
      return success(play.by, `Flag of Owners submitted by ${play.name} on Knots: flag…`)
    },
  ],
  // ---- containers
  [
    'an instance that was started',
    async () => {
      const { call, instance, challenge, name, by } = await aPlay('StaticContainer')
      await call.post(instance)
      return success(by, `Started instance of Knots (#${challenge}) for ${name}`)
    },
  ],
  [
    'an instance that was destroyed',
    async () => {
      const play = await aPlay('StaticContainer')
      await play.call.post(play.instance)
      await pause(play)
      await play.call.delete(play.instance)
      return success(play.by, `Destroyed instance of Knots (#${play.challenge})`)
    },
  ],
  [
    'an instance ended for another one',
    async () => {
      await settings({ ...settingDefaults, 'ContainerPolicy:AutoDestroyOnLimitReached': true })
      const { call, game, instance, challenge, name, by } = await aPlay('StaticContainer')
      const more = { type: 'StaticContainer', containerImage: 'echo:1', exposePort: 1337 } as const
      await call.post(instance)
      await call.post(`/api/game/${game}/container/${await aChallenge(platform.db, game, more)}`)
      return success(by, `Destroyed instance of Knots (#${challenge}) of ${name} to make room`)
    },
  ],
  [
    'an instance that could not be started',
    async () => {
      const { call, instance, challenge, name, by } = await aPlay('StaticContainer')
      engine.fail('create', 'failed')
      await call.post(instance)
      return warning(by, `Could not start instance of Knots (#${challenge}) for ${name}: The engine in memory fails`)
    },
  ],
  [
    'an instance without an image',
    async () => {
      const { call, instance, challenge, by } = await aPlay('StaticContainer')
      await platform.db.updateTable('challenges').set({ containerImage: '' }).where('id', '=', challenge).execute()
      await call.post(instance)
      const message = `Could not start instance of Knots (#${challenge}): The challenge has no image`
      return { level: 'Warning', status: 'Denied', name: by, message }
    },
  ],
  [
    'a test container that could not be started',
    async () => {
      const { game, challenge } = await aPlay('StaticContainer')
      engine.fail('create', 'failed')
      await admin.post(`/api/edit/games/${game}/challenges/${challenge}/container`)
      return warning('Root', `Could not start test container of Knots (#${challenge}): The engine in memory fails`)
    },
  ],
  [
    'a container that could not be destroyed',
    async () => {
      const play = await aPlay('StaticContainer')
      await play.call.post(play.instance)
      await pause(play)
      engine.fail('destroy', 'unreachable')
      await play.call.delete(play.instance)
      const { id } = await platform.db
        .selectFrom('containers')
        .select('id')
        .where('participationId', '=', play.participation)
        .executeTakeFirstOrThrow()
      return ofSystem('Failed', `Could not destroy container ${id.slice(0, 8)}: `, 'Warning')
    },
  ],
  [
    'an instance that an administrator destroyed',
    async () => {
      const { call, instance, challenge, name, participation } = await aPlay('StaticContainer')
      await call.post(instance)
      const { id } = await platform.db
        .selectFrom('containers')
        .select('id')
        .where('participationId', '=', participation)
        .executeTakeFirstOrThrow()
      await admin.delete(`/api/admin/instances/${id}`)
      return success('Root', `Destroyed instance of Knots (#${challenge}) of ${name}`)
    },
  ],
  ...(['Started', 'Destroyed'] as const).map((what): [string, () => Promise<Written>] => [
    `a test container: ${what.toLowerCase()}`,
    async () => {
      const { game, challenge } = await aPlay('StaticContainer')
      const path = `/api/edit/games/${game}/challenges/${challenge}/container`
      await admin.post(path)
      await admin.delete(path)
      return success('Root', `${what} test container of Knots (#${challenge})`)
    },
  ]),
  [
    'a challenge without a remaining attachment',
    async () => {
      const { call, game, challenge } = await aPlay('DynamicAttachment')
      await call.get(`/api/game/${game}/challenges/${challenge}`)
      return ofSystem('Failed', `No dynamic attachment left for Knots (#${challenge})`, 'Warning')
    },
  ],
  // ---- access and files
  [
    'a call that requires a higher role',
    async () => {
      const { userName, call } = await aPerson()
      await call.get('/api/admin/teams?count=7')
      return { status: 'Denied', name: userName, message: 'Refused: /api/admin/teams' }
    },
  ],
  ...(['Success', 'NotFound'] as const).map((status): [string, () => Promise<Written>] => [
    `the deletion of a file: ${status}`,
    async () => {
      const files = [{ name: 'task.zip', bytes: Buffer.from(`task ${++count}`) }]
      const [{ hash }] = (await admin.upload('POST', '/api/assets', 'files', files)).body
      await admin.delete(`/api/assets/${hash}`)
      if (status === 'NotFound') await forget()
      if (status === 'NotFound') await admin.delete(`/api/assets/${hash}`)
      return { status, name: 'Root', message: `Deletion of file ${hash.slice(0, 8)}` }
    },
  ]),
  [
    'removed bytes',
    async () => {
      const { deps } = platform
      const { Readable } = await import('node:stream')
      const { hash } = await deps.storage.put(Readable.from([Buffer.from(`bytes ${++count}`)]), 100)
      await discardBytes(deps, hash)
      return ofSystem('Success', `File removed: ${hash.slice(0, 8)}`)
    },
  ],
  [
    'a missing file',
    async () => {
      const hash = '0'.repeat(64)
      await platform.anyone.get(`/assets/${hash}/task.zip`)
      return { level: 'Warning', status: 'NotFound', name: 'Anonymous', message: 'No file 00000000 (task.zip)' }
    },
  ],
  [
    'an unreadable image',
    async () => {
      const { call } = await aPerson()
      await call.upload('PUT', '/api/account/avatar', 'file', [{ name: 'a.png', type: 'image/png', bytes: Buffer.from('none') }])
      return ofSystem('Failed', 'Could not read image (avatar)', 'Warning')
    },
  ],
  // ---- administrators
  [
    'a batch of users',
    async () => {
      const [one, two] = [++count, ++count].map((n) => ({ userName: `Batch${n}`, password, email: `batch${n}@example.org` }))
      await admin.post('/api/admin/users', [one, { ...two, teamName: 'Gulls' }])
      return success('Root', 'Users added: 2, updated: 0, teams created: 1')
    },
  ],
  [
    'a changed role',
    async () => {
      const { id, userName } = await aPerson()
      await admin.put(`/api/admin/users/${id}`, { role: 'Monitor' })
      return success('Root', `Changed user ${userName}: role User => Monitor`)
    },
  ],
  [
    'a password that an administrator reset',
    async () => {
      const { id, userName } = await aPerson()
      await admin.delete(`/api/admin/users/${id}/password`)
      return success('Root', `Reset the password of ${userName}`)
    },
  ],
  [
    'a deleted user',
    async () => {
      const { id, userName } = await aPerson()
      await admin.delete(`/api/admin/users/${id}`)
      return success('Root', `Deleted user ${userName} (${id})`)
    },
  ],
  [
    'a team that an administrator changed',
    async () => {
      const { team, name } = await aPlay()
      await admin.put(`/api/admin/teams/${team}`, { bio: 'words' })
      return success('Root', `Changed team ${name} (${team}): bio`)
    },
  ],
  [
    'a game that was changed',
    async () => {
      const { game } = await aPlay()
      const times = { start: '2030-01-01T00:00:00Z', end: '2030-01-02T00:00:00Z' }
      await admin.put(`/api/edit/games/${game}`, { title: 'Regatta', ...times })
      return success('Root', `Changed game Regatta (#${game})`)
    },
  ],
  [
    'a challenge that was changed',
    async () => {
      const { game, challenge } = await aPlay()
      await admin.put(`/api/edit/games/${game}/challenges/${challenge}`, { content: 'words' })
      return success('Root', `Changed challenge Knots (#${challenge})`)
    },
  ],
  [
    'flags that were added',
    async () => {
      const { game, challenge } = await aPlay()
      await admin.post(`/api/edit/games/${game}/challenges/${challenge}/flags`, [{ flag: 'flag{one}' }, { flag: 'flag{two}' }])
      return success('Root', `Added 2 flags to Knots (#${challenge})`)
    },
  ],
  [
    'a participation that was reviewed',
    async () => {
      const { participation, name } = await aPlay()
      await admin.put(`/api/admin/participation/${participation}/Suspended`)
      return success('Root', `Set participation of ${name} (#${participation}) to Suspended`)
    },
  ],
  [
    'changed settings',
    async () => {
      await admin.put('/api/admin/config', { globalConfig: { slogan: 'Sail on' } })
      return success('Root', 'Changed settings: GlobalConfig:Slogan = "Sail on"')
    },
  ],
]

const forget = async () => {
  await platform.deps.log.flush()
  await platform.db.deleteFrom('logs').execute()
}

test.each(rows)('P3.39 %s is one log entry', async (what, act) => {
  await forget()
  const startedAt = Date.now()
  const expected = { level: 'Information', ip: '127.0.0.1', ...(await act()) }
  const written = await vi.waitFor(async () => {
    await platform.deps.log.flush()
    const all = await platform.db.selectFrom('logs').selectAll().execute()
    const found = all.filter(({ name, message }) => name === expected.name && message.startsWith(expected.message))
    if (found.length === 0) throw new Error(`only ${JSON.stringify(all.map(({ message }) => message))}`)
    return found
  }, 10_000)
  const stored = { id: expect.any(Number), time: expect.any(Date), message: expect.stringContaining(expected.message) }
  expect(written).toEqual([{ ...expected, ...stored, route: null, requestId: written[0]!.requestId }])
  // Jobs have no request; the other entries are written by one.
  if (expected.ip !== '' && what !== 'a request for a new password') expect(written[0]!.requestId).toMatch(/^[a-z0-9]{10}$/)
  expect(Math.abs(written[0]!.time.getTime() - startedAt)).toBeLessThan(60_000)
})

/**
 * The effects of every call that writes, by call and by case. Effects that are not listed must not happen; columns:
 *
 *   rows    inserted (+), deleted (-) and updated (~, with the columns) rows, from the answer on; `x2`: two such rows
 *   later   rows that change soon after the answer
 *   events  what is published on the bus, with its numbers; `log.written` is left out
 *   log     entries: status, who, message
 *   heard   messages at the hubs, by listener; those of the board are left out
 *   locks   rows that the call locks by a statement for that, and named locks; `no key update` and the like are PostgreSQL's
 *   shown   answers that differ afterwards: the list of games, the boards of this game and of its neighbour
 *   beside  requests to the engine, files of the data folder, cookies that are set
 *
 * Names are those of builders/scene.ts; `new` is what the call itself creates.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Endpoint } from '@vexil/contract/endpoint'
import { sql, type Updateable } from 'kysely'
import { vi } from 'vitest'
import { openSetup } from '../src/accounts/setup-token.ts'
import type { DB } from '../src/db/schema.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { captureFolder } from '../src/instances/captures.ts'
import type { OutgoingMail } from '../src/ports/mail/mail.ts'
import { type SettingValues, saveSettings } from '../src/site/settings.ts'
import type { CallName } from './access.table.ts'
import { aParticipation, aTeam } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import type { Person, Scene } from './builders/scene.ts'
import { linkIn } from './mail-server.ts'
import type { MemoryEngine } from './memory-engine.ts'
import type { Answer, Caller, TestPlatform } from './platform.ts'
import { newUser, type ValidCall } from './valid-calls.ts'

export interface Effect {
  readonly rows: string
  readonly later: string
  readonly events: string
  readonly log: string
  readonly received: string
  readonly locks: string
  readonly shown: string
  readonly beside: string
}

export interface World {
  readonly scene: Scene
  /** The scene of another game; nothing may change it. */
  readonly neighbour: Scene
  readonly platform: TestPlatform
  readonly engine: MemoryEngine
  readonly mails: OutgoingMail[]
}

export interface Case extends Effect {
  readonly by: Person
  /** Runs before the call; its effects are not observed. */
  readonly prepare?: (world: World) => Promise<unknown>
  /** The request; by default that of valid-calls.ts. */
  readonly ask?: (scene: Scene, by: Person, world: World) => ValidCall | Promise<ValidCall>
  /** Status of the answer; by default 200. */
  readonly status?: number
}

export const isWriting = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET'

/** Settings for the account calls by mail. */
const byMail = { 'AccountPolicy:EmailConfirmationRequired': true, 'AccountPolicy:ActiveOnRegister': false } as const
const settings =
  (values: Partial<SettingValues>) =>
  async ({ platform: { db, deps } }: Pick<World, 'platform'>): Promise<void> => {
    await inTransaction(db, (tx) => saveSettings(tx, values))
    await deps.settings.reload()
  }
/** Values of the link in the newest mail to an address. */
async function linkTo(mails: readonly OutgoingMail[], address: string): Promise<{ token: string; email: string }> {
  return vi.waitFor(() => {
    const mail = mails.findLast(({ to }) => to.address === address)
    if (!mail) throw new Error('no mail')
    return linkIn({ text: mail.text })
  })
}
const emailOf = async ({ platform: { db } }: World, id: string) =>
  (await db.selectFrom('accounts').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email
const picture = async (width: number) => [{ name: 'a.png', type: 'image/png', bytes: await aPng({ width }) }]
const pdf = (text: string) => [{ name: 'w.pdf', type: 'application/pdf', bytes: Buffer.from(`%PDF-1.4\n%${text}\n%%EOF\n`) }]
const must = (answer: Answer): Answer => {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer
}
const ofGame = ({ game }: Scene) => `/api/game/${game}`
const editOf = ({ game }: Scene) => `/api/edit/games/${game}`
const challengeOf = (scene: Scene) => `${editOf(scene)}/challenges/${scene.challenge}`
const instanceOf = (scene: Scene) => `${ofGame(scene)}/container/${scene.containerChallenge}`
const testContainerOf = (scene: Scene) => `${editOf(scene)}/challenges/${scene.containerChallenge}/container`
const withPort = async ({ platform: { db }, scene }: World) => {
  await db.updateTable('challenges').set({ exposePort: 1337 }).where('id', '=', scene.containerChallenge).execute()
}
/** An instance of the accepted team that may be extended and destroyed. */
async function withInstance(world: World): Promise<string> {
  const { platform, scene } = world
  await withPort(world)
  must(await (await scene.as('accepted')).post(instanceOf(scene)))
  const { rows } = await sql<{ id: string }>`
    update containers set acted_at = acted_at - interval '10 seconds', stops_at = clock_timestamp() + interval '1 minute'
    where participation_id = ${scene.participation} returning id`.execute(platform.db)
  return rows[0]?.id as string
}
const done =
  (person: Person, act: (caller: Caller, world: World) => Promise<Answer>) =>
  async (world: World): Promise<unknown> =>
    must(await act(await world.scene.as(person), world))
const all =
  (...parts: ((world: World) => Promise<unknown>)[]) =>
  async (world: World) => {
    for (const part of parts) await part(world)
  }
/** The captain's team waits for review, with these members registered. */
const joinedBy =
  (...members: ('captain' | 'member')[]) =>
  ({ platform: { db }, scene }: World) =>
    aParticipation(db, scene.game, { id: scene.team, members: members.map((who) => scene.account[who]) }, { status: 'Pending' })
const gameWith = (values: Partial<Updateable<DB['games']>>) => (world: World) =>
  world.platform.db.updateTable('games').set(values).where('id', '=', world.scene.game).execute()
const answering = (flag: string) => (scene: Scene) => ({ url: `${ofGame(scene)}/challenges/${scene.challenge}`, body: { flag } })
const withCapture = async ({ platform, scene }: World) => {
  for (const participation of [scene.participation, scene.participation + 1]) {
    const folder = captureFolder(platform.dataDir, scene.containerChallenge, participation)
    await mkdir(folder, { recursive: true })
    for (const name of ['a.pcap', 'b.pcap']) await writeFile(join(folder, name), '')
  }
}

export const callEffects: Readonly<Record<Exclude<CallName, `GET ${string}`>, Readonly<Record<string, Case>>>> = {
  // ---- accounts
  'POST /api/account/register': {
    'active at once': {
      by: 'anonymous',
      rows: '+accounts(new) | +sessions(new)',
      later: 'none',
      events: 'none',
      log: 'Success userfresh: User registered',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
    'in the place of another session': {
      by: 'outsider',
      rows: '+accounts(new) | +sessions(new) | -sessions(outsider) | ~versions.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success userfresh: User registered',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
    'until an administrator approves': {
      by: 'anonymous',
      prepare: settings({ 'AccountPolicy:ActiveOnRegister': false }),
      rows: '+accounts(new)',
      later: 'none',
      events: 'none',
      log: 'Success userfresh: User registered, waiting for approval',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
    'until a mail is followed': {
      by: 'anonymous',
      prepare: settings(byMail),
      rows: '+registration_attempts',
      later: '+mails(null, Verify, Sent)',
      events: 'none',
      log: 'Pending userfresh: Registration waiting for email confirmation | Success userfresh: Verify email sent',
      received: 'none',
      locks: 'accounts for update | name of a address | name of a recipient',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/account/login': {
    'without a session': {
      by: 'anonymous',
      rows: '+sessions(other) | ~accounts(other).last_ip.last_visit_at',
      later: 'none',
      events: 'none',
      log: 'Success other: Logged in',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
    'in the place of another session': {
      by: 'outsider',
      rows: '+sessions(other) | -sessions(outsider) | ~accounts(other).last_ip.last_visit_at | ~versions.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success other: Logged in',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
    'with a wrong password': {
      by: 'anonymous',
      ask: ({ otherName }) => ({ url: '/api/account/login', body: { userName: otherName, password: 'a guess' } }),
      status: 401,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'Warning Failed other: Login failed',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/account/logout': {
    'with a session': {
      by: 'outsider',
      rows: '-sessions(outsider) | ~versions.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
    'without a session': {
      by: 'anonymous',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
  },
  'POST /api/account/recovery': {
    'of an account': {
      by: 'anonymous',
      prepare: settings(byMail),
      ask: async ({ account }, _, world) => ({
        url: '/api/account/recovery',
        body: { email: await emailOf(world, account.outsider) },
      }),
      rows: 'none',
      later: '+mail_tokens(outsider, Reset) | +mails(outsider, Reset, Sent)',
      events: 'none',
      log: 'Pending Anonymous: Password reset requested for outsider | Success outsider: Reset email sent',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
    'of an address without an account': {
      by: 'anonymous',
      prepare: settings(byMail),
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/account/passwordreset': {
    'by the link of a mail': {
      by: 'anonymous',
      prepare: all(settings(byMail), async (world) => {
        const email = await emailOf(world, world.scene.account.outsider)
        must(await world.platform.anyone.post('/api/account/recovery', { email }))
        await linkTo(world.mails, email)
      }),
      ask: async ({ account }, _, world) => {
        const { token: rToken, email } = await linkTo(world.mails, await emailOf(world, account.outsider))
        return { url: '/api/account/passwordreset', body: { password: 'another one', rToken, email } }
      },
      rows: '-mail_tokens(outsider, Reset) | ~accounts(outsider).password_hash | ~versions.security',
      later: 'none',
      events: 'security.changed',
      log: 'Success outsider: Password reset by email',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/account/verify': {
    'by the link of a mail': {
      by: 'outsider',
      prepare: all(settings(byMail), async ({ platform, mails }) => {
        const person = newUser()
        must(await platform.anyone.post('/api/account/register', person))
        await linkTo(mails, person.email)
      }),
      ask: async (_scene, _by, { mails }) => ({
        url: '/api/account/verify',
        body: await linkTo(mails, (mails.at(-1) as OutgoingMail).to.address),
      }),
      rows: '+accounts(new) | +sessions(new) | -registration_attempts | -sessions(outsider) | ~versions.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success userfresh: Email confirmed',
      received: 'none',
      locks: 'accounts for update | name of a address',
      shown: 'none',
      beside: 'cookie',
    },
  },
  'PUT /api/account/update': {
    'of every field': {
      by: 'accepted',
      ask: () => ({
        url: '/api/account/update',
        body: { userName: 'Renamed', bio: 'words', phone: '+1234567', realName: 'Real Name', stdNumber: '12345' },
      }),
      rows: '-sessions(accepted) | ~accounts(accepted).bio.name_key.phone.real_name.student_number.user_name | ~solve_logs(game).changed_at.roster | ~versions.security.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success Renamed: Name changed: accepted => Renamed',
      received: 'none',
      locks: 'solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
    'of the bio alone': {
      by: 'accepted',
      rows: '~accounts(accepted).bio',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/account/changepassword': {
    'with the old one': {
      by: 'outsider',
      prepare: async ({ scene }) => scene.as('outsider'),
      rows: '+sessions(outsider) | -sessions(outsider) x2 | ~accounts(outsider).password_hash | ~versions.security.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success outsider: Password changed',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'cookie',
    },
  },
  'PUT /api/account/avatar': {
    'for the first time': {
      by: 'accepted',
      rows: '+files(new) | ~accounts(accepted).avatar_hash',
      later: 'none',
      events: 'none',
      log: 'Success accepted: Avatar changed: new',
      received: 'none',
      locks: 'name of a file',
      shown: 'none',
      beside: '+uploads new',
    },
    'in the place of another': {
      by: 'accepted',
      prepare: done('accepted', async (caller) => caller.upload('PUT', '/api/account/avatar', 'file', await picture(300))),
      rows: '+files(new) | -files(old avatar) | ~accounts(accepted).avatar_hash',
      later: 'none',
      events: 'none',
      log: 'Success System: File removed: old avatar | Success accepted: Avatar changed: new',
      received: 'none',
      locks: 'files for update | name of a file x3',
      shown: 'none',
      beside: '+uploads new | -uploads old avatar',
    },
  },
  'PUT /api/account/changeemail': {
    'asked for': {
      by: 'outsider',
      prepare: settings(byMail),
      rows: '+mail_tokens(outsider, ChangeEmail) | +mail_tokens(outsider, EmailChanging)',
      later: '+mails(outsider, ChangeEmail, Sent) | +mails(outsider, EmailChanging, Sent)',
      events: 'none',
      log: 'Pending outsider: Email change requested | Success outsider: ChangeEmail email sent | Success outsider: EmailChanging email sent',
      received: 'none',
      locks: 'name of a recipient x2',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/account/mailchangeconfirm': {
    'by the link of a mail': {
      by: 'outsider',
      prepare: all(
        settings(byMail),
        done('outsider', (caller) => caller.put('/api/account/changeemail', { newMail: 'confirmed@example.org' })),
        ({ mails }) => linkTo(mails, 'confirmed@example.org'),
        ({ scene }) => scene.as('outsider'),
      ),
      ask: async (_scene, _by, { mails }) => ({
        url: '/api/account/mailchangeconfirm',
        body: await linkTo(mails, 'confirmed@example.org'),
      }),
      rows: '-mail_tokens(outsider, ChangeEmail) | -sessions(outsider) x2 | ~accounts(outsider).email | ~versions.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success outsider: Email changed',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/account/mailchangecancel': {
    'by the link of the notice': {
      by: 'anonymous',
      prepare: all(
        settings(byMail),
        done('outsider', (caller) => caller.put('/api/account/changeemail', { newMail: 'cancelled@example.org' })),
        async (world) => linkTo(world.mails, await emailOf(world, world.scene.account.outsider)),
      ),
      ask: async ({ account }, _, world) => ({
        url: '/api/account/mailchangecancel',
        body: await linkTo(world.mails, await emailOf(world, account.outsider)),
      }),
      rows: '-mail_tokens(outsider, ChangeEmail) | -mail_tokens(outsider, EmailChanging) | -sessions(outsider) | ~versions.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Warning Success outsider: Email change cancelled',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/setup': {
    'of a platform without administrator': {
      by: 'anonymous',
      prepare: async ({ platform: { db } }) => {
        await db.updateTable('accounts').set({ role: 'User' }).where('role', '=', 'Admin').execute()
      },
      ask: async (_scene, _by, { platform }) => {
        const token = new URL((await openSetup(platform.deps)) as string).searchParams.get('token')
        return {
          url: '/api/setup',
          body: { ...newUser(), token, title: 'Harbour', slogan: 'Sail on', customTheme: '#204080' },
        }
      },
      rows: '+accounts(new) | +sessions(new) | -setup_tokens | ~settings(GlobalConfig:CustomTheme).value | ~settings(GlobalConfig:Slogan).value | ~settings(GlobalConfig:Title).value | ~versions.settings',
      later: 'none',
      events: 'settings.changed',
      log: 'Success userfresh: Platform set up',
      received: 'neighbour player: VexilSettings | player: VexilSettings | site: VexilSettings | visitor: VexilSettings',
      locks: 'none',
      shown: 'none',
      beside: '- setup-link | cookie',
    },
    'of a platform that is set up': {
      by: 'anonymous',
      status: 400,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },

  // ---- teams
  'POST /api/team': {
    'by a user': {
      by: 'outsider',
      ask: () => ({ url: '/api/team', body: { name: 'Gulls', bio: 'words' } }),
      rows: '+team_members(new, outsider) | +teams(new)',
      later: 'none',
      events: 'team.changed new',
      log: 'Success outsider: Team Gulls (new) created',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/team/:id': {
    'of every field': {
      by: 'captain',
      ask: ({ team }) => ({ url: `/api/team/${team}`, body: { name: 'Terns', bio: 'words' } }),
      rows: '~teams(team).bio.name',
      later: 'none',
      events: 'team.changed team',
      log: 'none',
      received: 'none',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'none',
      beside: 'none',
    },
    'of a team that plays': {
      by: 'accepted',
      ask: ({ teamOf }) => ({ url: `/api/team/${teamOf.accepted}`, body: { name: 'Terns' } }),
      rows: '~solve_logs(game).changed_at.roster | ~teams(team of accepted).name.renamed_at',
      later: 'none',
      events: 'team.changed team of accepted',
      log: 'none',
      received: 'none',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'board',
      beside: 'none',
    },
  },
  'PUT /api/team/:id/transfer': {
    'to the member': {
      by: 'captain',
      rows: '~teams(team).captain_id',
      later: 'none',
      events: 'team.changed team',
      log: 'Success captain: Team team (team) transferred to member',
      received: 'none',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/team/:id/invite': {
    'by the captain': {
      by: 'captain',
      rows: '~teams(team).invite_token',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/team/accept': {
    'by a user without a team': {
      by: 'outsider',
      rows: '+team_members(team, outsider)',
      later: 'none',
      events: 'team.changed team',
      log: 'Success outsider: Joined team team (team)',
      received: 'none',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/team/:id/leave': {
    'by the member': {
      by: 'member',
      prepare: joinedBy('captain', 'member'),
      rows: '-registrations(participation of team, member) | -team_members(team, member)',
      later: 'none',
      events: 'participation.changed game participation of team member | team.changed team',
      log: 'Success member: Left team team (team)',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/team/:id/kick/:userId': {
    'of the only registered member': {
      by: 'captain',
      prepare: joinedBy('member'),
      rows: '-participations(game, team, Pending) | -registrations(participation of team, member) | -team_members(team, member)',
      later: 'none',
      events: 'participation.changed game participation of team member | team.changed team',
      log: 'Success captain: Removed member from team team (team)',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/team/:id': {
    'with an avatar': {
      by: 'captain',
      prepare: done('captain', async (caller, { scene }) =>
        caller.upload('PUT', `/api/team/${scene.team}/avatar`, 'file', await picture(301)),
      ),
      rows: '-files(old avatar) | -team_members(team, captain) | -team_members(team, member) | -teams(team)',
      later: 'none',
      events: 'team.changed team',
      log: 'Success System: File removed: old avatar | Success captain: Team team (team) disbanded',
      received: 'none',
      locks: 'files for update | name of a file x2 | solve_logs for no key update | teams for update',
      shown: 'none',
      beside: '-uploads old avatar',
    },
  },
  'PUT /api/team/:id/avatar': {
    'for the first time': {
      by: 'captain',
      rows: '+files(new) | ~teams(team).avatar_hash',
      later: 'none',
      events: 'team.changed team',
      log: 'Success captain: Avatar of team team changed: new',
      received: 'none',
      locks: 'name of a file | solve_logs for no key update | teams for update',
      shown: 'none',
      beside: '+uploads new',
    },
    'in the place of another': {
      by: 'captain',
      prepare: done('captain', async (caller, { scene }) =>
        caller.upload('PUT', `/api/team/${scene.team}/avatar`, 'file', await picture(302)),
      ),
      rows: '+files(new) | -files(old avatar) | ~teams(team).avatar_hash',
      later: 'none',
      events: 'team.changed team',
      log: 'Success System: File removed: old avatar | Success captain: Avatar of team team changed: new',
      received: 'none',
      locks: 'files for update | name of a file x3 | solve_logs for no key update | teams for update',
      shown: 'none',
      beside: '+uploads new | -uploads old avatar',
    },
  },
  'POST /api/team/verify': {
    'of a good token': {
      by: 'anonymous',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },

  // ---- files and settings
  'POST /api/assets': {
    'of a new file': {
      by: 'admin',
      rows: '+files(new)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Uploaded 1 files: task.zip (new)',
      received: 'none',
      locks: 'name of a file x2',
      shown: 'none',
      beside: '+uploads new',
    },
    'of one that is there': {
      by: 'admin',
      prepare: done('admin', (caller) =>
        caller.upload('POST', '/api/assets', 'files', [{ name: 'task.zip', bytes: Buffer.from('again') }]),
      ),
      ask: () => ({
        url: '/api/assets',
        upload: { part: 'files', files: [{ name: 'other.zip', bytes: Buffer.from('again') }] },
      }),
      rows: '~files(old task).name.uploaded_at',
      later: 'none',
      events: 'none',
      log: 'Success admin: Uploaded 1 files: other.zip (old task)',
      received: 'none',
      locks: 'name of a file x2',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/assets/:hash': {
    'of a file that nothing uses': {
      by: 'admin',
      rows: '-files(file)',
      later: 'none',
      events: 'none',
      log: 'Success System: File removed: file | Success admin: Deletion of file file',
      received: 'none',
      locks: 'files for update | name of a file x2',
      shown: 'none',
      beside: '-uploads file',
    },
    'of one that is not there': {
      by: 'admin',
      ask: () => ({ url: `/api/assets/${'0'.repeat(64)}` }),
      status: 404,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'NotFound admin: Deletion of file 00000000',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/admin/config': {
    'of a setting': {
      by: 'admin',
      ask: () => ({ url: '/api/admin/config', body: { globalConfig: { slogan: 'Hoist it' } } }),
      rows: '~settings(GlobalConfig:Slogan).value | ~versions.settings',
      later: 'none',
      events: 'settings.changed',
      log: 'Success admin: Changed settings: GlobalConfig:Slogan = "Hoist it"',
      received: 'neighbour player: VexilSettings | player: VexilSettings | site: VexilSettings | visitor: VexilSettings',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/admin/config/mail': {
    // The effects are in services.db.test.ts: this platform has the mail server of its environment.
    'while the environment sets it': {
      by: 'admin',
      status: 400,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/admin/config/captcha': {
    'of a provider': {
      by: 'admin',
      ask: () => ({
        url: '/api/admin/config/captcha',
        body: { provider: 'CloudflareTurnstile', siteKey: 'the site key', threshold: 0.5, secret: 'a secret' },
      }),
      rows: '+settings(Services:Captcha) | ~versions.settings',
      later: 'none',
      events: 'settings.changed',
      log: 'Success admin: Changed the captcha provider: CloudflareTurnstile, with a new secret key',
      received: 'neighbour player: VexilSettings | player: VexilSettings | site: VexilSettings | visitor: VexilSettings',
      locks: 'settings for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/admin/config/captcha/test': {
    'without a provider': {
      by: 'admin',
      status: 400,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/admin/config/logo': {
    'for the first time': {
      by: 'admin',
      rows: '+files(new) | ~settings(GlobalConfig:FaviconHash).value | ~settings(GlobalConfig:LogoHash).value | ~versions.settings',
      later: 'none',
      events: 'settings.changed',
      log: 'Success admin: Changed the logo: new',
      received: 'neighbour player: VexilSettings | player: VexilSettings | site: VexilSettings | visitor: VexilSettings',
      locks: 'installation for update | name of a file',
      shown: 'none',
      beside: '+uploads new',
    },
    'in the place of another': {
      by: 'admin',
      prepare: done('admin', async (caller) => caller.upload('POST', '/api/admin/config/logo', 'file', await picture(303))),
      rows: '+files(new) | -files(old favicon) | -files(old logo) | ~settings(GlobalConfig:FaviconHash).value | ~settings(GlobalConfig:LogoHash).value | ~versions.settings',
      later: 'none',
      events: 'settings.changed',
      log: 'Success System: File removed: old favicon | Success System: File removed: old logo | Success admin: Changed the logo: new',
      received: 'neighbour player: VexilSettings | player: VexilSettings | site: VexilSettings | visitor: VexilSettings',
      locks: 'files for update x2 | installation for update | name of a file x5',
      shown: 'none',
      beside: '+uploads new | -uploads old favicon | -uploads old logo',
    },
  },
  'DELETE /api/admin/config/logo': {
    'of one that is set': {
      by: 'admin',
      prepare: done('admin', async (caller) => caller.upload('POST', '/api/admin/config/logo', 'file', await picture(304))),
      rows: '-files(old favicon) | -files(old logo) | ~settings(GlobalConfig:FaviconHash).value | ~settings(GlobalConfig:LogoHash).value | ~versions.settings',
      later: 'none',
      events: 'settings.changed',
      log: 'Success System: File removed: old favicon | Success System: File removed: old logo | Success admin: Removed the logo',
      received: 'neighbour player: VexilSettings | player: VexilSettings | site: VexilSettings | visitor: VexilSettings',
      locks: 'files for update x2 | installation for update | name of a file x4',
      shown: 'none',
      beside: '-uploads old favicon | -uploads old logo',
    },
  },

  // ---- administration
  'POST /api/admin/users': {
    'of a new account with a team': {
      by: 'admin',
      ask: () => ({ url: '/api/admin/users', body: [{ ...newUser(), teamName: 'Gulls' }] }),
      rows: '+accounts(new) | +team_members(new, new) | +teams(new)',
      later: 'none',
      events: 'team.changed new',
      log: 'Success admin: Users added: 1, updated: 0, teams created: 1',
      received: 'none',
      locks: 'accounts for no key update',
      shown: 'none',
      beside: 'none',
    },
    'of one that is there': {
      by: 'admin',
      ask: async ({ otherName, account }, _, world) => ({
        url: '/api/admin/users',
        body: [{ userName: otherName, password: 'another one', email: await emailOf(world, account.other), realName: 'Real' }],
      }),
      rows: '~accounts(other).password_hash.real_name | ~versions.security',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Users added: 0, updated: 1, teams created: 0',
      received: 'none',
      locks: 'accounts for no key update',
      shown: 'none',
      beside: 'none',
    },
    'of one that is there, with another name': {
      by: 'admin',
      ask: async ({ account }, _, world) => ({
        url: '/api/admin/users',
        body: [{ userName: 'Batched', password: 'another one', email: await emailOf(world, account.accepted) }],
      }),
      rows: '-sessions(accepted) | ~accounts(accepted).name_key.password_hash.user_name | ~solve_logs(game).changed_at.roster | ~versions.security.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Users added: 0, updated: 1, teams created: 0',
      received: 'none',
      locks: 'accounts for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/admin/users/search': {
    'by a name': {
      by: 'admin',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/admin/users/:userId': {
    'of every field': {
      by: 'admin',
      prepare: ({ scene }) => scene.as('accepted'),
      ask: ({ account }) => ({
        url: `/api/admin/users/${account.accepted}`,
        body: {
          userName: 'Rechristened',
          email: 'renamed@example.org',
          bio: 'words',
          phone: '+1234567',
          realName: 'Real Name',
          stdNumber: '12345',
          emailConfirmed: false,
          role: 'Monitor',
        },
      }),
      rows: '-sessions(accepted) x2 | ~accounts(accepted).active.bio.email.name_key.phone.real_name.role.student_number.user_name | ~solve_logs(game).changed_at.roster | ~versions.security.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Changed user accepted: userName accepted => Rechristened, email accepted@example.org => renamed@example.org, bio, phone, realName, studentNumber, active true => false, role User => Monitor',
      received: 'none',
      locks: 'accounts for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
    'a ban': {
      by: 'admin',
      prepare: ({ scene }) => scene.as('accepted'),
      ask: ({ account }) => ({ url: `/api/admin/users/${account.accepted}`, body: { role: 'Banned' } }),
      rows: '~accounts(accepted).role | ~versions.security',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Changed user accepted: role User => Banned',
      received: 'none',
      locks: 'accounts for no key update',
      shown: 'none',
      beside: 'none',
    },
    'the end of a ban': {
      by: 'admin',
      prepare: async ({ platform: { db }, scene }) => {
        await scene.as('accepted')
        await db.updateTable('accounts').set({ role: 'Banned' }).where('id', '=', scene.account.accepted).execute()
      },
      ask: ({ account }) => ({ url: `/api/admin/users/${account.accepted}`, body: { role: 'User' } }),
      rows: '-sessions(accepted) x2 | ~accounts(accepted).role | ~versions.security.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Changed user accepted: role Banned => User',
      received: 'none',
      locks: 'accounts for no key update',
      shown: 'none',
      beside: 'none',
    },
    'of the bio alone': {
      by: 'admin',
      rows: '~accounts(other).bio',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Changed user other: bio',
      received: 'none',
      locks: 'accounts for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/admin/users/:userId/password': {
    'of an account with a session': {
      by: 'admin',
      prepare: ({ scene }) => scene.as('outsider'),
      ask: ({ account }) => ({ url: `/api/admin/users/${account.outsider}/password` }),
      rows: '-sessions(outsider) | ~accounts(outsider).password_hash | ~versions.security.sessions',
      later: 'none',
      events: 'security.changed',
      log: 'Success admin: Reset the password of outsider',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/admin/users/:userId': {
    'of a registered member with an avatar and a session': {
      by: 'admin',
      prepare: all(
        joinedBy('captain', 'member'),
        done('member', async (caller) => caller.upload('PUT', '/api/account/avatar', 'file', await picture(305))),
      ),
      ask: ({ account }) => ({ url: `/api/admin/users/${account.member}` }),
      rows: '-accounts(member) | -files(old avatar) | -registrations(participation of team, member) | -sessions(member) | -team_members(team, member) | ~solve_logs(game).changed_at.roster | ~versions.security.sessions',
      later: 'none',
      events: 'participation.changed game participation of team | security.changed | team.changed team',
      log: 'Success System: File removed: old avatar | Success admin: Deleted user member (member)',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks:
        'accounts for no key update | accounts for update | files for update | name of a file x2 | solve_logs for no key update',
      shown: 'none',
      beside: '-uploads old avatar',
    },
  },
  'POST /api/admin/teams/search': {
    'by a name': {
      by: 'admin',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/admin/teams/:id': {
    'of every field': {
      by: 'admin',
      ask: ({ teamOf }) => ({
        url: `/api/admin/teams/${teamOf.accepted}`,
        body: { name: 'Terns', bio: 'words', locked: true },
      }),
      rows: '~solve_logs(game).changed_at.roster | ~teams(team of accepted).bio.locked.name',
      later: 'none',
      events: 'team.changed team of accepted',
      log: 'Success admin: Changed team team of accepted (team of accepted): name => Terns, bio, locked',
      received: 'none',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'board',
      beside: 'none',
    },
  },
  'DELETE /api/admin/teams/:id': {
    'of a team that plays, with an instance': {
      by: 'admin',
      prepare: withInstance,
      ask: ({ teamOf }) => ({ url: `/api/admin/teams/${teamOf.accepted}` }),
      rows: '-containers(containerChallenge, participation, Running) | -game_events(ContainerStart) | -participations(game, team of accepted, Accepted) | -registrations(participation, accepted) | -submissions(participation, challenge, WrongAnswer) | -team_members(team of accepted, accepted) | -teams(team of accepted) | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'participation.changed game participation accepted | team.changed team of accepted',
      log: 'Success admin: Team team of accepted (team of accepted) deleted',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'solve_logs for no key update | teams for update',
      shown: 'board',
      beside: 'engine destroy instance',
    },
  },
  'PUT /api/admin/participation/:id/:status': {
    'to Suspended, with an instance': {
      by: 'admin',
      prepare: withInstance,
      rows: '~participations(game, team of accepted, Suspended).status | ~solve_logs(game).changed_at.epoch',
      later: '~containers(containerChallenge, participation, Ended).ended_at.ended_by.state',
      events: 'instance.changed game containerChallenge participation | participation.changed game participation',
      log: 'Success System: Container of containerChallenge (#containerChallenge) of team of accepted ended (participation) | Success admin: Set participation of team of accepted (#participation) to Suspended',
      received:
        'player: VexilGame participations | player: VexilInstances containerChallenge | visitor: VexilGame participations',
      locks: 'solve_logs for no key update',
      shown: 'board',
      beside: 'engine destroy instance',
    },
    'to Accepted': {
      by: 'admin',
      prepare: async ({ platform: { db }, scene }) => {
        await db.updateTable('participations').set({ status: 'Pending' }).where('id', '=', scene.participation).execute()
      },
      ask: ({ participation }) => ({ url: `/api/admin/participation/${participation}/Accepted` }),
      rows: '~participations(game, team of accepted, Accepted).status | ~solve_logs(game).changed_at.roster | ~teams(team of accepted).locked',
      later: 'none',
      events: 'participation.changed game participation',
      log: 'Success admin: Set participation of team of accepted (#participation) to Accepted',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'solve_logs for no key update',
      shown: 'board',
      beside: 'none',
    },
  },
  'DELETE /api/admin/instances/:guid': {
    'of a team': {
      by: 'admin',
      prepare: withInstance,
      ask: async ({ participation }, _, { platform: { db } }) => {
        const found = db.selectFrom('containers').select('id').where('participationId', '=', participation)
        return { url: `/api/admin/instances/${(await found.executeTakeFirstOrThrow()).id}` }
      },
      rows: '~containers(containerChallenge, participation, Ended).ended_at.ended_by.state',
      later: 'none',
      events: 'instance.changed game containerChallenge participation',
      log: 'Success admin: Destroyed instance of containerChallenge (#containerChallenge) of team of accepted',
      received: 'player: VexilInstances containerChallenge',
      locks: 'none',
      shown: 'none',
      beside: 'engine destroy instance',
    },
  },
  'POST /api/admin/mails/test': {
    'to an address': {
      by: 'admin',
      rows: '+mails(admin, Test, Sent)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Test email sent',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },

  'POST /api/admin/backup': {
    'without the key': {
      by: 'admin',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'Success admin: Backup without the key downloaded',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },

  // ---- editing
  'POST /api/admin/engine/isolation': {
    'for the first time': {
      by: 'admin',
      rows: '+isolation_probes(new)',
      later: 'none',
      events: 'none',
      log: 'Success System: Isolation probe: 2 targets refused, 0 not tried | Success admin: Isolation probe started',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'engine tryIsolation probe',
    },
  },

  'POST /api/edit/games': {
    'by an editor': {
      by: 'admin',
      rows: '+games(new) | +solve_logs(new)',
      later: 'none',
      events: 'game.changed new',
      log: 'Success admin: Created game fresh (#new)',
      received: 'none',
      locks: 'none',
      shown: 'list',
      beside: 'none',
    },
  },
  'PUT /api/edit/games/:id': {
    'of every field': {
      by: 'admin',
      ask: (scene) => ({
        url: editOf(scene),
        body: {
          title: 'Regatta',
          hidden: true,
          summary: 'words',
          content: 'words',
          acceptWithoutReview: true,
          writeupRequired: false,
          writeupNote: 'words',
          practiceMode: false,
          inviteCode: 'code',
          organizations: ['North'],
          teamMemberCountLimit: 3,
          containerCountLimit: 2,
          start: '2030-01-01T00:00:00Z',
          end: '2030-01-02T00:00:00Z',
          writeupDeadline: '2030-01-03T00:00:00Z',
          bloodBonus: 0,
        },
      }),
      rows: '~games(game).accept_without_review.blood_bonus.container_limit.content.divisions.ends_at.hidden.invite_code.member_limit.practice_mode.starts_at.summary.title.writeup_deadline.writeup_note.writeup_required | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'game.changed game',
      log: 'Success admin: Changed game Regatta (#game)',
      received: 'player: VexilGame game',
      locks: 'solve_logs for no key update',
      shown: 'board | list',
      beside: 'none',
    },
    'that ends it, with an instance': {
      by: 'admin',
      prepare: all(withInstance, gameWith({ practiceMode: false })),
      ask: (scene) => ({
        url: editOf(scene),
        body: { title: 'Regatta', start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z', practiceMode: false },
      }),
      rows: '~games(game).ends_at.starts_at.title.writeup_required | ~solve_logs(game).changed_at.epoch',
      later: '~containers(containerChallenge, participation, Ended).ended_at.ended_by.state',
      events: 'game.changed game | instance.changed game containerChallenge participation',
      log: 'Success System: Container of containerChallenge (#containerChallenge) of team of accepted ended (expiry) | Success admin: Changed game Regatta (#game)',
      received: 'player: VexilGame game | player: VexilInstances containerChallenge | visitor: VexilGame game',
      locks: 'solve_logs for no key update',
      shown: 'board | list',
      beside: 'engine destroy instance',
    },
  },
  'DELETE /api/edit/games/:id': {
    'with a poster, an instance and captured traffic': {
      by: 'admin',
      prepare: all(
        withInstance,
        withCapture,
        done('admin', async (caller, { scene }) => caller.upload('PUT', `${editOf(scene)}/poster`, 'file', await picture(306))),
      ),
      rows: '+released_files | -challenges(challenge) | -challenges(containerChallenge) | -containers(containerChallenge, participation, Running) | -flags(challenge) | -flags(containerChallenge) | -game_events(ContainerStart) | -games(game) | -notices(game, Normal) | -participations(game, team of accepted, Accepted) | -participations(game, team of pending, Pending) | -participations(game, team of suspended, Suspended) | -registrations(participation of team of pending, pending) | -registrations(participation of team of suspended, suspended) | -registrations(participation, accepted) | -solve_logs(game) | -submissions(participation, challenge, WrongAnswer)',
      later: 'none',
      events: 'game.changed game',
      log: 'Success admin: Deleted game game (#game)',
      received: 'player: VexilGame game | visitor: VexilGame game',
      locks: 'solve_logs for no key update',
      shown: 'board | list',
      beside: '-capture a.pcap | -capture a.pcap | -capture b.pcap | -capture b.pcap | engine destroy instance',
    },
  },
  'PUT /api/edit/games/:id/poster': {
    'for the first time': {
      by: 'admin',
      rows: '+files(new) | ~games(game).poster_hash',
      later: 'none',
      events: 'game.changed game',
      log: 'Success admin: Changed the poster of game (#game)',
      received: 'player: VexilGame game | visitor: VexilGame game',
      locks: 'games for no key update | name of a file',
      shown: 'list',
      beside: '+uploads new',
    },
    'in the place of another': {
      by: 'admin',
      prepare: done('admin', async (caller, { scene }) =>
        caller.upload('PUT', `${editOf(scene)}/poster`, 'file', await picture(307)),
      ),
      rows: '+files(new) | -files(old poster) | ~games(game).poster_hash',
      later: 'none',
      events: 'game.changed game',
      log: 'Success System: File removed: old poster | Success admin: Changed the poster of game (#game)',
      received: 'player: VexilGame game | visitor: VexilGame game',
      locks: 'files for update | games for no key update | name of a file x3',
      shown: 'list',
      beside: '+uploads new | -uploads old poster',
    },
  },
  'DELETE /api/edit/games/:id/writeups': {
    'of a game with one': {
      by: 'admin',
      prepare: done('accepted', (caller, { scene }) =>
        caller.upload('POST', `${ofGame(scene)}/writeup`, 'file', pdf('to be deleted')),
      ),
      rows: '+released_files | -writeups(participation)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Deleted all writeups (1) of game (#game)',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/edit/games/:id/notices': {
    'by an editor': {
      by: 'admin',
      rows: '+notices(game, Normal)',
      later: 'none',
      events: 'notice.added game new',
      log: 'Success admin: Published notice #new in game',
      received: 'player: ReceivedGameNotice Normal | visitor: ReceivedGameNotice Normal',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/edit/games/:id/notices/:nid': {
    'of its text': {
      by: 'admin',
      rows: '~notices(game, Normal).created_at.values',
      later: 'none',
      events: 'notice.changed game',
      log: 'Success admin: Changed notice #notice of game',
      received: 'player: VexilGame notices | visitor: VexilGame notices',
      locks: 'notices for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/edit/games/:id/notices/:nid': {
    'by an editor': {
      by: 'admin',
      rows: '-notices(game, Normal)',
      later: 'none',
      events: 'notice.changed game',
      log: 'Success admin: Deleted notice #notice of game',
      received: 'player: VexilGame notices | visitor: VexilGame notices',
      locks: 'notices for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/edit/games/:id/challenges': {
    'by an editor': {
      by: 'admin',
      rows: '+challenges(new)',
      later: 'none',
      events: 'challenge.changed game new',
      log: 'Success admin: Created challenge fresh (#new)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/edit/games/:id/images': {
    'by an editor': {
      by: 'admin',
      prepare: ({ platform: { db } }) =>
        db
          .insertInto('imagePulls')
          .values({ image: 'image', wantedAt: new Date(0), pulledAt: new Date(0) })
          .execute(),
      rows: 'none',
      later: '~image_pulls(image).nodes.pulled_at.wanted_at',
      events: 'none',
      log: 'Success admin: Pulls the images of game (#game)',
      received: 'none',
      locks: 'image_pulls for update x2',
      shown: 'none',
      beside: 'engine pull image',
    },
  },

  'POST /api/edit/games/:id/challenges/updateaccepted': {
    'by an editor': {
      by: 'admin',
      rows: '~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game 0',
      log: 'Success admin: Recalculated the scoreboard of game #game',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/edit/games/:id/challenges/:cid': {
    'of every field of one with containers': {
      by: 'admin',
      prepare: withInstance,
      ask: (scene) => ({
        url: `${editOf(scene)}/challenges/${scene.containerChallenge}`,
        body: {
          title: 'Knots',
          content: 'words',
          category: 'Web',
          fileName: 'task',
          containerImage: 'echo:2',
          memoryLimit: 128,
          cpuCount: 2,
          storageLimit: 512,
          containerExposePort: 4242,
          enableTrafficCapture: true,
          containerNetwork: 'Isolated',
          readyTimeout: 60,
          readyText: 'welcome',
          additionalContainers: [
            { name: 'db', image: 'db:1', cpuCount: 1, memoryLimit: 64, storageLimit: 128, environment: [], getsFlag: true },
          ],
          namedPorts: [{ name: 'sql', port: 5432 }],
          originalScore: 500,
          minScoreRate: 0.5,
          difficulty: 7,
          bloodBonus: 0,
          ownBloodBonus: true,
        },
      }),
      rows: '~challenges(containerChallenge).additional_containers.blood_bonus.capture_traffic.category.container_image.content.cpu_count.difficulty.expose_port.file_name.memory_limit.min_score_rate.named_ports.network.original_score.ready_text.ready_timeout.storage_limit.title | ~solve_logs(game).changed_at.epoch',
      later: '+image_pulls(db:1) | +image_pulls(echo:2)',
      events: 'challenge.changed game containerChallenge',
      log: 'Success admin: Changed challenge Knots (#containerChallenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update | image_pulls for update x3 | solve_logs for no key update',
      shown: 'board',
      beside: 'engine pull db:1 | engine pull echo:2',
    },
    'enabled for the first time': {
      by: 'admin',
      prepare: async ({ platform: { db }, scene }) => {
        await db.updateTable('challenges').set({ enabled: false, enabledAt: null }).where('id', '=', scene.challenge).execute()
      },
      ask: (scene) => ({ url: challengeOf(scene), body: { isEnabled: true } }),
      rows: '+notices(game, NewChallenge) | ~challenges(challenge).enabled.enabled_at | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game challenge | notice.added game new',
      log: 'Success admin: Changed challenge challenge (#challenge)',
      received:
        'player: ReceivedGameNotice NewChallenge | player: VexilGame challenges | visitor: ReceivedGameNotice NewChallenge | visitor: VexilGame challenges',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'board',
      beside: 'none',
    },
    'disabled, with an instance': {
      by: 'admin',
      prepare: withInstance,
      ask: (scene) => ({ url: `${editOf(scene)}/challenges/${scene.containerChallenge}`, body: { isEnabled: false } }),
      rows: '~challenges(containerChallenge).enabled | ~solve_logs(game).changed_at.epoch',
      later: '~containers(containerChallenge, participation, Ended).ended_at.ended_by.state',
      events: 'challenge.changed game containerChallenge | instance.changed game containerChallenge participation',
      log: 'Success System: Container of containerChallenge (#containerChallenge) of team of accepted ended (challenge) | Success admin: Changed challenge containerChallenge (#containerChallenge)',
      received: 'player: VexilGame challenges | player: VexilInstances containerChallenge | visitor: VexilGame challenges',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'board',
      beside: 'engine destroy instance',
    },
    'with another hint': {
      by: 'admin',
      ask: (scene) => ({ url: challengeOf(scene), body: { hints: ['look'] } }),
      rows: '+notices(game, NewHint) | ~challenges(challenge).hints',
      later: 'none',
      events: 'challenge.changed game challenge | notice.added game new',
      log: 'Success admin: Changed challenge challenge (#challenge)',
      received:
        'player: ReceivedGameNotice NewHint | player: VexilGame challenges | visitor: ReceivedGameNotice NewHint | visitor: VexilGame challenges',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
    'without its hint': {
      by: 'admin',
      prepare: async ({ platform: { db }, scene }) => {
        await db
          .updateTable('challenges')
          .set({ hints: ['look'] })
          .where('id', '=', scene.challenge)
          .execute()
      },
      ask: (scene) => ({ url: challengeOf(scene), body: { hints: [] } }),
      rows: '~challenges(challenge).hints',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success admin: Changed challenge challenge (#challenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/edit/games/:id/challenges/:cid': {
    'of another game': {
      by: 'admin',
      ask: (scene, _by, { neighbour }) => ({ url: `${editOf(scene)}/challenges/${neighbour.challenge}` }),
      status: 404,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
    'with an attachment and answers': {
      by: 'admin',
      prepare: all(
        done('admin', (caller, { scene }) =>
          caller.post(`${challengeOf(scene)}/attachment`, { attachmentType: 'Local', fileHash: scene.file }),
        ),
        done('accepted', (caller, { scene }) =>
          caller.post(`${ofGame(scene)}/challenges/${scene.challenge}`, { flag: 'flag{right}' }),
        ),
      ),
      rows: '+released_files | -attachments(challenge, null) | -challenges(challenge) | -flags(challenge) | -solves(participation, challenge) | -submissions(participation, challenge, Accepted) | -submissions(participation, challenge, WrongAnswer) | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success admin: Deleted challenge challenge (#challenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update x2 | solve_logs for no key update x2',
      shown: 'board',
      beside: 'none',
    },
    'with an instance and captured traffic': {
      by: 'admin',
      prepare: all(withInstance, withCapture),
      ask: (scene) => ({ url: `${editOf(scene)}/challenges/${scene.containerChallenge}` }),
      rows: '-challenges(containerChallenge) | -containers(containerChallenge, participation, Running) | -flags(containerChallenge) | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game containerChallenge',
      log: 'Success admin: Deleted challenge containerChallenge (#containerChallenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update x2 | solve_logs for no key update x2',
      shown: 'board',
      beside: '-capture a.pcap | -capture a.pcap | -capture b.pcap | -capture b.pcap | engine destroy instance',
    },
  },
  'POST /api/edit/games/:id/challenges/:cid/attachment': {
    'a file': {
      by: 'admin',
      rows: '+attachments(challenge, null) | ~files(file).pinned',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success admin: Set the attachment of challenge (#challenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update | files for key share | files for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
    'a link in the place of a file': {
      by: 'admin',
      prepare: done('admin', (caller, { scene }) =>
        caller.post(`${challengeOf(scene)}/attachment`, { attachmentType: 'Local', fileHash: scene.file }),
      ),
      ask: (scene) => ({
        url: `${challengeOf(scene)}/attachment`,
        body: { attachmentType: 'Remote', remoteUrl: 'https://example.org/task' },
      }),
      rows: '+attachments(challenge, null) | -attachments(challenge, null) | -files(file)',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success System: File removed: file | Success admin: Set the attachment of challenge (#challenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks:
        'challenges for no key update | files for no key update | files for update | name of a file x2 | solve_logs for no key update',
      shown: 'none',
      beside: '-uploads file',
    },
  },
  'POST /api/edit/games/:id/challenges/:cid/flags': {
    'two, one of them with a file': {
      by: 'admin',
      ask: (scene) => ({
        url: `${challengeOf(scene)}/flags`,
        body: [{ flag: 'flag{a}' }, { flag: 'flag{b}', attachmentType: 'Local', fileHash: scene.file }],
      }),
      rows: '+attachments(challenge, new) | +flags(challenge) x2 | ~files(file).pinned | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success admin: Added 2 flags to challenge (#challenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update | files for key share | files for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/edit/games/:id/challenges/:cid/flags/:fid': {
    'of two': {
      by: 'admin',
      prepare: done('admin', (caller, { scene }) => caller.post(`${challengeOf(scene)}/flags`, [{ flag: 'flag{other}' }])),
      rows: '-flags(challenge) | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success admin: Removed a flag of challenge (#challenge)',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
    'the last one': {
      by: 'admin',
      rows: '-flags(challenge) | ~challenges(challenge).enabled | ~solve_logs(game).changed_at.epoch',
      later: 'none',
      events: 'challenge.changed game challenge',
      log: 'Success admin: Removed a flag of challenge (#challenge); it was the last, the challenge is disabled',
      received: 'player: VexilGame challenges | visitor: VexilGame challenges',
      locks: 'challenges for no key update | solve_logs for no key update',
      shown: 'board',
      beside: 'none',
    },
  },
  'POST /api/edit/games/:id/challenges/:cid/container': {
    'for the first time': {
      by: 'admin',
      prepare: withPort,
      rows: '+containers(containerChallenge, null, Running)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Started test container of containerChallenge (#containerChallenge)',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'engine create new',
    },
  },
  'POST /api/edit/games/:id/challenges/:cid/checks': {
    'while two others run': {
      by: 'admin',
      prepare: async ({ platform: { db }, scene, neighbour }) => {
        await db.updateTable('challenges').set({ checkImage: 'solver' }).where('id', '=', scene.containerChallenge).execute()
        const running = { cause: 'request', state: 'Running', runningUntil: new Date(Date.now() + 86_400_000) } as const
        const of = (challengeId: number, slot: number) => ({ ...running, challengeId, slot })
        await db
          .insertInto('solverChecks')
          .values([of(scene.challenge, 1), of(neighbour.challenge, 2)])
          .execute()
      },
      rows: '+solver_checks(containerChallenge, Waiting)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Started the solver check of containerChallenge (#containerChallenge)',
      received: 'none',
      locks: 'solver_checks for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/edit/games/:id/challenges/:cid/container': {
    'of one that runs': {
      by: 'admin',
      prepare: all(
        withPort,
        done('admin', (caller, { scene }) => caller.post(testContainerOf(scene))),
      ),
      rows: '~containers(containerChallenge, null, Ended).ended_at.ended_by.state',
      later: 'none',
      events: 'none',
      log: 'Success admin: Destroyed test container of containerChallenge (#containerChallenge)',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'engine destroy test container',
    },
    'of none': {
      by: 'admin',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/edit/posts': {
    'by an editor': {
      by: 'admin',
      rows: '+posts(new)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Created post fresh (new)',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'PUT /api/edit/posts/:id': {
    'of its texts': {
      by: 'admin',
      ask: ({ post }) => ({
        url: `/api/edit/posts/${post}`,
        body: { title: 'Words', summary: 'words', content: 'words', tags: ['one'] },
      }),
      rows: '~posts(post).content.summary.tags.title.updated_at',
      later: 'none',
      events: 'none',
      log: 'Success admin: Changed post Words (post)',
      received: 'none',
      locks: 'posts for update',
      shown: 'none',
      beside: 'none',
    },
    pinned: {
      by: 'admin',
      ask: ({ post }) => ({
        url: `/api/edit/posts/${post}`,
        body: { title: `News-${post}`, isPinned: true },
      }),
      rows: '~posts(post).pinned',
      later: 'none',
      events: 'none',
      log: 'Success admin: Pinned post post (post)',
      received: 'none',
      locks: 'posts for update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/edit/posts/:id': {
    'by an editor': {
      by: 'admin',
      rows: '-posts(post)',
      later: 'none',
      events: 'none',
      log: 'Success admin: Deleted post post (post)',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },

  // ---- playing
  'POST /api/game/:id': {
    'and waits for review': {
      by: 'captain',
      rows: '+participations(game, team, Pending) | +registrations(new, captain)',
      later: 'none',
      events: 'participation.changed game new',
      log: 'Success captain: Joined game for team team',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
    'and is accepted': {
      by: 'captain',
      prepare: gameWith({ acceptWithoutReview: true }),
      rows: '+participations(game, team, Accepted) | +registrations(new, captain) | ~solve_logs(game).changed_at.roster | ~teams(team).locked',
      later: 'none',
      events: 'participation.changed game new',
      log: 'Success captain: Joined game for team team',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'none',
      shown: 'board',
      beside: 'none',
    },
  },
  'DELETE /api/game/:id': {
    'by a team that waits for review': {
      by: 'pending',
      rows: '-participations(game, team of pending, Pending) | -registrations(participation of team of pending, pending)',
      later: 'none',
      events: 'participation.changed game participation of team of pending pending',
      log: 'none',
      received: 'player: VexilGame participations | visitor: VexilGame participations',
      locks: 'solve_logs for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/game/:id/challenges/:cid': {
    'a wrong answer': {
      by: 'accepted',
      ask: answering('flag{wrong}'),
      rows: '+submissions(participation, challenge, WrongAnswer)',
      later: 'none',
      events: 'submission.judged game new null',
      log: 'Failed accepted: Wrong answer of team of accepted on challenge: flag{wrong}',
      received: 'monitor: ReceivedGameEvent FlagSubmit | monitor: ReceivedSubmissions WrongAnswer',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
    'the first right answer': {
      by: 'accepted',
      rows: '+notices(game, FirstBlood) | +solves(participation, challenge) | +submissions(participation, challenge, Accepted) | ~solve_logs(game).changed_at.head',
      later: 'none',
      events: 'notice.added game new | submission.judged game new 1',
      log: 'Success accepted: Correct answer of team of accepted on challenge: flag…',
      received:
        'monitor: ReceivedGameEvent FlagSubmit | monitor: ReceivedSubmissions Accepted | player: ReceivedGameNotice FirstBlood | visitor: ReceivedGameNotice FirstBlood',
      locks: 'none',
      shown: 'board',
      beside: 'none',
    },
    'a right answer again': {
      by: 'accepted',
      prepare: done('accepted', (caller, { scene }) => {
        const { url, body } = answering('flag{right}')(scene)
        return caller.post(url, body)
      }),
      rows: '+submissions(participation, challenge, Accepted)',
      later: 'none',
      events: 'submission.judged game new null',
      log: 'Success accepted: Correct answer of team of accepted on challenge: flag…',
      received: 'monitor: ReceivedGameEvent FlagSubmit | monitor: ReceivedSubmissions Accepted',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
    'a right answer after the end': {
      by: 'accepted',
      prepare: gameWith({ endsAt: new Date(Date.now() - 60_000) }),
      rows: '+solves(participation, challenge) | +submissions(participation, challenge, Accepted) | ~solve_logs(game).changed_at.head',
      later: 'none',
      events: 'submission.judged game new 1',
      log: 'Success accepted: Correct answer of team of accepted on challenge: flag…',
      received: 'monitor: ReceivedGameEvent FlagSubmit | monitor: ReceivedSubmissions Accepted',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
    'the flag of another team': {
      by: 'accepted',
      prepare: async ({ platform: { db }, scene }) => {
        await db.updateTable('challenges').set({ type: 'DynamicAttachment' }).where('id', '=', scene.challenge).execute()
        const team = await aTeam(db, { name: 'Owners' })
        const participationId = await aParticipation(db, scene.game, team)
        await db.insertInto('teamFlags').values({ participationId, challengeId: scene.challenge, flag: 'flag{theirs}' }).execute()
      },
      ask: answering('flag{theirs}'),
      rows: '+cheats(participation, participation of another team) | +submissions(participation, challenge, CheatDetected)',
      later: 'none',
      events: 'submission.judged game new null',
      log: 'Failed accepted: Wrong answer of team of accepted on challenge: flag… | Success accepted: Flag of Owners submitted by team of accepted on challenge: flag…',
      received:
        'monitor: ReceivedGameEvent CheatDetected | monitor: ReceivedGameEvent FlagSubmit | monitor: ReceivedSubmissions CheatDetected',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /api/game/:id/container/:cid': {
    'for the first time': {
      by: 'accepted',
      prepare: withPort,
      rows: '+containers(containerChallenge, participation, Running) | +game_events(ContainerStart)',
      later: 'none',
      events: 'event.recorded game new | instance.changed game containerChallenge participation',
      log: 'Success accepted: Started instance of containerChallenge (#containerChallenge) for team of accepted',
      received: 'monitor: ReceivedGameEvent ContainerStart | player: VexilInstances containerChallenge',
      locks: 'challenges for share | participations for no key update',
      shown: 'none',
      beside: 'engine create new',
    },
    'in the place of another': {
      by: 'accepted',
      prepare: all(
        settings({ 'ContainerPolicy:AutoDestroyOnLimitReached': true }),
        gameWith({ containerLimit: 1 }),
        withInstance,
        async ({ platform: { db }, scene }) => {
          const values = { type: 'StaticContainer', containerImage: 'echo:1', exposePort: 1337 } as const
          await db.updateTable('challenges').set(values).where('id', '=', scene.challenge).execute()
        },
      ),
      ask: (scene) => ({ url: `${ofGame(scene)}/container/${scene.challenge}` }),
      rows: '+containers(challenge, participation, Running) | +game_events(ContainerDestroy) | +game_events(ContainerStart) | ~containers(containerChallenge, participation, Ended).ended_at.ended_by.state',
      later: 'none',
      events:
        'event.recorded game new | event.recorded game new | instance.changed game challenge participation | instance.changed game containerChallenge participation',
      log: 'Success accepted: Destroyed instance of containerChallenge (#containerChallenge) of team of accepted to make room | Success accepted: Started instance of challenge (#challenge) for team of accepted',
      received:
        'monitor: ReceivedGameEvent ContainerDestroy | monitor: ReceivedGameEvent ContainerStart | player: VexilInstances challenge | player: VexilInstances containerChallenge',
      locks: 'challenges for share | participations for no key update',
      shown: 'none',
      beside: 'engine create new | engine destroy instance',
    },
  },
  'POST /api/game/:id/container/:cid/extend': {
    'of one that runs': {
      by: 'accepted',
      prepare: withInstance,
      rows: '~containers(containerChallenge, participation, Running).stops_at',
      later: 'none',
      events: 'instance.changed game containerChallenge participation',
      log: 'none',
      received: 'player: VexilInstances containerChallenge',
      locks: 'containers for no key update',
      shown: 'none',
      beside: 'none',
    },
  },
  'DELETE /api/game/:id/container/:cid': {
    'of one that runs': {
      by: 'accepted',
      prepare: withInstance,
      rows: '+game_events(ContainerDestroy) | ~containers(containerChallenge, participation, Ended).acted_at.ended_at.ended_by.state',
      later: 'none',
      events: 'event.recorded game new | instance.changed game containerChallenge participation',
      log: 'Success accepted: Destroyed instance of containerChallenge (#containerChallenge)',
      received: 'monitor: ReceivedGameEvent ContainerDestroy | player: VexilInstances containerChallenge',
      locks: 'containers for no key update',
      shown: 'none',
      beside: 'engine destroy instance',
    },
  },
  'POST /api/game/:id/writeup': {
    'for the first time': {
      by: 'accepted',
      rows: '+files(new) | +writeups(participation)',
      later: 'none',
      events: 'none',
      log: 'Success accepted: team of accepted submitted a writeup for game (#game)',
      received: 'none',
      locks: 'name of a file | participations for no key update',
      shown: 'none',
      beside: '+uploads new',
    },
    'in the place of another': {
      by: 'accepted',
      // The name contains the second of the upload, which may be the same for both.
      prepare: all(
        done('accepted', (caller, { scene }) => caller.upload('POST', `${ofGame(scene)}/writeup`, 'file', pdf('replaced'))),
        ({ platform }) => platform.db.updateTable('writeups').set({ fileName: 'earlier.pdf' }).execute(),
      ),
      rows: '+files(new) | +released_files | ~writeups(participation).file_hash.file_name.uploaded_at',
      later: 'none',
      events: 'none',
      log: 'Success accepted: team of accepted submitted a writeup for game (#game)',
      received: 'none',
      locks: 'name of a file | participations for no key update',
      shown: 'none',
      beside: '+uploads new',
    },
  },
  'DELETE /api/game/captures/:cid/:pid/all': {
    'of a team': {
      by: 'monitor',
      prepare: withCapture,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'Success monitor: Deleted captured traffic of participation #participation on challenge #containerChallenge',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: '-capture a.pcap | -capture b.pcap',
    },
  },
  'DELETE /api/game/captures/:cid/:pid/:file': {
    'of one file': {
      by: 'monitor',
      prepare: withCapture,
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'Success monitor: Deleted capture a.pcap of participation #participation on challenge #containerChallenge',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: '-capture a.pcap',
    },
  },

  // ---- hubs
  'POST /hub/user/negotiate': {
    'by a visitor': {
      by: 'anonymous',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /hub/site/negotiate': {
    'by a visitor': {
      by: 'anonymous',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /hub/monitor/negotiate': {
    'by a monitor': {
      by: 'monitor',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
  'POST /hub/admin/negotiate': {
    'by an administrator': {
      by: 'admin',
      rows: 'none',
      later: 'none',
      events: 'none',
      log: 'none',
      received: 'none',
      locks: 'none',
      shown: 'none',
      beside: 'none',
    },
  },
}

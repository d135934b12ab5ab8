/** A small competition with one person of every kind, for tests of all calls. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { hashPassword } from '../../src/accounts/passwords.ts'
import type { Deps } from '../../src/deps.ts'
import { storeFile } from '../../src/files/store-file.ts'
import type { Caller, TestPlatform } from '../platform.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './game.ts'

/** The order of the columns in the tables of these tests. */
export const people = [
  'anonymous',
  'banned',
  'outsider',
  'member',
  'captain',
  'pending',
  'accepted',
  'suspended',
  'monitor',
  'admin',
] as const
export type Person = (typeof people)[number]

export const scenePassword = 'long enough'

export interface Scene {
  /** Running, with practice mode and writeups. */
  readonly game: number
  /** Static, enabled, with the flag `flag{right}`. */
  readonly challenge: number
  readonly flag: number
  readonly containerChallenge: number
  /** The team of the captain and the member; it takes part in no game. */
  readonly team: number
  readonly invite: string
  /** The team of each person that has one. */
  readonly teamOf: Readonly<Partial<Record<Person, number>>>
  readonly participation: number
  readonly submission: number
  readonly notice: number
  readonly post: string
  /** A file that an upload keeps. */
  readonly file: string
  /** Account ids. `other` has no team. All passwords are `scenePassword`. */
  readonly account: Readonly<Record<Exclude<Person, 'anonymous'> | 'other', string>>
  readonly otherName: string
  /** A token that some game signed, and its key. */
  readonly signed: { readonly teamToken: string; readonly publicKey: string }
  as(person: Person): Promise<Caller>
}

let passwordHash: Promise<string> | undefined
let count = 0

type SceneDeps = Pick<TestPlatform, 'db' | 'as' | 'anyone'> & { readonly deps: Pick<Deps, 'db' | 'storage'> }

export async function aScene(platform: SceneDeps): Promise<Scene> {
  const { db } = platform
  passwordHash ??= hashPassword(scenePassword, 'test')
  const hash = await passwordHash
  const person = (role: 'Banned' | 'User' | 'Monitor' | 'Admin' = 'User') => anAccount(db, { role, passwordHash: hash })
  const [banned, outsider, member, captain, pending, accepted, suspended, monitor, admin, other] = await Promise.all([
    person('Banned'),
    person(),
    person(),
    person(),
    person(),
    person(),
    person(),
    person('Monitor'),
    person('Admin'),
    person(),
  ])
  const account = { banned, outsider, member, captain, pending, accepted, suspended, monitor, admin, other }
  const game = await aGame(db, { writeupRequired: true })
  const challenge = await aChallenge(db, game)
  const containerChallenge = await aChallenge(db, game, { type: 'StaticContainer', containerImage: 'image' })
  const free = await aTeam(db, { captain, members: [member] })
  const teams = await Promise.all([pending, accepted, suspended].map((of) => aTeam(db, { captain: of })))
  const [first, second, third] = teams as [(typeof teams)[0], (typeof teams)[0], (typeof teams)[0]]
  await aParticipation(db, game, first, { status: 'Pending' })
  const participation = await aParticipation(db, game, second)
  await aParticipation(db, game, third, { status: 'Suspended' })
  const submission = await db
    .insertInto('submissions')
    .values({
      gameId: game,
      participationId: participation,
      challengeId: challenge,
      accountId: accepted,
      answer: 'flag{wrong}',
      status: 'WrongAnswer',
      arrivedAt: new Date(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const notice = await db
    .insertInto('notices')
    .values({ gameId: game, type: 'Normal', values: ['Welcome'] })
    .returning('id')
    .executeTakeFirstOrThrow()
  const post = randomBytes(4).toString('hex')
  await db
    .insertInto('posts')
    .values({ id: post, title: `News-${post}`, authorId: admin })
    .execute()
  const file = await storeFile(platform.deps, Buffer.from(`file ${++count}`), { name: 'task.zip', max: 100, pinned: true })
  const flag = await db.selectFrom('flags').select('id').where('challengeId', '=', challenge).executeTakeFirstOrThrow()
  const { inviteToken, name } = await db
    .selectFrom('teams')
    .select(['inviteToken', 'name'])
    .where('id', '=', free.id)
    .executeTakeFirstOrThrow()
  const { userName } = await db.selectFrom('accounts').select('userName').where('id', '=', other).executeTakeFirstOrThrow()
  const pair = generateKeyPairSync('ed25519')
  const signature = sign(null, Buffer.from('GZCTF_TEAM_7'), pair.privateKey).toString('base64')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  return {
    game,
    challenge,
    flag: flag.id,
    containerChallenge,
    team: free.id,
    invite: `${name}:${free.id}:${inviteToken}`,
    teamOf: { member: free.id, captain: free.id, pending: first.id, accepted: second.id, suspended: third.id },
    participation,
    submission: submission.id,
    notice: notice.id,
    post,
    file: file.hash,
    account,
    otherName: userName,
    signed: { teamToken: `7:${signature}`, publicKey },
    as: async (who) => (who === 'anonymous' ? platform.anyone : platform.as(account[who])),
  }
}

/** Rows for tests; values that a test does not need have defaults. Times are relative to now: '-1h', '30m', '-5s'. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { nameKey } from '@vexil/core/names'
import type { ChallengeCategory, ChallengeType, ParticipationStatus, Role } from '@vexil/core/vocabulary'
import { type Insertable, sql } from 'kysely'
import type { DB } from '../../src/db/schema.ts'
import type { Db } from '../../src/db/transaction.ts'

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `at('-1h')` is an hour ago. */
export function at(relative: string): Date {
  const [, sign, amount, unit] = /^(-?)(\d+)([smhd])$/.exec(relative) ?? []
  return new Date(Date.now() + (sign ? -1 : 1) * Number(amount) * units[unit as keyof typeof units])
}

let count = 0
const next = () => `${++count}${randomBytes(2).toString('hex')}`

/** An active account; the password hash matches no password. Returns its id. */
export async function anAccount(db: Db, options: Partial<Insertable<DB['accounts']>> & { role?: Role } = {}): Promise<string> {
  const name = `u${next()}`
  const id = options.id ?? randomUUID()
  await db
    .insertInto('accounts')
    .values({
      id,
      userName: name,
      nameKey: nameKey(options.userName ?? name),
      email: `${name}@example.org`,
      passwordHash: 'none',
      active: true,
      ...options,
    })
    .execute()
  return id
}

/** A team of a captain and further members, and when they joined. */
export async function aTeam(
  db: Db,
  options: { captain?: string; members?: string[]; name?: string; joinedAt?: readonly Date[] } = {},
): Promise<{ id: number; captain: string; members: string[] }> {
  const captain = options.captain ?? (await anAccount(db))
  const members = [captain, ...(options.members ?? [])]
  const { id } = await db
    .insertInto('teams')
    .values({ name: options.name ?? `t${next()}`, captainId: captain, inviteToken: randomBytes(16).toString('hex') })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('teamMembers')
    .values(
      members.map((accountId, i) => ({ teamId: id, accountId, ...(options.joinedAt && { joinedAt: options.joinedAt[i] }) })),
    )
    .execute()
  return { id, captain, members }
}

/** A team of three in the order of their rows; lists by time, then by id, have the third first, then the second. */
export async function aShuffledTeam(db: Db): Promise<Awaited<ReturnType<typeof aTeam>> & { times: Date[]; listed: string[] }> {
  const [low, middle, high] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string]
  for (const id of [high, middle, low]) await anAccount(db, { id })
  const [before, later] = [at('-20m'), at('-10m')]
  const times = [later, later, before]
  const team = await aTeam(db, { captain: middle, members: [low, high], joinedAt: times })
  // With statistics the database reads these few rows without an index, which has them by id.
  await sql`analyze team_members`.execute(db)
  return { ...team, times, listed: [high, low, middle] }
}

/** A game; by default it is running. */
export async function aGame(
  db: Db,
  {
    starts = '-1h',
    ends = '1h',
    ...options
  }: Partial<Omit<Insertable<DB['games']>, 'startsAt' | 'endsAt'>> & { starts?: string; ends?: string } = {},
): Promise<number> {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const privateKey = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('base64')
  const { id } = await db
    .insertInto('games')
    .values({
      title: `g${next()}`,
      startsAt: at(starts),
      endsAt: at(ends),
      writeupDeadline: at(ends),
      publicKey,
      privateKey,
      ...options,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** An enabled static challenge; its flag is `flag{right}` by default. */
export async function aChallenge(
  db: Db,
  gameId: number,
  {
    flags = ['flag{right}'],
    ...options
  }: Partial<Insertable<DB['challenges']>> & { type?: ChallengeType; category?: ChallengeCategory; flags?: string[] } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('challenges')
    .values({ gameId, title: `c${next()}`, type: 'StaticAttachment', enabled: true, enabledAt: new Date(), ...options })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (flags.length > 0) {
    await db
      .insertInto('flags')
      .values(flags.map((flag) => ({ challengeId: id, flag })))
      .execute()
  }
  return id
}

/** A participation with all members of the team registered. By default it is made before the end (`madeAt`). */
export async function aParticipation(
  db: Db,
  gameId: number,
  team: { id: number; members: string[] },
  options: { status?: ParticipationStatus; division?: string | null; madeAt?: string; registeredAt?: readonly Date[] } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('participations')
    .values({
      gameId,
      teamId: team.id,
      status: options.status ?? 'Accepted',
      division: options.division ?? null,
      token: `${team.id}:signature`,
      createdAt: at(options.madeAt ?? '-30m'),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (team.members.length > 0) {
    await db
      .insertInto('registrations')
      .values(
        team.members.map((accountId, i) => ({
          ...{ participationId: id, accountId, teamId: team.id, gameId },
          ...(options.registeredAt && { registeredAt: options.registeredAt[i] }),
        })),
      )
      .execute()
  }
  return id
}

/** A solve with its submission, at the next number of the log; `arrived` is when the answer arrived. */
export async function aSolve(
  db: Db,
  at: { gameId: number; participation: number; challenge: number; account?: string; arrived: Date },
): Promise<number> {
  const { gameId, participation: participationId, challenge: challengeId, account: accountId = null, arrived: arrivedAt } = at
  const submission = await db
    .insertInto('submissions')
    .values({ gameId, participationId, challengeId, accountId, answer: 'flag{right}', status: 'Accepted', arrivedAt })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { head: number } = await db
    .updateTable('solveLogs')
    .set((is) => ({ head: is('head', '+', 1) }))
    .where('gameId', '=', gameId)
    .returning('head')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('solves')
    .values({
      gameId,
      number,
      participationId,
      challengeId,
      accountId,
      submissionId: submission.id,
      arrivedAt,
      shownAt: arrivedAt,
    })
    .execute()
  return number
}

/** A stored file's row, without bytes. Returns its hash. */
export async function aFile(db: Db, options: Partial<Insertable<DB['files']>> = {}): Promise<string> {
  const { hash } = await db
    .insertInto('files')
    .values({ hash: randomBytes(32).toString('hex'), name: 'task.zip', type: 'application/zip', size: 42, ...options })
    .returning('hash')
    .executeTakeFirstOrThrow()
  return hash
}

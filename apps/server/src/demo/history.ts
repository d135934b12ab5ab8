/** Writes the history of the demo: people, teams, registrations, and all answers through the function that also stores real ones. */

import { randomBytes } from 'node:crypto'
import { hasAttachmentPerFlag } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { insertAccount } from '../accounts/accounts.queries.ts'
import type { Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { signTeamToken } from '../games/game-keys.ts'
import { newInviteToken } from '../teams/create-team.ts'
import { copiedTeam, copyingTeam, type DemoTeam, demoTeams, doorTeams } from './cast.ts'
import { type DemoTimes, withDemoFiles } from './game.ts'
import { type PlannedAnswer, planAnswers } from './plan.ts'
import { seededRandom } from './random.ts'
import { allDemoChallenges, quickChallenge } from './text-challenges.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export interface Seeded {
  readonly gameId: number
  readonly teams: readonly DemoTeam[]
  /** By index in allDemoChallenges. */
  readonly challengeIds: readonly number[]
  /** The challenge that is not open yet; null if all are. */
  readonly closed: number | null
  /** `team challenge` of all solves, as indexes. */
  readonly solved: Set<string>
}

/** No team has solved it when the demo starts; a first blood follows soon. */
export const reserved = 'Winding Stairs'

export interface SeedOptions {
  readonly seed: number
  /** For all players; hashed once, because only the visitor needs it. */
  readonly passwordHash: string
  /** For simulated players one challenge stays closed, and the history ends now. Without them it is the same at each start: three hours of the game. */
  readonly withPlayers: boolean
}

/** The challenge that may stay closed, and the minutes after which later challenges opened. */
const kept = '読まれない航路'
const later: Readonly<Record<string, number>> = { 'Foghorn UART': 45, 'Last Packets': 80, [kept]: 125 }

/** Creates the game, which started three hours ago and ends in twenty. */
export async function seedDemo(deps: Pick<Deps, 'db' | 'storage' | 'secrets' | 'bus'>, options: SeedOptions): Promise<Seeded> {
  const seeded = await withDemoFiles(deps, (tx, makeGame) => write(tx, deps, makeGame, options), allDemoChallenges)
  deps.bus.publish('game.changed', { gameId: seeded.gameId })
  return seeded
}

async function write(
  tx: Tx,
  deps: Pick<Deps, 'secrets'>,
  makeGame: (times: DemoTimes) => Promise<number>,
  { seed, passwordHash, withPlayers }: SeedOptions,
): Promise<Seeded> {
  const { rows } = await sql<{ now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`.execute(tx)
  const now = rows[0]!.now.getTime()
  const startsAt = Math.floor((now - 3 * hour) / (15 * minute)) * 15 * minute
  const until = withPlayers ? now : startsAt + 3 * hour
  const random = seededRandom(seed)
  const { teams, door } = demoTeams(seed)
  const gameId = await makeGame({ startsAt: new Date(startsAt), endsAt: new Date(startsAt + 23 * hour) })
  await tx.updateTable('games').set({ hidden: false }).where('id', '=', gameId).execute()
  const { privateKey } = await tx.selectFrom('games').select('privateKey').where('id', '=', gameId).executeTakeFirstOrThrow()

  const challenges = await tx.selectFrom('challenges').select(['id', 'title']).where('gameId', '=', gameId).execute()
  const challengeIds = allDemoChallenges.map(({ title }) => challenges.find((row) => row.title === title)!.id)
  const openedAt = allDemoChallenges.map(({ title }) => {
    if (withPlayers && title === kept) return null
    return title in later ? startsAt + later[title]! * minute : startsAt
  })
  for (const [place, at] of openedAt.entries()) {
    const change = at === null ? { enabled: false } : { enabledAt: new Date(at) }
    await tx.updateTable('challenges').set(change).where('id', '=', challengeIds[place]!).execute()
  }

  const joins: Joined[] = []
  for (const [place, team] of teams.entries()) {
    const since = startsAt - random.between(0.05, 6) * day
    joins.push(await join(tx, { gameId, privateKey, deps, passwordHash, team, since, status: 'Accepted', random, place }))
  }
  for (const [place, { name, bio, status }] of doorTeams.entries()) {
    const team: DemoTeam = { name, bio, division: 'Open', members: [door[place]!], strength: 0 }
    // The last member enters the game 29 minutes later.
    const since = until - (30 + (doorTeams.length - 1 - place) * 17) * minute
    await join(tx, { gameId, privateKey, deps, passwordHash, team, since, status, random, place: teams.length + place })
  }

  const flags = await assignFiles(tx, joins, challengeIds, startsAt)
  await insertNotices(tx, gameId, { startsAt, until, openedAt })
  const solved = new Set<string>()
  const answers = pastAnswers(random, teams, { startsAt, until: until - minute, openedAt, solved })
  await answer(tx, { gameId, now, until, joins, challengeIds, flags, answers })
  return { gameId, teams, challengeIds, closed: withPlayers ? challengeIds[openedAt.indexOf(null)]! : null, solved }
}

interface Past {
  readonly startsAt: number
  readonly until: number
  readonly openedAt: readonly (number | null)[]
  readonly solved: Set<string>
}

/** The answers of the past three hours; `solved` has their solves afterwards. */
export function pastAnswers(
  random: ReturnType<typeof seededRandom>,
  teams: readonly DemoTeam[],
  { startsAt, until, openedAt, solved }: Past,
): PlannedAnswer[] {
  const inPast = openedAt.map((at, place) => (allDemoChallenges[place]!.title === reserved ? null : at))
  const answers: PlannedAnswer[] = []
  for (const one of planAnswers(random, teams, { from: startsAt, openedAt: inPast, solved: new Set() })) {
    if (one.at >= until) break
    answers.push(one)
    if (one.wrong === null) solved.add(`${one.team} ${one.challenge}`)
  }
  return answers
}

interface Joined {
  readonly participationId: number
  readonly accounts: readonly string[]
  readonly team: DemoTeam
}

interface Join {
  readonly gameId: number
  readonly privateKey: string
  readonly deps: Pick<Deps, 'secrets'>
  readonly passwordHash: string
  readonly team: DemoTeam
  readonly since: number
  readonly status: 'Accepted' | 'Pending' | 'Rejected'
  readonly random: ReturnType<typeof seededRandom>
  readonly place: number
}

async function join(
  tx: Tx,
  { gameId, privateKey, deps, passwordHash, team, since, status, random, place }: Join,
): Promise<Joined> {
  const at = (minutes: number) => new Date(since + minutes * minute)
  const accounts: string[] = []
  for (const [number, userName] of team.members.entries()) {
    const email = `${userName.replaceAll('.', '-')}@example.org`
    const lastIp = `203.0.113.${1 + ((place * 4 + number) % 250)}`
    const id = await insertAccount(tx, { userName, email, passwordHash, active: true, lastIp })
    await tx
      .updateTable('accounts')
      .set({ registeredAt: at(number) })
      .where('id', '=', id)
      .execute()
    accounts.push(id)
  }
  const { id: teamId } = await tx
    .insertInto('teams')
    .values({
      name: team.name,
      bio: team.bio || null,
      captainId: accounts[0]!,
      inviteToken: newInviteToken(),
      locked: status === 'Accepted',
      createdAt: at(10),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('teamMembers')
    .values(accounts.map((accountId, number) => ({ teamId, accountId, joinedAt: at(10 + number) })))
    .execute()
  const { id: participationId } = await tx
    .insertInto('participations')
    .values({
      gameId,
      teamId,
      status,
      division: team.division,
      token: signTeamToken(privateKey, deps.secrets.key, teamId),
      createdAt: at(15 + random.below(10)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('registrations')
    .values(accounts.map((accountId, number) => ({ participationId, accountId, teamId, gameId, registeredAt: at(26 + number) })))
    .execute()
  return { participationId, accounts, team }
}

/** Assigns every team its files of the dynamic challenges. Returns flags by challenge and participation. */
async function assignFiles(
  tx: Tx,
  joins: readonly Joined[],
  challengeIds: readonly number[],
  startsAt: number,
): Promise<Map<string, string>> {
  const taken = new Map<string, string>()
  for (const [place, { type }] of allDemoChallenges.entries()) {
    if (!hasAttachmentPerFlag(type)) continue
    const challengeId = challengeIds[place]!
    const rows = await tx
      .selectFrom('flags')
      .select(['id', 'flag'])
      .where('challengeId', '=', challengeId)
      .orderBy('id')
      .execute()
    const openedAt = new Date(startsAt + 2 * minute)
    const assigned = joins.map(({ participationId }, at) => ({
      participationId,
      challengeId,
      flag: rows[at]!.flag,
      flagId: rows[at]!.id,
      openedAt,
    }))
    await tx.insertInto('teamFlags').values(assigned).execute()
    await tx
      .updateTable('flags')
      .set({ takenAt: openedAt })
      .where(
        'id',
        'in',
        assigned.map(({ flagId }) => flagId),
      )
      .execute()
    for (const { participationId, flag } of assigned) taken.set(`${challengeId} ${participationId}`, flag)
  }
  return taken
}

async function insertNotices(
  tx: Tx,
  gameId: number,
  { startsAt, until, openedAt }: { startsAt: number; until: number; openedAt: readonly (number | null)[] },
): Promise<void> {
  const noticeAt = (minutes: number, type: string, text: string) => ({
    gameId,
    type,
    values: [text],
    createdAt: new Date(startsAt + minutes * minute),
  })
  await tx
    .insertInto('notices')
    .values([
      noticeAt(1, 'Normal', `Good morning, and fair winds to all teams. **${quickChallenge}** takes a minute.`),
      ...allDemoChallenges.flatMap(({ title }, place) => {
        const at = openedAt[place]
        return at && at > startsAt ? [noticeAt((at - startsAt) / minute, 'NewChallenge', title)] : []
      }),
      noticeAt(68, 'NewHint', 'Two Keepers'),
      noticeAt(104, 'Normal', 'Clarification: `time` in **Shortest Strait** counts the first and the last square.'),
      noticeAt(141, 'NewHint', 'Foghorn UART'),
      noticeAt((until - startsAt) / minute - 24, 'Normal', 'Tea is ready in the boat shed. The scoreboard keeps running.'),
    ])
    .execute()
}

interface Answers {
  readonly gameId: number
  readonly now: number
  readonly until: number
  readonly joins: readonly Joined[]
  readonly challengeIds: readonly number[]
  readonly flags: ReadonlyMap<string, string>
  readonly answers: readonly PlannedAnswer[]
}

/** Stores all answers by time through `record_attempts`, which assigns numbers, bloods and cheats. */
async function answer(tx: Tx, { gameId, now, until, joins, challengeIds, flags, answers }: Answers): Promise<void> {
  const rope = allDemoChallenges.findIndex(({ type }) => hasAttachmentPerFlag(type))
  const flagOf = (challenge: number, team: number) =>
    flags.get(`${challengeIds[challenge]} ${joins[team]!.participationId}`) ?? allDemoChallenges[challenge]!.flags[0]!
  const placeOf = (name: string) => joins.findIndex(({ team }) => team.name === name)
  const copied = {
    at: until - 38 * minute,
    team: placeOf(copyingTeam),
    member: 0,
    challenge: rope,
    wrong: flagOf(rope, placeOf(copiedTeam)),
  }
  const all = [...answers, copied].sort((a, b) => a.at - b.at)
  const { epoch } = await tx.selectFrom('solveLogs').select('epoch').where('gameId', '=', gameId).executeTakeFirstOrThrow()
  const { rows } = await sql<{ outcome: string }>`
    select outcome from record_attempts(
      ${gameId}::int, ${all.map(() => epoch)}::bigint[],
      ${all.map(({ team }) => joins[team]!.participationId)}::int[], ${all.map(({ challenge }) => challengeIds[challenge]!)}::int[],
      ${all.map(({ team, member }) => joins[team]!.accounts[member]!)}::uuid[],
      ${all.map(({ team, challenge, wrong }) => wrong ?? flagOf(challenge, team))}::text[],
      ${all.map(({ wrong }) => (wrong === null ? 'Accepted' : 'WrongAnswer'))}::text[],
      ${all.map(({ at }) => (now - at) / 1000)}::float8[], ${all.map(() => null)}::text[]
    )`.execute(tx)
  const refused = rows.find(({ outcome }) => outcome !== 'ok')
  if (refused) throw new Error(`An answer of the demo was not taken: ${refused.outcome}`)
  // The function uses the time of its call, so the notices are moved to the time of the solves.
  await sql`
    update notices n set created_at = s.shown_at
    from solves s
    join participations p on p.id = s.participation_id
    join teams t on t.id = p.team_id
    join challenges c on c.id = s.challenge_id
    where n.game_id = ${gameId} and n.values = array[t.name, c.title]`.execute(tx)
  await sql`update cheats x set detected_at = s.arrived_at from submissions s where s.id = x.submission_id`.execute(tx)
}

export const newPassword = (): string =>
  randomBytes(6)
    .toString('hex')
    .replace(/(.{4})(?!$)/g, '$1-')

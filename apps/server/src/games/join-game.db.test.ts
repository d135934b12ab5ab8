import { participationStatuses } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settledBoard } from '../../test/board.ts'
import {
  aChallenge,
  aFile,
  aGame,
  anAccount,
  aParticipation,
  aShuffledTeam,
  aSolve,
  aTeam,
  at,
} from '../../test/builders/game.ts'
import { listenAt } from '../../test/hub.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { startSession } from '../accounts/sessions.ts'
import { lockLogs } from '../db/lock-logs.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { cookieName } from '../http/session-cookie.ts'

let platform: TestPlatform
let admin: Caller
let adminId: string
beforeAll(async () => {
  platform = await startTestPlatform()
  adminId = await anAccount(platform.db, { role: 'Admin', userName: 'Organiser' })
  admin = await platform.as(adminId)
})
const lastLogged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow()
}
afterAll(() => platform.stop())

const statusOf = async (call: Caller, game: number) => (await call.get(`/api/game/${game}`)).body.status
const participationOf = (game: number, team: number) =>
  platform.db.selectFrom('participations').selectAll().where('gameId', '=', game).where('teamId', '=', team).executeTakeFirst()
const join = (call: Caller, game: number, teamId: number, more: object = {}) =>
  call.post(`/api/game/${game}`, { teamId, ...more })
const review = (participation: number | undefined, status: string) =>
  admin.put(`/api/admin/participation/${participation}/${status}`)
const get = (url: string) => platform.anyone.get(url)

async function aSquad(mates = 0) {
  const members = await Promise.all(Array.from({ length: mates }, () => anAccount(platform.db)))
  const team = await aTeam(platform.db, { members })
  const calls = await Promise.all(team.members.map((id) => platform.as(id)))
  return { ...team, call: calls[0] as Caller, calls }
}

test('P4.1 P1.4 P7.69 a joining team goes from Unsubmitted to Pending', async () => {
  const game = await aGame(platform.db)
  const team = await aSquad()
  expect(await statusOf(team.call, game)).toBe('Unsubmitted')
  expect(await join(team.call, game, team.id)).toMatchObject({ status: 200, body: '' })
  expect(await statusOf(team.call, game)).toBe('Pending')
  const [{ title }, { name }, { userName }] = await Promise.all([
    platform.db.selectFrom('games').select('title').where('id', '=', game).executeTakeFirstOrThrow(),
    platform.db.selectFrom('teams').select('name').where('id', '=', team.id).executeTakeFirstOrThrow(),
    platform.db.selectFrom('accounts').select('userName').where('id', '=', team.captain).executeTakeFirstOrThrow(),
  ])
  const entry = { status: 'Success', name: userName, ip: '127.0.0.1', message: `Joined ${title} for team ${name}` }
  expect(await lastLogged()).toMatchObject(entry)
  expect((await participationOf(game, team.id))?.token).toMatch(new RegExp(`^${team.id}:[A-Za-z0-9+/]{86}==$`))
})

test('P7.69 P5.5 P5.6 P5.7 the checks for joining run in order', async () => {
  const rules = { inviteCode: 'Code', divisions: ['North'], memberLimit: 1, practiceMode: false }
  const game = await aGame(platform.db, rules)
  const over = await aGame(platform.db, { ...rules, starts: '-2h', ends: '-1h' })
  const [team, other] = [await aSquad(1), await aSquad()]
  const outsider = await platform.as(await anAccount(platform.db))
  const code = async (call: Caller, to: number, teamId: number, more: object = {}) => {
    const { status, error } = await join(call, to, teamId, more)
    return [status, error.status, error.code]
  }
  const entry = { inviteCode: 'Code', organization: 'North' }
  expect(await code(outsider, 999_999, 999_999)).toEqual([404, 404, 'game.not_found'])
  expect(await code(outsider, over, 999_999)).toEqual([400, 10002, 'game.ended'])
  for (const inviteCode of [undefined, null, '', 'code', 'Code '])
    expect(await code(outsider, game, 999_999, { inviteCode })).toEqual([400, 400, 'game.invite_code_wrong'])
  for (const organization of [undefined, null, '', 'north', 'South'])
    expect(await code(outsider, game, 999_999, { inviteCode: 'Code', organization })).toEqual([400, 400, 'game.division_unknown'])
  expect(await code(outsider, game, 999_999, entry)).toEqual([404, 404, 'team.not_found'])
  expect(await code(outsider, game, team.id, entry)).toEqual([400, 400, 'team.not_member'])
  expect((await join(team.call, game, team.id, entry)).status).toBe(200)
  expect(await code(team.call, game, team.id, entry)).toEqual([400, 400, 'participation.already_joined'])
  expect(await code(team.calls[1] as Caller, game, team.id, entry)).toEqual([400, 400, 'participation.member_limit'])
  expect((await join(other.call, game, other.id, entry)).status).toBe(200)
  expect((await platform.anyone.post(`/api/game/${game}`, {})).status).toBe(401)
  expect((await outsider.post(`/api/game/${game}`, {})).error.code).toBe('request.invalid')
})

test('P4.4 a user can join a game with one team only, even as a member of several teams', async () => {
  const game = await aGame(platform.db)
  const team = await aSquad(1)
  const second = await aTeam(platform.db, { members: [team.members[1] as string] })
  const mate = team.calls[1] as Caller
  await join(mate, game, team.id)
  expect((await join(mate, game, second.id)).error.code).toBe('participation.already_joined')
  await review((await participationOf(game, team.id))?.id, 'Rejected')
  expect((await join(mate, game, second.id)).status).toBe(200)
  // The first team has no members left, and no submission.
  expect(await participationOf(game, team.id)).toBeUndefined()
})

test('P3.11 P5.24 a limit of two refuses the third member, 0 is unlimited', async () => {
  const [two, none] = [await aGame(platform.db, { memberLimit: 2 }), await aGame(platform.db, { memberLimit: 0 })]
  const team = await aSquad(2)
  const statuses = async (game: number) => {
    const answers = []
    for (const call of team.calls) answers.push((await join(call, game, team.id)).error.code ?? 200)
    return answers
  }
  expect(await statuses(two)).toEqual([200, 200, 'participation.member_limit'])
  expect(await statuses(none)).toEqual([200, 200, 200])
  expect((await team.call.get(`/api/game/${none}`)).body.registered).toEqual({ [team.id]: 3 })
})

test('P3.15 P4.6 P3.33 without review a team is accepted and locked at once', async () => {
  const game = await aGame(platform.db, { acceptWithoutReview: true })
  const [team, neighbour] = [await aSquad(1), await aSquad()]
  const locked = async (id: number) =>
    (await platform.db.selectFrom('teams').select('locked').where('id', '=', id).executeTakeFirst())?.locked
  await join(team.call, game, team.id)
  expect(await statusOf(team.call, game)).toBe('Accepted')
  expect([await locked(team.id), await locked(neighbour.id)]).toEqual([true, false])
  expect((await settledBoard({ db: platform.db, get }, game)).items.map(({ id }) => id)).toEqual([team.id])
  await platform.db.updateTable('teams').set({ locked: false }).where('id', '=', team.id).execute()
  expect((await join(team.calls[1] as Caller, game, team.id)).status).toBe(200)
  expect(await statusOf(team.calls[1] as Caller, game)).toBe('Accepted')
  // Only becoming accepted locks a team; an organiser unlocked this one.
  expect(await locked(team.id)).toBe(false)
})

/** Joins while another transaction locks the log of the game; commits that transaction when the join waits for it. */
async function joinBehind(game: number, call: Caller, teamId: number, meanwhile: (tx: Tx) => Promise<unknown>) {
  const tx = await platform.db.startTransaction().execute()
  await lockLogs(tx, { gameId: game })
  const answer = join(call, game, teamId)
  await expect.poll(() => waitingForLock('join_game')).toBe(1)
  await meanwhile(tx)
  await tx.commit().execute()
  return answer
}
const waitingForLock = async (text: string) =>
  (
    await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${text}%`}`.execute(platform.db)
  ).rows[0]?.waiting

test('a join that waits for the log of its game uses the state after the wait', async () => {
  const team = await aSquad()
  const game = await aGame(platform.db, { acceptWithoutReview: true })
  const set = (values: object) => (db: Db | Tx) => db.updateTable('games').set(values).where('id', '=', game).execute()
  const ended = await joinBehind(game, team.call, team.id, set({ endsAt: at('-1s'), practiceMode: false }))
  expect(ended).toMatchObject({ status: 400, error: { code: 'game.ended' } })
  expect(await participationOf(game, team.id)).toBeUndefined()

  await set({ endsAt: at('1h') })(platform.db)
  const reserved = await joinBehind(game, team.call, team.id, set({ divisions: ['North'] }))
  expect(reserved.error.code).toBe('game.division_unknown')
  await set({ divisions: [] })(platform.db)
  const pending = await joinBehind(game, team.call, team.id, set({ acceptWithoutReview: false }))
  expect(pending.status).toBe(200)
  expect((await participationOf(game, team.id))?.status).toBe('Pending')
})

test('a join that waits past the end of its game is refused', async () => {
  const team = await aSquad()
  const game = await aGame(platform.db, { ends: '5s', practiceMode: false })
  const late = await joinBehind(game, team.call, team.id, async (tx) => {
    await sql`select pg_sleep(greatest(0.05, extract(epoch from ends_at - clock_timestamp()) + 0.05)) from games where id = ${game}`.execute(
      tx,
    )
  })
  expect(late).toMatchObject({ status: 400, error: { code: 'game.ended' } })
  expect(await participationOf(game, team.id)).toBeUndefined()
})

test('joining, leaving and a review are published only for their game: to its team at once, to others not each time', async () => {
  const [game, beside] = [await aGame(platform.db), await aGame(platform.db)]
  const team = await aSquad(1)
  const cookie = `${cookieName}=${await startSession(platform.db, team.captain)}`
  const [listener, visitor, other] = [
    await listenAt(platform, `/hub/user?game=${game}`, { cookie }),
    await listenAt(platform, `/hub/user?game=${game}`),
    await listenAt(platform, `/hub/user?game=${beside}`, { cookie }),
  ]
  const [captain, mate] = team.calls as [Caller, Caller]
  const steps = [
    () => join(captain, game, team.id),
    () => join(mate, game, team.id),
    async () => review((await participationOf(game, team.id))?.id, 'Rejected'),
    () => mate.delete(`/api/game/${game}`),
  ]
  for (const step of steps) {
    listener.received.length = 0
    expect((await step()).status).toBe(200)
    expect((await listener.until('VexilGame')).argument).toEqual({ gameId: game, what: 'participations' })
  }
  listener.received.length = 0
  await admin.put(`/api/edit/games/${game}`, { title: 'Told' })
  for (const one of [listener, visitor])
    expect((await one.until('VexilGame', ({ what }) => what === 'game')).argument).toEqual({ gameId: game, what: 'game' })
  expect(visitor.received.filter(({ argument }) => argument.what === 'participations').length).toBeLessThan(steps.length)
  expect(other.received).toEqual([])
  for (const one of [listener, visitor, other]) one.close()
})

test('P4.2 review opens or refuses the challenges; P4.6 an accepted team is locked', async () => {
  const game = await aGame(platform.db)
  await aChallenge(platform.db, game)
  const [good, bad] = [await aSquad(), await aSquad()]
  const waiting = await aSquad()
  for (const { call, id } of [good, bad, waiting]) await join(call, game, id)
  expect((await good.call.get(`/api/game/${game}/details`)).error.code).toBe('participation.not_accepted')
  expect(await review((await participationOf(game, good.id))?.id, 'Accepted')).toMatchObject({ status: 200, body: '' })
  await review((await participationOf(game, bad.id))?.id, 'Rejected')
  expect((await good.call.get(`/api/game/${game}/details`)).body.challengeCount).toBe(1)
  expect(await lastLogged()).toMatchObject({
    status: 'Success',
    name: 'Organiser',
    message: expect.stringMatching(/^Set participation of t\w+ \(#\d+\) to Rejected$/),
  })
  expect([await statusOf(bad.call, game), await statusOf(waiting.call, game)]).toEqual(['Rejected', 'Pending'])
  expect(await bad.call.get(`/api/game/${game}/details`)).toMatchObject({
    status: 400,
    error: { code: 'participation.not_accepted' },
  })
  const locks = await platform.db
    .selectFrom('teams')
    .select('locked')
    .where('id', 'in', [good.id, bad.id])
    .orderBy('id')
    .execute()
  expect(locks.map(({ locked }) => locked)).toEqual([true, false])
  // Accepting it again locks a team that an organiser unlocked.
  await admin.put(`/api/admin/teams/${good.id}`, { locked: false })
  await review((await participationOf(game, good.id))?.id, 'Accepted')
  expect((await platform.anyone.get(`/api/team/${good.id}`)).body.locked).toBe(true)
})

test('P4.7 P4.8 members of a locked team cannot leave while the game runs, but can after its end or a rejection', async () => {
  const game = await aGame(platform.db, { acceptWithoutReview: true })
  const team = await aSquad(3)
  for (const call of team.calls) await join(call, game, team.id)
  const kick = (member: number) => team.call.post(`/api/team/${team.id}/kick/${team.members[member]}`)
  const leave = (member: number) => (team.calls[member] as Caller).post(`/api/team/${team.id}/leave`)
  const code = async (answer: Promise<{ error: { code?: string } }>) => (await answer).error.code
  const transfer = team.call.put(`/api/team/${team.id}/transfer`, { newCaptainId: team.members[1] })
  for (const refused of [kick(1), leave(1), transfer, team.call.delete(`/api/team/${team.id}`)])
    expect(await code(refused)).toBe('team.locked')
  await review((await participationOf(game, team.id))?.id, 'Rejected')
  expect((await kick(1)).status).toBe(200)
  await review((await participationOf(game, team.id))?.id, 'Accepted')
  expect(await code(kick(2))).toBe('team.locked')
  await platform.db
    .updateTable('games')
    .set({ endsAt: at('-1s') })
    .where('id', '=', game)
    .execute()
  expect((await kick(2)).status).toBe(200)
})

test('P4.5 P7.38 every change of status is permitted; each status is shown, and only Accepted can play', async () => {
  const game = await aGame(platform.db)
  const team = await aSquad()
  const participation = await aParticipation(platform.db, game, team, { status: 'Pending' })
  for (const from of participationStatuses)
    for (const to of participationStatuses) {
      await review(participation, from)
      expect(await review(participation, to)).toMatchObject({ status: 200, body: '' })
      expect(await statusOf(team.call, game)).toBe(to)
      expect((await team.call.get(`/api/game/${game}/details`)).status).toBe(to === 'Accepted' ? 200 : 400)
      const listed = (await settledBoard({ db: platform.db, get }, game)).items.length
      expect([to, listed]).toEqual([to, to === 'Accepted' ? 1 : 0])
    }
  expect((await review(participation, 'accepted')).status).toBe(200)
  expect((await review(participation, '2')).status).toBe(200)
  expect(await statusOf(team.call, game)).toBe('Rejected')
  for (const word of ['Banned', '9'])
    expect(await review(participation, word)).toMatchObject({ status: 400, error: { code: 'participation.status_unknown' } })
  expect(await review(999_999, 'Accepted')).toMatchObject({ status: 404, error: { code: 'participation.not_found' } })
  expect((await team.call.put(`/api/admin/participation/${participation}/Accepted`)).status).toBe(403)
})

test('P4.5 P4.4 P7.38 a rejected team and one reset to Unsubmitted can apply again; a suspended one accepts no further member', async () => {
  const game = await aGame(platform.db, { acceptWithoutReview: false })
  const team = await aSquad(1)
  const participation = await aParticipation(platform.db, game, { id: team.id, members: [team.captain] }, { status: 'Rejected' })
  const neighbour = await aSquad()
  await aParticipation(platform.db, game, neighbour)
  expect((await join(team.call, game, team.id)).status).toBe(200)
  expect([await statusOf(team.call, game), await statusOf(neighbour.call, game)]).toEqual(['Pending', 'Accepted'])
  expect((await participationOf(game, team.id))?.id).toBe(participation)
  await review(participation, 'Unsubmitted')
  expect((await join(team.call, game, team.id)).status).toBe(200)
  await platform.db.updateTable('games').set({ acceptWithoutReview: true }).where('id', '=', game).execute()
  await review(participation, 'Suspended')
  expect((await join(team.calls[1] as Caller, game, team.id)).error.code).toBe('participation.suspended')
  expect(await statusOf(team.call, game)).toBe('Suspended')
})

test('P4.4 members of a rejected team who concurrently apply again join together, with or without a concurrent review', async () => {
  for (const word of ['Accepted', 'Rejected', null]) {
    const game = await aGame(platform.db)
    const team = await aSquad(2)
    const participation = await aParticipation(platform.db, game, team, { status: 'Rejected' })
    const answers = await Promise.all([
      ...team.calls.map((call) => join(call, game, team.id)),
      ...(word ? [review(participation, word)] : []),
    ])
    for (const { status, error } of answers) expect([200, 400], JSON.stringify(error)).toContain(status)
    const found = await platform.db.selectFrom('participations').select(['id', 'status']).where('gameId', '=', game).execute()
    expect(found.map(({ id }) => id)).toEqual([participation])
    const members = await platform.db
      .selectFrom('registrations')
      .select('accountId')
      .where('participationId', '=', participation)
      .execute()
    expect(members).toHaveLength(3)
    if (word === null) expect(found[0]?.status).toBe('Pending')
  }
})

test('P4.10 P4.9 a member who leaves or is removed leaves the team’s games; the last one deletes the participation, unless it has submissions', async () => {
  const ends = {
    leaves: (team: Awaited<ReturnType<typeof aSquad>>) => (team.calls[1] as Caller).post(`/api/team/${team.id}/leave`),
    kicked: (team: Awaited<ReturnType<typeof aSquad>>) => team.call.post(`/api/team/${team.id}/kick/${team.members[1]}`),
  }
  for (const end of Object.values(ends)) {
    const [plain, played] = [await aGame(platform.db), await aGame(platform.db)]
    const challenge = await aChallenge(platform.db, played)
    const team = await aSquad(1)
    const mate = [team.members[1] as string]
    await aParticipation(platform.db, plain, { id: team.id, members: mate }, { status: 'Pending' })
    const kept = await aParticipation(platform.db, played, { id: team.id, members: mate })
    await aSolve(platform.db, { gameId: played, participation: kept, challenge, account: mate[0], arrived: at('-1m') })
    await admin.put(`/api/admin/teams/${team.id}`, { locked: true })
    expect((await end(team)).error.code).toBe('team.locked')
    await admin.put(`/api/admin/teams/${team.id}`, { locked: false })
    expect((await end(team)).status).toBe(200)
    expect(await participationOf(plain, team.id)).toBeUndefined()
    expect(await participationOf(played, team.id)).toMatchObject({ id: kept, status: 'Accepted' })
    expect(await platform.db.selectFrom('registrations').select('gameId').where('teamId', '=', team.id).execute()).toEqual([])
  }
})

test('P3.35 the latest joiner sets the division until the team is accepted, then a different one is refused', async () => {
  const game = await aGame(platform.db, { divisions: ['North', 'South'] })
  const team = await aSquad(2)
  const [first, second, third] = team.calls as [Caller, Caller, Caller]
  await join(first, game, team.id, { organization: 'North' })
  await join(second, game, team.id, { organization: 'South' })
  expect((await first.get(`/api/game/${game}`)).body.organization).toBe('South')
  await review((await participationOf(game, team.id))?.id, 'Accepted')
  expect((await join(third, game, team.id, { organization: 'North' })).error.code).toBe('participation.division_fixed')
  expect((await join(third, game, team.id, { organization: 'South' })).status).toBe(200)
  const plain = await aGame(platform.db)
  await join(first, plain, team.id, { organization: 'North' })
  expect((await first.get(`/api/game/${plain}`)).body.organization).toBeNull()
})

test('P7.70 P4.10 pending and rejected members can leave, and the last one deletes the participation; accepted ones cannot leave', async () => {
  const game = await aGame(platform.db)
  const team = await aSquad(1)
  for (const call of team.calls) await join(call, game, team.id)
  const [first, second] = team.calls as [Caller, Caller]
  const other = await aGame(platform.db)
  await join(first, other, team.id)
  expect(await first.delete(`/api/game/${game}`)).toMatchObject({ status: 200, body: '' })
  expect([await statusOf(first, game), await statusOf(second, game)]).toEqual(['Unsubmitted', 'Pending'])
  expect(await statusOf(first, other)).toBe('Pending')
  expect(await first.delete(`/api/game/${game}`)).toMatchObject({ status: 400, error: { code: 'participation.none' } })
  const participation = (await participationOf(game, team.id))?.id
  for (const status of ['Accepted', 'Suspended']) {
    await review(participation, status)
    expect(await second.delete(`/api/game/${game}`)).toMatchObject({ status: 400, error: { code: 'participation.cannot_leave' } })
  }
  await review(participation, 'Rejected')
  expect((await second.delete(`/api/game/${game}`)).status).toBe(200)
  expect(await participationOf(game, team.id)).toBeUndefined()
  expect((await first.delete('/api/game/999999')).error.code).toBe('game.not_found')
})

test('P4.11 P4.12 P3.13 before the start, at its limits and after the end a game admits users by phase', async () => {
  const team = await aSquad()
  const phases = [
    [{ starts: '1h', ends: '2h' }, 'game.not_started', 'game.not_started', 200],
    [{ starts: '-1h', ends: '1h' }, 200, 200, 200],
    [{ starts: '-2h', ends: '-1h', practiceMode: true }, 200, 200, 200],
    [{ starts: '-2h', ends: '-1h', practiceMode: false }, 'game.ended', 200, 'game.ended'],
  ] as const
  for (const [times, details, board, joining] of phases) {
    const game = await aGame(platform.db, times)
    const participation = await aParticipation(platform.db, game, team, { madeAt: '-90m' })
    const codeOf = async (answer: Promise<{ status: number; error: { code?: string } }>) =>
      (await answer).error?.code ?? (await answer).status
    expect(await codeOf(team.call.get(`/api/game/${game}/details`))).toBe(details)
    expect(await codeOf(get(`/api/game/${game}/scoreboard`))).toBe(board)
    expect(await codeOf(get(`/api/game/${game}/notices`))).toBe(board)
    expect(await codeOf(admin.get(`/api/game/${game}/events`))).toBe(board)
    await platform.db.deleteFrom('participations').where('id', '=', participation).execute()
    expect(await codeOf(join(team.call, game, team.id))).toBe(joining)
  }
  const ended = await aGame(platform.db, { starts: '-2h', ends: '-1h', practiceMode: false })
  await aParticipation(platform.db, ended, team)
  expect(await team.call.get(`/api/game/${ended}/details`)).toMatchObject({ status: 400, error: { status: 10002 } })
})

test('P7.84 P3.35 administrators list participations of every status by team, with members and registrations', async () => {
  const game = await aGame(platform.db, { divisions: ['North'] })
  const teams = []
  for (const status of participationStatuses) teams.push({ status, of: await aSquad(1) })
  const squads: { id: number; team: number; captain: string; members: string[]; status: string }[] = []
  // The later teams join first.
  for (const { status, of: team } of teams.reverse()) {
    const id = await aParticipation(platform.db, game, { id: team.id, members: [team.captain] }, { status, division: 'North' })
    squads.unshift({ ...team, id, team: team.id, status })
  }
  const list = (await admin.get(`/api/game/${game}/participations`)).body
  expect(list.map((row: { id: number; status: string }) => [row.id, row.status])).toEqual(
    squads.map(({ id, status }) => [id, status]),
  )
  const [first] = list
  expect(first).toMatchObject({
    team: { id: squads[0]?.team, bio: null, avatar: null, locked: false, captainId: squads[0]?.captain },
    registeredMembers: [squads[0]?.captain],
    organization: 'North',
  })
  expect(first.team.members.map(({ userId }: { userId: string }) => userId).sort()).toEqual(
    [...(squads[0]?.members ?? [])].sort(),
  )
  const avatarHash = await aFile(platform.db)
  const person = { userName: 'Ann', email: 'ann@example.org', bio: 'B', phone: '+1 2', realName: 'Ann Other' }
  const described = await anAccount(platform.db, { ...person, studentNumber: 'S-1', avatarHash, role: 'Monitor' })
  const shown = await aTeam(platform.db, { captain: described, name: 'Shown' })
  await platform.db.updateTable('teams').set({ bio: 'words', avatarHash, locked: true }).where('id', '=', shown.id).execute()
  const id = await aParticipation(platform.db, game, shown)
  // The same team in another game, where none of its members is registered, and another team there.
  const beside = await aGame(platform.db)
  await aParticipation(platform.db, beside, { id: shown.id, members: [] })
  await aParticipation(platform.db, beside, await aTeam(platform.db))
  const avatar = `/assets/${avatarHash}/avatar`
  expect((await admin.get(`/api/game/${game}/participations`)).body.slice(squads.length)).toEqual([
    {
      id,
      team: {
        id: shown.id,
        name: 'Shown',
        bio: 'words',
        avatar,
        locked: true,
        captainId: described,
        members: [{ ...person, userId: described, stdNumber: 'S-1', avatar, role: 'Monitor' }],
      },
      registeredMembers: [described],
      organization: null,
      status: 'Accepted',
    },
  ])
  const shuffled = await aShuffledTeam(platform.db)
  await aParticipation(platform.db, beside, shuffled, { registeredAt: shuffled.times })
  const last = (await admin.get(`/api/game/${beside}/participations`)).body.at(-1)
  expect(last.team.members.map(({ userId }: { userId: string }) => userId)).toEqual(shuffled.listed)
  expect(last.registeredMembers).toEqual(shuffled.listed)
  expect(await admin.get('/api/game/999999/participations')).toMatchObject({
    status: 404,
    error: { status: 400, code: 'game.unknown' },
  })
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  expect((await monitor.get(`/api/game/${game}/participations`)).status).toBe(403)
})

test('joining, leaving and a review are published with game and participation, and logged with the actor', async () => {
  const { db, deps } = platform
  const game = await aGame(db, { title: 'Spring' })
  const team = await aTeam(db, { name: 'Pwners' })
  const call = await platform.as(team.captain)
  const received: unknown[] = []
  const stop = deps.bus.subscribe('participation.changed', (event) => received.push(event))
  await join(call, game, team.id)
  const participationId = (await participationOf(game, team.id))?.id as number
  await review(participationId, 'Rejected')
  await call.delete(`/api/game/${game}`)
  await expect
    .poll(() => received)
    .toEqual([{}, {}, { leaverId: team.captain }].map((more) => ({ gameId: game, participationId, ...more })))
  stop()
  await deps.log.flush()
  const lines = await db
    .selectFrom('logs')
    .innerJoin('accounts', 'accounts.userName', 'logs.name')
    .select(['accounts.id', 'logs.status', 'logs.ip', 'logs.message'])
    .where('logs.message', 'like', '%Pwners%')
    .orderBy('logs.id')
    .execute()
  const done = { status: 'Success', ip: '127.0.0.1' }
  expect(lines).toEqual([
    { ...done, id: team.captain, message: 'Joined Spring for team Pwners' },
    { ...done, id: adminId, message: `Set participation of Pwners (#${participationId}) to Rejected` },
  ])
})

test('requests for one game or one member change nothing for others', async () => {
  const [game, other] = [await aGame(platform.db), await aGame(platform.db)]
  const [team, neighbour] = [await aSquad(1), await aSquad()]
  const [captain, mate] = team.calls as [Caller, Caller]
  for (const call of [captain, mate]) for (const to of [game, other]) await join(call, to, team.id)
  await join(neighbour.call, game, neighbour.id)
  const registered = async () =>
    (
      await platform.db
        .selectFrom('registrations')
        .select(['gameId', 'accountId', 'teamId'])
        .where('gameId', 'in', [game, other])
        .orderBy('gameId')
        .execute()
    )
      .map(({ gameId, accountId, teamId }) => `${gameId} ${accountId} ${teamId}`)
      .sort()
  const before = await registered()
  expect(before).toHaveLength(5)
  await captain.delete(`/api/game/${game}`)
  expect(await registered()).toEqual(before.filter((row) => row !== `${game} ${team.captain} ${team.id}`))
  await review((await participationOf(game, team.id))?.id, 'Accepted')
  const statuses = [participationOf(game, team.id), participationOf(other, team.id), participationOf(game, neighbour.id)]
  expect((await Promise.all(statuses)).map((row) => row?.status)).toEqual(['Accepted', 'Pending', 'Pending'])
  const locked = await platform.db
    .selectFrom('teams')
    .select(['id', 'locked'])
    .where('id', 'in', [team.id, neighbour.id])
    .execute()
  expect(locked.filter(({ locked }) => locked).map(({ id }) => id)).toEqual([team.id])
})

test('a member who changes the team in a game leaves the registration of the other member and the time of the participation unchanged', async () => {
  const game = await aGame(platform.db, { memberLimit: 2 })
  const team = await aSquad(2)
  const participation = await aParticipation(
    platform.db,
    game,
    { id: team.id, members: team.members.slice(0, 2) },
    { status: 'Rejected', madeAt: '-40m' },
  )
  const before = await participationOf(game, team.id)
  // The member limit counts the other members, not the caller who applies again.
  expect((await join(team.calls[1] as Caller, game, team.id)).status).toBe(200)
  expect((await join(team.calls[2] as Caller, game, team.id)).error.code).toBe('participation.member_limit')
  expect(await participationOf(game, team.id)).toEqual({ ...before, status: 'Pending' })
  const members = await platform.db
    .selectFrom('registrations')
    .select('accountId')
    .where('participationId', '=', participation)
    .execute()
  expect(members.map(({ accountId }) => accountId).sort()).toEqual([...team.members.slice(0, 2)].sort())
})

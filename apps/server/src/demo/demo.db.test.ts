import { createHash } from 'node:crypto'
import { drawBoard, rowsOf } from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settledBoard } from '../../test/board.ts'
import { aChallenge, aGame, anAccount, at } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { openSetup } from '../accounts/setup-token.ts'
import { signTeamToken } from '../games/game-keys.ts'
import { readFacts } from '../scoreboard/board-facts.queries.ts'
import { makeWelcomePost } from '../site/posts.queries.ts'
import { demoChallenges } from './challenges.ts'
import { withDemoFiles } from './game.ts'
import { seedDemo } from './history.ts'
import { fillPlatform } from './platform-content.ts'
import { allDemoChallenges } from './text-challenges.ts'

let platform: TestPlatform
beforeEach(async () => {
  platform = await startTestPlatform()
})
afterEach(() => platform.stop())

test('setup creates the demo game once: hidden, without teams, with twelve challenges and attachments that download', async () => {
  const token = new URL((await openSetup(platform.deps)) as string).searchParams.get('token') as string
  const form = { token, userName: 'Boss', password: 'aaaaaa', email: 'boss@example.org', demo: true }
  expect((await platform.anyone.post('/api/setup', form)).status).toBe(200)
  expect((await platform.anyone.post('/api/setup', form)).status).toBe(400)

  const games = await platform.db.selectFrom('games').selectAll().execute()
  expect(games).toMatchObject([
    {
      ...{ title: 'Tideline Open', hidden: true, practiceMode: true, acceptWithoutReview: true, memberLimit: 4 },
      ...{ divisions: ['Student', 'Open'], writeupDeadline: games[0]!.endsAt },
    },
  ])
  expect(games[0]!.endsAt.getTime() - games[0]!.startsAt.getTime()).toBe(48 * 3_600_000)
  expect(await platform.db.selectFrom('participations').select('id').execute()).toEqual([])
  const challenges = await platform.db.selectFrom('challenges').selectAll().orderBy('id').execute()
  expect(challenges).toHaveLength(12)
  const given = demoChallenges.map(
    ({ title, category, type, hints, originalScore, minScoreRate, difficulty, bloodBonus = null }) => ({
      title,
      category,
      type,
      hints,
      originalScore,
      minScoreRate,
      difficulty,
      bloodBonus,
    }),
  )
  expect(challenges).toMatchObject(given)
  expect(challenges.every(({ enabled }) => enabled)).toBe(true)
  expect(new Set(challenges.map(({ category }) => category)).size).toBeGreaterThanOrEqual(8)
  expect(challenges.filter(({ content }) => content.includes('{attachment}'))).toEqual([])

  const attachments = await platform.db
    .selectFrom('attachments')
    .select(['challengeId', 'fileHash', 'fileName', 'flagId'])
    .where('fileHash', 'is not', null)
    .orderBy('challengeId')
    .execute()
  // A challenge with one file for all teams has it as its attachment, too.
  const titleOf = new Map(challenges.map(({ id, title }) => [id, title]))
  expect(
    attachments.filter(({ flagId }) => flagId === null).map(({ challengeId, fileName }) => [titleOf.get(challengeId), fileName]),
  ).toEqual(demoChallenges.flatMap(({ title, file }) => (file ? [[title, file.name]] : [])))
  expect(attachments.filter(({ flagId }) => flagId !== null)).toHaveLength(60)
  expect(new Set(attachments.map(({ fileHash }) => fileHash)).size).toBe(attachments.length)
  for (const { fileHash, fileName } of attachments.filter(({ flagId }, place) => flagId === null || place % 20 === 0)) {
    const answer = await platform.app.inject({ url: `/assets/${fileHash}/${fileName}` })
    expect(answer.statusCode).toBe(200)
    expect(createHash('sha256').update(answer.rawPayload).digest('hex')).toBe(fileHash)
  }
})

test('setup without the demo creates none, and a failed one leaves none behind', async () => {
  const token = new URL((await openSetup(platform.deps)) as string).searchParams.get('token') as string
  const failing = withDemoFiles(platform.deps, async (_tx, makeGame) => {
    await makeGame()
    throw new Error('afterwards')
  })
  await expect(failing).rejects.toThrow('afterwards')
  const form = { token, userName: 'Boss', password: 'aaaaaa', email: 'boss@example.org' }
  expect((await platform.anyone.post('/api/setup', form)).status).toBe(200)
  expect(await platform.db.selectFrom('games').select('id').execute()).toEqual([])
})

test('the history of the demo is consistent: its log, its notices and its board match', async () => {
  const { db } = platform
  const organiser = await anAccount(db, { role: 'Admin', registeredAt: at('-1m') })
  const neighbour = await aGame(db, { hidden: true })
  await aChallenge(db, neighbour, { title: 'Salted Rope', type: 'DynamicAttachment', enabledAt: at('-1m') })
  await db.updateTable('solveLogs').set({ epoch: 50 }).execute()
  const rowsOfNeighbour = async () => [
    await db.selectFrom('games').selectAll().where('id', '=', neighbour).execute(),
    await db.selectFrom('challenges').selectAll().where('gameId', '=', neighbour).execute(),
    await db.selectFrom('flags').selectAll().orderBy('id').limit(1).execute(),
    await db.selectFrom('accounts').selectAll().where('id', '=', organiser).execute(),
  ]
  const before = await rowsOfNeighbour()
  const { gameId } = await seedDemo(platform.deps, { seed: 7, passwordHash: 'none', withPlayers: true })
  expect(await rowsOfNeighbour()).toEqual(before)
  const listed = (await platform.anyone.get('/api/game?count=30&skip=0')).body as { id: number }[]
  expect(listed.map(({ id }) => id).filter((id) => id === gameId || id === neighbour)).toEqual([gameId])

  const board = await settledBoard({ db, get: platform.anyone.get }, gameId)
  expect(board.items).toHaveLength(40)
  const facts = (await readFacts(db, gameId))!
  const fromNothing = rowsOf(
    drawBoard({
      ...facts.game,
      challenges: facts.challenges.map(({ curve, ...challenge }) => ({ ...challenge, values: scoreTable(curve, 50) })),
      teams: facts.teams,
      solves: facts.solves,
    }),
  )
  expect(board.items.map(({ name, score, rank }) => [name, score, rank])).toEqual(
    fromNothing.map(({ team, points, rank }) => [team.name, points, rank]),
  )

  const { startsAt } = await db.selectFrom('games').select('startsAt').where('id', '=', gameId).executeTakeFirstOrThrow()
  const solves = await db
    .selectFrom('solves as s')
    .innerJoin('participations as p', 'p.id', 's.participationId')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .innerJoin('challenges as c', 'c.id', 's.challengeId')
    .select(['s.number', 's.shownAt', 't.name', 'c.title', 'c.enabledAt'])
    .orderBy('s.number')
    .execute()
  expect(solves.length).toBeGreaterThan(100)
  expect(solves.map(({ number }) => number)).toEqual(solves.map((_, place) => place + 1))
  const times = solves.map(({ shownAt }) => shownAt.getTime())
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times[0]).toBeGreaterThan(startsAt.getTime())
  expect(times.at(-1)).toBeLessThan(Date.now())
  expect(solves.filter(({ shownAt, enabledAt }) => enabledAt !== null && shownAt < enabledAt)).toEqual([])

  const bloods = await db.selectFrom('notices').select(['type', 'values', 'createdAt']).where('type', 'like', '%Blood').execute()
  const rows = bloods.map(({ type, values, createdAt }) => [type, ...values, createdAt.getTime()].join('|')).sort()
  const names = ['FirstBlood', 'SecondBlood', 'ThirdBlood']
  const happened = allDemoChallenges.flatMap(({ title }) =>
    solves
      .filter((solve) => solve.title === title)
      .slice(0, 3)
      .map((solve, place) => [names[place], solve.name, title, solve.shownAt.getTime()].join('|')),
  )
  expect(rows).toEqual(happened.sort())
  const cheats = db.selectFrom('cheats as x').innerJoin('submissions as s', 's.id', 'x.submissionId')
  const [cheat, ...others] = await cheats.select(['x.gameId', 'x.detectedAt', 's.arrivedAt']).execute()
  expect([cheat, others]).toEqual([{ gameId, detectedAt: cheat?.arrivedAt, arrivedAt: expect.any(Date) }, []])
  expect(Date.now() - cheat!.arrivedAt.getTime()).toBeGreaterThan(38 * 60_000)

  const notices = db.selectFrom('notices').select(['type', 'values', 'createdAt']).where('type', 'not like', '%Blood')
  expect(
    (await notices.orderBy('createdAt').execute()).map(({ type, values, createdAt }) => [
      type,
      type === 'Normal' ? '' : values.join(),
      Math.floor((createdAt.getTime() - startsAt.getTime()) / 60_000),
    ]),
  ).toEqual([
    ['Normal', '', 1],
    ['NewChallenge', 'Foghorn UART', 45],
    ['NewHint', 'Two Keepers', 68],
    ['NewChallenge', 'Last Packets', 80],
    ['Normal', '', 104],
    ['NewHint', 'Foghorn UART', 141],
    ['Normal', '', expect.any(Number)],
  ])
  const closed = db.selectFrom('challenges').select('title').where('gameId', '=', gameId).where('enabled', '=', false)
  expect(await closed.execute()).toEqual([{ title: '読まれない航路' }])
  await expectTeams(gameId, startsAt)
})

/**
 * Each member registered, joined the team, and entered the game after the team had joined it. Only accepted teams are locked. Each team has its own
 * file, and its token is signed with the key of the game.
 */
async function expectTeams(gameId: number, startsAt: Date): Promise<void> {
  const { db, deps } = platform
  const { privateKey } = await db.selectFrom('games').select('privateKey').where('id', '=', gameId).executeTakeFirstOrThrow()
  const participations = await db.selectFrom('participations').select(['teamId', 'status', 'token', 'createdAt']).execute()
  const statuses = participations.map(({ status }) => status).filter((status) => status !== 'Accepted')
  expect([participations.length, statuses.sort()]).toEqual([43, ['Pending', 'Pending', 'Rejected']])
  for (const { teamId, token, status, createdAt } of participations) {
    expect(token).toBe(signTeamToken(privateKey, deps.secrets.key, teamId))
    if (status === 'Accepted') expect(createdAt.getTime()).toBeLessThan(startsAt.getTime())
  }
  const people = await db
    .selectFrom('teamMembers as m')
    .innerJoin('accounts as a', 'a.id', 'm.accountId')
    .innerJoin('teams as t', 't.id', 'm.teamId')
    .innerJoin('participations as p', 'p.teamId', 'm.teamId')
    .leftJoin('registrations as r', (join) => join.onRef('r.accountId', '=', 'm.accountId').onRef('r.teamId', '=', 'm.teamId'))
    .select(['m.teamId', 'a.registeredAt as account', 'm.joinedAt as team', 'p.createdAt as joined', 'r.registeredAt as game'])
    .select(['t.locked', 'p.status'])
    .execute()
  expect(new Set(people.map(({ teamId }) => teamId)).size).toBe(43)
  expect(people.length).toBe((await db.selectFrom('accounts').select('id').execute()).length - 1)
  for (const { account, team, joined, game, locked, status } of people) {
    expect(account.getTime()).toBeLessThan(team.getTime())
    expect(team.getTime()).toBeLessThan(joined.getTime())
    expect(joined.getTime()).toBeLessThan(game?.getTime() ?? 0)
    expect(locked).toBe(status === 'Accepted')
    expect(game!.getTime()).toBeLessThan(Date.now())
  }
  const files = await db
    .selectFrom('teamFlags as o')
    .innerJoin('flags as f', 'f.id', 'o.flagId')
    .innerJoin('challenges as c', 'c.id', 'o.challengeId')
    .select(['c.title', 'c.id', 'f.challengeId', 'o.flag', 'f.flag as ofFile', 'f.takenAt', 'o.openedAt'])
    .execute()
  const openedAt = new Date(startsAt.getTime() + 2 * 60_000)
  expect(files).toHaveLength(40)
  for (const { title, id, challengeId, flag, ofFile, takenAt, openedAt: opened } of files)
    expect([title, challengeId, flag, takenAt, opened]).toEqual(['Salted Rope', id, ofFile, openedAt, openedAt])
  expect(new Set(files.map(({ flag }) => flag)).size).toBe(40)
  expect(await db.selectFrom('flags').select('id').where('takenAt', 'is not', null).execute()).toHaveLength(40)
}

test('the demo platform has a name, posts, upcoming games, a monitor and pictures, and publishes the events for open pages', async () => {
  const { db, deps, anyone } = platform
  await makeWelcomePost(db)
  await anAccount(db, { role: 'Admin' })
  const published: unknown[] = []
  deps.bus.subscribe('game.changed', (event) => void published.push(event))
  deps.bus.subscribe('settings.changed', (event) => void published.push(event))
  const { gameId } = await seedDemo(deps, { seed: 7, passwordHash: 'none', withPlayers: true })
  const reloaded = vi.spyOn(deps.settings, 'reload')
  await fillPlatform(deps, 'none', 7)
  // Before the event is published: open pages read the settings as soon as they receive it.
  expect(reloaded).toHaveBeenCalled()
  reloaded.mockRestore()
  await expect.poll(() => published).toEqual([{ gameId }, {}])
  expect((await anyone.get('/api/config')).body).toMatchObject({
    title: 'Harbour',
    footerInfo: 'A demo of Vexil; nothing here is kept.',
  })
  const posts = (await anyone.get('/api/posts')).body as Record<'isPinned' | 'time' | 'tags' | 'authorName', unknown>[]
  expect(
    posts.map(({ isPinned, time, tags, authorName }) => [
      Math.round((Date.now() - Date.parse(String(time))) / 86_400_000),
      isPinned,
      tags,
      authorName,
    ]),
  ).toEqual([
    [2, true, ['tideline'], 'keeper'],
    [5, false, ['tideline', 'faq'], 'keeper'],
    [11, false, [], 'keeper'],
    [19, false, ['archive'], 'keeper'],
  ])
  const games = await db
    .selectFrom('games')
    .select(['startsAt', 'endsAt', 'acceptWithoutReview'])
    .where('id', '!=', gameId)
    .orderBy('id')
    .execute()
  expect(games.some(({ acceptWithoutReview }) => acceptWithoutReview)).toBe(false)
  expect(
    games.map(({ startsAt, endsAt }) => [startsAt.getUTCHours(), (endsAt.getTime() - startsAt.getTime()) / 3_600_000]),
  ).toEqual([
    [9, 24],
    [9, 8],
    [9, 36],
  ])
  for (const { startsAt } of games) expect(startsAt.getTime()).toBeGreaterThan(Date.now())
  expect(await db.selectFrom('accounts').select('userName').where('role', '=', 'Monitor').execute()).toEqual([
    { userName: 'watch' },
  ])
  const pictured = db
    .selectFrom('teams as t')
    .innerJoin('accounts as a', 'a.id', 't.captainId')
    .where('t.avatarHash', 'is not', null)
  const pictures = await pictured.select(['t.avatarHash as team', 'a.avatarHash as captain']).execute()
  expect(pictures.length).toBeGreaterThan(3)
  expect(new Set(pictures.map(({ team }) => team)).size).toBeGreaterThan(3)
  const shared = pictures.filter(({ captain }) => captain !== null)
  expect(shared.length).toBeGreaterThan(0)
  expect(shared.every(({ team, captain }) => team === captain)).toBe(true)
  const ofAccounts = db.selectFrom('accounts').select('id').where('avatarHash', 'is not', null)
  expect(await ofAccounts.execute()).toHaveLength(shared.length)
})

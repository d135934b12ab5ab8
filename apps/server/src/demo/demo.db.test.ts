import { createHash } from 'node:crypto'
import { drawBoard, rowsOf } from '@vexil/core/scoreboard'
import { scoreTable } from '@vexil/core/scoring'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settledBoard } from '../../test/board.ts'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { openSetup } from '../accounts/setup-token.ts'
import { readFacts } from '../scoreboard/board-facts.queries.ts'
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

  const games = await platform.db.selectFrom('games').select(['id', 'hidden']).execute()
  expect(games).toEqual([{ id: expect.any(Number), hidden: true }])
  expect(await platform.db.selectFrom('participations').select('id').execute()).toEqual([])
  const challenges = await platform.db.selectFrom('challenges').select(['category', 'type', 'enabled', 'content']).execute()
  expect(challenges).toHaveLength(12)
  expect(challenges.every(({ enabled }) => enabled)).toBe(true)
  expect(new Set(challenges.map(({ category }) => category)).size).toBeGreaterThanOrEqual(8)
  expect(challenges.filter(({ content }) => content.includes('{attachment}'))).toEqual([])

  const attachments = await platform.db
    .selectFrom('attachments')
    .select(['fileHash', 'fileName', 'flagId'])
    .where('fileHash', 'is not', null)
    .execute()
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
  await anAccount(db, { role: 'Admin' })
  const { gameId } = await seedDemo(platform.deps, { seed: 7, passwordHash: 'none', withPlayers: true })

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
  expect(await db.selectFrom('cheats').select('gameId').execute()).toEqual([{ gameId }])
})

test('the demo platform has a name, posts, upcoming games, a monitor and pictures, and publishes the events for open pages', async () => {
  const { db, deps, anyone } = platform
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
  expect((await anyone.get('/api/config')).body).toMatchObject({ title: 'Harbour' })
  const posts = (await anyone.get('/api/posts')).body as { isPinned: boolean; time: string }[]
  const days = posts.map(({ time }) => Math.round((Date.now() - Date.parse(time)) / 86_400_000))
  expect([days, posts.map(({ isPinned }) => isPinned)]).toEqual([
    [2, 5, 11, 19],
    [true, false, false, false],
  ])
  const games = await db.selectFrom('games').select(['startsAt', 'endsAt']).where('id', '!=', gameId).orderBy('id').execute()
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
  const shared = pictures.filter(({ captain }) => captain !== null)
  expect(shared.length).toBeGreaterThan(0)
  expect(shared.every(({ team, captain }) => team === captain)).toBe(true)
})

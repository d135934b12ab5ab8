import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { BoardStart, BoardStartRow, Feed, FeedTail, Scoreboard, StartRow } from '@vexil/contract/scoreboard'
import { minTime, wireTime } from '@vexil/contract/wire'
import { addSolves, columnsOf, drawBoard, rowsOf } from '@vexil/core/scoreboard'
import { challengeCategories } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { challengesOf, settledBoard, settledFeed, standings, versionOf } from '../../test/board.ts'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  // So that no team has the number of a participation.
  await sql`select setval(pg_get_serial_sequence('participations', 'id'), 5000)`.execute(platform.db)
})
afterAll(() => platform.stop())

const get = (url: string) => platform.anyone.get(url)
const boardOf = (game: number) => settledBoard({ db: platform.db, get }, game)

async function aPlayer(gameId: number, options: Parameters<typeof aParticipation>[3] & { name?: string } = {}) {
  const team = await aTeam(platform.db, options.name ? { name: options.name } : {})
  const participation = await aParticipation(platform.db, gameId, team, options)
  return { ...team, participation, call: await platform.as(team.captain) }
}
type Player = Awaited<ReturnType<typeof aPlayer>>

const solvesOf = (board: Scoreboard, name: string) =>
  board.items.find((item) => item.name === name)?.solvedChallenges.map(({ score, type }) => [score, type])

test('P7.78 P3.27 P4.3 P3.58 P9.7 the documented example: four teams, a suspension that moves bloods to others, a readmission', async () => {
  const game = await aGame(platform.db)
  const a = await aChallenge(platform.db, game, { title: 'A', flags: ['flag{a}'] })
  const b = await aChallenge(platform.db, game, {
    title: 'B',
    flags: ['flag{b}'],
    originalScore: 500,
    minScoreRate: 0.1,
    difficulty: 10,
  })
  const [t1, t2, t3, t4] = [
    await aPlayer(game, { name: 'T1' }),
    await aPlayer(game, { name: 'T2' }),
    await aPlayer(game, { name: 'T3' }),
    await aPlayer(game, { name: 'T4' }),
  ]
  const answers: [Player, number, string][] = [
    [t4, b, 'flag{b}'],
    [t1, a, 'flag{a}'],
    [t2, a, 'flag{a}'],
    [t3, a, 'flag{a}'],
    [t4, a, 'flag{a}'],
    [t1, b, 'flag{b}'],
  ]
  for (const [{ call }, challenge, flag] of answers)
    expect((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag })).status).toBe(200)

  const first = await boardOf(game)
  expect(standings(first)).toEqual([
    ['T1', 1165],
    ['T4', 1141],
    ['T2', 681],
    ['T3', 668],
  ])
  expect(solvesOf(first, 'T1')).toEqual([
    [694, 'FirstBlood'],
    [471, 'SecondBlood'],
  ])
  expect(solvesOf(first, 'T4')).toEqual([
    [480, 'FirstBlood'],
    [661, 'Normal'],
  ])
  expect([solvesOf(first, 'T2'), solvesOf(first, 'T3')]).toEqual([[[681, 'SecondBlood']], [[668, 'ThirdBlood']]])
  expect(challengesOf(first).map(({ score, solved }) => [score, solved])).toEqual([
    [661, 4],
    [457, 2],
  ])
  expect(first.timeLines.all?.find(({ name }) => name === 'T4')?.items.map(({ score }) => score)).toEqual([480, 1141])
  expect(first.items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])

  await admin.put(`/api/admin/participation/${t1.participation}/Suspended`)
  const second = await boardOf(game)
  expect(standings(second)).toEqual([
    ['T4', 1285],
    ['T2', 790],
    ['T3', 775],
  ])
  expect(solvesOf(second, 'T4')).toEqual([
    [525, 'FirstBlood'],
    [760, 'ThirdBlood'],
  ])
  expect([solvesOf(second, 'T2'), solvesOf(second, 'T3')]).toEqual([[[790, 'FirstBlood']], [[775, 'SecondBlood']]])
  expect(challengesOf(second).map(({ score, solved, bloods }) => [score, solved, bloods.map(({ name }) => name)])).toEqual([
    [752, 3, ['T2', 'T3', 'T4']],
    [500, 1, ['T4']],
  ])
  expect((await t1.call.get(`/api/game/${game}/details`)).error.code).toBe('participation.suspended')
  const notices = async () =>
    (await get(`/api/game/${game}/notices`)).body.filter(({ type }: { type: string }) => type.endsWith('Blood'))
  const sent = await notices()
  expect(sent).toHaveLength(5)

  await admin.post(`/api/edit/games/${game}/challenges/updateaccepted`)
  expect(standings(await boardOf(game))).toEqual(standings(second))
  await admin.put(`/api/admin/participation/${t1.participation}/Accepted`)
  expect({ ...(await boardOf(game)), updateTimeUtc: 0 }).toEqual({ ...first, updateTimeUtc: 0 })
  expect(await notices()).toEqual(sent)
})

test('P7.78 every field of the board matches the data, and its time is that of the last change', async () => {
  const game = await aGame(platform.db, { divisions: ['North'] })
  const door = await aChallenge(platform.db, game, { title: 'Door', category: 'Web' })
  const gate = await aChallenge(platform.db, game, { title: 'Gate', category: 'Pwn' })
  const [first, second] = [await aPlayer(game, { name: 'First', division: 'North' }), await aPlayer(game, { name: 'Second' })]
  const avatarHash = await aFile(platform.db)
  await platform.db.updateTable('teams').set({ bio: 'words', avatarHash }).where('id', '=', first.id).execute()
  const { userName } = await platform.db
    .selectFrom('accounts')
    .select('userName')
    .where('id', '=', first.captain)
    .executeTakeFirstOrThrow()
  const [early, late, raised] = [at('-20m'), at('-10m'), at('-9m')]
  const solve = (player: Player, challenge: number, arrived: Date, account?: string) =>
    aSolve(platform.db, { gameId: game, participation: player.participation, challenge, arrived, ...(account && { account }) })
  await solve(first, door, early, first.captain)
  await solve(second, door, late)
  const number = await solve(first, gate, late, first.captain)
  // It is shown later than it arrived, so that times never decrease along the log.
  await platform.db
    .updateTable('solves')
    .set({ shownAt: raised })
    .where('gameId', '=', game)
    .where('number', '=', number)
    .execute()

  const changedAt = async () =>
    (await platform.db.selectFrom('solveLogs').select('changedAt').where('gameId', '=', game).executeTakeFirstOrThrow()).changedAt
  const avatar = `/assets/${avatarHash}/avatar`
  const board = await boardOf(game)
  expect(board.updateTimeUtc).toBe(wireTime(await changedAt()))
  expect(board.items).toEqual([
    {
      id: first.id,
      name: 'First',
      bio: 'words',
      organization: 'North',
      avatar,
      score: 907 + 1050,
      rank: 1,
      organizationRank: 1,
      lastSubmissionTime: wireTime(raised),
      solvedChallenges: [
        { id: door, score: 907, type: 'FirstBlood', userName, time: wireTime(early) },
        { id: gate, score: 1050, type: 'FirstBlood', userName, time: wireTime(raised) },
      ],
      solvedCount: 2,
    },
    {
      id: second.id,
      name: 'Second',
      bio: null,
      organization: null,
      avatar: null,
      score: 890,
      rank: 2,
      organizationRank: null,
      lastSubmissionTime: wireTime(late),
      solvedChallenges: [{ id: door, score: 890, type: 'SecondBlood', userName: null, time: wireTime(late) }],
      solvedCount: 1,
    },
  ])
  const blood = (player: Player, name: string, picture: string | null, time: Date) => ({
    id: player.id,
    name,
    avatar: picture,
    submitTimeUtc: wireTime(time),
  })
  expect(board.challenges).toEqual({
    Pwn: [{ id: gate, title: 'Gate', category: 'Pwn', score: 1000, solved: 1, bloods: [blood(first, 'First', avatar, raised)] }],
    Web: [
      {
        id: door,
        title: 'Door',
        category: 'Web',
        score: 864,
        solved: 2,
        bloods: [blood(first, 'First', avatar, early), blood(second, 'Second', null, late)],
      },
    ],
  })
  const lines = [
    {
      id: first.id,
      name: 'First',
      items: [
        { time: wireTime(early), score: 907 },
        { time: wireTime(raised), score: 1957 },
      ],
    },
    { id: second.id, name: 'Second', items: [{ time: wireTime(late), score: 890 }] },
  ]
  expect(board.timeLines).toEqual({ all: lines, North: [lines[0]] })

  // A later request is not a change; a new name and new points are.
  const changes = [
    () => platform.db.updateTable('teams').set({ name: 'Third' }).where('id', '=', second.id).execute(),
    () => admin.put(`/api/edit/games/${game}/challenges/${gate}`, { originalScore: 10 }),
    () => second.call.post(`/api/game/${game}/challenges/${gate}`, { flag: 'flag{right}' }),
  ]
  for (const change of changes) {
    const before = await boardOf(game)
    await new Promise((later) => setTimeout(later, 5))
    expect((await boardOf(game)).updateTimeUtc).toBe(before.updateTimeUtc)
    await change()
    const after = await boardOf(game)
    expect(Date.parse(after.updateTimeUtc)).toBeGreaterThan(Date.parse(before.updateTimeUtc))
    expect(after.updateTimeUtc).toBe(wireTime(await changedAt()))
  }
})

test('P7.71 practice solves are those of the own team at the end or later', async () => {
  const game = await aGame(platform.db, { starts: '-2h', ends: '-1h' })
  const challenges = []
  for (let i = 0; i < 4; i++) challenges.push(await aChallenge(platform.db, game))
  const [own, other] = [await aPlayer(game, { madeAt: '-90m' }), await aPlayer(game, { madeAt: '-90m' })]
  const { endsAt } = await platform.db.selectFrom('games').select('endsAt').where('id', '=', game).executeTakeFirstOrThrow()
  for (const [player, place, after] of [
    [own, 0, -1],
    [own, 1, 0],
    [own, 2, 1],
    [other, 3, 1],
  ] as const)
    await aSolve(platform.db, {
      gameId: game,
      participation: player.participation,
      challenge: challenges[place] ?? 0,
      arrived: new Date(endsAt.getTime() + after),
    })
  const { practiceSolves } = (await own.call.get(`/api/game/${game}/details`)).body
  expect(practiceSolves.sort()).toEqual([challenges[1], challenges[2]].sort())
})

test('P9.12 of two teams with equal points the one with the earlier last solve is ahead, to the millisecond', async () => {
  const game = await aGame(platform.db, { bloodBonus: 0 })
  const challenge = await aChallenge(platform.db, game)
  const arrived = at('-10m').getTime()
  const [late, early] = [await aPlayer(game, { name: 'Late' }), await aPlayer(game, { name: 'Early' })]
  const solve = (player: Player, time: number) =>
    aSolve(platform.db, { gameId: game, participation: player.participation, challenge, arrived: new Date(time) })
  // The log has them the other way round: it decides bloods, arrival decides ties.
  await solve(late, arrived + 120)
  await solve(early, arrived + 119)
  const board = await boardOf(game)
  expect(standings(board)).toEqual([
    ['Early', 864],
    ['Late', 864],
  ])
  expect(solvesOf(board, 'Late')).toEqual([[864, 'FirstBlood']])
})

test('P9.12 remaining ties are ordered by the log, and teams without a solve by id', async () => {
  const game = await aGame(platform.db, { bloodBonus: 0 })
  const challenge = await aChallenge(platform.db, game)
  const names = ['Idle 1', 'Second', 'First', 'Idle 2']
  const players = []
  for (const name of names) players.push(await aPlayer(game, { name }))
  const arrived = at('-10m')
  for (const place of [2, 1])
    await aSolve(platform.db, { gameId: game, participation: players[place]?.participation as number, challenge, arrived })
  const board = await boardOf(game)
  expect(board.items.map(({ name }) => name)).toEqual(['First', 'Second', 'Idle 1', 'Idle 2'])
  expect(board.items[3]).toMatchObject({ score: 0, lastSubmissionTime: minTime, solvedChallenges: [], solvedCount: 0 })
})

test('P4.20 solves at or after the end are not on the board; moving the end includes or excludes them', async () => {
  const game = await aGame(platform.db, { starts: '-2h', ends: '-1h' })
  const challenge = await aChallenge(platform.db, game)
  const end = (await platform.db.selectFrom('games').select('endsAt').where('id', '=', game).executeTakeFirstOrThrow()).endsAt
  const [before, exactly] = [
    await aPlayer(game, { name: 'Before', madeAt: '-90m' }),
    await aPlayer(game, { name: 'At', madeAt: '-90m' }),
  ]
  const solve = (player: Player, arrived: number) =>
    aSolve(platform.db, { gameId: game, participation: player.participation, challenge, arrived: new Date(arrived) })
  await solve(before, end.getTime() - 1)
  await solve(exactly, end.getTime())
  expect(standings(await boardOf(game))).toEqual([
    ['Before', 1050],
    ['At', 0],
  ])
  const moveEnd = (to: number) => admin.put(`/api/edit/games/${game}`, { title: 'Moved', end: new Date(to) })
  await moveEnd(end.getTime() + 1)
  expect(standings(await boardOf(game))).toEqual([
    ['Before', 907],
    ['At', 890],
  ])
  await moveEnd(end.getTime() - 1)
  expect(standings(await boardOf(game)).map(([, points]) => points)).toEqual([0, 0])
})

test('a team that joins for practice after the end is never listed, regardless of status', async () => {
  const rules = { divisions: ['North'], acceptWithoutReview: true }
  const game = await aGame(platform.db, { starts: '-2h', ends: '-1h', ...rules })
  const challenge = await aChallenge(platform.db, game)
  const member = await aPlayer(game, { name: 'Played', madeAt: '-90m' })
  const guest = await aTeam(platform.db)
  const call = await platform.as(guest.captain)
  const avatarHash = await aFile(platform.db)
  await platform.db.updateTable('teams').set({ bio: 'words', avatarHash }).where('id', '=', guest.id).execute()
  expect((await call.post(`/api/game/${game}`, { teamId: guest.id, organization: 'North' })).status).toBe(200)
  expect((await call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })).status).toBe(200)
  const board = await boardOf(game)
  expect(board.items.map(({ id }) => id)).toEqual([member.id])
  expect(challengesOf(board)[0]).toMatchObject({ solved: 0, bloods: [] })
  const details = (await call.get(`/api/game/${game}/details`)).body
  expect(details.rank).toEqual({
    id: guest.id,
    name: expect.stringMatching(/^t/),
    bio: 'words',
    avatar: `/assets/${avatarHash}/avatar`,
    organization: 'North',
    rank: 0,
    organizationRank: null,
    score: 0,
    solvedChallenges: [],
    solvedCount: 0,
    lastSubmissionTime: minTime,
  })
  expect(details.practiceSolves).toEqual([challenge])
})

test.each(['Rejected', 'Unsubmitted', 'Pending'] as const)(
  'P4.12 a team that was %s at the end waits for a review when it joins after it, and a practice team does not',
  async (status) => {
    const game = await aGame(platform.db, { starts: '-2h', ends: '-1h', acceptWithoutReview: true })
    const challenge = await aChallenge(platform.db, game)
    const left = await aPlayer(game, { status, madeAt: '-90m' })
    const practising = await aPlayer(game, { status, madeAt: '-30m' })
    await aSolve(platform.db, { gameId: game, participation: left.participation, challenge, arrived: at('-80m') })
    // Another member than the one who joined before.
    for (const { id } of [left, practising]) {
      const mate = await anAccount(platform.db)
      await platform.db.insertInto('teamMembers').values({ teamId: id, accountId: mate }).execute()
      expect((await (await platform.as(mate)).post(`/api/game/${game}`, { teamId: id })).status).toBe(200)
    }
    const now = await platform.db.selectFrom('participations').select('status').where('gameId', '=', game).orderBy('id').execute()
    expect(now).toEqual([{ status: 'Pending' }, { status: 'Accepted' }])
    expect((await boardOf(game)).items).toEqual([])
  },
)

test('P8.7 P7.78 the board is closed before the start and public afterwards, hidden or not', async () => {
  const soon = await aGame(platform.db, { starts: '1h', ends: '2h' })
  const hidden = await aGame(platform.db, { hidden: true })
  for (const path of ['scoreboard', 'scoreboard/feed', 'scoreboard/feed?after=0'])
    for (const call of [platform.anyone, admin]) {
      expect(await call.get(`/api/game/${soon}/${path}`)).toMatchObject({
        status: 400,
        error: { code: 'game.not_started', status: 400 },
      })
      expect(await call.get(`/api/game/999999/${path}`)).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
      expect((await call.get(`/api/Game/${hidden}/${path.replace(/(\?|$)/, '/$1')}`)).status).toBe(200)
    }
  expect((await get(`/api/game/${hidden}/scoreboard`)).body).toMatchObject({
    bloodBonus: 52_459_530,
    timeLines: { all: [] },
    items: [],
    challenges: {},
    challengeCount: 0,
  })
})

test('ranks and time lines within divisions', async () => {
  const game = await aGame(platform.db, { divisions: ['North', 'South'] })
  const challenge = await aChallenge(platform.db, game)
  const players = []
  for (let i = 0; i < 24; i++)
    players.push(await aPlayer(game, { division: i % 2 === 0 ? 'North' : 'South', name: `P${String(i).padStart(2, '0')}` }))
  players.push(await aPlayer(game, { name: 'Free' }))
  for (const [i, { participation }] of players.entries())
    await aSolve(platform.db, { gameId: game, participation, challenge, arrived: new Date(at('-10m').getTime() + i * 1000) })
  const board = await boardOf(game)
  const ranks = board.items.map(({ name, rank, organization, organizationRank }) => [name, rank, organization, organizationRank])
  expect(ranks[0]).toEqual(['P00', 1, 'North', 1])
  expect(ranks[3]).toEqual(['P03', 4, 'South', 2])
  expect(ranks[24]).toEqual(['Free', 25, null, null])
  expect(Object.keys(board.timeLines).sort()).toEqual(['North', 'South', 'all'])
  expect(Object.values(board.timeLines).map((lines) => lines.length)).toEqual([10, 10, 10])
  expect(board.timeLines.South?.map(({ name }) => name).slice(0, 3)).toEqual(['P01', 'P03', 'P05'])
})

test('a new name, a new team and its division reach the board without a redraw', async () => {
  const game = await aGame(platform.db)
  const player = await aPlayer(game, { name: 'Old' })
  const epoch = async () => (await versionOf(platform.db, game)).split('.')[0]
  await boardOf(game)
  const before = await epoch()
  await platform.db.updateTable('teams').set({ name: 'New', bio: 'words' }).where('id', '=', player.id).execute()
  const pending = await aPlayer(game, { name: 'Late', status: 'Pending' })
  await admin.put(`/api/admin/participation/${pending.participation}/Accepted`)
  expect((await boardOf(game)).items.map(({ name, bio }) => [name, bio])).toEqual([
    ['New', 'words'],
    ['Late', null],
  ])
  expect(await epoch()).toBe(before)
  await platform.db.deleteFrom('teams').where('id', '=', player.id).execute()
  expect((await boardOf(game)).items.map(({ name }) => name)).toEqual(['Late'])
})

test('the same version returns 304, and every encoding has the same content under a separate tag', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const player = await aPlayer(game)
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await boardOf(game)
  for (const path of ['scoreboard', 'scoreboard/feed', 'scoreboard/feed?after=0']) {
    const url = `/api/game/${game}/${path}`
    const ask = (headers: Record<string, string>) => platform.app.inject({ url, headers })
    const [plain, gzip, br] = [
      await ask({}),
      await ask({ 'accept-encoding': 'gzip' }),
      await ask({ 'accept-encoding': 'gzip, br' }),
    ]
    expect([plain, gzip, br].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br'])
    expect(gunzipSync(gzip.rawPayload)).toEqual(plain.rawPayload)
    expect(brotliDecompressSync(br.rawPayload)).toEqual(plain.rawPayload)
    expect(new Set([plain, gzip, br].map(({ headers }) => headers.etag)).size).toBe(3)
    expect(plain.headers.vary).toContain('Accept-Encoding')
    const tag = String(gzip.headers.etag)
    for (const knownTag of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await ask({ 'accept-encoding': 'gzip', 'if-none-match': knownTag })
      expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', tag])
    }
    expect((await ask({ 'if-none-match': tag })).statusCode).toBe(200)
  }
  const tag = String((await get(`/api/game/${game}/scoreboard`)).headers.etag)
  await admin.put(`/api/edit/games/${game}/challenges/${challenge}`, { originalScore: 10 })
  await boardOf(game)
  expect((await platform.app.inject({ url: `/api/game/${game}/scoreboard`, headers: { 'if-none-match': tag } })).statusCode).toBe(
    200,
  )
})

/** The board that a browser builds from the feed and its tail. */
function drawFeed({ feed, tail }: { feed: Feed; tail: FeedTail }) {
  const { challenges, teams, solves } = feed
  let shownAt = feed.startsAt
  const board = drawBoard({
    startsAt: feed.startsAt,
    endsAt: feed.endsAt,
    bloodBonus: feed.bloodBonus,
    challenges: challenges.id.map((id, i) => ({
      id,
      title: challenges.title[i] as string,
      category: challengeCategories[challenges.category[i] as number] as (typeof challengeCategories)[number],
      bloodBonus: challenges.bloodBonus[i] as number | null,
      values: challenges.values[i] as number[],
    })),
    teams: teams.id.map((id, i) => ({
      id,
      participationId: teams.participationId[i] as number,
      name: teams.name[i] as string,
      bio: teams.bio[i] as string | null,
      avatar: teams.avatar[i] as string | null,
      division: feed.divisions[teams.division[i] as number] ?? null,
    })),
    solves: solves.number.map((number, i) => {
      shownAt += solves.after[i] as number
      return {
        number,
        participationId: teams.participationId[solves.team[i] as number] as number,
        challengeId: challenges.id[solves.challenge[i] as number] as number,
        userName: feed.users[solves.user[i] as number] as string | null,
        shownAt,
        arrivedAt: shownAt - (solves.raised[i] as number),
      }
    }),
  })
  for (const [number, participationId, challengeId, userName, arrivedAt, shown, value] of tail.solves)
    addSolves(board, [{ number, participationId, challengeId, userName, arrivedAt, shownAt: shown, value }])
  return board
}

test('the board that a browser builds from the feed equals the server’s board, also after suspension and edits', async () => {
  const game = await aGame(platform.db, { divisions: ['North'] })
  const challenges = []
  for (let i = 0; i < 5; i++)
    challenges.push(await aChallenge(platform.db, game, { difficulty: i + 1, ...(i === 2 && { bloodBonus: 104_919_065 }) }))
  const players = []
  for (let i = 0; i < 12; i++) players.push(await aPlayer(game, i % 3 === 0 ? { division: 'North' } : {}))
  for (const [i, { participation, captain }] of players.entries())
    for (const [j, challenge] of challenges.entries())
      if ((i * 7 + j * 3) % 4 !== 0)
        await aSolve(platform.db, {
          gameId: game,
          participation,
          challenge,
          account: captain,
          arrived: new Date(at('-20m').getTime() + i * 1000 - j * 2500),
        })
  const compare = async () => {
    const [wire, feed] = [await boardOf(game), await settledFeed({ db: platform.db, get }, game)]
    expect([feed.feed.head, feed.feed.solves.number, feed.tail.from]).toEqual([0, [], 0])
    const drawn = drawFeed(feed)
    expect(
      rowsOf(drawn).map(({ team, rank, divisionRank, points, solves }) => [
        team.id,
        team.name,
        rank,
        divisionRank,
        points,
        solves.map(({ challengeId, points: score, type, userName, time }) => [challengeId, score, type, userName, time]),
      ]),
    ).toEqual(
      wire.items.map(({ id, name, rank, organizationRank, score, solvedChallenges }) => [
        id,
        name,
        rank,
        organizationRank,
        score,
        solvedChallenges.map((solve) => [solve.id, solve.score, solve.type, solve.userName, Date.parse(solve.time)]),
      ]),
    )
    expect(
      columnsOf(drawn).map(({ id, value, solved, bloods }) => [id, value, solved, bloods.map(({ team }) => team.id)]),
    ).toEqual(challengesOf(wire).map(({ id, score, solved, bloods }) => [id, score, solved, bloods.map((blood) => blood.id)]))
    const start = (await get(`/api/game/${game}/scoreboard/start`)).body as BoardStart
    const placed = ({ team, rank, divisionRank, points }: StartRow) => [team.id, rank, divisionRank, points]
    const expected = wire.items.map(({ id, rank, organizationRank, score }) => [id, rank, organizationRank, score])
    expect([start.rows.map(placed), start.teamCount]).toEqual([expected, expected.length])
    const last = expected.at(-1) as number[]
    const { row } = (await get(`/api/game/${game}/scoreboard/start?team=${last[0]}`)).body as BoardStartRow
    expect(placed(row as StartRow)).toEqual(last)
    expect((await get(`/api/game/${game}/scoreboard/start?team=999999`)).body).toEqual({ row: null })
  }
  await compare()
  await admin.put(`/api/admin/participation/${players[3]?.participation}/Suspended`)
  await compare()
  await admin.put(`/api/edit/games/${game}/challenges/${challenges[1]}`, { originalScore: 333, difficulty: 0.5 })
  await compare()
})

test('P7.71 an accepted team sees challenges, own rank and token', async () => {
  const [writeupDeadline, enabledAt] = [at('5h'), at('-10m')]
  const game = await aGame(platform.db, { writeupRequired: true, writeupDeadline })
  const challenge = await aChallenge(platform.db, game, { title: 'Door', category: 'Web', enabledAt })
  await aChallenge(platform.db, game, { enabled: false })
  const player = await aPlayer(game, { name: 'Us' })
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await aParticipation(platform.db, game, await aTeam(platform.db), { status: 'Pending' })
  const board = await boardOf(game)
  const { body } = await player.call.get(`/api/game/${game}/details`)
  expect(body).toMatchObject({
    teamCount: 1,
    challengeCount: 1,
    teamToken: `${player.id}:signature`,
    writeupRequired: true,
    participationId: player.participation,
    practiceSolves: [],
    containerCountLimit: 3,
  })
  expect(body.rank).toEqual(board.items[0])
  expect(body.challenges.Web).toMatchObject(board.challenges.Web as object)
  expect(body.challenges.Web[0]).toMatchObject({
    type: 'StaticAttachment',
    originalScore: 1000,
    nextScore: 864,
    enabledAt: wireTime(enabledAt),
  })
  expect(body.writeupDeadline).toBe(wireTime(writeupDeadline))
})

test('P7.71 teams that repeat the request for details each get their own row, and a new one after the board changes', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const teams = [await aPlayer(game, { name: 'One' }), await aPlayer(game, { name: 'Two' })]
  await aParticipation(platform.db, game, await aTeam(platform.db, { name: 'Unasked' }))
  // One after the other: concurrent requests would overwrite the row that is kept for the neighbour.
  const rows = async () => {
    const found = []
    for (const { call } of teams) {
      const { rank, challenges } = (await call.get(`/api/game/${game}/details`)).body
      found.push([rank.name, rank.rank, rank.score, challenges.Misc[0].solved])
    }
    return found
  }
  const none = [
    ['One', 1, 0, 0],
    ['Two', 2, 0, 0],
  ]
  for (let round = 0; round < 3; round++) expect(await rows()).toEqual(none)
  await teams[1]?.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await vi.waitFor(async () => expect((await rows())[1]).toEqual(['Two', 1, 1050, 1]), 5000)
  for (let round = 0; round < 3; round++)
    expect(await rows()).toEqual([
      ['One', 2, 0, 1],
      ['Two', 1, 1050, 1],
    ])
})

test('P7.71 the checks before the details: game, participation, acceptance, start, end', async () => {
  const running = await aGame(platform.db)
  const code = async (call: Caller, game: number) => {
    const { status, error } = await call.get(`/api/game/${game}/details`)
    return [status, error.status, error.code]
  }
  expect(await code(platform.anyone, running)).toEqual([401, 401, 'auth.required'])
  expect(await code(admin, 999_999)).toEqual([404, 404, 'game.not_found'])
  expect(await code(admin, running)).toEqual([400, 400, 'participation.none'])
  const gated = [
    [{}, { status: 'Pending' }, [400, 400, 'participation.not_accepted']],
    [{ starts: '1h', ends: '2h' }, { status: 'Rejected' }, [400, 400, 'participation.not_accepted']],
    [{ starts: '1h', ends: '2h' }, {}, [400, 400, 'game.not_started']],
    [{ starts: '-2h', ends: '-1h', practiceMode: false }, {}, [400, 10002, 'game.ended']],
  ] as const
  for (const [times, participation, expected] of gated) {
    const game = await aGame(platform.db, times)
    expect(await code((await aPlayer(game, participation)).call, game)).toEqual(expected)
  }
})

/** The sheets of board and answers, read by an office program and compared cell by cell. */
import type { Scoreboard } from '@vexil/contract/scoreboard'
import { type AnswerResult, type Language, languages } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { aChallenge, aGame, anAccount, aParticipation, aSolve, aTeam, at } from './builders/game.ts'
import { haveOffice, readSheet } from './office.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'
import { listZip } from './zip.ts'

let platform: TestPlatform
let cookie: string
let monitor: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  const id = await anAccount(platform.db, { role: 'Monitor' })
  monitor = await platform.as(id)
  cookie = `${cookieName}=${await startSession(platform.db, id)}`
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

type Kind = 'scoreboardsheet' | 'submissionsheet'

async function download(game: number, kind: Kind, language: Language = 'en_US') {
  const reply = await platform.app.inject({
    url: `/api/game/${game}/${kind}`,
    headers: { cookie, 'accept-language': language.replace('_', '-') },
  })
  expect(reply.statusCode).toBe(200)
  return { headers: reply.headers, xlsx: reply.rawPayload }
}

const titles = ['=1+1', '+1', '-1', '@SUM(A1)', '<b>&"quoted", and more']
const stamp = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`

describe.skipIf(!haveOffice)('read by LibreOffice', () => {
  test('P7.79 the board: rank, team, members, solves, points and a column for each challenge', { timeout: 120_000 }, async () => {
    const game = await aGame(platform.db, { title: 'Sea / Side: 夏', divisions: ['Student', 'Open'] })
    const challenges: number[] = []
    for (const title of titles) challenges.push(await aChallenge(platform.db, game, { title, category: 'Web' }))
    await aChallenge(platform.db, game, { title: 'off', enabled: false })
    // In the order of their registration, which is not that of their ids or their rows.
    const id = (digit: string) => `${digit.repeat(8)}-0000-7000-8000-000000000000`
    const mate = await anAccount(platform.db, { id: id('0'), realName: ' ', studentNumber: '', phone: null })
    const captain = await anAccount(platform.db, { id: id('f'), realName: '=Ada', studentNumber: '007', phone: '+49 30 1' })
    const stranger = await anAccount(platform.db, { realName: 'Not registered' })
    const team = await aTeam(platform.db, { captain, name: '@home, "quoted"' })
    const participation = await aParticipation(platform.db, game, { ...team, members: [] }, { division: 'Open' })
    for (const accountId of [mate, stranger]) {
      await platform.db.insertInto('teamMembers').values({ teamId: team.id, accountId }).execute()
    }
    const of = { participationId: participation, teamId: team.id, gameId: game }
    await platform.db
      .insertInto('registrations')
      .values([
        { ...of, accountId: mate, registeredAt: at('1s') },
        { ...of, accountId: captain, registeredAt: at('-1s') },
      ])
      .execute()
    const other = await aTeam(platform.db, { name: '-2+3' })
    await aParticipation(platform.db, game, other, { division: 'Student' })
    await aParticipation(platform.db, game, await aTeam(platform.db), { status: 'Suspended' })
    const [first, last] = [at('-20m'), at('-10m')]
    await aSolve(platform.db, { gameId: game, participation, challenge: challenges[0] as number, arrived: first })
    await aSolve(platform.db, { gameId: game, participation, challenge: challenges[2] as number, arrived: last })

    const board = (await monitor.get(`/api/game/${game}/scoreboard`)).body as Scoreboard
    const columns = board.challenges.Web?.map(({ id, title }) => ({ id, title })) ?? []
    const { headers, xlsx } = await download(game, 'scoreboardsheet')
    expect(headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(decodeURIComponent(String(headers['content-disposition']))).toMatch(
      /^attachment; filename="Sea _ Side_ __Scoreboard_\d{14}\.xlsx"; filename\*=UTF-8''Sea _ Side_ 夏_Scoreboard_\d{14}\.xlsx$/,
    )
    const pointsOf = (teamId: number) => {
      const item = board.items.find(({ id }) => id === teamId)
      const earned = new Map(item?.solvedChallenges.map(({ id, score }) => [id, score]))
      return { score: item?.score, cells: columns.map(({ id }) => earned.get(id) ?? 0) }
    }
    expect(pointsOf(team.id).score).toBe(2100)
    expect(readSheet(xlsx)).toEqual([
      [
        'Rank',
        'Team',
        'Division',
        'Captain',
        'Members',
        'Student numbers',
        'Phone numbers',
        'Solved',
        'Last solve (UTC)',
        'Points',
      ].concat(columns.map(({ title }) => title)),
      [
        1,
        '@home, "quoted"',
        'Open',
        '=Ada',
        '=Ada / <empty>',
        '007 / <empty>',
        '+49 30 1 / <empty>',
        2,
        stamp(last),
        2100,
      ].concat(pointsOf(team.id).cells),
      [2, '-2+3', 'Student', '', '<empty>', '<empty>', '<empty>', 0, '', 0, ...pointsOf(other.id).cells],
    ])
  })

  test('P7.79 a board of 30 challenges has a column for each, in board order', { timeout: 120_000 }, async () => {
    const game = await aGame(platform.db, { title: 'Wide' })
    const challenges: number[] = []
    for (let i = 0; i < 30; i++)
      challenges.push(await aChallenge(platform.db, game, { title: `Challenge ${i}`, category: 'Web' }))
    const participation = await aParticipation(platform.db, game, await aTeam(platform.db, { name: 'Alone' }))
    const last = challenges[29] as number
    await aSolve(platform.db, { gameId: game, participation, challenge: last, arrived: at('-10m') })
    const columns = ((await monitor.get(`/api/game/${game}/scoreboard`)).body as Scoreboard).challenges.Web ?? []
    const [headings = [], row = []] = readSheet((await download(game, 'scoreboardsheet')).xlsx)
    expect(headings.slice(9)).toEqual(columns.map(({ title }) => title))
    expect(headings).toHaveLength(39)
    expect(row.slice(9).map((points) => Number(points) > 0)).toEqual(columns.map(({ id }) => id === last))
  })

  test('P7.79 without divisions there is no division column, and an empty board has only headings', {
    timeout: 120_000,
  }, async () => {
    const game = await aGame(platform.db)
    const headings = [
      'Rank',
      'Team',
      'Captain',
      'Members',
      'Student numbers',
      'Phone numbers',
      'Solved',
      'Last solve (UTC)',
      'Points',
    ]
    expect(readSheet((await download(game, 'scoreboardsheet')).xlsx)).toEqual([headings])
    expect(readSheet((await download(game, 'submissionsheet')).xlsx)).toEqual([
      ['Result', 'Time (UTC)', 'Team', 'User', 'Challenge', 'Answer', 'Email'],
    ])
  })

  test('P7.81 SU-2 all answers, newest first, every cell text; blanks for a deleted user', { timeout: 120_000 }, async () => {
    const game = await aGame(platform.db, { title: 'g' })
    const challenge = await aChallenge(platform.db, game, { title: '@cell' })
    const account = await anAccount(platform.db, { userName: '=user', email: 'u@example.org' })
    const deletedAccount = await anAccount(platform.db)
    const team = await aTeam(platform.db, { captain: account, members: [deletedAccount], name: '-team' })
    const participationId = await aParticipation(platform.db, game, team)
    const answers = ['=1+1', '+1', '-1', '@SUM(A1)', '=cmd|"/c calc"!A1', '12', '007', 'a,b\n"c"', ' _x0041_ <&> \u0001', 'TRUE']
    const statuses: AnswerResult[] = ['WrongAnswer', 'Accepted', 'CheatDetected', 'NotFound']
    const words = ['Wrong answer', 'Accepted', 'Cheating detected', 'Challenge not found']
    const rows = answers.map((answer, i) => ({
      answer,
      status: statuses[i % 4] as AnswerResult,
      arrivedAt: new Date(Date.now() - 60_000 + 1000 * i),
      accountId: i === 5 ? deletedAccount : account,
    }))
    const at = { gameId: game, participationId, challengeId: challenge }
    await platform.db
      .insertInto('submissions')
      .values(rows.map((row) => ({ ...row, ...at })))
      .execute()
    await platform.db.deleteFrom('accounts').where('id', '=', deletedAccount).execute()

    const { headers, xlsx } = await download(game, 'submissionsheet')
    expect(headers['content-disposition']).toMatch(/^attachment; filename=g_Submissions_\d{14}\.xlsx;/)
    const expected = rows.map(({ answer, arrivedAt }, i) => {
      const [user, email] = i === 5 ? ['', ''] : ['=user', 'u@example.org']
      return [words[i % 4], stamp(arrivedAt), '-team', user, '@cell', answer, email]
    })
    const [head, ...read] = readSheet(xlsx)
    expect(head).toEqual(['Result', 'Time (UTC)', 'Team', 'User', 'Challenge', 'Answer', 'Email'])
    expect(read).toEqual(expected.reverse())
  })

  test.each([
    ['zh_CN', '排名', '结果'],
    ['ja_JP', '順位', '結果'],
  ] as const)('P7.79 P7.81 headings in %s', { timeout: 120_000 }, async (language, rank, result) => {
    const game = await aGame(platform.db)
    expect(readSheet((await download(game, 'scoreboardsheet', language)).xlsx)[0]?.[0]).toBe(rank)
    expect(readSheet((await download(game, 'submissionsheet', language)).xlsx)[0]?.[0]).toBe(result)
  })
})

test('P7.79 P7.81 a sheet is named in the language of the request, within the limits of the format', async () => {
  const game = await aGame(platform.db)
  const names = new Set<string>()
  for (const language of languages) {
    for (const kind of ['scoreboardsheet', 'submissionsheet'] as const) {
      const workbook = listZip((await download(game, kind, language)).xlsx).find(({ name }) => name === 'xl/workbook.xml')
      const [, name = ''] = /<sheet name="([^"]+)"/.exec(String(workbook?.bytes)) ?? []
      expect(name).toMatch(/^[^[\]:*?/\\]{1,31}$/)
      names.add(name)
    }
  }
  expect(names.size).toBe(6)
})

test.each(['scoreboardsheet', 'submissionsheet'] as const)(
  'P7.79 P7.81 the %s requires a monitor and a started game',
  async (kind) => {
    const unknown = await monitor.get(`/api/game/2000000000/${kind}`)
    expect([unknown.status, unknown.error.status, unknown.error.code]).toEqual([404, 400, 'game.unknown'])
    const early = await monitor.get(`/api/game/${await aGame(platform.db, { starts: '1h', ends: '2h' })}/${kind}`)
    expect([early.status, early.error.status, early.error.code]).toEqual([400, 400, 'game.not_started'])
    const game = await aGame(platform.db)
    const user = await platform.as(await anAccount(platform.db))
    expect((await user.get(`/api/game/${game}/${kind}`)).status).toBe(403)
    expect((await platform.anyone.get(`/api/game/${game}/${kind}`)).status).toBe(401)
  },
)

test('P7.79 a board that cannot be drawn returns 400, and the reason is logged', async () => {
  const game = await aGame(platform.db)
  await sql`alter table registrations rename column registered_at to away`.execute(platform.db)
  const reported = vi.spyOn(platform.app.log, 'error').mockImplementation(() => {})
  const answer = await monitor
    .get(`/api/game/${game}/scoreboardsheet`)
    .finally(() => sql`alter table registrations rename column away to registered_at`.execute(platform.db))
  expect(reported.mock.calls).toMatchObject([[{ err: { code: '42703' } }, 'fault']])
  reported.mockRestore()
  expect([answer.status, answer.error.status, answer.error.code]).toEqual([400, 400, 'board.not_drawn'])
  await platform.deps.log.flush()
  const logged = await platform.db.selectFrom('logs').selectAll().where('level', '=', 'Error').execute()
  const message = expect.stringMatching(`^Could not create the sheet of game #${game}: .*registered_at`)
  expect(logged.at(-1)).toMatchObject({ status: 'Failed', name: 'System', message })
})

test('P7.79 a board without a known start returns the error of its rule, and no error is logged', async () => {
  const game = await aGame(platform.db, { starts: '1h', ends: '2h' })
  expect((await platform.anyone.get(`/api/game/${game}/scoreboard`)).error.code).toBe('game.not_started')
  const count = () => platform.db.selectFrom('logs').select('id').where('level', '=', 'Error').execute()
  await platform.deps.log.flush()
  const before = (await count()).length
  // Without its triggers the game starts only in the database; the kept board still has the old time.
  await platform.db.transaction().execute(async (tx) => {
    await sql`alter table games disable trigger user`.execute(tx)
    await sql`update games set starts_at = clock_timestamp() - interval '1 hour' where id = ${game}`.execute(tx)
    await sql`alter table games enable trigger user`.execute(tx)
  })
  const answer = await monitor.get(`/api/game/${game}/scoreboardsheet`)
  expect([answer.status, answer.error.status, answer.error.code]).toEqual([400, 400, 'game.not_started'])
  await platform.deps.log.flush()
  expect(await count()).toHaveLength(before)
})

/** The result of `work`, the longest processor time of one turn of the event loop during it, and the sum of all turns. */
async function measureTurns<T extends object>(work: () => Promise<T>): Promise<T & { longest: number; all: number }> {
  const spent = (since?: NodeJS.CpuUsage) => {
    const { user, system } = process.threadCpuUsage(since)
    return user + system
  }
  const begun = process.threadCpuUsage()
  let longest = 0
  let last = spent()
  let goesOn = true
  const turn = () => {
    const now = spent()
    longest = Math.max(longest, now - last)
    last = now
    if (goesOn) setImmediate(turn)
  }
  turn()
  const result = await work().finally(() => {
    goesOn = false
  })
  return { ...result, longest, all: spent(begun) }
}

test('P7.81 more than 100,000 answers are all sent, newest first, while other requests are served', {
  timeout: 180_000,
}, async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const participation = await aParticipation(platform.db, game, await aTeam(platform.db))
  await sql`
    insert into submissions (game_id, participation_id, challenge_id, answer, status, arrived_at)
    select ${game}, ${participation}, ${challenge}, 'answer ' || n || ' ' || md5(n::text), 'WrongAnswer',
      ${at('-30m')}::timestamptz + (n / 7) * interval '1 ms'
    from generate_series(1, 100010) n`.execute(platform.db)
  const { xlsx, longest, all } = await measureTurns(() => download(game, 'submissionsheet'))
  // Without turns in between it would be nearly all of it.
  expect(longest).toBeLessThan(all / 4)
  const sheet = String(listZip(xlsx).find(({ name }) => name === 'xl/worksheets/sheet1.xml')?.bytes)
  const answers = [...sheet.matchAll(/answer (\d+) /g)].map(([, n]) => Number(n))
  expect(answers.length).toBe(100_010)
  expect(answers).toEqual(Array.from({ length: 100_010 }, (_, i) => 100_010 - i))
})

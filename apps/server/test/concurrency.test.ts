/**
 * Concurrent operations. VEXIL_ROUNDS sets how often each race is run; everything runs on one node and again on two nodes that share a database, over
 * real sockets.
 */
import type { Scoreboard } from '@vexil/contract/scoreboard'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashPassword } from '../src/accounts/passwords.ts'
import { challengesOf, settledBoard } from './board.ts'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam, at } from './builders/game.ts'
import { type Ask, type Nodes, startNodes } from './nodes.ts'

const rounds = Number(process.env.VEXIL_ROUNDS ?? 3)
const within = 60_000 + rounds * 10_000
const eachRound = async (race: (round: number) => Promise<void>) => {
  for (let round = 0; round < rounds; round++) await race(round)
}
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

describe.each([
  ['one node', 1],
  ['two processes over sockets', 2],
])('%s', (_name, count) => {
  let nodes: Nodes
  let admin: Ask
  let anyone: Ask
  beforeAll(async () => {
    nodes = await startNodes(count)
    admin = await nodes.as(await anAccount(nodes.db, { role: 'Admin' }))
    anyone = await nodes.as(null)
  })
  afterAll(() => nodes.stop())

  async function aPlayer(gameId: number) {
    const team = await aTeam(nodes.db)
    const participation = await aParticipation(nodes.db, gameId, team)
    return { ...team, participation, ask: await nodes.as(team.captain) }
  }
  type Player = Awaited<ReturnType<typeof aPlayer>>

  /** The board as every node shows it once it has caught up; all nodes must agree. */
  async function boardOf(gameId: number): Promise<Scoreboard> {
    const boards = await times(nodes.count, (node) =>
      settledBoard({ db: nodes.db, get: (url) => anyone(node, 'GET', url) }, gameId),
    )
    for (const board of boards) expect(board).toEqual(boards[0])
    return boards[0] as Scoreboard
  }
  const submit = (player: Player, node: number, game: number, challenge: number, flag = 'flag{right}') =>
    player.ask(node, 'POST', `/api/game/${game}/challenges/${challenge}`, { flag })
  const solversOn = (board: Scoreboard) => new Set(board.items.filter(({ solvedCount }) => solvedCount > 0).map(({ id }) => id))
  /** In the order in which they were written. */
  const rowsOf = (table: 'solves' | 'submissions', gameId: number) =>
    nodes.db
      .selectFrom(table)
      .select(['participationId', 'arrivedAt'])
      .where('gameId', '=', gameId)
      .orderBy(table === 'solves' ? sql.ref('number') : sql.ref('id'))
      .execute()
  const bloodsOf = (gameId: number) =>
    nodes.db.selectFrom('notices').select(['type', 'values']).where('gameId', '=', gameId).orderBy('id').execute()

  test('P3.58 50 teams send the right flag at once: bloods, numbers 1 to 50, notices and board match', { timeout: within }, () =>
    eachRound(async () => {
      const game = await aGame(nodes.db)
      const challenge = await aChallenge(nodes.db, game)
      const players = await times(50, () => aPlayer(game))
      const sent = await Promise.all(players.map((player, node) => submit(player, node, game, challenge)))
      expect(sent.map(({ status }) => status)).toEqual(Array(50).fill(200))
      const numbers = await nodes.db.selectFrom('solves').select('number').where('gameId', '=', game).orderBy('number').execute()
      expect(numbers.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, place) => place + 1))
      const bloods = await bloodsOf(game)
      expect(bloods.map(({ type }) => type)).toEqual(['FirstBlood', 'SecondBlood', 'ThirdBlood'])
      const [column] = challengesOf(await boardOf(game))
      expect(column?.bloods.map(({ name }) => name)).toEqual(bloods.map(({ values }) => values[0]))
      expect(column?.solved).toBe(50)
    }),
  )

  test('one team sends the right flag 20 times at once: one solve, 20 responses', { timeout: within }, () =>
    eachRound(async () => {
      const game = await aGame(nodes.db)
      const challenge = await aChallenge(nodes.db, game)
      const player = await aPlayer(game)
      const sent = await times(20, (node) => submit(player, node, game, challenge))
      expect(sent.map(({ status }) => status)).toEqual(Array(20).fill(200))
      expect(await rowsOf('solves', game)).toHaveLength(1)
      expect(await rowsOf('submissions', game)).toHaveLength(20)
    }),
  )

  test('P5.8 20 requests create a team for one user: one team', { timeout: within }, () =>
    eachRound(async (round) => {
      const user = await anAccount(nodes.db)
      const ask = await nodes.as(user)
      const made = await times(20, (node) => ask(node, 'POST', '/api/team', { name: `team ${round} ${node}` }))
      expect(made.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status, body } of made) if (status !== 200) expect(body.code).toBe('team.already_owned')
      expect(await nodes.db.selectFrom('teams').select('id').where('captainId', '=', user).execute()).toHaveLength(1)
    }),
  )

  test('P7.20 P7.7 sign-ins and what ends all sessions: no session remains', { timeout: within }, () =>
    eachRound(async (round) => {
      const passwordHash = await hashPassword('aaaaaa', 'test')
      for (const [userName, end] of [
        [`reset${round}`, (id: string) => admin(1, 'DELETE', `/api/admin/users/${id}/password`)],
        [`off${round}`, (id: string) => admin(1, 'PUT', `/api/admin/users/${id}`, { emailConfirmed: false })],
      ] as const) {
        const id = await anAccount(nodes.db, { userName, passwordHash })
        const signIns = times(10, (node) => anyone(node, 'POST', '/api/account/login', { userName, password: 'aaaaaa' }))
        expect((await end(id)).status).toBe(200)
        for (const { status } of await signIns) expect([200, 401]).toContain(status)
        expect(await nodes.db.selectFrom('sessions').select('accountId').where('accountId', '=', id).execute()).toEqual([])
      }
    }),
  )

  test('P5.24 20 members join one game with a limit of five: five are admitted', { timeout: within }, () =>
    eachRound(async () => {
      const game = await aGame(nodes.db, { memberLimit: 5 })
      const mates = await times(19, () => anAccount(nodes.db))
      const team = await aTeam(nodes.db, { members: mates })
      const asks = await Promise.all(team.members.map((id) => nodes.as(id)))
      const answers = await Promise.all(asks.map((ask, i) => ask(i, 'POST', `/api/game/${game}`, { teamId: team.id })))
      const codes = answers.map(({ status, error }) => (status === 200 ? 'in' : error.code))
      expect(codes.filter((word) => word === 'in')).toHaveLength(5)
      expect(codes.filter((word) => word === 'participation.member_limit')).toHaveLength(15)
      const registered = await nodes.db.selectFrom('registrations').select('accountId').where('gameId', '=', game).execute()
      expect(new Set(registered.map(({ accountId }) => accountId))).toEqual(
        new Set(team.members.filter((_, i) => codes[i] === 'in')),
      )
    }),
  )

  test('P3.35 two first members join: one participation with both', { timeout: within }, () =>
    eachRound(async () => {
      const game = await aGame(nodes.db, { acceptWithoutReview: true })
      const team = await aTeam(nodes.db, { members: [await anAccount(nodes.db)] })
      const asks = await Promise.all(team.members.map((id) => nodes.as(id)))
      const answers = await Promise.all(asks.map((ask, i) => ask(i, 'POST', `/api/game/${game}`, { teamId: team.id })))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const made = await nodes.db.selectFrom('participations').select('id').where('gameId', '=', game).execute()
      expect(made).toHaveLength(1)
      const registered = await nodes.db.selectFrom('registrations').select('participationId').where('gameId', '=', game).execute()
      expect(registered.map(({ participationId }) => participationId)).toEqual([made[0]?.id, made[0]?.id])
      expect((await boardOf(game)).items.map(({ id }) => id)).toEqual([team.id])
    }),
  )

  test('the last two members leave: the participation is deleted completely', { timeout: within }, () =>
    eachRound(async () => {
      const game = await aGame(nodes.db)
      const team = await aTeam(nodes.db, { members: [await anAccount(nodes.db)] })
      await aParticipation(nodes.db, game, team, { status: 'Pending' })
      const asks = await Promise.all(team.members.map((id) => nodes.as(id)))
      const answers = await Promise.all(asks.map((ask, i) => ask(i, 'DELETE', `/api/game/${game}`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(await nodes.db.selectFrom('participations').select('id').where('gameId', '=', game).execute()).toEqual([])
    }),
  )

  test('P5.20 30 teams open a challenge of 30 files, two members each: 30 different files', { timeout: within }, () =>
    eachRound(async () => {
      const game = await aGame(nodes.db)
      const challenge = await aChallenge(nodes.db, game, { type: 'DynamicAttachment', flags: [] })
      const files = await times(30, () => aFile(nodes.db))
      const rows = files.map((fileHash, i) => ({ flag: `flag{${i}}`, attachmentType: 'Local', fileHash }))
      expect((await admin(0, 'POST', `/api/edit/games/${game}/challenges/${challenge}/flags`, rows)).status).toBe(200)
      const teams = await times(30, async () => {
        const team = await aTeam(nodes.db, { members: [await anAccount(nodes.db)] })
        await aParticipation(nodes.db, game, team)
        return Promise.all(team.members.map((id) => nodes.as(id)))
      })
      const opened = await Promise.all(
        teams.flatMap((asks) => asks.map((ask, node) => ask(node, 'GET', `/api/game/${game}/challenges/${challenge}`))),
      )
      expect(opened.map(({ status }) => status)).toEqual(Array(60).fill(200))
      const urls = opened.map(({ body }) => body.context.url as string)
      expect(new Set(urls).size).toBe(30)
      for (let i = 0; i < urls.length; i += 2) expect(urls[i]).toBe(urls[i + 1])
      const taken = await nodes.db
        .selectFrom('flags')
        .select('id')
        .where('challengeId', '=', challenge)
        .where('takenAt', 'is not', null)
        .execute()
      expect(taken).toHaveLength(30)
    }),
  )

  test('P4.3 a team is suspended during a solve: log, notices and board match, in either order', { timeout: within }, () =>
    eachRound(async (round) => {
      const game = await aGame(nodes.db)
      const challenge = await aChallenge(nodes.db, game)
      const [suspended, next] = [await aPlayer(game), await aPlayer(game)]
      await boardOf(game)
      const suspend = () => admin(1, 'PUT', `/api/admin/participation/${suspended.participation}/Suspended`)
      const solve = () => submit(suspended, 0, game, challenge)
      const both = round % 2 === 0 ? [solve(), suspend()] : [suspend(), solve()]
      const answers = await Promise.all(both)
      const answer = answers[round % 2]
      const wasIn = answer?.status === 200
      if (!wasIn) expect(answer).toMatchObject({ status: 400, error: { code: 'participation.suspended' } })
      expect(await rowsOf('solves', game)).toHaveLength(wasIn ? 1 : 0)
      expect(await rowsOf('submissions', game)).toHaveLength(wasIn ? 1 : 0)
      expect((await bloodsOf(game)).map(({ type }) => type)).toEqual(wasIn ? ['FirstBlood'] : [])
      expect((await boardOf(game)).items.map(({ id, score }) => [id, score])).toEqual([[next.id, 0]])
      expect((await solve()).status).toBe(400)

      expect((await submit(next, 1, game, challenge)).status).toBe(200)
      const after = await boardOf(game)
      expect(after.items.map(({ id, score }) => [id, score])).toEqual([[next.id, 1050]])
      expect(challengesOf(after)[0]).toMatchObject({ solved: 1, bloods: [{ id: next.id }] })
      expect((await bloodsOf(game)).at(-1)?.type).toBe('FirstBlood')

      await admin(0, 'PUT', `/api/admin/participation/${suspended.participation}/Accepted`)
      const back = await boardOf(game)
      expect(solversOn(back)).toEqual(new Set(wasIn ? [suspended.id, next.id] : [next.id]))
      expect(challengesOf(back)[0]?.bloods[0]?.id).toBe(wasIn ? suspended.id : next.id)
    }),
  )

  test('P4.20 the end is moved while 50 teams submit: every response matches the board afterwards', { timeout: within }, () =>
    eachRound(async (round) => {
      const practiceMode = round % 2 === 0
      const game = await aGame(nodes.db, { practiceMode })
      const challenge = await aChallenge(nodes.db, game)
      const players = await times(50, () => aPlayer(game))
      await boardOf(game)
      const pause = (i: number) => new Promise((later) => setTimeout(later, i))
      const sending = players.map(async (player, i) => {
        await pause(i)
        return submit(player, i, game, challenge)
      })
      await pause(20)
      const end = new Date(Date.now() + 10)
      const moved = await admin(1, 'PUT', `/api/edit/games/${game}`, { title: 'Moved', practiceMode, end })
      expect(moved.status).toBe(200)
      const answers = await Promise.all(sending)

      const solves = await rowsOf('solves', game)
      const inTime = new Set(solves.filter(({ arrivedAt }) => arrivedAt < end).map(({ participationId }) => participationId))
      const written = new Set(solves.map(({ participationId }) => participationId))
      const shown = solversOn(await boardOf(game))
      for (const [i, { status, error }] of answers.entries()) {
        const { id, participation, ask } = players[i] as Player
        if (status !== 200) expect([practiceMode, status, error.code]).toEqual([false, 400, 'game.ended'])
        expect([written.has(participation), shown.has(id)]).toEqual([status === 200, status === 200 && inTime.has(participation)])
        if (practiceMode) {
          const { body } = await ask(i, 'GET', `/api/game/${game}/details`)
          expect(body.practiceSolves).toEqual(inTime.has(participation) ? [] : [challenge])
        }
      }
      // Bloods follow the log and count solves in time. Notices that were sent before the end was moved stay.
      const bloods = challengesOf(await boardOf(game))[0]?.bloods.map(({ id }) => id)
      const teamOf = new Map(players.map(({ id, participation }) => [participation, id]))
      const first = solves.filter(({ arrivedAt }) => arrivedAt < end).slice(0, 3)
      expect(bloods).toEqual(first.map(({ participationId }) => teamOf.get(participationId)))
      // Notices count once by the old end and once by the new one: the second count continues from those that are still in time.
      const places = (await bloodsOf(game)).map(({ type }) => ['FirstBlood', 'SecondBlood', 'ThirdBlood'].indexOf(type) + 1)
      expect(places.join('')).toMatch(/^(|1|12|123)(|1|12|123|2|23|3)$/)
      if (inTime.size === written.size) expect(places).toEqual([1, 2, 3].slice(0, written.size))

      await admin(0, 'PUT', `/api/edit/games/${game}`, { title: 'Moved', practiceMode, end: at('1h') })
      expect(solversOn(await boardOf(game)).size).toBe(solves.length)
    }),
  )

  test(
    'a flag is removed while 30 teams send it: right before, wrong or not found afterwards, never mixed',
    { timeout: within },
    () =>
      eachRound(async (round) => {
        const last = round % 2 === 1
        const game = await aGame(nodes.db)
        const challenge = await aChallenge(nodes.db, game, { flags: ['flag{right}', ...(last ? [] : ['flag{other}'])] })
        const flag = await nodes.db
          .selectFrom('flags')
          .select('id')
          .where('challengeId', '=', challenge)
          .where('flag', '=', 'flag{right}')
          .executeTakeFirstOrThrow()
        const players = await times(30, () => aPlayer(game))
        const sending = players.map((player, i) => submit(player, i, game, challenge))
        const removed = await admin(1, 'DELETE', `/api/edit/games/${game}/challenges/${challenge}/flags/${flag.id}`)
        expect(removed.body).toBe('Success')
        const answers = await Promise.all(sending)

        const rows = await nodes.db
          .selectFrom('submissions')
          .select(['id', 'status', 'participationId'])
          .where('gameId', '=', game)
          .orderBy('id')
          .execute()
        const statuses = rows.map(({ status }) => status)
        expect(statuses).toEqual([...statuses].sort())
        expect(rows).toHaveLength(answers.filter(({ status }) => status === 200).length)
        for (const { status, error } of answers)
          if (status !== 200) expect([last, status, error.code]).toEqual([true, 404, 'challenge.not_found'])
        const right = rows.filter(({ status }) => status === 'Accepted').map(({ participationId }) => participationId)
        expect(last ? statuses.every((status) => status === 'Accepted') : true).toBe(true)
        expect((await rowsOf('solves', game)).map(({ participationId }) => participationId).sort()).toEqual([...right].sort())
        const board = await boardOf(game)
        if (last) expect([board.challengeCount, solversOn(board).size]).toEqual([0, 0])
        else expect(solversOn(board).size).toBe(right.length)
        const late = await submit(players[0] as Player, 1, game, challenge)
        if (last) expect(late.status).toBe(404)
        else {
          const status = await (players[0] as Player).ask(
            0,
            'GET',
            `/api/game/${game}/challenges/${challenge}/status/${late.body}`,
          )
          expect(status.body).toBe('WrongAnswer')
        }
      }),
  )

  test(
    'a challenge is deleted while teams open and solve it: nothing of it is left, and no deadlock occurs',
    { timeout: within },
    () =>
      eachRound(async () => {
        const game = await aGame(nodes.db)
        const flags = Array.from({ length: 20 }, (_, i) => `flag{${i}}`)
        const challenge = await aChallenge(nodes.db, game, { type: 'DynamicAttachment', flags })
        const players = await times(20, () => aPlayer(game))
        const work = players.flatMap((player, i) => [
          player.ask(i, 'GET', `/api/game/${game}/challenges/${challenge}`),
          submit(player, i, game, challenge, `flag{${i}}`),
        ])
        const deleted = await admin(1, 'DELETE', `/api/edit/games/${game}/challenges/${challenge}`)
        const answers = await Promise.all(work)
        expect(deleted.status).toBe(200)
        for (const { status } of answers) expect([200, 404]).toContain(status)
        for (const table of ['solves', 'submissions'] as const) expect(await rowsOf(table, game)).toEqual([])
        expect((await boardOf(game)).challengeCount).toBe(0)
      }),
  )
})

/** Rules that the database applies too: with random rows it must decide as core does. */
import { isAbandoned, isListed } from '@vexil/core/participation'
import { countsForScore } from '@vexil/core/phases'
import { type ParticipationStatus, participationStatuses } from '@vexil/core/vocabulary'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listBoardTeams } from '../src/scoreboard/board-facts.queries.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { freshDatabase, type TestDatabase } from './database.ts'

let database: TestDatabase
let teams: Awaited<ReturnType<typeof aTeam>>[]
beforeAll(async () => {
  database = await freshDatabase()
  teams = await Promise.all(Array.from({ length: 8 }, () => aTeam(database.db)))
})
afterAll(() => database.drop())

/** Milliseconds from the end of the game: the boundary, its neighbours and distant values. */
const fromTheEnd = fc.constantFrom(-3_600_000, -1000, -1, 0, 1, 1000)
const status = fc.oneof({ weight: 2, arbitrary: fc.constant('Accepted' as const) }, fc.constantFrom(...participationStatuses))

interface Entry {
  readonly status: ParticipationStatus
  readonly madeAt: number
}

/** A game that ended a minute ago, with one participation for each entry. */
async function endedGame(entries: readonly Entry[]) {
  const { db } = database
  const game = await aGame(db, { starts: '-2h', ends: '-1m' })
  const { endsAt } = await db.selectFrom('games').select('endsAt').where('id', '=', game).executeTakeFirstOrThrow()
  const rows = await db
    .insertInto('participations')
    .values(
      entries.map(({ status, madeAt }, i) => ({
        gameId: game,
        teamId: teams[i]!.id,
        status,
        token: `${teams[i]!.id}:signature`,
        createdAt: new Date(endsAt.getTime() + madeAt),
      })),
    )
    .returning(['id', 'teamId'])
    .execute()
  const participations = teams.slice(0, entries.length).map(({ id }) => rows.find((row) => row.teamId === id)!.id)
  await db
    .insertInto('registrations')
    .values(
      participations.map((id, i) => ({
        participationId: id,
        accountId: teams[i]!.captain,
        teamId: teams[i]!.id,
        gameId: game,
      })),
    )
    .execute()
  return { game, endsAt: endsAt.getTime(), participations }
}

test('P4.12 the board lists exactly the teams that isListed returns', async () => {
  const entries = fc.array(fc.record({ status, madeAt: fromTheEnd }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(entries, async (made) => {
      const { game, endsAt } = await endedGame(made)
      const listed = (await listBoardTeams(database.db, game)).map(({ id }) => id)
      const wanted = teams.filter((_team, i) => {
        const entry = made[i]
        return entry && isListed({ status: entry.status, madeAt: endsAt + entry.madeAt }, endsAt)
      })
      expect(listed.sort()).toEqual(wanted.map(({ id }) => id).sort())
    }),
    { numRuns: 40 },
  )
})

test('a stored answer gets a blood only if both countsForScore and isListed apply', async () => {
  const { db } = database
  const moments = fc.record({ madeAt: fromTheEnd, arrives: fc.integer({ min: -40, max: 20 }) })
  await fc.assert(
    fc.asyncProperty(moments, async ({ madeAt, arrives }) => {
      const { game, endsAt, participations } = await endedGame([{ status: 'Accepted', madeAt }])
      const challenge = await aChallenge(db, game)
      const { epoch } = await db.selectFrom('solveLogs').select('epoch').where('gameId', '=', game).executeTakeFirstOrThrow()
      const waited = (Date.now() - endsAt - arrives) / 1000
      const { rows } = await sql<{ outcome: string; rank: number | null }>`
        select outcome, rank from record_attempts(${game}, ${[epoch]}::bigint[], ${participations}::int[], ${[challenge]}::int[],
          ${[teams[0]!.captain]}::uuid[], ${['x']}::text[], ${['Accepted']}::text[], ${[waited]}::float8[], ${[null]}::text[])`.execute(
        db,
      )
      const { arrivedAt } = await db.selectFrom('solves').select('arrivedAt').where('gameId', '=', game).executeTakeFirstOrThrow()
      const counts =
        countsForScore({ endsAt }, arrivedAt.getTime()) && isListed({ status: 'Accepted', madeAt: endsAt + madeAt }, endsAt)
      expect(rows).toEqual([{ outcome: 'ok', rank: counts ? 1 : null }])
    }),
    { numRuns: 40 },
  )
})

test('P4.10 leaving deletes the participation if isAbandoned applies', async () => {
  const { db } = database
  const team = await aTeam(db, { members: [await anAccount(db), await anAccount(db)] })
  const counts = fc.record({
    stay: fc.integer({ min: 0, max: 2 }),
    leave: fc.integer({ min: 1, max: 2 }),
    submissions: fc.nat(2),
  })
  await fc.assert(
    fc.asyncProperty(counts, async ({ stay, leave, submissions }) => {
      const gameId = await aGame(db)
      const challengeId = await aChallenge(db, gameId)
      const members = team.members.slice(0, stay + leave)
      const participationId = await aParticipation(db, gameId, { id: team.id, members })
      const sent = { gameId, participationId, challengeId, answer: 'x', status: 'WrongAnswer' as const, arrivedAt: new Date() }
      for (let i = 0; i < submissions; i++) await db.insertInto('submissions').values(sent).execute()
      const leaving = members.slice(stay)
      await db.deleteFrom('registrations').where('gameId', '=', gameId).where('accountId', 'in', leaving).execute()
      const found = await db.selectFrom('participations').select('id').where('id', '=', participationId).execute()
      expect(found.length === 0).toBe(isAbandoned({ members: members.length - leaving.length, submissions }))
    }),
    { numRuns: 30 },
  )
})

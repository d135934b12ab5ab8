/** Unique indexes refuse these second rows, whatever the code does. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const constraintOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: { constraint?: string }) => error.constraint,
  )

async function aScene() {
  const { db } = database
  const game = await aGame(db)
  const challenge = await aChallenge(db, game)
  const team = await aTeam(db)
  return { db, game, challenge, team, participation: await aParticipation(db, game, team) }
}

test('a team solves a challenge once', async () => {
  const { db, game, challenge, participation } = await aScene()
  const solve = async (number: number) => {
    const now = new Date()
    const { id } = await db
      .insertInto('submissions')
      .values({
        gameId: game,
        participationId: participation,
        challengeId: challenge,
        answer: 'x',
        status: 'Accepted',
        arrivedAt: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('solves')
      .values({
        gameId: game,
        number,
        participationId: participation,
        challengeId: challenge,
        submissionId: id,
        arrivedAt: now,
        shownAt: now,
      })
      .execute()
  }
  await solve(1)
  expect(await constraintOf(solve(2))).toBe('solves_once')
})

test('a team takes part in a game once', async () => {
  const { db, game, team } = await aScene()
  expect(await constraintOf(aParticipation(db, game, { ...team, members: [] }))).toBe('participations_one_per_team')
})

test('a user is in one participation of a game', async () => {
  const { db, game, team } = await aScene()
  const other = await aTeam(db, { members: [team.captain] })
  expect(await constraintOf(aParticipation(db, game, { ...other, members: [team.captain] }))).toBe('registrations_one_per_game')
})

test('a user owns one team', async () => {
  const { db, team } = await aScene()
  expect(await constraintOf(aTeam(db, { captain: team.captain }))).toBe('teams_one_per_captain')
})

test('user names and addresses differ by more than letter case', async () => {
  const { db } = await aScene()
  await anAccount(db, { userName: 'Ahab', email: 'ahab@example.org' })
  expect(await constraintOf(anAccount(db, { userName: 'AHAB' }))).toBe('accounts_user_name')
  expect(await constraintOf(anAccount(db, { email: 'Ahab@Example.org' }))).toBe('accounts_email')
})

test('a game ends after its start', async () => {
  expect(await constraintOf(aGame(database.db, { starts: '2h', ends: '1h' }))).toBe('games_end_after_start')
})

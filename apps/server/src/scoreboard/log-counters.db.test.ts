/** Which change raises which counter of a game's log: a new epoch redraws the board, a new roster patches its rows. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import type { Db } from '../db/transaction.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** A team with one solve and one without, and the same challenge and team in a neighbouring game. */
async function aScene() {
  const { db } = database
  const [game, neighbour] = [await aGame(db), await aGame(db)]
  const [challenge, disabled] = [await aChallenge(db, game), await aChallenge(db, game, { enabled: false })]
  const [team, other] = [await aTeam(db), await aTeam(db)]
  const participation = await aParticipation(db, game, team)
  const unsolved = await aParticipation(db, game, other)
  await aSolve(db, { gameId: game, participation, challenge, account: team.captain, arrived: at('-10m') })
  return { db, game, neighbour, challenge, disabled, team, other, participation, unsolved }
}
type Scene = Awaited<ReturnType<typeof aScene>>

const counters = (db: Db, game: number) =>
  db.selectFrom('solveLogs').select(['epoch', 'roster', 'head']).where('gameId', '=', game).executeTakeFirstOrThrow()

/** By how much the change raises [epoch, roster] of the game; the counters of its neighbour and the head of the log stay. */
async function raisedBy(scene: Scene, change: (scene: Scene) => Promise<unknown>): Promise<[epoch: number, roster: number]> {
  const [before, beside] = [await counters(scene.db, scene.game), await counters(scene.db, scene.neighbour)]
  await change(scene)
  const after = await counters(scene.db, scene.game)
  expect(await counters(scene.db, scene.neighbour)).toEqual(beside)
  expect(after.head).toBe(before.head)
  return [after.epoch - before.epoch, after.roster - before.roster]
}

const setGame = (values: object) => (s: Scene) => s.db.updateTable('games').set(values).where('id', '=', s.game).execute()
const setChallenge = (values: object) => (s: Scene) =>
  s.db.updateTable('challenges').set(values).where('id', '=', s.challenge).execute()
const setDisabled = (values: object) => (s: Scene) =>
  s.db.updateTable('challenges').set(values).where('id', '=', s.disabled).execute()
const setSolved = (values: object) => (s: Scene) =>
  s.db.updateTable('participations').set(values).where('id', '=', s.participation).execute()
const setUnsolved = (values: object) => (s: Scene) =>
  s.db.updateTable('participations').set(values).where('id', '=', s.unsolved).execute()
const setTeam = (values: object) => (s: Scene) => s.db.updateTable('teams').set(values).where('id', '=', s.team.id).execute()
const setSolver = (values: object) => (s: Scene) =>
  s.db.updateTable('accounts').set(values).where('id', '=', s.team.captain).execute()

const changes: [string, (scene: Scene) => Promise<unknown>, [epoch: number, roster: number]][] = [
  ['the start of the game', setGame({ startsAt: at('-2h') }), [1, 0]],
  ['the end of the game', setGame({ endsAt: at('2h') }), [1, 0]],
  ['the bonus of the game', setGame({ bloodBonus: 0 }), [1, 0]],
  ['the divisions of the game', setGame({ divisions: ['Juniors'] }), [1, 0]],
  ['the title of the game', setGame({ title: 'New' }), [1, 0]],
  ['the summary of the game', setGame({ summary: 'New' }), [0, 0]],
  ['the title of a challenge', setChallenge({ title: 'New' }), [1, 0]],
  ['the category of a challenge', setChallenge({ category: 'Web' }), [1, 0]],
  ['the score of a challenge', setChallenge({ originalScore: 900 }), [1, 0]],
  ['the minimum score rate of a challenge', setChallenge({ minScoreRate: 0.5 }), [1, 0]],
  ['the difficulty of a challenge', setChallenge({ difficulty: 6 }), [1, 0]],
  ['the bonus of a challenge', setChallenge({ bloodBonus: 0 }), [1, 0]],
  ['the content of a challenge', setChallenge({ content: 'New' }), [0, 0]],
  ['a challenge disabled', setChallenge({ enabled: false }), [1, 0]],
  ['a challenge enabled', setDisabled({ enabled: true }), [1, 0]],
  ['the score of a disabled challenge', setDisabled({ originalScore: 900 }), [0, 0]],
  ['a challenge deleted', (s) => s.db.deleteFrom('challenges').where('id', '=', s.disabled).execute(), [1, 0]],
  [
    'a flag changed',
    (s) => s.db.updateTable('flags').set({ flag: 'x' }).where('challengeId', '=', s.challenge).execute(),
    [1, 0],
  ],
  [
    'a flag taken',
    (s) => s.db.updateTable('flags').set({ takenAt: new Date() }).where('challengeId', '=', s.challenge).execute(),
    [0, 0],
  ],
  [
    'two flags added',
    (s) =>
      s.db
        .insertInto('flags')
        .values(['a', 'b'].map((flag) => ({ challengeId: s.challenge, flag })))
        .execute(),
    [1, 0],
  ],
  ['a flag deleted', (s) => s.db.deleteFrom('flags').where('challengeId', '=', s.challenge).execute(), [1, 0]],
  ['a team with solves suspended', setSolved({ status: 'Suspended' }), [1, 0]],
  ['a team without solves suspended', setUnsolved({ status: 'Suspended' }), [1, 0]],
  ['an accepted team in another division', setSolved({ division: 'Juniors' }), [0, 1]],
  ['a team accepted at once', async (s) => aParticipation(s.db, s.game, await aTeam(s.db)), [0, 1]],
  ['a team that applies', async (s) => aParticipation(s.db, s.game, await aTeam(s.db), { status: 'Pending' }), [0, 0]],
  ['a participation deleted', (s) => s.db.deleteFrom('participations').where('id', '=', s.unsolved).execute(), [1, 0]],
  [
    'an application withdrawn',
    async (s) => {
      const id = await aParticipation(s.db, s.game, await aTeam(s.db), { status: 'Pending' })
      await s.db.deleteFrom('participations').where('id', '=', id).execute()
    },
    [0, 0],
  ],
  ['the name of a team', setTeam({ name: 'New' }), [0, 1]],
  ['the bio of a team', setTeam({ bio: 'New' }), [0, 1]],
  ['the image of a team', async (s) => setTeam({ avatarHash: await aFile(s.db) })(s), [0, 1]],
  ['the lock of a team', setTeam({ locked: true }), [0, 0]],
  ['a team deleted', (s) => s.db.deleteFrom('teams').where('id', '=', s.other.id).execute(), [1, 0]],
  [
    'a team deleted that has applied',
    async (s) => {
      const team = await aTeam(s.db)
      await aParticipation(s.db, s.game, team, { status: 'Pending' })
      await s.db.deleteFrom('teams').where('id', '=', team.id).execute()
    },
    [0, 0],
  ],
  ['the name of a solver', setSolver({ userName: 'Somebody' }), [0, 1]],
  ['the bio of a solver', setSolver({ bio: 'New' }), [0, 0]],
]

test.each(changes)('%s', async (_name, change, raised) => {
  expect(await raisedBy(await aScene(), change)).toEqual(raised)
})

test('a suspended team that applies again changes no counter until it is accepted: with solves the epoch, without the roster', async () => {
  const scene = await aScene()
  await setSolved({ status: 'Suspended' })(scene)
  await setUnsolved({ status: 'Suspended' })(scene)
  expect(await raisedBy(scene, setSolved({ status: 'Pending', division: 'Juniors' }))).toEqual([0, 0])
  expect(await raisedBy(scene, setSolved({ status: 'Accepted' }))).toEqual([1, 0])
  expect(await raisedBy(scene, setUnsolved({ status: 'Accepted' }))).toEqual([0, 1])
})

test('a new name and the deletion of a solver who has left the team reach the board of that game', async () => {
  const scene = await aScene()
  const left = await anAccount(scene.db)
  const challenge = await aChallenge(scene.db, scene.game)
  await aSolve(scene.db, {
    gameId: scene.game,
    participation: scene.unsolved,
    challenge,
    account: left,
    arrived: at('-5m'),
  })
  const account = (s: Scene) => s.db.updateTable('accounts').set({ userName: 'Left' }).where('id', '=', left).execute()
  expect(await raisedBy(scene, account)).toEqual([0, 1])
  expect(await raisedBy(scene, (s) => s.db.deleteFrom('accounts').where('id', '=', left).execute())).toEqual([0, 1])
})

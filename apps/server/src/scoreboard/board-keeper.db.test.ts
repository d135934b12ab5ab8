/** Which boards BoardKeeper keeps, and that their content depends only on their version, on every node. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { findLogs, findSolvesAbove, readFacts, readRoster } from './board-facts.queries.ts'
import { type BoardKeeper, openBoardKeeper } from './board-keeper.ts'
import { feedView } from './feed.view.ts'
import type { Change } from './kept-board.ts'
import { boardPushes } from './scoreboard.live.ts'
import { scoreboardView } from './scoreboard.view.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await freshDatabase()
  db = database.db
})
afterAll(() => database.drop())

const onError = (error: unknown) => {
  throw error
}
const opened: BoardKeeper[] = []
function open() {
  const changes: (Change & { of: number })[] = []
  const boards = openBoardKeeper({
    db,
    changed: (kept, change) => changes.push({ ...change, of: kept.game.id }),
    removed: () => undefined,
    onError,
  })
  opened.push(boards)
  return { boards, changes }
}
afterEach(() => {
  for (const boards of opened.splice(0)) boards.close()
})

/** A running game with two challenges, and three teams of two members that solved the first one in order. */
async function aScene() {
  const game = await aGame(db, { divisions: ['A', 'B'] })
  const [first, second] = [await aChallenge(db, game), await aChallenge(db, game, { title: 'Second' })]
  const teams = []
  for (let i = 0; i < 3; i++) {
    const member = await anAccount(db)
    const team = await aTeam(db, { members: [member] })
    const participation = await aParticipation(db, game, team)
    await aSolve(db, {
      gameId: game,
      participation,
      challenge: first,
      account: i === 1 ? member : team.captain,
      arrived: at('-10m'),
    })
    teams.push({ ...team, member, participation })
  }
  return { game, first, second, teams: teams as [(typeof teams)[0], (typeof teams)[0], (typeof teams)[0]] }
}
type Scene = Awaited<ReturnType<typeof aScene>>

const bytes = async (boards: BoardKeeper, game: number): Promise<readonly [string, string]> => {
  const kept = await boards.get(game)
  if (!kept) throw new Error('no board')
  return [JSON.stringify(scoreboardView(kept)), JSON.stringify(feedView(kept))]
}

async function caughtUp(boards: BoardKeeper, game: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const [log] = await findLogs(db, [game])
      expect((await boards.get(game))?.log).toEqual(log)
    },
    { timeout: 5000, interval: 20 },
  )
}

const rename = (id: string, userName: string) => db.updateTable('accounts').set({ userName }).where('id', '=', id).execute()
const setTeam = (id: number, values: { name?: string; bio?: string; avatarHash?: string }) =>
  db.updateTable('teams').set(values).where('id', '=', id).execute()
const setParticipation = (id: number, values: { status?: string; division?: string | null }) =>
  db.updateTable('participations').set(values).where('id', '=', id).execute()

const kinds: [string, (scene: Scene) => Promise<unknown>][] = [
  ['a solver has another name', ({ teams: [one] }) => rename(one.captain, `new${one.id}`)],
  [
    'two solvers exchange their names',
    async ({ teams: [one, two] }) => {
      const names = await db
        .selectFrom('accounts')
        .select('userName')
        .where('id', 'in', [one.captain, two.member])
        .orderBy('id')
        .execute()
      const [a, b] = names.map(({ userName }) => userName) as [string, string]
      const [low, high] = [one.captain, two.member].sort() as [string, string]
      await rename(low, 'for a moment')
      await rename(high, a)
      await rename(low, b)
    },
  ],
  [
    'a solver who has left his team is deleted',
    async ({ teams: [, two] }) => {
      await db.deleteFrom('teamMembers').where('accountId', '=', two.member).execute()
      await db.deleteFrom('accounts').where('id', '=', two.member).execute()
    },
  ],
  [
    'a solver who has left his team is deleted, and another takes the name',
    async ({ teams: [one, two] }) => {
      await db.deleteFrom('teamMembers').where('accountId', '=', two.member).execute()
      const { userName } = await db
        .selectFrom('accounts')
        .select('userName')
        .where('id', '=', two.member)
        .executeTakeFirstOrThrow()
      await db.deleteFrom('accounts').where('id', '=', two.member).execute()
      await rename(one.captain, userName)
    },
  ],
  [
    'a solver who has left his team has another name',
    async ({ teams: [, two] }) => {
      await db.deleteFrom('teamMembers').where('accountId', '=', two.member).execute()
      await rename(two.member, `gone${two.id}`)
    },
  ],
  ['a team has another name', ({ teams: [one] }) => setTeam(one.id, { name: 'Renamed' })],
  ['a team has another text', ({ teams: [one] }) => setTeam(one.id, { bio: 'We are' })],
  ['a team has another division', ({ teams: [one] }) => setParticipation(one.participation, { division: 'B' })],
  ['a team joins', async ({ game }) => aParticipation(db, game, await aTeam(db))],
  ['a team is suspended', ({ teams: [one] }) => setParticipation(one.participation, { status: 'Suspended' })],
  [
    'a team joins, is named and solves at once',
    async ({ game, second }) => {
      const team = await aTeam(db)
      const participation = await aParticipation(db, game, team)
      await setTeam(team.id, { name: 'Swift' })
      await aSolve(db, { gameId: game, participation, challenge: second, account: team.captain, arrived: at('-1m') })
    },
  ],
  [
    'a solve beside a new name',
    async ({ game, second, teams: [one, two] }) => {
      await rename(two.member, `beside${two.id}`)
      await aSolve(db, {
        gameId: game,
        participation: one.participation,
        challenge: second,
        account: one.captain,
        arrived: at('-1m'),
      })
    },
  ],
  [
    'a challenge has another title',
    ({ first }) => db.updateTable('challenges').set({ title: 'Other' }).where('id', '=', first).execute(),
  ],
  [
    'a challenge is disabled',
    ({ first }) => db.updateTable('challenges').set({ enabled: false }).where('id', '=', first).execute(),
  ],
  [
    'the end moves',
    ({ game }) =>
      db
        .updateTable('games')
        .set({ endsAt: at('2h') })
        .where('id', '=', game)
        .execute(),
  ],
  ['a team is deleted', ({ teams: [one] }) => db.deleteFrom('teams').where('id', '=', one.id).execute()],
]

test.each(kinds)('%s: two nodes and a fresh one have the same bytes under the same version', async (_name, change) => {
  const scene = await aScene()
  const neighbour = await aScene()
  const [one, two] = [open().boards, open().boards]
  const before = await bytes(one, scene.game)
  const untouched = await bytes(one, neighbour.game)
  expect(await bytes(two, scene.game)).toEqual(before)
  await change(scene)
  for (const node of [one, two]) await caughtUp(node, scene.game)
  const after = await bytes(one, scene.game)
  expect(after).not.toEqual(before)
  expect(await bytes(two, scene.game)).toEqual(after)
  expect(await bytes(open().boards, scene.game)).toEqual(after)
  expect(await bytes(one, neighbour.game)).toEqual(untouched)
})

test('name changes send only the changed rows, with the roster before them', async () => {
  const { game, teams } = await aScene()
  const { boards, changes } = open()
  await boards.get(game)
  const [log] = await findLogs(db, [game])
  await setTeam(teams[1].id, { bio: 'We are' })
  await rename(teams[0].captain, `out${game}`)
  await caughtUp(boards, game)
  const rosters = changes.filter((change) => change.kind === 'roster')
  expect(rosters.flatMap((change) => change.teams.map(({ id, bio }) => [id, bio]))).toEqual([[teams[1].id, 'We are']])
  expect(rosters.flatMap((change) => [...change.solvers.values()])).toEqual([`out${game}`])
  expect(rosters[0]?.from).toBe(log?.roster)
  for (const [i, change] of rosters.entries()) expect(change.from).toBe(i === 0 ? log?.roster : rosters[i - 1]?.log.roster)
})

test('repeated name changes are read once a second; a solve does not wait for that', async () => {
  const { game, second, teams } = await aScene()
  const { boards, changes } = open()
  await boards.get(game)
  const startedAt = performance.now()
  for (let i = 0; i < 30; i++) {
    await setTeam(teams[0].id, { bio: `number ${i}` })
    await boards.refresh(game)
  }
  const seconds = Math.ceil((performance.now() - startedAt) / 1000)
  expect(changes.length).toBeLessThanOrEqual(seconds)
  await aSolve(db, {
    gameId: game,
    participation: teams[2].participation,
    challenge: second,
    account: teams[2].captain,
    arrived: at('-1m'),
  })
  await boards.refresh(game)
  expect(changes.at(-1)).toMatchObject({ kind: 'solves', solves: [expect.anything()] })
  expect((await boards.get(game))?.teams.get(teams[0].participation)?.bio).toBe('number 29')
})

test('a listed board is published without a request', async () => {
  const { game, teams } = await aScene()
  const { boards, changes } = open()
  boards.keep([game])
  // The first draw is not announced; every later change is.
  await vi.waitFor(async () => {
    await setTeam(teams[0].id, { bio: `${performance.now()}` })
    expect(changes.length).toBeGreaterThan(0)
  }, 5000)
})

/** A board with this many listeners, and the messages that are sent about it. */
function openWith(listeners: number) {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into messages of every shape
  const sent: { target: string; message: any }[] = []
  const live = {
    count: () => listeners,
    send: (_to: unknown, target: string, message: unknown) => void sent.push({ target, message }),
  }
  const push = boardPushes(live as unknown as Parameters<typeof boardPushes>[0], Date.now)
  const boards = openBoardKeeper({ db, changed: push, removed: () => undefined, onError })
  opened.push(boards)
  return { boards, sent }
}

test.each([
  [1, 5],
  [400, 2000],
  [1000, 5000],
  [20_000, 5000],
])('%i listeners reload a redrawn board within %i ms', async (listeners, withinMs) => {
  const { game, first } = await aScene()
  const { boards, sent } = openWith(listeners)
  await boards.get(game)
  await db.updateTable('challenges').set({ originalScore: 10 }).where('id', '=', first).execute()
  await boards.refresh(game)
  expect(sent).toMatchObject([{ target: 'VexilBoard', message: { gameId: game, withinMs } }])
})

test('solves that are read together are sent as one message', async () => {
  const { game, second, teams } = await aScene()
  const { boards, sent } = openWith(1)
  await boards.get(game)
  // In one transaction, since the keeper reads the solves of each commit.
  await db.transaction().execute(async (tx) => {
    for (const { participation, captain } of teams)
      await aSolve(tx, { gameId: game, participation, challenge: second, account: captain, arrived: at('-1m') })
  })
  await boards.refresh(game)
  const messages = sent.map(({ target, message }) => [target, message.from, message.to, message.solves.length])
  expect(messages).toEqual([['VexilSolves', 3, 6, 3]])
})

test('the solves of a board are read by number, regardless of the order of their rows', async () => {
  const { game } = await aScene()
  await aScene()
  // A changed row is stored behind the others; with statistics the database reads these few rows without an index.
  await db.updateTable('solves').set({ accountId: null }).where('gameId', '=', game).where('number', '=', 1).execute()
  await sql`analyze solves`.execute(db)
  for (const read of [await readFacts(db, game), await findSolvesAbove(db, game, 0)])
    expect(read?.solves.map(({ number }) => number)).toEqual([1, 2, 3])
})

test('what changes while a board is read belongs to the next version', async () => {
  const { game, first, teams } = await aScene()
  /** Reads while a table is locked, and changes it when the reading waits for it. */
  const readBehind = async <T>(table: string, change: (tx: Tx) => Promise<unknown>, read: () => Promise<T>): Promise<T> => {
    const tx = await db.startTransaction().execute()
    await sql`lock table ${sql.table(table)}`.execute(tx)
    const reading = read()
    await vi.waitFor(async () => {
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      expect((await waiting.execute(db)).rows).toHaveLength(1)
    }, 5000)
    await change(tx)
    await tx.commit().execute()
    return reading
  }
  const before = await readFacts(db, game)
  const edit = (tx: Tx) => tx.updateTable('challenges').set({ title: 'Other' }).where('id', '=', first).execute()
  expect(await readBehind('challenges', edit, () => readFacts(db, game))).toEqual(before)
  expect((await readFacts(db, game))?.log.epoch).toBe(before!.log.epoch + 1)
  const roster = await readRoster(db, game, 0)
  const rename = (tx: Tx) => tx.updateTable('teams').set({ name: 'Renamed' }).where('id', '=', teams[0].id).execute()
  expect(await readBehind('teams', rename, () => readRoster(db, game, 0))).toEqual(roster)
  expect((await readRoster(db, game, 0))?.log.roster).toBe(roster!.log.roster + 1)
})

/** Nodes with cached facts answer like one that reads everything: whatever is edited, banned, reviewed, left or joined between two answers. */
import { readAnswer } from '@vexil/core/flags'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { hashToken, startSession } from '../accounts/sessions.ts'
import { type Attempts, attemptsPool, openAttempts } from './attempts.ts'
import { openRecentVerdicts } from './recent-verdicts.ts'
import { openSubmissionContextCache, type SubmissionContextCache } from './submission-context-cache.ts'
import { submitFlag } from './submit-flag.ts'

let platform: TestPlatform
let attempts: Attempts
beforeAll(async () => {
  platform = await startTestPlatform()
  attempts = openAttempts(platform.database.reservedPool(attemptsPool))
})
afterAll(async () => {
  await attempts.close()
  await platform.stop()
})

const mustBeSignedIn = async () => undefined
const sessions = new Map<string, string>()
/** The hexadecimal hash of an account's session. */
async function sessionOf(account: string): Promise<string> {
  const known = sessions.get(account)
  if (known !== undefined) return known
  const made = hashToken(await startSession(platform.db, account)).toString('hex')
  sessions.set(account, made)
  return made
}

/** Pseudorandom integers below a bound, the same for the same seed. */
function dice(start: number) {
  let state = start
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

async function aScene() {
  const { db } = platform
  const game = await aGame(db, { practiceMode: true })
  const challenges = [
    await aChallenge(db, game, { flags: ['flag{0}', 'flag{1}'] }),
    await aChallenge(db, game, { flags: ['flag{2}'] }),
    await aChallenge(db, game, { type: 'DynamicContainer', flags: [] }),
  ]
  const teams = await Promise.all([0, 1, 2].map(async () => aTeam(db, { members: [await anAccount(db)] })))
  const participations: number[] = []
  for (const team of teams) participations.push(await aParticipation(db, game, team))
  return { game, challenges, teams, participations }
}
type SceneOf = Awaited<ReturnType<typeof aScene>>

/** What may happen between two answers; each act changes some of the results. The last one makes all results possible again. */
function acts({ game, challenges, teams, participations }: SceneOf, roll: ReturnType<typeof dice>) {
  const { db } = platform
  const challenge = () => challenges[roll(3)] as number
  const which = () => roll(3)
  const hour = 3_600_000
  const flip = async (table: 'challenges' | 'games', column: 'enabled' | 'practiceMode', id: number) => {
    const row = (await db
      .selectFrom(table)
      .select(column as never)
      .where('id', '=', id)
      .executeTakeFirstOrThrow()) as Record<string, boolean>
    await db
      .updateTable(table)
      .set({ [column]: !row[column] } as never)
      .where('id', '=', id)
      .execute()
  }
  const status = (of: number, to: string) => db.updateTable('participations').set({ status: to }).where('id', '=', of).execute()
  return [
    () => flip('challenges', 'enabled', challenge()),
    () => flip('games', 'practiceMode', game),
    () =>
      db
        .updateTable('games')
        .set({ endsAt: new Date(Date.now() + (roll(4) === 0 ? -1000 : hour)) })
        .where('id', '=', game)
        .execute(),
    () =>
      db
        .updateTable('games')
        .set({ startsAt: new Date(Date.now() + (roll(4) === 0 ? 1000 : -hour) - hour / 2) })
        .where('id', '=', game)
        .execute(),
    () => status(participations[which()] as number, ['Accepted', 'Accepted', 'Suspended', 'Rejected'][roll(4)] as string),
    () =>
      db
        .insertInto('flags')
        .values({ challengeId: challenges[roll(2)] as number, flag: `flag{${roll(4)}}` })
        .onConflict((on) => on.doNothing())
        .execute(),
    () =>
      db
        .deleteFrom('flags')
        .where('flag', '=', `flag{${roll(4)}}`)
        .where('challengeId', 'in', challenges)
        .execute(),
    () =>
      db
        .insertInto('teamFlags')
        .values({
          participationId: participations[which()] as number,
          challengeId: challenges[2] as number,
          flag: `flag{${roll(4)}}`,
        })
        .onConflict((on) => on.doNothing())
        .execute(),
    () =>
      db
        .deleteFrom('registrations')
        .where('accountId', '=', teams[which()]!.members[1] as string)
        .execute(),
    async () => {
      const at = which()
      const row = {
        participationId: participations[at] as number,
        accountId: teams[at]!.members[1] as string,
        teamId: teams[at]!.id,
        gameId: game,
      }
      await db
        .insertInto('registrations')
        .values(row)
        .onConflict((on) => on.doNothing())
        .execute()
    },
    () =>
      db
        .updateTable('challenges')
        .set({ title: `T${roll(9)}` })
        .where('id', '=', challenge())
        .execute(),
    async () => {
      await db.updateTable('challenges').set({ enabled: true }).where('gameId', '=', game).execute()
      await db.updateTable('participations').set({ status: 'Accepted' }).where('gameId', '=', game).execute()
      const times = { startsAt: new Date(Date.now() - hour), endsAt: new Date(Date.now() + hour) }
      await db.updateTable('games').set(times).where('id', '=', game).execute()
    },
  ]
}

/** The code of a refusal, or the verdict that was stored. */
async function answer(
  facts: SubmissionContextCache,
  at: { game: number; challenge: number; account: string; flag: string },
): Promise<string> {
  try {
    const number = await submitFlag(
      { ...platform.deps, attempts, facts, verdicts: openRecentVerdicts(), mustBeSignedIn },
      {
        gameId: at.game,
        challengeId: at.challenge,
        flag: at.flag,
        actor: { id: at.account, userName: 'x' },
        session: await sessionOf(at.account),
        ip: '',
        arrived: performance.now(),
      },
    )
    const { status } = await platform.db
      .selectFrom('submissions')
      .select('status')
      .where('id', '=', number)
      .executeTakeFirstOrThrow()
    return status
  } catch (error) {
    return String((error as { code?: unknown }).code)
  }
}

test.each([1, 2, 3])('two nodes with cached data and one without judge alike, run %i', async (start) => {
  const roll = dice(start * 7919)
  const scene = await aScene()
  const warm = [openSubmissionContextCache(), openSubmissionContextCache()]
  const happens = acts(scene, roll)
  const seen = new Map<string, number>()
  let known = 0
  for (let step = 0; step < 240; step++) {
    if (step % 4 === 3) await happens[roll(happens.length)]?.()
    if (step % 24 === 23) await happens.at(-1)?.()
    const at = {
      game: scene.game,
      challenge: scene.challenges[roll(3)] as number,
      account: scene.teams[roll(3)]!.members[roll(2)] as string,
      flag: `flag{${roll(4)}}`,
    }
    const place = { gameId: at.game, challengeId: at.challenge, actor: { id: at.account } }
    for (const facts of warm) if (facts.find(place, readAnswer(at.flag))) known++
    const cold = await answer(openSubmissionContextCache(), at)
    expect([step, ...(await Promise.all(warm.map((facts) => answer(facts, at))))]).toEqual([step, cold, cold])
    seen.set(cold, (seen.get(cold) ?? 0) + 1)
  }
  // The run has covered what it is for.
  expect(known).toBeGreaterThan(60)
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['Accepted', 'WrongAnswer', 'challenge.not_found']))
})

test('a right answer with cached data is stored as such, without a read', async () => {
  const { game, challenges, teams } = await aScene()
  const facts = openSubmissionContextCache()
  const account = teams[0]!.captain
  const at = { game, challenge: challenges[1] as number, account, flag: 'flag{wrong}' }
  expect(await answer(facts, at)).toBe('WrongAnswer')
  const reads: string[] = []
  const blind = new Proxy(platform.db, {
    get(target, name) {
      reads.push(String(name))
      return Reflect.get(target, name)
    },
  })
  const number = await submitFlag(
    { ...platform.deps, db: blind, attempts, facts, verdicts: openRecentVerdicts(), mustBeSignedIn },
    {
      gameId: game,
      challengeId: at.challenge,
      flag: 'flag{2}',
      actor: { id: account, userName: 'x' },
      session: await sessionOf(account),
      ip: '',
      arrived: performance.now(),
    },
  )
  expect(reads).toEqual([])
  const stored = await platform.db.selectFrom('submissions').selectAll().where('id', '=', number).executeTakeFirstOrThrow()
  expect(stored).toMatchObject({
    status: 'Accepted',
    gameId: game,
    challengeId: at.challenge,
    accountId: account,
    answer: 'flag{2}',
  })
  expect((await platform.db.selectFrom('solves').selectAll().where('submissionId', '=', number).execute()).length).toBe(1)
})

test('a change of practice mode changes the epoch, so that an ended game closes at once for nodes with cached data', async () => {
  const { game, challenges, teams } = await aScene()
  const facts = openSubmissionContextCache()
  await platform.db
    .updateTable('games')
    .set({ endsAt: new Date(Date.now() - 1000) })
    .where('id', '=', game)
    .execute()
  const at = { game, challenge: challenges[1] as number, account: teams[0]!.captain, flag: 'flag{wrong}' }
  expect(await answer(facts, at)).toBe('WrongAnswer')
  await platform.db.updateTable('games').set({ practiceMode: false }).where('id', '=', game).execute()
  expect(await answer(facts, at)).toBe('game.ended')
  await platform.db.updateTable('games').set({ practiceMode: true }).where('id', '=', game).execute()
  expect(await answer(facts, at)).toBe('WrongAnswer')
})

/** The number of queries of a reading call does not grow with the size of its answer. */
import type { Method } from '@vexil/contract/endpoint'
import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { accessTable, type CallName } from './access.table.ts'
import { aChallenge, aFile, anAccount, aParticipation, aSolve, aTeam, at } from './builders/game.ts'
import { aScene, type Person, people, type Scene } from './builders/scene.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { askValid, validCalls } from './valid-calls.ts'

/** Calls that read: all GETs, and the searches. `as` is the first of these for whom the call succeeds. */
const readers: readonly Person[] = ['accepted', 'monitor', 'admin', 'anonymous']
const reading = Object.entries(accessTable).flatMap(([call, row]) => {
  const statuses = row.split(' ')
  const as = readers.find((person) => statuses[people.indexOf(person)] === '200')
  return as && (call.startsWith('GET ') || call.endsWith('/search')) ? [{ call: call as CallName, as }] : []
})

/** `size` more of everything that lists show. */
async function grow(platform: TestPlatform, { game, account, challenge, participation }: Scene, size: number): Promise<void> {
  const { db } = platform
  for (let i = 0; i < size; i++) {
    const members = [await anAccount(db), await anAccount(db)]
    const team = await aTeam(db, { members })
    const other = await aParticipation(db, game, team, { status: i % 3 === 2 ? 'Pending' : 'Accepted' })
    const extra = await aChallenge(db, game, { hints: ['one', 'two'], flags: ['flag{a}', 'flag{b}', `flag{${i}}`] })
    const hash = await aFile(db, { name: `file ${i}` })
    await db.insertInto('attachments').values({ challengeId: extra, type: 'Local', fileHash: hash, fileName: 'a.zip' }).execute()
    await db
      .insertInto('writeups')
      .values({ participationId: other, fileHash: hash, fileName: `${i}.pdf` })
      .execute()
    await aSolve(db, { gameId: game, participation: other, challenge: extra, account: team.captain, arrived: at('-5m') })
    const { id } = await db
      .insertInto('submissions')
      .values({
        gameId: game,
        participationId: other,
        challengeId: challenge,
        accountId: team.captain,
        answer: 'flag{stolen}',
        status: 'CheatDetected',
        arrivedAt: at('-4m'),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('cheats')
      .values({ submissionId: id, gameId: game, participationId: other, sourceId: participation, detectedAt: at('-4m') })
      .execute()
    await db
      .insertInto('notices')
      .values({ gameId: game, type: 'Normal', values: [`${i}`] })
      .execute()
    await db
      .insertInto('posts')
      .values({ id: String(i).padStart(8, '0'), title: `${i}`, authorId: account.admin })
      .execute()
    await db
      .insertInto('logs')
      .values({ level: 'Information', name: 'System', message: `${i}` })
      .execute()
    // A team of the reader, in separate games.
    await db.insertInto('teamMembers').values({ teamId: team.id, accountId: account.accepted }).execute()
  }
}

/** Background work. */
const background = /from versions|into "?logs|solve_logs|last_visit|graphile_worker|^(begin|commit|rollback|listen|notify)/i

/** The number of queries of each call, or its answer if it is not 200. */
async function countsOf(size: number): Promise<Map<string, number | string>> {
  const platform = await startTestPlatform()
  try {
    const scene = await aScene(platform)
    await grow(platform, scene, size)
    const seen: string[] = []
    const real = pg.Client.prototype.query
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      const [first] = given
      seen.push(typeof first === 'string' ? first : ((first as { text?: string } | null)?.text ?? ''))
      return (real as (...all: unknown[]) => unknown).apply(this, given)
    } as never)
    const counts = new Map<string, number | string>()
    for (const { call, as } of reading) {
      const caller = await scene.as(as)
      let least = Number.POSITIVE_INFINITY
      let refused: string | null = null
      // The first run may fill caches; background work may fall into one.
      for (let run = 0; run < 3; run++) {
        seen.length = 0
        const { status, body } = await askValid(caller, call.split(' ')[0] as Method, await validCalls[call]!(scene, as))
        least = Math.min(least, seen.filter((text) => !background.test(text.trim())).length)
        if (status !== 200) refused = `${status} ${JSON.stringify(body).slice(0, 200)}`
      }
      counts.set(call, refused ?? least)
    }
    return counts
  } finally {
    vi.restoreAllMocks()
    await platform.stop()
  }
}

let few: Map<string, number | string>
let many: Map<string, number | string>
beforeAll(async () => {
  few = await countsOf(3)
  many = await countsOf(40)
}, 120_000)

test('there are calls that read', () => expect(reading.length).toBeGreaterThan(40))

test.each(reading)('40 rows of everything take as many queries as 3: $call', ({ call }) => {
  expect(few.get(call)).toEqual(expect.any(Number))
  expect(many.get(call)).toBe(few.get(call))
})

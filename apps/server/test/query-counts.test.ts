/** The number of queries of a reading call does not grow with what it answers. */
import type { Method } from '@vexil/contract/endpoint'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
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
    // One team of the reader's own, in games of its own.
    await db.insertInto('teamMembers').values({ teamId: team.id, accountId: account.accepted }).execute()
  }
}

/** What runs by itself, now and then. */
const background = /from versions|into "?logs|solve_logs|last_visit|graphile_worker|^(begin|commit|rollback|listen|notify)/i

async function countsOf(size: number): Promise<Map<string, number>> {
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
    const counts = new Map<string, number>()
    for (const { call, as } of reading) {
      const caller = await scene.as(as)
      let least = Number.POSITIVE_INFINITY
      // The first one may fill what is kept; background work may fall into one.
      for (let run = 0; run < 3; run++) {
        seen.length = 0
        const { status, body } = await askValid(caller, call.split(' ')[0] as Method, await validCalls[call]!(scene, as))
        least = Math.min(least, seen.filter((text) => !background.test(text.trim())).length)
        expect(status, `${call}: ${JSON.stringify(body).slice(0, 200)}`).toBe(200)
      }
      counts.set(call, least)
    }
    return counts
  } finally {
    vi.restoreAllMocks()
    await platform.stop()
  }
}

afterEach(() => void vi.restoreAllMocks())

test('40 of everything take as many queries as 3', async () => {
  const few = await countsOf(3)
  const many = await countsOf(40)
  expect(reading.length).toBeGreaterThan(40)
  expect(Object.fromEntries(many)).toEqual(Object.fromEntries(few))
}, 120_000)

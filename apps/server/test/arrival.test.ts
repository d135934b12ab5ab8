/** An answer arrives with the last byte of its body: a request that begins before the end of a game and ends after it is late. */
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { settledBoard } from './board.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { rawRequest, sendRaw, statusIn } from './raw.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => platform.stop())

test.each([
  ['before the end is in time', 0, 10_000, 1],
  ['after the end is late, even if its headers arrive before', 1500, 700, 0],
])('an answer whose body arrives %s', async (_name, pause, endsIn, counted) => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const cookie = `Cookie: ${cookieName}=${await startSession(platform.db, team.captain)}`
  const body = JSON.stringify({ flag: 'flag{right}' })
  const headers = ['Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`, cookie]
  await platform.db
    .updateTable('games')
    .set({ endsAt: new Date(Date.now() + endsIn) })
    .where('id', '=', game)
    .execute()
  const head = rawRequest('POST', `/api/game/${game}/challenges/${challenge}`, headers)
  const { port } = platform.app.server.address() as AddressInfo
  const answer = await sendRaw(port, { pieces: [head + body.slice(0, 5), body.slice(5)], pause, within: 5000 })
  expect(statusIn(answer)).toBe(200)
  const { status, arrivedAt } = await platform.db
    .selectFrom('submissions')
    .selectAll()
    .where('gameId', '=', game)
    .executeTakeFirstOrThrow()
  const { endsAt } = await platform.db.selectFrom('games').select('endsAt').where('id', '=', game).executeTakeFirstOrThrow()
  expect(status).toBe('Accepted')
  expect(arrivedAt < endsAt).toBe(counted === 1)
  const board = await settledBoard({ db: platform.db, get: platform.anyone.get }, game)
  expect(board.items[0]?.solvedCount).toBe(counted)
})

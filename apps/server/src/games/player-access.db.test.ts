import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { findPlayerAccessWith } from './player-access.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const find = findPlayerAccessWith<{ title: string; team: number | null }>({ columns: sql`g.title, t.id as team` })

test('concurrent callers each get their own game, participation and challenge', async () => {
  const { db } = database
  const [game, next] = [await aGame(db, { title: 'Here', ends: '1h' }), await aGame(db, { title: 'Next', ends: '2h' })]
  const [challenge, off] = [await aChallenge(db, game), await aChallenge(db, next, { enabled: false })]
  const [player, pending, stranger] = [await aTeam(db), await aTeam(db), await anAccount(db)]
  const here = await aParticipation(db, game, player)
  const there = await aParticipation(db, next, player)
  const waits = await aParticipation(db, game, pending, { status: 'Pending' })
  const ask = (gameId: number, accountId: string, challengeId?: number) =>
    find(db, { gameId, accountId, ...(challengeId !== undefined && { challengeId }) })
  const found = await Promise.all([
    ask(next, player.captain, off),
    ask(game, player.captain, challenge),
    ask(game, pending.captain, challenge),
    ask(game, stranger, off),
    ask(0, player.captain, challenge),
    ask(game, player.captain),
  ])
  const shown = found.map(({ play, row }) => [row?.title, row?.team, play.participationId, play.status, play.challenge])
  expect(shown).toEqual([
    ['Next', player.id, there, 'Accepted', { enabled: false }],
    ['Here', player.id, here, 'Accepted', { enabled: true }],
    ['Here', pending.id, waits, 'Pending', { enabled: true }],
    // A challenge of another game does not count.
    ['Here', null, null, null, null],
    [undefined, undefined, null, null, null],
    ['Here', player.id, here, 'Accepted', null],
  ])
  expect(found[4]?.play.game).toBeNull()
  const hours = found.slice(0, 2).map(({ play }) => ((play.game?.endsAt ?? 0) - play.now) / 3_600_000)
  expect(hours.map(Math.round)).toEqual([2, 1])
})

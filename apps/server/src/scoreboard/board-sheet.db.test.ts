/** The cells of the board's sheet; sheets.test.ts reads the file with an office program. */
import { afterAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aShuffledTeam, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { freshDatabase } from '../../test/database.ts'
import { sheetTime } from '../files/file-names.ts'
import { readFacts } from './board-facts.queries.ts'
import { boardSheet } from './board-sheet.ts'
import { listBoardPeople } from './details.queries.ts'
import { drawKept } from './kept-board.ts'

const database = await freshDatabase()
const { db } = database
afterAll(() => database.drop())

test('P7.79 a row has rank, team, registered members in their order, solves, last solve, points and a cell for each challenge', async () => {
  const game = await aGame(db)
  const [crypto, misc] = [
    await aChallenge(db, game, { title: 'Lock', category: 'Crypto' }),
    await aChallenge(db, game, { title: 'Sail', category: 'Misc' }),
  ]
  const team = await aShuffledTeam(db)
  const participation = await aParticipation(db, game, team, { division: 'Open', registeredAt: team.times })
  const people = { high: team.listed[0]!, low: team.listed[1]!, middle: team.listed[2]! }
  for (const [name, id] of Object.entries(people))
    await db
      .updateTable('accounts')
      .set({ realName: `${name} name`, studentNumber: `${name} number`, phone: name === 'low' ? null : `${name} phone` })
      .where('id', '=', id)
      .execute()
  // A member of the team who is not registered, and the same people in another game.
  await db
    .insertInto('teamMembers')
    .values({ teamId: team.id, accountId: await anAccount(db, { realName: 'Not registered' }) })
    .execute()
  await aParticipation(db, await aGame(db), team)
  const idle = await aTeam(db, { name: 'Idle', captain: await anAccount(db, { realName: ' ' }) })
  await aParticipation(db, game, idle)
  const [first, last] = [at('-20m'), at('-10m')]
  await aSolve(db, { gameId: game, participation, challenge: crypto, arrived: first })
  await aSolve(db, { gameId: game, participation, challenge: misc, arrived: last })
  const { name } = await db.selectFrom('teams').select('name').where('id', '=', team.id).executeTakeFirstOrThrow()

  const kept = drawKept((await readFacts(db, game))!)
  const cells = { people: await listBoardPeople(db, game), language: 'en_US' } as const
  const { headings, rows, name: title } = boardSheet(kept, { ...cells, hasDivisions: true })
  expect(title).toBe('Scoreboard')
  expect(headings).toEqual([
    ...['Rank', 'Team', 'Division', 'Captain', 'Members', 'Student numbers', 'Phone numbers'],
    ...['Solved', 'Last solve (UTC)', 'Points', 'Sail', 'Lock'],
  ])
  const members = [
    'middle name',
    'high name / low name / middle name',
    'high number / low number / middle number',
    'high phone / <empty> / middle phone',
  ]
  expect(rows).toEqual([
    [
      [1, name, 'Open', ...members, 2, sheetTime(last), 2100, 1050, 1050],
      [2, 'Idle', '', ' ', '<empty>', '<empty>', '<empty>', 0, '', 0, 0, 0],
    ],
  ])
  const without = boardSheet(kept, { ...cells, hasDivisions: false })
  expect(without.headings).toEqual(headings.filter((heading) => heading !== 'Division'))
  expect((without.rows as unknown[][][])[0]?.[0]).toEqual([1, name, ...members, 2, sheetTime(last), 2100, 1050, 1050])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAccount, at } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { endSession, endSessions, findActor, startSession } from './sessions.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a session opens until it is ended', async () => {
  const { db } = database
  const id = await anAccount(db, { userName: 'Ishmael', role: 'Monitor' })
  const token = await startSession(db, id)
  expect(await findActor(db, token)).toEqual({ actor: { id, userName: 'Ishmael', role: 'Monitor' }, renewed: false })
  await endSession(db, token)
  expect(await findActor(db, token)).toBeNull()
})

test('a session that has run out opens nothing', async () => {
  const { db } = database
  const id = await anAccount(db)
  const token = await startSession(db, id)
  await db
    .updateTable('sessions')
    .set({ expiresAt: at('-1s') })
    .where('accountId', '=', id)
    .execute()
  expect(await findActor(db, token)).toBeNull()
})

test('a session past half its life is made longer, once', async () => {
  const { db } = database
  const id = await anAccount(db)
  const token = await startSession(db, id)
  await db
    .updateTable('sessions')
    .set({ expiresAt: at('3d') })
    .where('accountId', '=', id)
    .execute()
  expect((await findActor(db, token))?.renewed).toBe(true)
  expect((await findActor(db, token))?.renewed).toBe(false)
})

test('all sessions of an account end but the one that is kept', async () => {
  const { db } = database
  const id = await anAccount(db)
  const [kept, other] = [await startSession(db, id), await startSession(db, id)]
  await endSessions(db, id, kept)
  expect(await findActor(db, kept)).not.toBeNull()
  expect(await findActor(db, other)).toBeNull()
})

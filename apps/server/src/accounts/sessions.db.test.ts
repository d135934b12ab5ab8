import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAccount, at } from '../../test/builders/game.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { forgetEndedSessions, forgetSessions } from './forget-expired.ts'
import { endSession, endSessions, findSession, hashToken, renewSession, startSession } from './sessions.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a session is valid until it is ended', async () => {
  const { db } = database
  const id = await anAccount(db, { userName: 'Ishmael', role: 'Monitor' })
  const token = await startSession(db, id)
  expect(await findSession(db, token)).toEqual({
    actor: { id, userName: 'Ishmael', role: 'Monitor' },
    isOld: false,
    expiresAt: expect.any(Number),
    version: await db.selectFrom('versions').select(['security', 'sessions']).executeTakeFirstOrThrow(),
  })
  await endSession(db, token)
  expect(await findSession(db, token)).toBeNull()
})

test('concurrent lookups each return their own account', async () => {
  const { db } = database
  const people = await Promise.all([anAccount(db), anAccount(db, { role: 'Admin' }), anAccount(db)])
  const tokens = await Promise.all(people.map((id) => startSession(db, id)))
  await endSession(db, tokens[2] as string)
  const requested = [tokens[1], 'unknown', tokens[0], tokens[2], tokens[1]] as string[]
  const found = await Promise.all(requested.map((token) => findSession(db, token)))
  expect(found.map((one) => one && [one.actor.id, one.actor.role])).toEqual([
    [people[1], 'Admin'],
    null,
    [people[0], 'User'],
    null,
    [people[1], 'Admin'],
  ])
})

test('an expired session is invalid', async () => {
  const { db } = database
  const id = await anAccount(db)
  const token = await startSession(db, id)
  await db
    .updateTable('sessions')
    .set({ expiresAt: at('-1s') })
    .where('accountId', '=', id)
    .execute()
  expect(await findSession(db, token)).toBeNull()
})

const week = 7 * 24 * 3600 * 1000
const endOf = async (token: string) => {
  const { expiresAt } = await database.db
    .selectFrom('sessions')
    .select('expiresAt')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirstOrThrow()
  return expiresAt.getTime() - Date.now()
}

test('a session lasts seven days, and seven more from its renewal; another account’s session is unchanged', async () => {
  const { db } = database
  const [token, neighbour] = [await startSession(db, await anAccount(db)), await startSession(db, await anAccount(db))]
  expect(Math.abs((await endOf(token)) - week)).toBeLessThan(60_000)
  for (const one of [token, neighbour])
    await db
      .updateTable('sessions')
      .set({ expiresAt: at('3d') })
      .where('tokenHash', '=', hashToken(one))
      .execute()
  await renewSession(db, token)
  expect(Math.abs((await endOf(token)) - week)).toBeLessThan(60_000)
  expect(Math.abs((await endOf(neighbour)) - at('3d').getTime() + Date.now())).toBeLessThan(60_000)
})

test('a session with four of its seven days left is not old', async () => {
  const { db } = database
  const token = await startSession(db, await anAccount(db))
  await db
    .updateTable('sessions')
    .set({ expiresAt: at('4d') })
    .where('tokenHash', '=', hashToken(token))
    .execute()
  expect((await findSession(db, token))?.isOld).toBe(false)
  expect(await endOf(token)).toBeLessThan(at('4d').getTime() - Date.now() + 1000)
})

test('a session past half its lifetime is old until it is renewed; a lookup does not extend it', async () => {
  const { db } = database
  const id = await anAccount(db)
  const token = await startSession(db, id)
  await db
    .updateTable('sessions')
    .set({ expiresAt: at('3d') })
    .where('accountId', '=', id)
    .execute()
  expect((await findSession(db, token))?.isOld).toBe(true)
  expect((await findSession(db, token))?.isOld).toBe(true)
  expect(await endOf(token)).toBeLessThan(at('3d').getTime() - Date.now() + 1000)
  await renewSession(db, token)
  expect((await findSession(db, token))?.isOld).toBe(false)
})

test('all sessions of an account end except the one to keep', async () => {
  const { db } = database
  const id = await anAccount(db)
  const [kept, other] = [await startSession(db, id), await startSession(db, id)]
  const neighbour = await startSession(db, await anAccount(db))
  await endSessions(db, id, kept)
  expect(await findSession(db, kept)).not.toBeNull()
  expect(await findSession(db, other)).toBeNull()
  await endSessions(db, id)
  expect(await findSession(db, kept)).toBeNull()
  expect(await findSession(db, neighbour)).not.toBeNull()
})

test('any number of expired sessions are deleted, others are kept, and nothing is done if none has expired', async () => {
  const { db } = database
  const id = await anAccount(db)
  const token = await startSession(db, id)
  await forgetSessions(db)
  const before = await db.selectFrom('versions').select('sessions').executeTakeFirstOrThrow()
  await sql`insert into sessions (token_hash, account_id, expires_at)
    select sha256(n::text::bytea), ${id}, clock_timestamp() - interval '1 second' from generate_series(1, 10001) n`.execute(db)
  await forgetSessions(db)
  const left = await db.selectFrom('sessions').select('tokenHash').where('accountId', '=', id).execute()
  expect(left).toEqual([{ tokenHash: hashToken(token) }])
  const after = await db.selectFrom('versions').select('sessions').executeTakeFirstOrThrow()
  // Two statements delete the sessions, and each of them raises the version.
  expect(Number(after.sessions) - Number(before.sessions)).toBe(2)
  await forgetSessions(db)
  expect(await db.selectFrom('versions').select('sessions').executeTakeFirstOrThrow()).toEqual(after)
})

test('a session that is renewed while expired ones are deleted is kept', async () => {
  const { db } = database
  const token = await startSession(db, await anAccount(db))
  const expire = (expiresAt: Date) =>
    db.updateTable('sessions').set({ expiresAt }).where('tokenHash', '=', hashToken(token)).execute()
  await expire(at('-1s'))
  const renewing = db.withPlugin({
    transformQuery: ({ node }) => node,
    // After the expired sessions are read, and before they are deleted.
    async transformResult({ result }) {
      await expire(at('3d'))
      return result
    },
  })
  await forgetSessions(renewing)
  expect(await findSession(db, token)).not.toBeNull()
})

test('records of ended sessions are kept for ten minutes', async () => {
  const { db } = database
  await db.deleteFrom('endedSessions').execute()
  const rows = [1, 2].map((number) => ({ number, tokenHash: Buffer.from([number]), endedAt: at(number === 1 ? '-11m' : '-9m') }))
  await db.insertInto('endedSessions').values(rows).execute()
  await forgetEndedSessions(db)
  expect(await db.selectFrom('endedSessions').select('tokenHash').execute()).toEqual([{ tokenHash: Buffer.from([2]) }])
})

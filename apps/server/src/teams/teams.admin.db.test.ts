import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { aPng } from '../../test/builders/images.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
})
afterAll(() => platform.stop())

const url = (id: number) => `/api/admin/teams/${id}`
const row = (id: number) => platform.db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst()
const refused = ({ status, error }: Answer) => [status, error.status, error.code]
const entry = async (message: string) => {
  await platform.deps.log.flush()
  const lines = await platform.db.selectFrom('logs').selectAll().execute()
  return lines.find((line) => line.message.includes(message))
}

describe('the list', () => {
  test('P7.24 has all teams by id with members, in pages; total counts all', async () => {
    const member = await anAccount(platform.db)
    const first = await aTeam(platform.db, { members: [member], name: 'Zulu' })
    const second = await aTeam(platform.db, { name: 'Alfa' })
    // A changed row is stored behind the others; with statistics the database reads these few rows without an index.
    await platform.db.updateTable('teams').set({ bio: 'changed' }).where('id', '=', first.id).execute()
    await sql`analyze teams`.execute(platform.db)
    const { status, body } = await admin.get('/api/admin/teams')
    expect([status, body.length, body.total]).toEqual([200, 2, 2])
    expect(body.data[0]).toEqual({ ...(await platform.anyone.get(`/api/team/${first.id}`)).body, solves: 0 })
    expect(body.data.map((team: { id: number; members: unknown[] }) => [team.id, team.members.length])).toEqual([
      [first.id, 2],
      [second.id, 1],
    ])
    expect((await admin.get('/api/admin/teams?count=1&skip=1')).body).toEqual({ data: [body.data[1]], length: 1, total: 2 })
    expect((await admin.get('/api/admin/teams?count=-1')).status).toBe(400)
  })

  test('P7.24 P7.27 AT-3 has the number of solves of each team in all games', async () => {
    const solver = await aTeam(platform.db, { name: 'Solver' })
    const neighbour = await aTeam(platform.db, { name: 'Neighbour' })
    for (const [team, solves] of [
      [solver, 2],
      [neighbour, 1],
      [solver, 1],
    ] as const) {
      const gameId = await aGame(platform.db)
      const participation = await aParticipation(platform.db, gameId, team)
      for (let i = 0; i < solves; i++) {
        const challenge = await aChallenge(platform.db, gameId)
        await aSolve(platform.db, { gameId, participation, challenge, account: team.captain, arrived: at('-5m') })
      }
    }
    const solvesIn = (body: { data: { name: string; solves: number }[] }) =>
      Object.fromEntries(body.data.map(({ name, solves }) => [name, solves]))
    expect(solvesIn((await admin.get('/api/admin/teams')).body)).toMatchObject({ Solver: 3, Neighbour: 1 })
    expect(solvesIn((await admin.post('/api/admin/teams/search?hint=solver')).body)).toEqual({ Solver: 3 })
  })

  test('P7.27 a search matches the name in any case, or the id; wildcards are matched literally', async () => {
    await aTeam(platform.db, { name: 'Vanir' })
    const { id } = await aTeam(platform.db, { name: 'Æsir 50%' })
    // The team with the smallest number is found by its number alone.
    await sql`insert into teams (id, name, captain_id, invite_token) overriding system value
      values (1, 'First of all', ${await anAccount(platform.db)}, ${'0'.repeat(32)})`.execute(platform.db)
    const search = async (hint: string, more = '') =>
      (await admin.post(`/api/admin/teams/search?hint=${encodeURIComponent(hint)}${more}`)).body
    for (const hint of ['æsir', ' æsir ']) expect((await search(hint)).data.map((team: { id: number }) => team.id)).toEqual([id])
    expect((await search('%')).data.map((team: { id: number }) => team.id)).toEqual([id])
    for (const hint of [`${id}`, ` ${id} `])
      expect((await search(hint)).data.map((team: { id: number }) => team.id)).toContain(id)
    expect(await search('no such team')).toEqual({ data: [], length: 0, total: 0 })
    for (let i = 0; i < 101; i++) await aTeam(platform.db, { name: `Puffin ${i}` })
    expect(await search('puffin')).toMatchObject({ length: 30, total: 101 })
    expect(await search('puffin', '&count=2&skip=100')).toMatchObject({ length: 1, total: 101 })
    const { body } = await admin.get('/api/admin/teams?count=101')
    expect([(await admin.get('/api/admin/teams')).body.length, body.length]).toEqual([100, 101])
    for (const hint of ['9999999999', '99999999999999999999']) expect(await search(hint)).toMatchObject({ total: 0 })
    await aTeam(platform.db, { name: 'back\\slash_line' })
    const totals = { 'back\\slash': 1, slash_line: 1, backslash: 0, slash_: 1, back_slash: 0, Puffin_: 0 }
    for (const [hint, total] of Object.entries(totals)) expect([hint, (await search(hint)).total]).toEqual([hint, total])
  })

  test.each(['', '?hint=', '?hint=%20'])('P7.27 without a text (%s) the search returns nothing', async (query) => {
    expect(refused(await admin.post(`/api/admin/teams/search${query}`))).toEqual([400, 400, 'search.hint_missing'])
  })
})

describe('changing one', () => {
  test('P6.7 P7.25 given fields change; absent, null and a blank name keep the value, a blank bio clears it', async () => {
    const { id } = await aTeam(platform.db, { name: 'Old' })
    const neighbour = await row((await aTeam(platform.db)).id)
    expect(await admin.put(url(id), { name: ' New ', bio: 'words' })).toMatchObject({ status: 200, body: '' })
    expect(await row(id)).toMatchObject({ name: 'New', bio: 'words', locked: false })
    await admin.put(url(id), { name: '', bio: null })
    await admin.put(url(id), { name: null })
    expect(await row(id)).toMatchObject({ name: 'New', bio: 'words' })
    await admin.put(url(id), { bio: '' })
    expect(await row(id)).toMatchObject({ name: 'New', bio: null })
    expect(await row(neighbour?.id ?? 0)).toEqual(neighbour)
    expect(await entry(`Changed team Old (${id}): name => New, bio`)).toMatchObject({ name: 'Root', status: 'Success' })
  })

  test('P6.7 P4.9 P7.25 administrators lock and unlock a team, which controls whether its members can leave', async () => {
    const member = await anAccount(platform.db)
    const team = await aTeam(platform.db, { members: [member] })
    await aParticipation(platform.db, await aGame(platform.db), team)
    const leave = async () => (await platform.as(member)).post(`/api/team/${team.id}/leave`)
    await admin.put(url(team.id), { locked: true })
    expect(refused(await leave())).toEqual([400, 400, 'team.locked'])
    expect(await entry(`(${team.id}): locked`)).toMatchObject({ name: 'Root' })
    expect((await admin.put(url(team.id), { name: 'Renamed', bio: 'by hand' })).status).toBe(200)
    expect(await row(team.id)).toMatchObject({ name: 'Renamed', bio: 'by hand', locked: true })
    await admin.put(url(team.id), { locked: false })
    expect(await entry(`(${team.id}): unlocked`)).toMatchObject({ name: 'Root' })
    expect((await leave()).status).toBe(200)
  })

  test.each([
    [{ name: 'a'.repeat(21) }, 'request.invalid'],
    [{ bio: 'a'.repeat(73) }, 'request.invalid'],
    [{ name: '   ' }, 'team.name_invalid'],
    [{ name: 'a\u202eb' }, 'team.name_characters'],
    [{ locked: 'yes' }, 'request.invalid'],
  ])('P7.25 %j is refused and nothing changes', async (wrong, code) => {
    const { id } = await aTeam(platform.db)
    const before = await row(id)
    expect(refused(await admin.put(url(id), { bio: 'changed', locked: true, ...wrong }))).toEqual([400, 400, code])
    expect(await row(id)).toEqual(before)
  })

  test('P7.25 an unknown team returns 400', async () => {
    expect(refused(await admin.put(url(999_999), { name: 'x' }))).toEqual([400, 400, 'team.unknown'])
  })
})

describe('deleting one', () => {
  test('P6.7 P7.26 it is deleted with its image and all its results, even when locked, and its solves leave the board', async () => {
    const { db } = platform
    const [gone, stays] = [await aTeam(db), await aTeam(db)]
    const gameId = await aGame(db)
    const challenge = await aChallenge(db, gameId)
    const [a, b] = [await aParticipation(db, gameId, gone), await aParticipation(db, gameId, stays)]
    await aSolve(db, { gameId, participation: a, challenge, arrived: at('-20m') })
    await aSolve(db, { gameId, participation: b, challenge, arrived: at('-10m') })
    const captain = await platform.as(gone.captain)
    const path = (
      await captain.upload('PUT', `/api/team/${gone.id}/avatar`, 'file', [{ name: 'a.png', bytes: await aPng({ width: 37 }) }])
    ).body
    await db.updateTable('teams').set({ locked: true }).where('id', '=', gone.id).execute()
    const board = async () =>
      (await platform.anyone.get(`/api/game/${gameId}/scoreboard`)).body.items.map((item: { id: number; rank: number }) => [
        item.id,
        item.rank,
      ])
    expect(await board()).toEqual([
      [gone.id, 1],
      [stays.id, 2],
    ])
    expect(await admin.delete(url(gone.id))).toMatchObject({ status: 200, body: '' })
    expect(await row(gone.id)).toBeUndefined()
    expect((await platform.anyone.get(path)).status).toBe(404)
    await expect.poll(board).toEqual([[stays.id, 1]])
    expect(await db.selectFrom('submissions').select('participationId').where('gameId', '=', gameId).execute()).toEqual([
      { participationId: b },
    ])
    expect(await entry(`(${gone.id}) deleted`)).toMatchObject({ name: 'Root', status: 'Success' })
    expect(await db.selectFrom('accounts').select('id').where('id', '=', gone.captain).execute()).toHaveLength(1)
  })

  test('P7.26 an unknown team returns 404', async () => {
    expect(refused(await admin.delete(url(999_999)))).toEqual([404, 404, 'team.not_found'])
  })
})

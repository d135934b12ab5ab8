import { createHash, verify } from 'node:crypto'
import { gameSaltText } from '@vexil/core/interop'
import { defaultBloodBonus, fileLimits } from '@vexil/core/limits'
import { writeupDeadlineAfter } from '@vexil/core/phases'
import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { settledBoard } from '../../test/board.ts'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { releaseLost } from '../files/release-file.ts'
import { findGame, findPrivateKey, listAllGames } from './games.queries.ts'

let platform: TestPlatform
let admin: Caller
let user: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Organiser' }))
  user = await platform.as(await anAccount(platform.db))
})
afterAll(() => platform.stop())

const times = { start: '2030-01-01T00:00:00Z', end: '2030-01-02T00:00:00+08:00' }
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#824' } })
    .png()
    .toBuffer()
const get = (url: string) => platform.anyone.get(url)
/** Log entries whose message ends with the number of this game, oldest first. */
const logged = async (game: number) => {
  await platform.deps.log.flush()
  const about = platform.db.selectFrom('logs').select(['name', 'status', 'message']).where('message', 'like', `%(#${game})`)
  return (await about.orderBy('id').execute()).map(({ name, status, message }) => [name, status, message.split(' (')[0]])
}

test('P3.13 P3.14 P7.43 P5.13 a new game has title, times, defaults and a key', async () => {
  const made = await admin.post('/api/edit/games', { title: ' Autumn ', ...times })
  expect(made.status).toBe(200)
  expect(made.body).toEqual({
    id: made.body.id,
    title: 'Autumn',
    hidden: false,
    summary: '',
    content: '',
    acceptWithoutReview: false,
    writeupRequired: false,
    inviteCode: null,
    organizations: [],
    teamMemberCountLimit: 0,
    containerCountLimit: 3,
    poster: null,
    publicKey: made.body.publicKey,
    practiceMode: true,
    start: '2030-01-01T00:00:00+00:00',
    end: '2030-01-01T16:00:00+00:00',
    writeupDeadline: '2030-01-01T16:00:00+00:00',
    writeupNote: '',
    bloodBonus: defaultBloodBonus,
  })
  expect(made.body.publicKey).toHaveLength(44)
})

test('P5.13 P3.7 P3.9 a game without title or times, or with an end before its start, is refused and nothing is stored', async () => {
  const count = async () => (await admin.get('/api/edit/games')).body.total
  const before = await count()
  const refused = [
    [{ ...times, title: '' }, 'game.title_missing'],
    [{ ...times, title: ' \t\u0085' }, 'game.title_missing'],
    [times, 'game.title_missing'],
    [{ title: 'x', end: times.end }, 'game.times_missing'],
    [{ title: 'x', start: times.start }, 'game.times_missing'],
    [{ title: 'x', start: times.end, end: times.start }, 'game.times_invalid'],
    [{ title: 'x', start: times.start, end: times.start }, 'game.times_invalid'],
    [{ ...times, title: 'x', start: 'tomorrow' }, 'request.invalid'],
    [{ ...times, title: 'x', organizations: ['all'] }, 'game.division_reserved'],
    [{ ...times, title: 'x', inviteCode: 'x'.repeat(33) }, 'request.invalid'],
    [{ ...times, title: 'x', teamMemberCountLimit: -1 }, 'request.invalid'],
  ] as const
  for (const [body, code] of refused)
    expect(await admin.post('/api/edit/games', body)).toMatchObject({ status: 400, error: { code, status: 400 } })
  expect(await count()).toBe(before)
  const game = await aGame(platform.db, { title: 'Kept' })
  for (const title of ['', ' \t', undefined])
    expect((await admin.put(`/api/edit/games/${game}`, { title })).error).toMatchObject({
      status: 400,
      code: 'game.title_missing',
    })
  const put = { title: 'Other', start: times.end, end: times.start }
  expect((await admin.put(`/api/edit/games/${game}`, put)).error.code).toBe('game.times_invalid')
  expect((await admin.get(`/api/edit/games/${game}`)).body.title).toBe('Kept')
})

test('P3.14 P3.17 P7.44 P7.45 an edit replaces the game; id, poster and key stay, and so do absent times and divisions', async () => {
  const { body: made } = await admin.post('/api/edit/games', { title: 'Whole', ...times })
  const id = made.id
  const whole = {
    ...made,
    id: 5,
    title: 'Changed',
    hidden: true,
    summary: 'short',
    content: '# *long* <b>',
    acceptWithoutReview: true,
    writeupRequired: true,
    inviteCode: 'Code',
    organizations: [' A ', 'B', 'A', ''],
    teamMemberCountLimit: 4,
    containerCountLimit: 0,
    poster: '/assets/x/poster',
    publicKey: 'other',
    practiceMode: false,
    writeupDeadline: '2030-01-05T00:00:00+00:00',
    writeupNote: 'how',
    bloodBonus: 0,
  }
  const stored = { ...whole, id, poster: null, publicKey: made.publicKey, organizations: ['A', 'B'] }
  expect((await admin.put(`/api/edit/games/${id}`, whole)).body).toEqual(stored)
  expect((await admin.get(`/api/edit/games/${id}`)).body).toEqual(stored)
  expect((await admin.put(`/api/edit/games/${id}`, { title: 'Bare' })).body).toEqual({
    ...made,
    title: 'Bare',
    organizations: ['A', 'B'],
    writeupDeadline: whole.writeupDeadline,
  })
  expect(await admin.get('/api/edit/games/999999')).toMatchObject({ status: 404, error: { code: 'game.not_found', status: 404 } })
  expect((await admin.put('/api/edit/games/999999', whole)).status).toBe(404)
  expect((await user.get(`/api/edit/games/${id}`)).status).toBe(403)
  expect((await get(`/api/edit/games/${id}`)).status).toBe(401)
})

test('P7.43 P7.44 blank or out-of-range fields of a form are stored as null or the default', async () => {
  const bonus = (1001 << 20) + (30 << 10) + 10
  const blank = { ...times, title: 'Blank', inviteCode: '  ', bloodBonus: bonus }
  const { body: made } = await admin.post('/api/edit/games', blank)
  expect(made).toMatchObject({ inviteCode: null, bloodBonus: defaultBloodBonus })
  const own = (1000 << 20) + (1000 << 10) + 1000
  const { body: changed } = await admin.put(`/api/edit/games/${made.id}`, { ...blank, inviteCode: ' x ', bloodBonus: own })
  expect(changed).toMatchObject({ inviteCode: ' x ', bloodBonus: own })
  const { body: again } = await admin.put(`/api/edit/games/${made.id}`, { ...blank, inviteCode: '' })
  expect(again).toMatchObject({ inviteCode: null, bloodBonus: defaultBloodBonus })
  expect((await get(`/api/game/${made.id}`)).body.inviteCodeRequired).toBe(false)
})

test('P7.43 P7.44 P7.46 P7.47 every change of a game is logged with its author, and other games stay unchanged', async () => {
  const { body: neighbour } = await admin.post('/api/edit/games', { title: 'Beside', ...times })
  const { body: game } = await admin.post('/api/edit/games', { title: 'Logged', ...times })
  const url = `/api/edit/games/${game.id}`
  await admin.put(url, { title: 'Renamed', hidden: true, summary: 's', inviteCode: 'c', bloodBonus: 0, organizations: ['x'] })
  const poster = await admin.upload('PUT', `${url}/poster`, 'file', [{ name: 'p.png', bytes: await picture(33, 44) }])
  expect((await admin.get(url)).body.poster).toBe(poster.body.replace('.webp', ''))
  const listed = async () => (await admin.get(`/api/edit/games/${neighbour.id}`)).body
  expect(await listed()).toEqual(neighbour)
  expect((await admin.delete(url)).status).toBe(200)
  expect((await get(poster.body)).status).toBe(404)
  await releaseLost(platform.deps)
  expect(await platform.deps.storage.has(poster.body.split('/')[2])).toBe(false)
  expect(await listed()).toEqual(neighbour)
  expect(await logged(game.id)).toEqual([
    ['Organiser', 'Success', 'Created game Logged'],
    ['Organiser', 'Success', 'Changed game Renamed'],
    ['Organiser', 'Success', 'Changed the poster of Renamed'],
    ['Organiser', 'Success', 'Deleted game Renamed'],
  ])
})

test('P3.12 divisions: absent keeps, [] clears, "all" is refused', async () => {
  const game = await aGame(platform.db, { divisions: ['North', 'South'] })
  const put = async (organizations?: string[] | null) =>
    admin.put(`/api/edit/games/${game}`, { title: 'x', ...(organizations !== undefined && { organizations }) })
  expect((await put()).body.organizations).toEqual(['North', 'South'])
  expect((await put(null)).body.organizations).toEqual(['North', 'South'])
  expect((await put(['all'])).error.code).toBe('game.division_reserved')
  expect((await put(['East'])).body.organizations).toEqual(['East'])
  expect((await put([])).body.organizations).toEqual([])
})

test('P7.67 games with the same start are listed by id, newest first', async () => {
  const startsAt = at('9000d')
  const ids = [await aGame(platform.db), await aGame(platform.db), await aGame(platform.db)]
  await platform.db
    .updateTable('games')
    .set({ startsAt, endsAt: at('9001d') })
    .where('id', 'in', ids)
    .execute()
  // With its statistics the database sorts these few rows instead of reading an index, which has them in this order.
  await sql`analyze games`.execute(platform.db)
  const listed = (await get('/api/game?count=3')).body.map(({ id }: { id: number }) => id)
  expect(listed).toEqual([...ids].reverse())
  await platform.db.deleteFrom('games').where('id', 'in', ids).execute()
})

test('P3.14 P9.11 the writeup deadline is an instant: the form’s 24 hours after the end are returned as sent', async () => {
  const end = Date.parse('2030-01-01T16:00:00Z')
  const writeupDeadline = new Date(writeupDeadlineAfter(end, 24)).toISOString()
  const { body } = await admin.post('/api/edit/games', { title: 'Hours', ...times, writeupDeadline })
  expect(body.writeupDeadline).toBe('2030-01-02T16:00:00+00:00')
  expect((await get(`/api/game/${body.id}`)).body.writeupDeadline).toBe('2030-01-02T16:00:00+00:00')
})

test('P7.42 administrators list all games, highest id first, 50 by default', async () => {
  const hidden = await aGame(platform.db, { hidden: true })
  const ids = []
  for (let i = 0; i < 50; i++) ids.push(await aGame(platform.db))
  const page = (await admin.get('/api/edit/games')).body
  expect(page.data.map(({ id }: { id: number }) => id)).toEqual(ids.reverse())
  expect(page).toMatchObject({ length: 50 })
  const next = (await admin.get('/api/edit/games?count=1&skip=50')).body
  expect([next.data[0].id, next.data[0].hidden, next.length, next.total]).toEqual([hidden, true, 1, page.total])
  expect((await admin.get('/api/edit/games?count=0')).body.data).toEqual([])
  expect((await admin.get('/api/edit/games?count=-1')).status).toBe(400)
})

test('P7.67 P3.16 GAMES-1 the public list has visible games, latest start first, 50 by default and at most 100', async () => {
  const hidden = await aGame(platform.db, { hidden: true, starts: '9d', ends: '10d' })
  const late = await aGame(platform.db, { starts: '8d', ends: '9d', title: 'Late', summary: 'soon', memberLimit: 3 })
  const early = await aGame(platform.db, { starts: '7d', ends: '9d' })
  for (let i = 0; i < 60; i++) await aGame(platform.db)
  const list = (await get('/api/game')).body
  expect(list).toHaveLength(50)
  const mine = list.filter(({ id }: { id: number }) => [hidden, late, early].includes(id))
  expect(mine.map(({ id }: { id: number }) => id)).toEqual([late, early])
  expect(Object.keys(mine[0])).toEqual(['id', 'title', 'summary', 'poster', 'limit', 'start', 'end'])
  expect(mine[0]).toMatchObject({ title: 'Late', summary: 'soon', poster: null, limit: 3 })
  expect((await get('/api/game?count=1000')).body).toHaveLength(100)
  expect((await admin.get('/api/edit/games?count=1000')).body.length).toBeGreaterThan(100)
  const second = (await get('/api/game?count=5&skip=5')).body
  expect(second).toEqual((await get('/api/game?count=10')).body.slice(5))
  expect(await get(`/api/game/${hidden}`)).toMatchObject({ status: 200, body: { hidden: true } })
})

test('P7.68 P3.7 P3.50 a game is public, and a member sees their own participation in each status', async () => {
  const game = await aGame(platform.db, { content: '# Rules', divisions: ['North'], practiceMode: false, writeupRequired: true })
  const team = await aTeam(platform.db, { name: 'Us' })
  await aParticipation(platform.db, await aGame(platform.db), team)
  await aParticipation(platform.db, game, await aTeam(platform.db), { status: 'Rejected' })
  const participation = await aParticipation(platform.db, game, team, { status: 'Pending', division: 'North' })
  const seen = await get(`/api/game/${game}`)
  expect(seen.status).toBe(200)
  expect(seen.body).toMatchObject({
    id: game,
    content: '# Rules',
    hidden: false,
    organizations: ['North'],
    inviteCodeRequired: false,
    writeupRequired: true,
    teamCount: 2,
    organization: null,
    teamName: null,
    practiceMode: false,
    status: 'Unsubmitted',
    writeupDeadline: seen.body.end,
    registered: {},
  })
  const member = await platform.as(team.captain)
  for (const status of ['Pending', 'Accepted', 'Rejected', 'Suspended']) {
    await admin.put(`/api/admin/participation/${participation}/${status}`)
    const { body } = await member.get(`/api/game/${game}`)
    expect(body).toMatchObject({ status, teamName: 'Us', organization: 'North' })
    expect(body.registered).toEqual({ [team.id]: 1 })
  }
  await admin.put(`/api/admin/participation/${participation}/Unsubmitted`)
  expect((await member.get(`/api/game/${game}`)).body).toMatchObject({
    status: 'Unsubmitted',
    teamName: null,
    organization: null,
  })
  expect(await get('/api/game/999999')).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
})

test('P3.10 the invite code is only in the administrator’s response', async () => {
  const game = await aGame(platform.db, { inviteCode: 'OpenSesame', acceptWithoutReview: true })
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const member = await platform.as(team.captain)
  expect((await get(`/api/game/${game}`)).body.inviteCodeRequired).toBe(true)
  const answers = await Promise.all([
    get(`/api/game/${game}`),
    get('/api/game?count=100'),
    get(`/api/game/${game}/scoreboard`),
    get(`/api/game/${game}/scoreboard/feed`),
    get(`/api/game/${game}/notices`),
    member.get(`/api/game/${game}`),
    member.get(`/api/game/${game}/details`),
    user.post(`/api/game/${game}`, { teamId: team.id, inviteCode: 'wrong' }),
  ])
  for (const answer of answers) expect(JSON.stringify(answer.body)).not.toContain('OpenSesame')
  expect((await admin.get(`/api/edit/games/${game}`)).body.inviteCode).toBe('OpenSesame')
})

test('P3.34 P3.17 the public key verifies the token of a team', async () => {
  const { body: game } = await admin.post('/api/edit/games', { title: 'Keys', start: at('-1h'), end: at('1h') })
  const team = await aTeam(platform.db)
  const member = await platform.as(team.captain)
  await admin.put(`/api/edit/games/${game.id}`, { title: 'Keys', acceptWithoutReview: true })
  expect((await member.post(`/api/game/${game.id}`, { teamId: team.id })).status).toBe(200)
  const token: string = (await member.get(`/api/game/${game.id}/details`)).body.teamToken
  const [id, signature] = token.split(':')
  const key = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(game.publicKey, 'base64')])
  const isGood = (text: string) =>
    verify(null, Buffer.from(text), { key, format: 'der', type: 'spki' }, Buffer.from(signature ?? '', 'base64'))
  expect([id, isGood(`GZCTF_TEAM_${team.id}`), isGood(`GZCTF_TEAM_${team.id + 1}`)]).toEqual([String(team.id), true, false])
})

test('P7.47 P3.8 P5.10 P9.2 a poster of up to 3 MiB is stored and shown, and the previous one is deleted', async () => {
  const game = await aGame(platform.db)
  const path = `/api/edit/games/${game}/poster`
  const put = (bytes: Buffer, name = 'p.png') => admin.upload('PUT', path, 'file', [{ name, type: 'image/png', bytes }])
  const puts = vi.spyOn(platform.deps.storage, 'put')
  const first = await put(await picture(1200, 30))
  // An encoded picture may be larger than the upload.
  expect(puts.mock.calls.map(([, most]) => most)).toEqual([32 * 1024 * 1024])
  puts.mockRestore()
  expect(first.status).toBe(200)
  expect(first.body).toMatch(/^\/assets\/[0-9a-f]{64}\/poster\.webp$/)
  const hash = first.body.split('/')[2]
  expect((await get(`/api/game/${game}`)).body.poster).toBe(`/assets/${hash}/poster`)
  const listed = (await get('/api/game?count=100')).body.find(({ id }: { id: number }) => id === game)
  expect(listed.poster).toBe(`/assets/${hash}/poster`)
  const { headers, rawPayload } = await platform.app.inject({ url: first.body })
  expect(headers['content-type']).toBe('image/webp')
  expect(await sharp(rawPayload).metadata()).toMatchObject({ width: 1200, height: 30 })

  const second = await put(await picture(41, 30))
  const files = async () => (await platform.db.selectFrom('files').select('hash').execute()).map((row) => row.hash)
  expect(await files()).toContain(second.body.split('/')[2])
  expect(await files()).not.toContain(hash)
  expect((await get(first.body)).status).toBe(404)
  expect((await put(await picture(41, 30))).body).toBe(second.body)
  expect((await get(second.body)).status).toBe(200)

  const png = await picture(10, 10)
  const whole = Buffer.concat([png, Buffer.alloc(fileLimits.imageBytes - png.length)])
  expect((await put(whole)).status).toBe(200)
  const refused = [
    [Buffer.concat([whole, Buffer.alloc(1)]), 'file.too_large'],
    [Buffer.alloc(0), 'file.empty'],
    [Buffer.from('<html><script>alert(1)</script>'), 'file.image_invalid'],
  ] as const
  for (const [bytes, code] of refused) expect(await put(bytes)).toMatchObject({ status: 400, error: { code } })
  const unknown = await admin.upload('PUT', '/api/edit/games/999999/poster', 'file', [{ name: 'p.png', bytes: png }])
  expect(unknown).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
})

test('P7.46 a deleted game deletes everything in it, including its files', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const hash = await aFile(platform.db)
  await admin.post(`/api/edit/games/${game}/challenges/${challenge}/attachment`, { attachmentType: 'Local', fileHash: hash })
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  await (await platform.as(team.captain)).post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await settledBoard({ db: platform.db, get }, game)
  await sql`insert into game_events (game_id, type, "values") select ${game}, 'Normal', '{}' from generate_series(1, 5001)`.execute(
    platform.db,
  )
  await sql`
    create table rest (answers int, events int);
    create function count_rest() returns trigger language plpgsql as $$
      begin
        insert into rest select (select count(*) from submissions where game_id = old.id),
          (select count(*) from game_events where game_id = old.id);
        return old;
      end $$;
    create trigger count_rest before delete on games for each row execute function count_rest();
    create table parts (size int);
    create function count_part() returns trigger language plpgsql as $$
      begin insert into parts select count(*) from gone; return null; end $$;
    create trigger count_part after delete on game_events referencing old table as gone for each statement execute function count_part()`.execute(
    platform.db,
  )
  // Another transaction deletes one of them at the same time.
  const beside = await platform.db.startTransaction().execute()
  await sql`delete from game_events where id = (select min(id) from game_events where game_id = ${game})`.execute(beside)
  const deletion = admin.delete(`/api/edit/games/${game}`)
  await vi.waitFor(async () => {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    expect((await waiting.execute(platform.db)).rows).toHaveLength(1)
  }, 5000)
  await beside.commit().execute()
  expect(await deletion).toMatchObject({ status: 200, body: '' })
  const { rows } = await sql`select answers, events from rest`.execute(platform.db)
  const parts = await sql<{ size: number }>`select size from parts where size > 0 order by size`.execute(platform.db)
  await sql`drop function count_rest cascade; drop function count_part cascade; drop table rest, parts`.execute(platform.db)
  // They were deleted before in parts: a large game takes longer than one statement may.
  expect(rows).toEqual([{ answers: 0, events: 0 }])
  expect(parts.rows).toEqual([{ size: 1 }, { size: 1 }, { size: 4999 }])
  expect((await get(`/api/game/${game}`)).status).toBe(404)
  for (const table of ['participations', 'registrations', 'submissions', 'solves', 'notices', 'challenges', 'solveLogs'] as const)
    expect(await platform.db.selectFrom(table).select('gameId').where('gameId', '=', game).execute()).toEqual([])
  await releaseLost(platform.deps)
  expect(await platform.db.selectFrom('files').select('hash').where('hash', '=', hash).execute()).toEqual([])
  expect((await admin.delete(`/api/edit/games/${game}`)).status).toBe(404)
})

test('P7.45 title, divisions and times are updated on board and list', async () => {
  const game = await aGame(platform.db)
  await settledBoard({ db: platform.db, get }, game)
  await admin.put(`/api/edit/games/${game}`, { title: 'Renamed', start: at('1h'), end: at('2h'), bloodBonus: 0 })
  expect((await get(`/api/game/${game}`)).body.title).toBe('Renamed')
  expect(await get(`/api/game/${game}/scoreboard`)).toMatchObject({ status: 400, error: { code: 'game.not_started' } })
  await admin.put(`/api/edit/games/${game}`, { title: 'Renamed', start: at('-1h'), bloodBonus: 0 })
  expect((await settledBoard({ db: platform.db, get }, game)).bloodBonus).toBe(0)
})

test('P5.17 administrators read the salt for external challenge servers; it is the salt of the flags', async () => {
  const game = await aGame(platform.db)
  const { privateKey } = await platform.db
    .selectFrom('games')
    .select('privateKey')
    .where('id', '=', game)
    .executeTakeFirstOrThrow()
  const { status, body } = await admin.get(`/api/edit/games/${game}/hashsalt`)
  const sha256 = createHash('sha256').update(gameSaltText(privateKey)).digest('hex')
  expect([status, body]).toEqual([200, sha256])
  expect((await admin.get('/api/edit/games/999999/hashsalt')).error).toMatchObject({ status: 404, code: 'game.not_found' })
})

test('a query for games excludes the private key; only the query for the key reads it', async () => {
  const id = await aGame(platform.db)
  const { privateKey } = await platform.db.selectFrom('games').select('privateKey').where('id', '=', id).executeTakeFirstOrThrow()
  const { rows } = await listAllGames(platform.db, { count: 100, skip: 0 })
  expect(rows.find((row) => row.id === id)).toMatchObject({ id, publicKey: expect.any(String) })
  expect(JSON.stringify([await findGame(platform.db, id), rows])).not.toContain(privateKey)
  for (const row of [await findGame(platform.db, id), ...rows]) expect(row).not.toHaveProperty('privateKey')
  expect(await findPrivateKey(platform.db, id)).toBe(privateKey)
  expect(await findPrivateKey(platform.db, 2_000_000_000)).toBeUndefined()
})

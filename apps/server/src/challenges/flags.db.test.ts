import { flagLimits } from '@vexil/core/limits'
import { hasContainer, hasOwnFlags } from '@vexil/core/vocabulary'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())

const at = (game: number, challenge: number) => `/api/edit/games/${game}/challenges/${challenge}`
const flagsOf = async (game: number, challenge: number): Promise<{ id: number; flag: string; attachment: unknown }[]> =>
  (await admin.get(at(game, challenge))).body.flags

async function aPlayer(gameId: number) {
  const mate = await anAccount(platform.db)
  const team = await aTeam(platform.db, { members: [mate] })
  const participation = await aParticipation(platform.db, gameId, team)
  return { ...team, participation, call: await platform.as(team.captain), mate: await platform.as(mate) }
}

const lastLogged = async () => {
  await platform.deps.log.flush()
  return (await platform.db.selectFrom('logs').select('message').orderBy('id', 'desc').executeTakeFirstOrThrow()).message
}
const teamFlagsOf = (challenge: number) =>
  platform.db.selectFrom('teamFlags').selectAll().where('challengeId', '=', challenge).orderBy('participationId').execute()

test('P7.53 P3.29 flags are added trimmed and once; more than 128 characters or an empty one refuses the whole call', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { flags: ['flag{there}'] })
  const rows = [{ flag: '  flag{a}\t' }, { flag: 'flag{b}' }, { flag: 'flag{a}' }, { flag: 'flag{there}' }, { flag: 'FLAG{a}' }]
  expect(await admin.post(`${at(game, challenge)}/flags`, rows)).toMatchObject({ status: 200, body: '' })
  const texts = ['flag{there}', 'flag{a}', 'flag{b}', 'FLAG{a}']
  expect((await flagsOf(game, challenge)).map(({ flag }) => flag)).toEqual(texts)
  expect(await lastLogged()).toMatch(/^Added 3 flags to /)
  const longest = 'x'.repeat(flagLimits.flagMax)
  const refused = [
    [[{ flag: 'new' }, { flag: `${longest}x` }], 'flag.too_long'],
    [[{ flag: 'new' }, { flag: '' }], 'flag.empty'],
    [[{ flag: 'new' }, { flag: ' \u3000 ' }], 'flag.empty'],
    [[{ flag: 'new' }, { flag: '\u0085' }], 'flag.empty'],
    [[{ flag: 'new' }, {}], 'flag.empty'],
    [{ flag: 'new' }, 'request.invalid'],
  ] as const
  for (const [body, code] of refused)
    expect(await admin.post(`${at(game, challenge)}/flags`, body)).toMatchObject({ status: 400, error: { code } })
  expect(await flagsOf(game, challenge)).toHaveLength(4)
  expect((await admin.post(`${at(game, challenge)}/flags`, [{ flag: longest }])).status).toBe(200)
  expect((await admin.post(`${at(game, 999_999)}/flags`, rows)).error.code).toBe('challenge.not_found')
  expect((await admin.post(`${at(999_999, challenge)}/flags`, rows)).error.code).toBe('game.not_found')
})

test('P1.11 a flag added with blanks around it is accepted as an answer', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { flags: [] })
  await admin.post(`${at(game, challenge)}/flags`, [{ flag: ' flag{blanks} ' }])
  const { call } = await aPlayer(game)
  const path = `/api/game/${game}/challenges/${challenge}`
  const { body } = await call.post(path, { flag: 'flag{blanks}' })
  expect((await call.get(`${path}/status/${body}`)).body).toBe('Accepted')
})

test('the maximum number of flags in one call is added in one step', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: [] })
  const hash = await aFile(platform.db)
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ flag: `flag{${i}}`, attachmentType: 'Local', fileHash: hash }))
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  expect((await admin.post(`${at(game, challenge)}/flags`, rows)).status).toBe(200)
  // A few queries for each 500 flags, and those of the platform in the background.
  expect(queries.mock.calls.length).toBeLessThan(rows.length / 100)
  queries.mockRestore()
  expect(await flagsOf(game, challenge)).toHaveLength(20_000)
  expect(await lastLogged()).toMatch(/^Added 20000 flags to /)
})

test('in a long list each flag keeps its position and link; an invalid link at the end refuses the whole list', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: [] })
  const urlOf = (i: number) => `https://example.org/${i}`
  const rows = Array.from({ length: 1201 }, (_, i) => ({ flag: `flag{${i}}`, attachmentType: 'Remote', remoteUrl: urlOf(i) }))
  const wrong = rows.with(1200, { ...rows[1200]!, remoteUrl: 'ftp://example.org' })
  expect((await admin.post(`${at(game, challenge)}/flags`, wrong)).error.code).toBe('attachment.link_invalid')
  expect(await flagsOf(game, challenge)).toEqual([])
  // Of equal flags the first one counts, and one that is stored already keeps its link.
  const repeated = (i: number) => ({ ...rows[i]!, remoteUrl: urlOf(5000) })
  expect((await admin.post(`${at(game, challenge)}/flags`, [...rows, repeated(0), repeated(1200)])).status).toBe(200)
  expect((await admin.post(`${at(game, challenge)}/flags`, [repeated(7)])).status).toBe(200)
  const stored = (await flagsOf(game, challenge)).map(({ flag, attachment }) => [flag, (attachment as { url: string }).url])
  expect(stored).toEqual(rows.map(({ flag, remoteUrl }) => [flag, remoteUrl]))
})

test('P1.11 P7.54 P3.57 a removed flag returns "Success", an unknown one "NotFound"; removing the last one disables the challenge', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { flags: ['flag{1}', 'flag{2}'] })
  const [one, two] = await flagsOf(game, challenge)
  const remove = (id: number | undefined) => admin.delete(`${at(game, challenge)}/flags/${id}`)
  const isEnabled = async () => (await admin.get(at(game, challenge))).body.isEnabled
  const { call } = await aPlayer(game)
  const judged = async (flag: string) => {
    const path = `/api/game/${game}/challenges/${challenge}`
    const { body } = await call.post(path, { flag })
    return (await call.get(`${path}/status/${body}`)).body
  }
  expect(await judged('flag{1}')).toBe('Accepted')
  expect(await remove(one?.id)).toMatchObject({ status: 200, body: 'Success' })
  expect([await judged('flag{1}'), await judged('flag{2}')]).toEqual(['WrongAnswer', 'Accepted'])
  expect(await remove(one?.id)).toMatchObject({ status: 200, body: 'NotFound' })
  expect(await isEnabled()).toBe(true)
  const elsewhere = await aChallenge(platform.db, game)
  expect((await remove((await flagsOf(game, elsewhere))[0]?.id)).body).toBe('NotFound')
  const beside = await aGame(platform.db)
  const neighbour = await aChallenge(platform.db, beside)
  expect((await remove(two?.id)).body).toBe('Success')
  expect(await isEnabled()).toBe(false)
  expect(await lastLogged()).toMatch(/^Removed a flag of .*; it was the last, the challenge is disabled$/)
  const enabled = async (of: number, id: number) => (await admin.get(at(of, id))).body.isEnabled
  expect([await enabled(game, elsewhere), await enabled(beside, neighbour)]).toEqual([true, true])
  const closed = await aChallenge(platform.db, game, { enabled: false })
  expect((await admin.delete(`${at(game, closed)}/flags/${(await flagsOf(game, closed))[0]?.id}`)).body).toBe('Success')
  expect(await lastLogged()).toMatch(/^Removed a flag of .* \(#\d+\)$/)
  // A challenge that generates its flags needs none.
  const own = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: ['flag{only}'] })
  const [only] = await flagsOf(game, own)
  expect((await admin.delete(`${at(game, own)}/flags/${only?.id}`)).body).toBe('Success')
  expect(await enabled(game, own)).toBe(true)
  expect((await admin.delete(`${at(game, 999_999)}/flags/1`)).error.code).toBe('challenge.not_found')
  expect((await admin.delete(`${at(999_999, challenge)}/flags/1`)).error.code).toBe('game.not_found')
})

test('P7.55 P3.54 P3.22 an attachment is none, a stored file or a link, as shown to the player', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const { call } = await aPlayer(game)
  const ofFlag = { attachmentType: 'Remote', remoteUrl: 'https://example.org/flag' }
  await admin.post(`${at(game, challenge)}/flags`, [{ flag: 'flag{with file}', ...ofFlag }])
  const beside = await aChallenge(platform.db, game)
  await admin.post(`${at(game, beside)}/attachment`, { attachmentType: 'Remote', remoteUrl: 'https://example.org/beside' })
  const hash = await aFile(platform.db, { name: 'näme & co.zip', size: 77, pinned: true })
  const set = (body: object) => admin.post(`${at(game, challenge)}/attachment`, body)
  const shown = async () => (await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context
  expect(await shown()).toMatchObject({ url: null, fileSize: null })
  expect(await set({ attachmentType: 'Local', fileHash: hash.toUpperCase() })).toMatchObject({ status: 200, body: '' })
  const url = `/assets/${hash}/näme & co.zip`
  expect(await shown()).toMatchObject({ url, fileSize: 77 })
  expect((await admin.get(at(game, challenge))).body.attachment).toMatchObject({ type: 'Local', url, fileSize: 77 })
  expect((await set({ attachmentType: 'Local', fileHash: hash })).status).toBe(200)
  expect(await shown()).toMatchObject({ url })
  expect((await set({ attachmentType: 'Remote', remoteUrl: ' https://example.org/a?b=c ' })).status).toBe(200)
  expect(await shown()).toMatchObject({ url: 'https://example.org/a?b=c', fileSize: null })
  expect((await admin.get(at(game, challenge))).body.attachment).toMatchObject({ type: 'Remote', fileSize: null })
  const left = await platform.db.selectFrom('files').select('hash').where('hash', '=', hash).execute()
  expect(left).toEqual([])
  expect((await set({})).status).toBe(200)
  expect(await shown()).toMatchObject({ url: null, fileSize: null })
  expect((await admin.get(at(game, challenge))).body.attachment).toBeNull()
  const attachments = (await flagsOf(game, challenge)).map(({ attachment }) => attachment)
  expect(attachments).toMatchObject([null, { type: 'Remote', url: ofFlag.remoteUrl }])
  expect((await admin.get(at(game, beside))).body.attachment).toMatchObject({ url: 'https://example.org/beside' })
})

test('P7.55 unknown files, invalid links and dynamic attachments are refused; the old attachment stays', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const dynamic = await aChallenge(platform.db, game, { type: 'DynamicAttachment' })
  await admin.post(`${at(game, challenge)}/attachment`, { attachmentType: 'Remote', remoteUrl: 'http://example.org' })
  const refused = [
    [{ attachmentType: 'Local', fileHash: 'a'.repeat(64) }, 'attachment.file_unknown'],
    [{ attachmentType: 'Local' }, 'attachment.file_unknown'],
    [{ attachmentType: 'Remote' }, 'attachment.link_invalid'],
    [{ attachmentType: 'Remote', remoteUrl: 'javascript:alert(1)' }, 'attachment.link_invalid'],
    [{ attachmentType: 'Remote', remoteUrl: 'ftp://example.org' }, 'attachment.link_invalid'],
    [{ attachmentType: 'Elsewhere' }, 'request.invalid'],
  ] as const
  for (const [body, code] of refused)
    expect(await admin.post(`${at(game, challenge)}/attachment`, body)).toMatchObject({ status: 400, error: { code } })
  expect((await admin.get(at(game, challenge))).body.attachment.url).toBe('http://example.org')
  for (const body of [{}, { attachmentType: 'Local', fileHash: 'a'.repeat(64) }])
    expect(await admin.post(`${at(game, dynamic)}/attachment`, body)).toMatchObject({
      status: 400,
      error: { code: 'attachment.belongs_to_flags' },
    })
  expect((await admin.post(`${at(game, 999_999)}/attachment`, {})).error.code).toBe('challenge.not_found')
  expect((await admin.post(`${at(999_999, challenge)}/attachment`, {})).error.code).toBe('game.not_found')
})

test('P3.53 P5.20 P3.22 P5.22 CD-6 a dynamic attachment is assigned once for each team and served under the common name, a remote one as its link', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: [], fileName: 'common name' })
  const hash = await aFile(platform.db, { name: 'flag{a}', size: 5 })
  await admin.post(`${at(game, challenge)}/flags`, [{ flag: 'flag{a}', attachmentType: 'Local', fileHash: hash }])
  expect((await flagsOf(game, challenge))[0]).toMatchObject({ flag: 'flag{a}', attachment: { type: 'Local', fileSize: 5 } })
  const [first, second, third] = [await aPlayer(game), await aPlayer(game), await aPlayer(game)]
  const path = `/api/game/${game}/challenges/${challenge}`
  const before = await first.call.post(path, { flag: 'flag{a}' })
  expect((await first.call.get(`${path}/status/${before.body}`)).body).toBe('WrongAnswer')
  const mine = { url: `/assets/${hash}/common name`, fileSize: 5 }
  const beside = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: ['f{beside}'] })
  expect((await first.call.get(`/api/game/${game}/challenges/${beside}`)).body.context).toMatchObject({ url: null })
  for (const caller of [first.call, first.mate, first.call]) expect((await caller.get(path)).body.context).toMatchObject(mine)

  expect(await second.call.get(path)).toMatchObject({ status: 404, error: { code: 'challenge.attachments_exhausted' } })
  await vi.waitFor(async () => {
    await platform.deps.log.flush()
    const warned = await platform.db
      .selectFrom('logs')
      .selectAll()
      .where('message', 'like', `%(#${challenge})%`)
      .where('level', '=', 'Warning')
      .execute()
    expect(warned).toHaveLength(1)
  }, 5000)
  await admin.post(`${at(game, challenge)}/flags`, [{ flag: 'f{1}', attachmentType: 'Remote', remoteUrl: 'https://h/x' }])
  expect((await second.call.get(path)).body.context).toMatchObject({ url: 'https://h/x', fileSize: null })
  expect((await third.call.get(path)).status).toBe(404)

  const result = async (call: Caller, flag: string) => {
    const { body } = await call.post(path, { flag })
    return (await call.get(`${path}/status/${body}`)).body
  }
  expect([await result(first.mate, 'flag{a}'), await result(second.call, 'f{1}')]).toEqual(['Accepted', 'Accepted'])
  expect(await result(third.call, 'flag{a}')).toBe('WrongAnswer')
})

test('P7.54 a team whose flag is removed gets another', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: ['f{1}', 'f{2}'] })
  const { call } = await aPlayer(game)
  const path = `/api/game/${game}/challenges/${challenge}`
  await call.get(path)
  const [assigned] = await teamFlagsOf(challenge)
  await admin.delete(`${at(game, challenge)}/flags/${assigned?.flagId}`)
  expect(await teamFlagsOf(challenge)).toEqual([])
  await call.get(path)
  const [next] = await teamFlagsOf(challenge)
  expect(new Set([assigned?.flag, next?.flag])).toEqual(new Set(['f{1}', 'f{2}']))
})

test('P7.54 a removed flag deletes its file, unless the file is used elsewhere', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: [] })
  const [only, shared] = [await aFile(platform.db), await aFile(platform.db)]
  const local = (flag: string, fileHash: string) => ({ flag, attachmentType: 'Local', fileHash })
  const rows = [local('f{1}', only), local('f{2}', shared), local('f{3}', shared)]
  // At the second time the files are uploaded again, and the flags exist already.
  for (let time = 0; time < 2; time++) {
    await platform.db.updateTable('files').set({ pinned: true }).where('hash', 'in', [only, shared]).execute()
    expect((await admin.post(`${at(game, challenge)}/flags`, rows)).status).toBe(200)
  }
  const [one, two] = await flagsOf(game, challenge)
  for (const flag of [one, two]) await admin.delete(`${at(game, challenge)}/flags/${flag?.id}`)
  const left = await platform.db.selectFrom('files').select('hash').where('hash', 'in', [only, shared]).execute()
  expect(left).toEqual([{ hash: shared }])
})

test('P5.20 the file of a team is independent of the order of the list', async () => {
  const game = await aGame(platform.db)
  const flags = Array.from({ length: 60 }, (_, i) => `f{${i}}`)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags })
  const ids = (await flagsOf(game, challenge)).map(({ id }) => id)
  const drawn = []
  for (let i = 0; i < 12; i++) {
    const { call, participation } = await aPlayer(game)
    await call.get(`/api/game/${game}/challenges/${challenge}`)
    drawn.push((await teamFlagsOf(challenge)).find((assigned) => assigned.participationId === participation)?.flagId)
  }
  expect(new Set(drawn).size).toBe(12)
  // The probability of this order by chance is below 1 in 10^20.
  expect([ids.slice(0, 12), ids.slice(-12).reverse()]).not.toContainEqual(drawn)
})

test('P7.72 P5.15 P5.16 a dynamic container’s flag is created at the first opening, one for each team, and stays', async () => {
  const game = await aGame(platform.db)
  const blank = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [] })
  const guids = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [], flagTemplate: 'A{[GUID]}-{[GUID]}' })
  const [first, second] = [await aPlayer(game), await aPlayer(game)]
  const guid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  for (const challenge of [blank, guids]) {
    for (const caller of [first.call, first.mate, second.call])
      expect((await caller.get(`/api/game/${game}/challenges/${challenge}`)).status).toBe(200)
    await admin.put(at(game, challenge), { flagTemplate: 'other{[GUID]}' })
    await first.call.get(`/api/game/${game}/challenges/${challenge}`)
    const [one, two, ...more] = await teamFlagsOf(challenge)
    expect(more).toEqual([])
    expect(one?.flag).not.toBe(two?.flag)
    for (const assigned of [one, two])
      expect(assigned?.flag).toMatch(
        challenge === blank ? new RegExp(`^flag\\{${guid}\\}$`) : new RegExp(`^A\\{(${guid})\\}-\\{\\1\\}$`),
      )
  }
})

test('P5.17 P5.18 P5.19 the flag of a team contains team hash and leet variants', async () => {
  const game = await aGame(platform.db)
  const { call } = await aPlayer(game)
  const flagOf = async (flagTemplate: string) => {
    const challenge = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [], flagTemplate })
    expect((await call.get(`/api/game/${game}/challenges/${challenge}`)).status).toBe(200)
    return (await teamFlagsOf(challenge))[0]?.flag
  }
  expect(await flagOf('flag{hello world [TEAM_HASH]}')).toMatch(/^flag\{hello world [0-9a-f]{12}\}$/)
  expect(await flagOf('[LEET]flag{cool [TEAM_HASH]}')).toMatch(/^flag\{[Cc][Oo0][Oo0][Ll1I]_[0-9a-f]{12}\}$/)
  expect(await flagOf('[CLEET]flag{cool}')).toMatch(/^flag\{[Cc(][Oo0#][Oo0#][Ll1I!]\}$/)
})

test('P7.72 opening a challenge is checked first, and shows no flag and no template', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [], flagTemplate: 'secret{[GUID]}' })
  const disabled = await aChallenge(platform.db, game, { enabled: false })
  const { call } = await aPlayer(game)
  const seen = await call.get(`/api/game/${game}/challenges/${challenge}`)
  expect(seen.body).toEqual({
    id: challenge,
    title: seen.body.title,
    content: '',
    category: 'Misc',
    hints: null,
    score: 1000,
    type: 'DynamicContainer',
    context: {
      closeTime: null,
      instanceEntry: null,
      url: null,
      fileSize: null,
      readiness: null,
      tlsEntry: null,
      entries: [],
      lastEnd: null,
      start: null,
      startFailure: null,
    },
  })
  for (const id of [disabled, 0, -1, 999_999])
    expect(await call.get(`/api/game/${game}/challenges/${id}`)).toMatchObject({
      status: 404,
      error: { code: 'challenge.not_found' },
    })
  // The board, which looks for changes four times a second, mostly does not have it yet.
  const added = await aChallenge(platform.db, game, { originalScore: 777 })
  expect((await call.get(`/api/game/${game}/challenges/${added}`)).body.score).toBe(777)
  const stranger = await platform.as(await anAccount(platform.db))
  expect(await stranger.get(`/api/game/${game}/challenges/${challenge}`)).toMatchObject({
    status: 400,
    error: { code: 'participation.none' },
  })
  expect((await platform.anyone.get(`/api/game/${game}/challenges/${challenge}`)).status).toBe(401)
  expect((await call.get(`/api/game/999999/challenges/${challenge}`)).error.code).toBe('game.not_found')
})

test('each type has a container, or flags for each team, as defined', () => {
  const table = (['StaticAttachment', 'StaticContainer', 'DynamicAttachment', 'DynamicContainer'] as const).map((type) => [
    hasContainer(type),
    hasOwnFlags(type),
  ])
  expect(table).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])
})

import { randomUUID } from 'node:crypto'
import { defaultBloodBonus } from '@vexil/core/limits'
import { challengeCategories, challengeTypes } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { challengesOf, settledBoard } from '../../test/board.ts'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aSolve, aTeam } from '../../test/builders/game.ts'
import { listenAt } from '../../test/hub.ts'
import { mustNotWait } from '../../test/must-not-wait.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import type { Tx } from '../db/transaction.ts'
import { releaseLost } from '../files/release-file.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Organiser' }))
})
afterAll(() => platform.stop())

const { get } = { get: (url: string) => platform.anyone.get(url) }
const noticesOf = async (game: number) =>
  (await platform.db.selectFrom('notices').select(['type', 'values']).where('gameId', '=', game).orderBy('id').execute()).map(
    ({ type, values }) => [type, ...values],
  )
const at = (game: number, challenge: number | string = '') => `/api/edit/games/${game}/challenges/${challenge}`.replace(/\/$/, '')

async function aPlayer(gameId: number) {
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, gameId, team)
  return { ...team, participation, call: await platform.as(team.captain) }
}

test('P7.49 P3.18 a new challenge has title, category and type, is disabled and has the defaults', async () => {
  const game = await aGame(platform.db)
  const made = await admin.post(at(game), { title: '  Warm-up ', category: 'Crypto', type: 'DynamicContainer', originalScore: 5 })
  expect(made.status).toBe(200)
  expect(made.body).toEqual({
    id: made.body.id,
    title: 'Warm-up',
    content: '',
    category: 'Crypto',
    type: 'DynamicContainer',
    hints: [],
    flagTemplate: null,
    isEnabled: false,
    acceptedCount: 0,
    fileName: 'attachment',
    attachment: null,
    testContainer: null,
    flags: [],
    containerImage: '',
    memoryLimit: 64,
    cpuCount: 1,
    storageLimit: 256,
    containerExposePort: 80,
    enableTrafficCapture: false,
    containerNetwork: 'Open',
    readyTimeout: 120,
    readyText: '',
    profile: 'default',
    runtime: '',
    checkImage: '',
    checkMinutes: 0,
    additionalContainers: [],
    namedPorts: [],
    originalScore: 1000,
    minScoreRate: 0.25,
    difficulty: 5,
    bloodBonus: null,
  })
  expect((await admin.post(at(game), { title: 'Plain' })).body).toMatchObject({ category: 'Misc', type: 'StaticAttachment' })
  for (const title of ['', ' \u0085', null])
    expect(await admin.post(at(game), { title })).toMatchObject({ status: 400, error: { code: 'challenge.title_missing' } })
  expect(await admin.post(at(999_999), { title: 'x' })).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
})

test('P7.48 the list has all challenges by id with their current points; an unknown game has none', async () => {
  const game = await aGame(platform.db)
  const late = await aChallenge(platform.db, game, { title: 'A', enabled: false })
  const solved = await aChallenge(platform.db, game, { title: 'B', originalScore: 999, minScoreRate: 0.333, difficulty: 7.7 })
  for (let i = 0; i < 2; i++) {
    const { participation } = await aPlayer(game)
    await aSolve(platform.db, { gameId: game, participation, challenge: solved, arrived: new Date() })
  }
  const withFile = { flag: 'flag{with file}', attachmentType: 'Remote', remoteUrl: 'https://example.org/a' }
  await admin.post(`${at(game, solved)}/flags`, [withFile])
  // A changed row is stored behind the others; with statistics the database reads these few rows without an index.
  await platform.db.updateTable('challenges').set({ content: 'changed' }).where('id', '=', late).execute()
  await sql`analyze challenges`.execute(platform.db)
  expect((await admin.get(at(game))).body).toEqual([
    {
      id: late,
      title: 'A',
      category: 'Misc',
      type: 'StaticAttachment',
      isEnabled: false,
      score: 1000,
      minScore: 250,
      originalScore: 1000,
      acceptedCount: 0,
      flagCount: 1,
      fileCount: 0,
      containerImage: null,
      silentSince: null,
      checkFailsSince: null,
    },
    {
      id: solved,
      title: 'B',
      category: 'Misc',
      type: 'StaticAttachment',
      isEnabled: true,
      score: 917,
      minScore: 332,
      originalScore: 999,
      acceptedCount: 2,
      flagCount: 2,
      fileCount: 1,
      containerImage: null,
      silentSince: null,
      checkFailsSince: null,
    },
  ])
  expect(await admin.get(at(999_999))).toMatchObject({ status: 200, body: [] })
})

test('the list marks challenges with a solver whose checks fail again and again since its last success', async () => {
  const game = await aGame(platform.db)
  const times = Array.from({ length: 4 }, (_, i) => new Date(Date.now() - 60_000 * (10 - i)))
  const checked = async (states: readonly string[], checkImage = 'solver:1') => {
    const challengeId = await aChallenge(platform.db, game, { type: 'StaticContainer', checkImage })
    const rows = states.map((state, i) => ({ challengeId, cause: 'interval', state, endedAt: times[i] as Date }))
    await platform.db.insertInto('solverChecks').values(rows).execute()
  }
  await checked(['Failed', 'Passed', 'Failed', 'Failed'])
  await checked(['Failed', 'Failed', 'Passed', 'Failed'])
  await checked(['Failed', 'Failed', 'NotTried'])
  await checked(['Failed', 'Failed'], '')
  const marks = (await admin.get(at(game))).body.map((row: { checkFailsSince: string | null }) => row.checkFailsSince)
  expect(marks.map((since: string | null) => since && new Date(since))).toEqual([times[2], null, times[0], null])
})

test('P7.50 a test container has its entries in the order of the challenge', async () => {
  const game = await aGame(platform.db)
  const challengeId = await aChallenge(platform.db, game, { type: 'StaticContainer' })
  const [id, now] = [randomUUID(), new Date()]
  const row = { id, challengeId, image: 'web:1', state: 'Running', subnetIndex: 1, leaseUntil: now, startedAt: now, stopsAt: now }
  await platform.db
    .insertInto('containers')
    .values({ ...row, host: '127.0.0.1', port: 80, publishedHost: 'play.example.org', publishedPort: 1 })
    .execute()
  // The order differs from that of their names and of their rows.
  const port = (name: string, position: number) => ({
    containerId: id,
    name,
    position,
    port: 1000,
    publishedPort: 2000 + position,
  })
  await platform.db
    .insertInto('containerPorts')
    .values([port('b', 2), port('a', 1), port('c', 0)])
    .execute()
  const { entries } = (await admin.get(at(game, challengeId))).body.testContainer
  expect(entries.map(({ name, entry }: { name: string; entry: string }) => [name, entry])).toEqual([
    [null, 'play.example.org:1'],
    ...['c', 'a', 'b'].map((name, i) => [name, `play.example.org:${2000 + i}`]),
  ])
})

test('P7.50 administrators see a challenge with flags and hints, other users do not', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { flags: ['flag{one}', 'flag{two}'], hints: ['look closer'] })
  // A changed row is stored behind the others; with statistics the database reads these few rows without an index.
  await platform.db.updateTable('flags').set({ flag: 'flag{one}' }).where('flag', '=', 'flag{one}').execute()
  await sql`analyze flags`.execute(platform.db)
  const neighbour = await aChallenge(platform.db, game)
  await admin.post(`${at(game, neighbour)}/attachment`, { attachmentType: 'Remote', remoteUrl: 'https://example.org/theirs' })
  const seen = (await admin.get(at(game, challenge))).body
  expect(seen.attachment).toBeNull()
  expect(seen.flags.map(({ flag }: { flag: string }) => flag)).toEqual(['flag{one}', 'flag{two}'])
  expect(seen.hints).toEqual(['look closer'])
  expect(await admin.get(at(game, 999_999))).toMatchObject({ status: 404, error: { code: 'challenge.not_found' } })
  expect(await admin.get(at(999_999, challenge))).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
  expect((await admin.get(at(await aGame(platform.db), challenge))).status).toBe(404)
  const { call } = await aPlayer(game)
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  expect([(await call.get(at(game, challenge))).status, (await monitor.get(at(game, challenge))).status]).toEqual([403, 403])
  expect((await platform.anyone.get(at(game, challenge))).status).toBe(401)
})

test('P7.51 P3.19 P3.23 absent or null values stay unchanged, others are stored', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', enabled: false, captureTraffic: true })
  const full = {
    title: ' Renamed ',
    content: '# Task',
    flagTemplate: 'never used',
    category: 'Pwn',
    hints: ['one', 'two'],
    fileName: ' data.bin ',
    containerImage: ' registry/image:1 ',
    memoryLimit: 128,
    cpuCount: 20,
    storageLimit: 512,
    containerNetwork: 'Isolated',
    readyTimeout: 300,
    readyText: 'welcome',
    profile: 'strict',
    runtime: 'io.containerd.runc.v2',
    containerExposePort: 8080,
    originalScore: 500,
    minScoreRate: 0.1,
    difficulty: 10,
  }
  const stored = {
    ...full,
    title: 'Renamed',
    fileName: 'data.bin',
    containerImage: 'registry/image:1',
    enableTrafficCapture: true,
  }
  const neighbour = await aChallenge(platform.db, game, { type: 'StaticContainer' })
  const beside = (await admin.get(at(game, neighbour))).body
  expect((await admin.put(at(game, challenge), full)).body).toMatchObject(stored)
  expect((await admin.get(at(game, neighbour))).body).toEqual(beside)
  expect((await admin.put(at(game, challenge), {})).body).toMatchObject(stored)
  const nothing = Object.fromEntries(
    [...Object.keys(full), 'isEnabled', 'enableTrafficCapture', 'bloodBonus'].map((name) => [name, null]),
  )
  expect((await admin.put(at(game, challenge), nothing)).body).toMatchObject(stored)
  expect((await admin.put(at(game, challenge), { flagTemplate: '  ', hints: [] })).body).toMatchObject({
    flagTemplate: null,
    hints: [],
  })
})

test('P3.24 P7.51 values out of range are refused and nothing of the call is stored', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', title: 'Same' })
  const wrong = [
    { title: '' },
    { title: '  ' },
    { fileName: ' ' },
    { flagTemplate: 'x'.repeat(121) },
    { memoryLimit: 31 },
    { cpuCount: 0 },
    { cpuCount: 1025 },
    { storageLimit: 127 },
    { containerNetwork: 'Closed' },
    { readyTimeout: 301 },
    { readyTimeout: -1 },
    { readyText: 'x'.repeat(201) },
    { profile: 'loose' },
    { runtime: 'a b' },
    { runtime: '-a' },
    { runtime: 'a'.repeat(129) },
    { containerExposePort: 0 },
    { containerExposePort: 65_536 },
    { originalScore: -1 },
    { minScoreRate: 1.01 },
    { minScoreRate: -0.1 },
    { difficulty: 0 },
    { difficulty: -1 },
    { category: 'Nonsense' },
  ]
  for (const edit of wrong) {
    const answer = await admin.put(at(game, challenge), { content: 'changed', ...edit })
    expect([edit, answer.status, answer.error.status]).toEqual([edit, 400, 400])
  }
  expect((await admin.get(at(game, challenge))).body).toMatchObject({ title: 'Same', content: '' })
})

test('P7.51 P3.28 the checks run in order: game, challenge, flag, capture, file name, template', async () => {
  const game = await aGame(platform.db)
  const plain = await aChallenge(platform.db, game, { enabled: false, flags: [] })
  const own = await aChallenge(platform.db, game, { type: 'DynamicContainer', enabled: false, flags: [] })
  const all = { isEnabled: true, enableTrafficCapture: true, fileName: ' ', flagTemplate: 'simple' }
  const code = async (url: string, edit: object) => (await admin.put(url, edit)).error.code
  expect(await code(at(999_999, plain), all)).toBe('game.not_found')
  expect(await code(at(game, 999_999), all)).toBe('challenge.not_found')
  expect(await code(at(game, plain), all)).toBe('challenge.no_flag')
  expect(await code(at(game, plain), { ...all, isEnabled: false })).toBe('challenge.capture_needs_container')
  expect(await code(at(game, plain), { ...all, isEnabled: false, enableTrafficCapture: false })).toBe('challenge.file_name_blank')
  expect(await code(at(game, own), all)).toBe('challenge.file_name_blank')
  expect(await code(at(game, own), { ...all, fileName: 'x' })).toBe('flag.template_too_simple')
})

test('P3.21 P5.16 P5.17 only the template of a dynamic container is checked: one too simple or too long for a flag is refused', async () => {
  const game = await aGame(platform.db)
  const own = await aChallenge(platform.db, game, { type: 'DynamicContainer', flags: [] })
  const plain = await aChallenge(platform.db, game)
  const put = async (challenge: number, flagTemplate: string) => {
    const { status, error, body } = await admin.put(at(game, challenge), { flagTemplate })
    return status === 200 ? body.flagTemplate : error.code
  }
  expect(await put(own, 'flag{hello world}')).toBe('flag.template_too_simple')
  expect(await put(own, `flag{${'[GUID]'.repeat(4)}}`)).toBe('flag.template_expands_too_far')
  for (const good of ['flag{[GUID]}', 'flag{a [TEAM_HASH]}', '[CLEET]flag{this is a long leet flag}'])
    expect(await put(own, good)).toBe(good)
  expect(await put(plain, 'simple')).toBe('simple')
})

test('P3.25 P5.23 the type never changes, and capture is only for types with a container', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const edited = await admin.put(at(game, challenge), { type: 'DynamicContainer', title: 'Changed', enableTrafficCapture: false })
  expect(edited.body).toMatchObject({ type: 'StaticAttachment', title: 'Changed', enableTrafficCapture: false })
  for (const type of challengeTypes) {
    const { id } = (await admin.post(at(game), { title: type, type })).body
    const { status } = await admin.put(at(game, id), { enableTrafficCapture: true })
    expect([type, status]).toEqual([type, type.endsWith('Container') ? 200 : 400])
  }
})

test('P4.13 P3.28 enabling requires a flag, except for a dynamic container', async () => {
  const game = await aGame(platform.db)
  for (const type of challengeTypes) {
    const { id } = (await admin.post(at(game), { title: type, type })).body
    const refused = await admin.put(at(game, id), { isEnabled: true })
    if (type === 'DynamicContainer') expect(refused.body.isEnabled).toBe(true)
    else {
      expect(refused).toMatchObject({ status: 400, error: { code: 'challenge.no_flag' } })
      await admin.post(`${at(game, id)}/flags`, [{ flag: 'flag{x}' }])
      expect((await admin.put(at(game, id), { isEnabled: true })).body.isEnabled).toBe(true)
    }
  }
})

test('P7.51 P3.55 P3.36 NewChallenge is published once, when the challenge changes from disabled to enabled while the game runs', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { title: 'Door', enabled: false, enabledAt: null })
  const whole = (await admin.get(at(game, challenge))).body
  await admin.put(at(game, challenge), { ...whole, isEnabled: true })
  const [{ enabledAt }] = (await platform.db
    .selectFrom('challenges')
    .select('enabledAt')
    .where('id', '=', challenge)
    .execute()) as [{ enabledAt: Date }]
  expect(Date.now() - enabledAt.getTime()).toBeLessThan(60_000)
  const since = new Date(0)
  await platform.db.updateTable('challenges').set({ enabledAt: since }).where('id', '=', challenge).execute()
  await admin.put(at(game, challenge), { ...whole, isEnabled: true })
  const { enabledAt: kept } = await platform.db
    .selectFrom('challenges')
    .select('enabledAt')
    .where('id', '=', challenge)
    .executeTakeFirstOrThrow()
  expect(kept).toEqual(since)
  expect(await noticesOf(game)).toEqual([['NewChallenge', 'Door']])
  await admin.put(at(game, challenge), { isEnabled: false })
  await admin.put(at(game, challenge), { isEnabled: true, title: 'Gate' })
  expect(await noticesOf(game)).toEqual([
    ['NewChallenge', 'Door'],
    ['NewChallenge', 'Gate'],
  ])
  for (const times of [
    { starts: '1h', ends: '2h' },
    { starts: '-2h', ends: '-1h' },
  ]) {
    const other = await aGame(platform.db, times)
    const silent = await aChallenge(platform.db, other, { enabled: false })
    await admin.put(at(other, silent), { isEnabled: true, hints: ['x'] })
    expect(await noticesOf(other)).toEqual([])
  }
})

test('P3.20 P3.55 NewHint is published and pushed only when text is added, while the game runs and the challenge is enabled', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { title: 'Door' })
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const hints = async (...texts: string[]) => {
    await admin.put(at(game, challenge), { hints: texts })
    return (await noticesOf(game)).length
  }
  expect(await hints()).toBe(0)
  expect(await hints('a')).toBe(1)
  expect((await listener.until('ReceivedGameNotice')).argument).toMatchObject({ type: 'NewHint', values: ['Door'] })
  expect(await hints('a', 'b')).toBe(2)
  expect(await hints('b', 'a')).toBe(2)
  expect(await hints('b')).toBe(2)
  expect(await hints('b corrected')).toBe(3)
  await admin.put(at(game, challenge), { isEnabled: false })
  expect(await hints('z')).toBe(3)
  await admin.put(at(game, challenge), { isEnabled: true, hints: ['z', 'y'] })
  await listener.until('ReceivedGameNotice', ({ type }) => type === 'NewChallenge')
  const pushed = listener.received.flatMap(({ target, argument }) => (target === 'ReceivedGameNotice' ? [argument.id] : []))
  expect(pushed).toEqual([...new Set(pushed)])
  expect((await noticesOf(game)).slice(3)).toEqual([
    ['NewChallenge', 'Door'],
    ['NewHint', 'Door'],
  ])
  listener.close()
})

test('P7.72 a number of no challenge is refused before the caller, whether or not it takes part', async () => {
  const game = await aGame(platform.db)
  const codes = async (of: number, call: Caller) => [
    (await call.get(`/api/game/${of}/challenges/0`)).error.code,
    (await call.get(`/api/game/${of}/challenges/-1`)).error.code,
  ]
  for (const call of [admin, (await aPlayer(game)).call])
    expect(await codes(game, call)).toEqual(['challenge.not_found', 'challenge.not_found'])
  expect(await codes(999_999, admin)).toEqual(['game.not_found', 'game.not_found'])
})

test('P3.27 P3.26 the solve count includes only accepted teams that solved it in time', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const teams = []
  for (let i = 0; i < 4; i++) {
    const team = await aPlayer(game)
    await aSolve(platform.db, { gameId: game, participation: team.participation, challenge, arrived: new Date() })
    teams.push(team)
  }
  const beside = await aGame(platform.db)
  const elsewhere = await aChallenge(platform.db, beside)
  const count = async () => (await admin.get(at(game, challenge))).body.acceptedCount
  expect(await count()).toBe(4)
  expect((await admin.get(at(beside, elsewhere))).body.acceptedCount).toBe(0)
  await admin.put(`/api/admin/participation/${teams[0]?.participation}/Suspended`)
  expect(await count()).toBe(3)
  expect((await admin.get(at(game))).body[0].score).toBe(752)
  await admin.put(`/api/admin/participation/${teams[0]?.participation}/Accepted`)
  expect(await count()).toBe(4)
  await platform.db
    .updateTable('games')
    .set({ endsAt: new Date(Date.now() - 60_000) })
    .where('id', '=', game)
    .execute()
  expect(await count()).toBe(0)
  const { endsAt } = await platform.db.selectFrom('games').select('endsAt').where('id', '=', game).executeTakeFirstOrThrow()
  await platform.db.updateTable('solves').set({ arrivedAt: endsAt }).where('gameId', '=', game).execute()
  expect(await count()).toBe(0)
  // Solves of participations created after the end do not count either, whenever their answers arrived.
  await platform.db
    .updateTable('solves')
    .set({ arrivedAt: new Date(Date.now() - 120_000) })
    .where('gameId', '=', game)
    .execute()
  expect(await count()).toBe(4)
  await platform.db
    .updateTable('participations')
    .set({ createdAt: endsAt })
    .where('id', '=', teams[1]?.participation ?? 0)
    .execute()
  expect(await count()).toBe(3)
})

test('P3.26 P9.7 a challenge can have a separate blood bonus, 0 keeps the blood ranks, and the bonus can be removed', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const player = await aPlayer(game)
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  const first = async () => (await settledBoard({ db: platform.db, get }, game)).items[0]?.solvedChallenges[0]
  expect(await first()).toMatchObject({ score: 1050, type: 'FirstBlood' })
  expect((await admin.put(at(game, challenge), { bloodBonus: (200 << 20) + (100 << 10) + 50 })).body.bloodBonus).toBe(209_817_650)
  expect(await first()).toMatchObject({ score: 1200, type: 'FirstBlood' })
  expect((await admin.put(at(game, challenge), { bloodBonus: null })).body.bloodBonus).toBe(209_817_650)
  expect((await admin.put(at(game, challenge), { bloodBonus: 0 })).body.bloodBonus).toBe(0)
  expect(await first()).toMatchObject({ score: 1000, type: 'FirstBlood' })
  expect((await admin.put(at(game, challenge), { bloodBonus: 1023 << 20 })).body.bloodBonus).toBe(defaultBloodBonus)
  expect((await admin.put(at(game, challenge), { ownBloodBonus: false })).body.bloodBonus).toBeNull()
  expect(await first()).toMatchObject({ score: 1050 })
})

test('P3.19 changed points are sent to all clients with the next board', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const player = await aPlayer(game)
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  await admin.put(at(game, challenge), { originalScore: 500 })
  expect((await settledBoard({ db: platform.db, get }, game)).items[0]?.score).toBe(525)
})

test('P3.28 P4.13 a disabled challenge is hidden from players and the board; enabled again it is fully restored', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const player = await aPlayer(game)
  const path = `/api/game/${game}/challenges/${challenge}`
  await player.call.post(path, { flag: 'flag{right}' })
  const before = await settledBoard({ db: platform.db, get }, game)
  await admin.put(at(game, challenge), { isEnabled: false })
  const without = await settledBoard({ db: platform.db, get }, game)
  expect([without.challengeCount, without.items[0]?.score, without.challenges]).toEqual([0, 0, {}])
  expect(await player.call.get(path)).toMatchObject({ status: 404, error: { code: 'challenge.not_found' } })
  expect((await player.call.post(path, { flag: 'flag{right}' })).status).toBe(404)
  expect((await admin.get(at(game, challenge))).body.acceptedCount).toBe(1)
  await admin.put(at(game, challenge), { isEnabled: true })
  const after = await settledBoard({ db: platform.db, get }, game)
  expect({ ...after, updateTimeUtc: 0 }).toEqual({ ...before, updateTimeUtc: 0 })
})

test('P3.52 the 13 categories are on the board by number', async () => {
  const game = await aGame(platform.db)
  for (const category of [...challengeCategories].reverse()) await aChallenge(platform.db, game, { category, title: category })
  const board = await settledBoard({ db: platform.db, get }, game)
  expect(Object.keys(board.challenges)).toEqual([...challengeCategories])
  expect(challengesOf(board).map(({ title }) => title)).toEqual([...challengeCategories])
})

test('P7.52 a deleted challenge deletes its submissions, solves and files; a file used elsewhere stays', async () => {
  const game = await aGame(platform.db)
  const [challenge, other] = [await aChallenge(platform.db, game, { title: 'Gone' }), await aChallenge(platform.db, game)]
  const [only, shared] = [await aFile(platform.db), await aFile(platform.db)]
  const local = (fileHash: string) => ({ attachmentType: 'Local', fileHash })
  await admin.post(`${at(game, challenge)}/flags`, [{ flag: 'flag{f}', ...local(only) }])
  for (const id of [challenge, other]) await admin.post(`${at(game, id)}/attachment`, local(shared))
  const player = await aPlayer(game)
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  expect(await admin.delete(at(game, challenge))).toMatchObject({ status: 200, body: '' })
  expect((await listener.until('VexilGame')).argument).toEqual({ gameId: game, what: 'challenges' })
  listener.close()
  expect((await admin.get(at(game, challenge))).status).toBe(404)
  expect((await admin.get(at(game, other))).body.isEnabled).toBe(true)
  expect((await settledBoard({ db: platform.db, get }, game)).items[0]?.score).toBe(0)
  for (const table of ['submissions', 'solves'] as const)
    expect(await platform.db.selectFrom(table).selectAll().where('gameId', '=', game).execute()).toEqual([])
  await releaseLost(platform.deps)
  const left = await platform.db.selectFrom('files').select('hash').where('hash', 'in', [only, shared]).execute()
  expect(left).toEqual([{ hash: shared }])
  expect((await admin.delete(at(game, challenge))).status).toBe(404)
  expect((await admin.delete(at(999_999, challenge))).error.code).toBe('game.not_found')
})

test('the deletion of a challenge with many answers closes it at once, can be requested again, and other answers are not blocked', async () => {
  const game = await aGame(platform.db)
  const [challenge, other] = [await aChallenge(platform.db, game, { title: 'Slow' }), await aChallenge(platform.db, game)]
  const [player, late] = [await aPlayer(game), await aPlayer(game)]
  const of = (challengeId: number) => ({
    gameId: game,
    participationId: player.participation,
    challengeId,
    accountId: player.captain,
    status: 'WrongAnswer',
    arrivedAt: new Date(),
  })
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  // More rows than two statements delete.
  await sql`insert into submissions (game_id, participation_id, challenge_id, account_id, answer, status, arrived_at)
    select ${game}, ${player.participation}, ${challenge}, ${player.captain}, 'x' || n, 'WrongAnswer', now() from generate_series(1, 12000) n`.execute(
    platform.db,
  )
  await platform.db
    .insertInto('submissions')
    .values({ ...of(other), answer: 'stays' })
    .execute()
  // Another transaction holds the last of them, so that the deletion waits in its middle.
  const last = sql<{ id: number }>`select max(id)::int as id from submissions where challenge_id = ${challenge}`
  const { id } = (await last.execute(platform.db)).rows[0] as { id: number }
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = platform.db.transaction().execute(async (tx) => {
    await sql`select from submissions where id = ${id} for update`.execute(tx)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const deleting = [admin.delete(at(game, challenge)), admin.delete(at(game, challenge))]
  try {
    const closed = async () => (await late.call.get(`/api/game/${game}/challenges/${challenge}`)).status
    await vi.waitFor(async () => expect(await closed()).toBe(404), 5000)
    expect((await late.call.post(`/api/game/${game}/challenges/${other}`, { flag: 'flag{right}' })).status).toBe(200)
    expect((await late.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })).status).toBe(404)
    expect((await admin.get(at(game, challenge))).status).toBe(200)
  } finally {
    release.resolve()
    await holding
  }
  expect((await Promise.all(deleting)).map(({ status }) => status).sort()).toEqual([200, 404])
  await platform.deps.log.flush()
  const entries = await platform.db
    .selectFrom('logs')
    .select('message')
    .where('message', 'like', `%Slow (#${challenge})%`)
    .execute()
  expect(entries).toEqual([{ message: `Deleted challenge Slow (#${challenge})` }])
  expect((await admin.get(at(game, challenge))).status).toBe(404)
  const left = await platform.db.selectFrom('submissions').select(['challengeId', 'answer']).where('gameId', '=', game).execute()
  expect(left.map(({ challengeId, answer }) => [challengeId, answer]).sort()).toEqual([
    [other, 'flag{right}'],
    [other, 'stays'],
  ])
})

test('a deletion that fails after the challenge was closed is logged and sent to its listeners, and can be repeated', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { title: 'Stuck' })
  const player = await aPlayer(game)
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{wrong}' })
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before delete on submissions for each row execute function refuse()`.execute(platform.db)
  const reported = vi.spyOn(platform.app.log, 'error').mockImplementation(() => {})
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const deleted = await admin.delete(at(game, challenge)).finally(() => sql`drop function refuse cascade`.execute(platform.db))
  expect((await listener.until('VexilGame')).argument).toEqual({ gameId: game, what: 'challenges' })
  listener.close()
  reported.mockRestore()
  expect(deleted.status).toBe(500)
  expect((await admin.get(at(game, challenge))).body.isEnabled).toBe(false)
  await platform.deps.log.flush()
  const message = `Disabled challenge Stuck (#${challenge}), but did not delete it`
  const logged = await platform.db.selectFrom('logs').select(['level', 'status', 'name']).where('message', '=', message).execute()
  expect(logged).toEqual([{ level: 'Warning', status: 'Failed', name: 'Organiser' }])
  expect((await admin.delete(at(game, challenge))).status).toBe(200)
})

test('listeners of a game receive each change of a challenge, its flags and its attachment', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const flag = () => platform.db.selectFrom('flags').select('id').where('challengeId', '=', challenge).executeTakeFirstOrThrow()
  const remote = { attachmentType: 'Remote', remoteUrl: 'https://example.org/a.zip' }
  const listener = await listenAt(platform, `/hub/user?game=${game}`)
  const changes = {
    made: () => admin.post(at(game), { title: 'New' }),
    edited: () => admin.put(at(game, challenge), { title: 'Renamed' }),
    'with an attachment': () => admin.post(`${at(game, challenge)}/attachment`, remote),
    'with another flag': () => admin.post(`${at(game, challenge)}/flags`, [{ flag: 'flag{another}' }]),
    'with a flag less': async () => admin.delete(`${at(game, challenge)}/flags/${(await flag()).id}`),
    recalculated: () => admin.post(at(game, 'updateaccepted')),
    deleted: () => admin.delete(at(game, challenge)),
  }
  for (const [name, change] of Object.entries(changes)) {
    const before = listener.received.length
    expect((await change()).status, name).toBe(200)
    await expect
      .poll(() => listener.received.slice(before).filter(({ target }) => target === 'VexilGame'), { message: name })
      .toEqual([{ target: 'VexilGame', argument: { gameId: game, what: 'challenges' } }])
  }
  listener.close()
})

test('P7.58 the recount redraws the board without changes', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const player = await aPlayer(game)
  await player.call.post(`/api/game/${game}/challenges/${challenge}`, { flag: 'flag{right}' })
  const before = await settledBoard({ db: platform.db, get }, game)
  const epoch = async (of = game) =>
    (await platform.db.selectFrom('solveLogs').select('epoch').where('gameId', '=', of).executeTakeFirstOrThrow()).epoch
  const beside = await aGame(platform.db)
  const [earlier, theirs] = [await epoch(), await epoch(beside)]
  expect(await admin.post(`${at(game)}/updateaccepted`)).toMatchObject({ status: 200, body: '' })
  expect([await epoch(), await epoch(beside)]).toEqual([earlier + 1, theirs])
  await platform.deps.log.flush()
  const logged = await platform.db
    .selectFrom('logs')
    .selectAll()
    .where('message', 'like', `%the scoreboard of game #${game}`)
    .execute()
  expect(logged).toMatchObject([{ status: 'Success', name: 'Organiser' }])
  expect({ ...(await settledBoard({ db: platform.db, get }, game)), updateTimeUtc: 0 }).toEqual({ ...before, updateTimeUtc: 0 })
  expect(await admin.post(`${at(999_999)}/updateaccepted`)).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
})

test('two concurrent edits lose no change of each other', async () => {
  for (let round = 0; round < 5; round++) {
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game)
    const edits = [
      { title: 'New' },
      { content: 'text' },
      { originalScore: 300 },
      { hints: ['h'] },
      { difficulty: 9 },
      { fileName: 'f' },
    ]
    await Promise.all(edits.map((edit) => admin.put(at(game, challenge), edit)))
    expect((await admin.get(at(game, challenge))).body).toMatchObject(Object.assign({}, ...edits))
  }
})

test('every change is logged with its author', async () => {
  const game = await aGame(platform.db)
  const { id } = (await admin.post(at(game), { title: 'Logged' })).body
  await admin.post(`${at(game, id)}/flags`, [{ flag: 'flag{secret}' }])
  await admin.put(at(game, id), { isEnabled: true })
  const [{ id: flag }] = (await admin.get(at(game, id))).body.flags
  await admin.delete(`${at(game, id)}/flags/${flag}`)
  await admin.post(`${at(game, id)}/attachment`, {})
  await admin.delete(at(game, id))
  await vi.waitFor(async () => {
    await platform.deps.log.flush()
    const rows = await platform.db
      .selectFrom('logs')
      .select(['message', 'name'])
      .where('message', 'like', `%(#${id})%`)
      .orderBy('id')
      .execute()
    expect(rows.map(({ message }) => message.split(' ')[0])).toEqual(['Created', 'Added', 'Changed', 'Removed', 'Set', 'Deleted'])
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['Organiser']))
    expect(JSON.stringify(rows)).not.toContain('secret')
  }, 5000)
})

/** Runs `first` in a transaction, sends the call, and commits the transaction when the call waits for it. */
async function askBehind(first: (tx: Tx) => Promise<unknown>, ask: () => Promise<Answer>): Promise<Answer> {
  const tx = await platform.db.startTransaction().execute()
  await first(tx)
  const answer = ask()
  await vi.waitFor(async () => {
    const { rows } =
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(platform.db)
    expect(rows).toHaveLength(1)
  }, 5000)
  await tx.commit().execute()
  return answer
}

test('an attachment whose file is concurrently deleted is refused as unknown; it does not wait for another file', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game)
  const file = await aFile(platform.db)
  const local = { attachmentType: 'Local', fileHash: file }
  const answer = await askBehind(
    (tx) => tx.deleteFrom('files').where('hash', '=', file).execute(),
    () => admin.post(`${at(game, challenge)}/attachment`, local),
  )
  expect([answer.status, answer.error.code]).toEqual([400, 'attachment.file_unknown'])
  const beside = `select from files where hash = '${await aFile(platform.db)}' for update`
  const kept = { attachmentType: 'Local', fileHash: await aFile(platform.db) }
  const stored = await mustNotWait(platform, beside, () => admin.post(`${at(game, challenge)}/attachment`, kept))
  expect(stored.status).toBe(200)
})

test('of two concurrent changes of a challenge the later sees the earlier', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { hints: ['a'] })
  // A hint that already exists is not announced again.
  const answer = await askBehind(
    (tx) =>
      tx
        .updateTable('challenges')
        .set({ hints: ['a', 'b'] })
        .where('id', '=', challenge)
        .execute(),
    () => admin.put(at(game, challenge), { hints: ['a', 'b'] }),
  )
  expect(answer.status).toBe(200)
  expect(await noticesOf(game)).toEqual([])
})

test('a challenge opened during its deletion is not found', async () => {
  const game = await aGame(platform.db)
  const { call } = await aPlayer(game)
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicContainer', containerImage: 'echo' })
  const answer = await askBehind(
    (tx) => tx.deleteFrom('challenges').where('id', '=', challenge).execute(),
    () => call.get(`/api/game/${game}/challenges/${challenge}`),
  )
  expect([answer.status, answer.error.code]).toEqual([404, 'challenge.not_found'])
})

import type { ChallengeEditDetail } from '@vexil/contract/challenges'
import type { GameInfo } from '@vexil/contract/games'
import { afterEach, expect, test, vi } from 'vitest'
import { asNewGame, gameFileOf, readGameFile } from './game-file.ts'
import { makeGame } from './make-game.ts'

afterEach(() => void vi.unstubAllGlobals())

const hash = 'ab'.repeat(32)
const game: GameInfo = {
  id: 7,
  title: 'Regatta',
  hidden: false,
  summary: 'All hands',
  content: 'Rules',
  acceptWithoutReview: true,
  writeupRequired: true,
  practiceMode: false,
  writeupNote: 'As PDF',
  inviteCode: 'ahoy',
  organizations: ['Juniors'],
  teamMemberCountLimit: 4,
  containerCountLimit: 2,
  poster: '/assets/x/poster',
  publicKey: 'key',
  start: '2026-11-20T09:00:00+00:00',
  end: '2026-11-21T09:00:00+00:00',
  writeupDeadline: '2026-11-22T09:00:00+00:00',
  bloodBonus: 52_459_530,
}
const knots: ChallengeEditDetail = {
  id: 3,
  title: 'Knots',
  content: 'Tie it.',
  category: 'Crypto',
  type: 'StaticAttachment',
  hints: ['A loop'],
  flagTemplate: null,
  isEnabled: true,
  acceptedCount: 12,
  fileName: 'attachment',
  attachment: { id: 1, type: 'Local', url: `/assets/${hash}/knots.txt`, fileSize: 11 },
  testContainer: null,
  flags: [
    { id: 1, flag: 'flag{a}', attachment: null },
    { id: 2, flag: 'flag{b}', attachment: { id: 2, type: 'Remote', url: 'https://files.example.org/b', fileSize: null } },
  ],
  containerImage: null,
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
  originalScore: 400,
  minScoreRate: 0.5,
  difficulty: 3,
  bloodBonus: null,
}
const file = gameFileOf(game, [knots])

test('AG-4 a file holds the game, its challenges, hints, flags and links to files, and no data of this platform', () => {
  expect(readGameFile(JSON.stringify(file))).toEqual(file)
  for (const name of ['id', 'publicKey', 'poster']) expect(file.game).not.toHaveProperty(name)
  expect(file.game).toMatchObject({ title: 'Regatta', inviteCode: 'ahoy', organizations: ['Juniors'], bloodBonus: 52_459_530 })
  expect(file.challenges[0]).toMatchObject({
    title: 'Knots',
    category: 'Crypto',
    type: 'StaticAttachment',
    isEnabled: true,
    attachment: { fileHash: hash },
    flags: [
      { flag: 'flag{a}', attachment: null },
      { flag: 'flag{b}', attachment: { remoteUrl: 'https://files.example.org/b' } },
    ],
  })
  expect(file.challenges[0]?.fields).toEqual({
    content: 'Tie it.',
    hints: ['A loop'],
    fileName: 'attachment',
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
    originalScore: 400,
    minScoreRate: 0.5,
    difficulty: 3,
  })
})

test.each([
  ['invalid JSON', 'regatta'],
  ['another format', JSON.stringify({ ...file, format: 'other' })],
  ['a later version', JSON.stringify({ ...file, version: 2 })],
  ['no title', JSON.stringify({ ...file, game: { ...file.game, title: ' ' } })],
  ['no time', JSON.stringify({ ...file, game: { ...file.game, start: 'soon' } })],
  ['no end', JSON.stringify({ ...file, game: { ...file.game, end: undefined } })],
  ['no list', JSON.stringify({ ...file, challenges: {} })],
  ['a challenge that is null', JSON.stringify({ ...file, challenges: [null] })],
  ['an unknown category', JSON.stringify({ ...file, challenges: [{ ...file.challenges[0], category: 'Riddle' }] })],
  ['a challenge without fields', JSON.stringify({ ...file, challenges: [{ ...file.challenges[0], fields: undefined }] })],
  ['a challenge without flags', JSON.stringify({ ...file, challenges: [{ ...file.challenges[0], flags: undefined }] })],
  ['an unknown type', JSON.stringify({ ...file, challenges: [{ ...file.challenges[0], type: 'Riddle' }] })],
  ['an invalid flag', JSON.stringify({ ...file, challenges: [{ ...file.challenges[0], flags: [{ flag: 7 }] }] })],
])('AG-4 a file with %s is not accepted as a game', (_, text) => {
  expect(readGameFile(text)).toBeUndefined()
})

test('AG-4 a new game is hidden and keeps its length and the distance of its deadline', () => {
  const start = Date.UTC(2027, 0, 2, 10)
  expect(asNewGame(file, 'Again', start)).toMatchObject({
    title: 'Again',
    hidden: true,
    summary: 'All hands',
    start: '2027-01-02T10:00:00.000Z',
    end: '2027-01-03T10:00:00.000Z',
    writeupDeadline: '2027-01-04T10:00:00.000Z',
  })
  const { writeupDeadline: _, ...open } = file.game
  expect(asNewGame({ ...file, game: open as typeof file.game }, 'Again', start)).not.toHaveProperty('writeupDeadline')
})

/** A server that assigns ids and records the calls; `refuse` returns the code of a refusal. */
function aServer(refuse: (call: string, body: unknown) => string | undefined = () => undefined) {
  const calls: [string, unknown][] = []
  vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
    const call = `${init.method} ${String(input).replace('/api/edit/games', '')}`
    const body = init.body ? JSON.parse(String(init.body)) : undefined
    calls.push([call, body])
    const code = refuse(call, body)
    const answer = code ? { code, title: code, status: 400 } : { ...game, id: call === 'POST ' ? 9 : 5 }
    return new Response(JSON.stringify(answer), { status: code ? 400 : 200 })
  })
  return calls
}

test('AG-4 challenges are created one after the other and enabled last, with progress by count', async () => {
  const calls = aServer()
  const told: number[] = []
  const { game: made, incomplete } = await makeGame(
    asNewGame(file, 'Again', 0),
    [...file.challenges, ...file.challenges],
    (count) => told.push(count),
  )
  expect([made.id, incomplete, told]).toEqual([9, [], [1, 2]])
  expect(calls.slice(1, 6)).toEqual([
    ['POST /9/challenges', { title: 'Knots', category: 'Crypto', type: 'StaticAttachment' }],
    ['PUT /9/challenges/5', file.challenges[0]?.fields],
    ['POST /9/challenges/5/attachment', { attachmentType: 'Local', fileHash: hash }],
    [
      'POST /9/challenges/5/flags',
      [{ flag: 'flag{a}' }, { flag: 'flag{b}', attachmentType: 'Remote', remoteUrl: 'https://files.example.org/b' }],
    ],
    ['PUT /9/challenges/5', { isEnabled: true }],
  ])
})

test('AG-4 a challenge whose file is missing here is created without it, stays disabled and is named', async () => {
  const calls = aServer((call) => (call.endsWith('/attachment') ? 'attachment.file_unknown' : undefined))
  const { incomplete } = await makeGame(asNewGame(file, 'Again', 0), file.challenges, () => undefined)
  expect(incomplete).toEqual(['Knots'])
  expect(calls.map(([call]) => call)).toContain('POST /9/challenges/5/flags')
  expect(calls.map(([, body]) => body)).not.toContainEqual({ isEnabled: true })
})

test('AG-4 when a part is refused the whole game is removed', async () => {
  const calls = aServer((call) => (call.startsWith('PUT') ? 'request.invalid' : undefined))
  await expect(makeGame(asNewGame(file, 'Again', 0), file.challenges, () => undefined)).rejects.toMatchObject({
    code: 'request.invalid',
  })
  expect(calls.at(-1)?.[0]).toBe('DELETE /9')
})

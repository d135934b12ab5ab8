import type { ChallengeRow } from '@vexil/contract/challenges'
import type { GameImage } from '@vexil/contract/instances'
import { expect, test } from 'vitest'
import { participationsQuery, publicNoticesQuery } from './game-admin.queries.ts'
import { type ReadyFacts, readyLines } from './ready.ts'
import { engineQuery, imagesQuery } from './use-ready.ts'

const row = (id: number, patch: Partial<ChallengeRow> = {}): ChallengeRow => ({
  id,
  title: `c${id}`,
  category: 'Misc',
  type: 'StaticAttachment',
  isEnabled: true,
  score: 1,
  minScore: 1,
  originalScore: 1,
  acceptedCount: 3,
  flagCount: 1,
  fileCount: 0,
  containerImage: null,
  silentSince: null,
  checkFailsSince: null,
  ...patch,
})
const fine: ReadyFacts = {
  game: { id: 7, hidden: false, start: '2026-11-24T09:00:00Z', end: '2026-11-24T18:00:00Z' },
  rows: [row(1)],
  accepted: 10,
  pending: 0,
  mail: true,
  captcha: true,
  engine: undefined,
  images: undefined,
  disk: { free: 50e9, total: 100e9 },
  clockOff: 1200,
  now: Date.parse('2026-11-23T09:00:00Z'),
}
const open = (patch: Partial<ReadyFacts>) =>
  readyLines({ ...fine, ...patch })
    .filter(({ level }) => level !== 'green')
    .map(({ level, kind, to = '' }) => `${level} ${kind} ${to}`.trim())

test('READY-1 a game with everything has only green lines', () => {
  expect(open({})).toEqual([])
  expect(readyLines(fine).map(({ kind }) => kind)).toEqual(['challenges', 'times', 'mail', 'captcha', 'disk'])
})

test('READY-1 challenges: none enabled, without own flag, image or files, with fewer files than accepted teams', () => {
  expect(open({ rows: [row(1, { isEnabled: false })] })).toEqual(['red noChallenge /admin/games/7/challenges'])
  expect(open({ rows: [row(1), row(2, { flagCount: 0 })] })).toEqual(['red flag /admin/games/7/challenges/2#flags'])
  expect(open({ rows: [row(1), row(2, { flagCount: 0, isEnabled: false })] })).toEqual([
    'amber flag /admin/games/7/challenges/2#flags',
  ])
  const one = row(2, { type: 'StaticContainer', flagCount: 0, containerImage: 'a' })
  expect(open({ rows: [one], engine: 'reachable' })).toEqual(['red flag /admin/games/7/challenges/2/Flags#flags'])
  const container = row(2, { type: 'DynamicContainer', flagCount: 0 })
  expect(open({ rows: [container], engine: 'reachable' })).toEqual(['red image /admin/games/7/challenges/2'])
  const files = (count: number, patch = {}) => [
    row(2, { type: 'DynamicAttachment', flagCount: count, fileCount: count, ...patch }),
  ]
  expect(open({ rows: files(9) })).toEqual(['red fewFiles /admin/games/7/challenges/2/Flags'])
  expect(open({ rows: files(19) })).toEqual(['amber fewFiles /admin/games/7/challenges/2/Flags'])
  expect(open({ rows: files(20) })).toEqual([])
  expect(open({ rows: files(25, { fileCount: 24 }) })).toEqual(['red attachment /admin/games/7/challenges/2/Flags'])
})

test('READY-1 times, visibility and review', () => {
  expect(open({ now: Date.parse('2026-11-24T18:00:00Z') })).toEqual(['red ended'])
  expect(open({ game: { ...fine.game, hidden: true }, pending: 3 })).toEqual([
    'amber hidden',
    'amber pending /admin/games/7/Review',
  ])
})

test('READY-1 mail, captcha, engine, disk and clock; unknown states are left out, the engine is checked only where containers are used', () => {
  expect(open({ mail: false, captcha: false })).toEqual(['amber noMail /admin/Settings', 'amber noCaptcha /admin/Settings'])
  expect(open({ mail: undefined, captcha: undefined, disk: undefined })).toEqual([])
  expect(open({ engine: 'unreachable' })).toEqual([])
  const container = [row(2, { type: 'DynamicContainer', containerImage: 'a' })]
  expect(open({ rows: container, engine: 'none' })).toEqual(['red noEngine /admin/Settings'])
  // Also where the challenge is not enabled yet.
  const later = row(3, { type: 'DynamicContainer', containerImage: 'a', isEnabled: false })
  expect(open({ rows: [row(2), later], engine: 'none' })).toEqual(['red noEngine /admin/Settings'])
  for (const engine of ['unreachable', 'silent'] as const)
    expect(open({ rows: container, engine })).toEqual(['red engineUnreachable /admin/Settings'])
  expect(open({ disk: { free: 1.9e9, total: 10e9 } })).toEqual(['red diskFull'])
  expect(open({ disk: { free: 4e9, total: 100e9 } })).toEqual(['red diskFull'])
  expect(open({ clockOff: -6000 })).toEqual(['amber clock'])
})

test('READY-1 the worst problem comes first', () => {
  const lines = readyLines({ ...fine, mail: false, rows: [row(1, { isEnabled: false })] })
  expect(lines.map(({ level }) => level)).toEqual(['red', 'amber', 'green', 'green', 'green'])
})

test('a challenge whose instance did not answer in time must be fixed, and leads to its editor', () => {
  const rows = [
    row(1),
    row(2, { silentSince: '2026-11-24T10:00:00Z' }),
    row(3, { silentSince: '2026-11-24T10:00:00Z', isEnabled: false }),
  ]
  const lines = readyLines({ ...fine, rows }).filter(({ kind }) => kind === 'silent')
  expect(lines).toMatchObject([
    { level: 'red', title: 'c2', to: '/admin/games/7/challenges/2' },
    { level: 'amber', title: 'c3' },
  ])
})

test('READY-1 a node that lacks an image is named with the reason, one that is being pulled is awaited, and all is one line', () => {
  const at = { challenges: [{ id: 2, title: 'c2' }], pulledAt: null }
  const here = { node: 'node-1', state: 'here', problem: null } as const
  const image = (patch: object) => ({ image: 'web:1', state: 'done', nodes: [here], ...at, ...patch }) as GameImage
  const lines = (...images: GameImage[]) => readyLines({ ...fine, images }).filter(({ kind }) => /image/i.test(kind))
  expect(lines()).toEqual([])
  expect(lines(image({}), image({ image: 'web:2' }))).toEqual([{ level: 'green', kind: 'images', count: 2 }])
  const to = '/admin/games/7/challenges/2'
  const failed = (node: string) => ({ node, state: 'failed', problem: 'no route to host' })
  expect(lines(image({ nodes: [here, failed('node-2'), failed('')] }), image({ image: 'web:2', state: 'pulling' }))).toEqual([
    { level: 'red', kind: 'nodeLacksImage', image: 'web:1', node: 'node-2', problem: 'no route to host', to },
    { level: 'red', kind: 'lacksImage', image: 'web:1', node: '', problem: 'no route to host', to },
    { level: 'amber', kind: 'imageComing', image: 'web:2', to },
  ])
  expect(lines(image({ state: 'waiting', nodes: [failed('')] }))).toMatchObject([{ level: 'amber', kind: 'imageComing' }])
})

test('READY-1 until every image was pulled, the images are read again every three seconds', () => {
  const { refetchInterval } = imagesQuery(7)
  const pauseOf = (...states: string[]) =>
    (refetchInterval as (query: unknown) => unknown)({ state: { data: states.map((state) => ({ state })) } })
  expect([pauseOf('done', 'pulling'), pauseOf('waiting'), pauseOf('done')]).toEqual([3_000, 3_000, false])
})

test('READY-1 a solver check that fails leads to its challenge', () => {
  const at = '2026-11-24T10:00:00Z'
  const rows = [row(2, { checkFailsSince: at }), row(3, { checkFailsSince: at, isEnabled: false })]
  expect(open({ rows })).toEqual(['red check /admin/games/7/challenges/2', 'amber check /admin/games/7/challenges/3'])
})

test('the container engine is asked again, so that the line follows when it stops or answers again', () => {
  expect(engineQuery.refetchInterval).toBe(30_000)
})

test('what fails is not tried again at once, and what was just read is not read again', () => {
  expect([engineQuery.retry, imagesQuery(7).retry, publicNoticesQuery(7).retry]).toEqual([false, false, false])
  expect([engineQuery.staleTime, participationsQuery(7).staleTime]).toEqual([60_000, 30_000])
})

test('READY-1 each line has its number', () => {
  const rows = [row(1), row(2, { isEnabled: false }), row(3, { type: 'DynamicAttachment', isEnabled: false, fileCount: 4 })]
  const counts = (patch: Partial<ReadyFacts>) =>
    readyLines({ ...fine, ...patch }).map(({ kind, level, count }) => [kind, level, count])
  expect(counts({ rows, clockOff: -7400 })).toEqual(
    expect.arrayContaining([
      ['challenges', 'green', 1],
      ['fewFiles', 'amber', 4],
      ['clock', 'amber', 7],
      ['disk', 'green', 50e9],
    ]),
  )
  expect(counts({ clockOff: 5000 }).map(([kind]) => kind)).not.toContain('clock')
  expect(counts({ clockOff: 5001 }).map(([kind]) => kind)).toContain('clock')
})

/** Messages about answers that monitors of a game receive. The database and the hub are fakes. */
import { beforeEach, expect, test, vi } from 'vitest'
import type { Live } from '../http/live.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import { submissionsLive } from './submissions.live.ts'
import type { CheatRow, SubmissionRow } from './submissions.queries.ts'

const rows = vi.hoisted(() => ({
  submissions: new Map<number, unknown>(),
  cheats: new Map<number, unknown>(),
  asked: [] as string[],
  until: Promise.resolve(),
}))
vi.mock('./submissions.queries.ts', () => ({
  listSubmissionsById: async (_db: unknown, ids: number[]) => {
    rows.asked.push(`submissions ${ids.length > 3 ? ids.length : ids}`)
    await rows.until
    if (ids.includes(13)) throw new Error('the database is unreachable')
    // Not in the requested order.
    return ids.flatMap((id) => rows.submissions.get(id) ?? []).reverse()
  },
  listCheatsOf: async (_db: unknown, ids: number[]) => {
    rows.asked.push(`cheats ${ids}`)
    return ids.flatMap((id) => rows.cheats.get(id) ?? [])
  },
}))

const row = (id: number, status: SubmissionRow['status']): SubmissionRow => ({
  id,
  answer: `flag ${id}`,
  status,
  arrivedAt: new Date(0),
  userName: 'anna',
  teamName: 'Pwners',
  title: 'Locks',
  challengeId: 3,
})
const by = { time: '1970-01-01T00:00:00+00:00', user: 'anna', team: 'Pwners' }
const event = (id: number, status: string) => ({ ...by, type: 'FlagSubmit', values: [status, `flag ${id}`, 'Locks', '3'] })
const submission = (id: number, status: string) => ({ ...by, answer: `flag ${id}`, status, challenge: 'Locks' })
const to = { hub: '/hub/monitor', game: 7 }

let sent: unknown[]
let reported: unknown[]
let pushes: ReturnType<typeof submissionsLive>
let bus: ReturnType<typeof openInProcessBus>
beforeEach(() => {
  ;[sent, reported, rows.asked] = [[], [], []]
  rows.submissions = new Map([
    [1, row(1, 'WrongAnswer')],
    [2, row(2, 'Accepted')],
    [3, row(3, 'CheatDetected')],
  ])
  rows.cheats = new Map([[3, { ...row(3, 'CheatDetected'), ownerName: 'Owners' } as CheatRow]])
  const live = {
    send: (...message: unknown[]) => void sent.push(message),
    count: ({ hub, game }: { hub: string; game: number }) => (hub === '/hub/monitor' && game === 7 ? 1 : 0),
  } as unknown as Live
  bus = openInProcessBus(() => undefined)
  pushes = submissionsLive({ db: {} as never, bus, onError: (error) => void reported.push(error) }, live)
})
const judge = (submissionId: number, gameId = 7) => bus.publish('submission.judged', { gameId, submissionId, solve: null })

test('each answer sends an event and a submission, in the order of judging', async () => {
  for (const id of [1, 2]) judge(id)
  await expect
    .poll(() => sent)
    .toEqual([
      [to, 'ReceivedGameEvent', event(1, 'WrongAnswer')],
      [to, 'ReceivedSubmissions', submission(1, 'WrongAnswer')],
      [to, 'ReceivedGameEvent', event(2, 'Accepted')],
      [to, 'ReceivedSubmissions', submission(2, 'Accepted')],
    ])
  expect(rows.asked).toEqual(['submissions 1,2'])
})

test('answers judged during a query are read by the next one, a thousand at most, and none is lost', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  rows.until = promise
  for (let id = 100; id < 2600; id++) rows.submissions.set(id, row(id, 'WrongAnswer'))
  judge(1)
  await expect.poll(() => rows.asked).toEqual(['submissions 1'])
  for (let id = 100; id < 2600; id++) judge(id)
  resolve()
  await expect.poll(() => sent).toHaveLength(2 * 2501)
  expect(rows.asked.slice(1)).toEqual(['submissions 1000', 'submissions 1000', 'submissions 500'])
  const announced = sent.filter((message) => (message as string[])[1] === 'ReceivedSubmissions')
  expect(announced.map((message) => (message as { answer: string }[])[2]?.answer)).toEqual(
    [1, ...Array.from({ length: 2500 }, (_, i) => 100 + i)].map((id) => `flag ${id}`),
  )
})

test('answers are batched for 100 ms from the first one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const turn = () => new Promise((later) => setImmediate(later))
  try {
    judge(1)
    await turn()
    vi.advanceTimersByTime(99)
    judge(2)
    await turn()
    expect(rows.asked).toEqual([])
    vi.advanceTimersByTime(1)
    await turn()
    expect(rows.asked).toEqual(['submissions 1,2'])
  } finally {
    vi.useRealTimers()
  }
})

test('closing sends pending messages, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    judge(1)
    await new Promise((later) => setImmediate(later))
    expect(vi.getTimerCount()).toBe(1)
    await pushes.close()
    expect([sent.length, vi.getTimerCount()]).toEqual([2, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('another team’s flag is sent as a wrong answer, then as a cheat with both teams, and the submission shows it', async () => {
  judge(3)
  await expect
    .poll(() => sent)
    .toEqual([
      [to, 'ReceivedGameEvent', event(3, 'WrongAnswer')],
      [to, 'ReceivedGameEvent', { ...by, type: 'CheatDetected', values: ['Locks', 'Pwners', 'Owners'] }],
      [to, 'ReceivedSubmissions', submission(3, 'CheatDetected')],
    ])
})

test('a deleted cheat sends no separate event', async () => {
  rows.cheats.clear()
  judge(3)
  await expect.poll(() => sent).toHaveLength(2)
})

test('without listeners nothing is read; deleted rows are skipped, and a failure does not stop the next', async () => {
  judge(1, 8)
  judge(13)
  await expect.poll(() => reported).toEqual([new Error('the database is unreachable')])
  judge(12)
  judge(2)
  await expect.poll(() => sent).toHaveLength(2)
  expect(rows.asked).toEqual(['submissions 13', 'submissions 12,2'])
  expect(reported).toHaveLength(1)
})

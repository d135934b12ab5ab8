/** The queue of answers on a pool that fails on demand: batches, retries, and that every answer settles. */
import { submitQueue } from '@vexil/core/limits'
import { SubmitBusy } from '@vexil/core/rules'
import { expect, test, vi } from 'vitest'
import { counts } from '../metrics/counts.ts'
import { type AttemptsPool, attemptsPool, type Judged, openAttempts, type Recorded } from './attempts.ts'
import type { RequestLost } from './request-lost.ts'

interface Call {
  readonly game: number
  readonly answers: string[]
  readonly waited: number[]
  answer(): void
  fail(error: unknown): void
}

const coded = (code: string) => Object.assign(new Error(code), { code })
const stored = (answer: string) =>
  ({ outcome: answer === 'stale' ? answer : 'ok', verdict: 'WrongAnswer', answer }) as unknown as Recorded

/** Each statement waits in `calls` until the test answers it; with `auto` it is answered or fails depending on its content. */
function falsePool({ size = 4, auto }: { size?: number; auto?: (call: Call) => unknown } = {}) {
  const calls: Call[] = []
  const released: (boolean | undefined)[] = []
  const state = { refuse: 0, open: 0, ended: false }
  const waiting: (() => void)[] = []
  const pool: AttemptsPool = {
    async connect() {
      // Like the library: a caller waits when no connection is free; a connection that cannot be made is a rejection.
      while (state.open === size) await new Promise<void>((turn) => waiting.push(turn))
      state.open++
      await Promise.resolve()
      if (state.refuse > 0) {
        state.refuse--
        state.open--
        waiting.shift()?.()
        throw coded('ECONNREFUSED')
      }
      return {
        query: ({ values }) =>
          new Promise((resolve, reject) => {
            const answers = values[5] as string[]
            const call: Call = {
              game: values[0] as number,
              answers,
              waited: JSON.parse(`[${String(values[7]).slice(1, -1)}]`) as number[],
              answer: () => resolve({ rows: answers.map(stored) }),
              fail: reject,
            }
            calls.push(call)
            if (!auto) return
            const error = auto(call)
            if (error) call.fail(error)
            else call.answer()
          }),
        release(broken) {
          released.push(broken)
          state.open--
          waiting.shift()?.()
        },
      }
    },
    async end() {
      state.ended = true
    },
  }
  return { pool, calls, released, state }
}

const judged = (gameId: number, answer: string, arrived = performance.now()): Judged => ({
  gameId,
  participationId: 1,
  challengeId: 1,
  accountId: 'a',
  session: 'aa',
  answer,
  verdict: 'WrongAnswer',
  epoch: 1,
  arrived,
})
/** `answer: ok`, `answer: SubmitBusy`, … of all, once they have settled. */
async function outcomes(recording: readonly Promise<Recorded>[]): Promise<string[]> {
  const settled = await Promise.allSettled(recording)
  return settled.map((one) =>
    one.status === 'fulfilled' ? (one.value as unknown as { answer: string }).answer : (one.reason as Error).constructor.name,
  )
}
/** On a busy machine a timer is run before an immediate of the same turn, so another immediate follows. */
const turn = () => new Promise<void>((done) => setTimeout(() => setImmediate(done), 5))

test('only an answer that was stored is counted, not one whose facts had changed', async () => {
  const { pool } = falsePool({ auto: () => undefined })
  const attempts = openAttempts(pool)
  const before = counts.submissions.get('WrongAnswer') ?? 0
  expect(await outcomes(['a', 'stale', 'b'].map((answer) => attempts.record(judged(1, answer))))).toEqual(['a', 'stale', 'b'])
  expect(counts.submissions.get('WrongAnswer')).toBe(before + 2)
})

test('answers of one turn are sent together, later ones next, and a game has one batch in flight', async () => {
  const { pool, calls } = falsePool()
  const attempts = openAttempts(pool)
  const first = [attempts.record(judged(1, 'a')), attempts.record(judged(1, 'b'))]
  await turn()
  const next = [attempts.record(judged(1, 'c')), attempts.record(judged(1, 'd'))]
  await turn()
  expect(calls.map(({ answers }) => answers)).toEqual([['a', 'b']])
  calls[0]?.answer()
  await turn()
  expect(calls.map(({ answers }) => answers)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  calls[1]?.answer()
  expect(await outcomes([...first, ...next])).toEqual(['a', 'b', 'c', 'd'])
})

test('games do not wait for each other, and a batch has answers of one game', async () => {
  const { pool, calls } = falsePool()
  const attempts = openAttempts(pool)
  const all = [attempts.record(judged(1, 'a')), attempts.record(judged(2, 'b')), attempts.record(judged(1, 'c'))]
  await turn()
  expect(calls.map(({ game, answers }) => [game, answers])).toEqual([
    [1, ['a', 'c']],
    [2, ['b']],
  ])
  calls[1]?.answer()
  expect(await all[1]).toEqual(stored('b'))
  calls[0]?.answer()
  await Promise.all(all)
})

test('a batch has a limit, and the remaining answers go into the next one, in order of arrival', async () => {
  const { pool, calls } = falsePool({ auto: () => undefined })
  const attempts = openAttempts(pool)
  const names = Array.from({ length: submitQueue.batchMax + 3 }, (_, i) => `a${i}`)
  expect(await outcomes(names.map((name) => attempts.record(judged(1, name))))).toEqual(names)
  expect(calls.map(({ answers }) => answers.length)).toEqual([submitQueue.batchMax, 3])
})

test('the queue of a game has a limit, one more answer is refused at once; another game has room', async () => {
  const { pool, calls } = falsePool()
  const attempts = openAttempts(pool)
  const waiting = Array.from({ length: submitQueue.waitingMax }, (_, i) => attempts.record(judged(1, `a${i}`)))
  expect(await attempts.record(judged(1, 'over')).catch((error: unknown) => error)).toMatchObject({
    code: new SubmitBusy({ retryAfter: 1 }).code,
    data: { retryAfter: 1 },
  })
  const elsewhere = attempts.record(judged(2, 'b'))
  await turn()
  calls.find(({ game }) => game === 2)?.answer()
  await elsewhere
  while (calls.filter(({ game }) => game === 1).reduce((sum, { answers }) => sum + answers.length, 0) < waiting.length) {
    calls.at(-1)?.answer()
    calls[0]?.answer()
    await turn()
  }
  calls.at(-1)?.answer()
  expect((await outcomes(waiting)).filter((name) => !name.startsWith('a'))).toEqual([])
})

test('the waiting time of an answer counts until the statement is sent, including the wait for its game and a connection', async () => {
  const { pool, calls } = falsePool({ size: 1 })
  const attempts = openAttempts(pool)
  const held = attempts.record(judged(1, 'a'))
  await turn()
  const startedAt = performance.now()
  const waits = attempts.record(judged(2, 'b', performance.now() - 2000))
  const ahead = attempts.record(judged(3, 'c', performance.now() + 9000))
  await new Promise((later) => setTimeout(later, 60))
  calls[0]?.answer()
  await turn()
  const waited = calls[1]?.waited[0] ?? 0
  expect(waited).toBeGreaterThan(2.05)
  expect(waited).toBeLessThan(2.001 + (performance.now() - startedAt) / 1000)
  calls[1]?.answer()
  await turn()
  expect(calls[2]?.waited).toEqual([0])
  calls[2]?.answer()
  await Promise.all([held, waits, ahead])
})

test('after a schema change the batch is sent again on a connection without the prepared statement', async () => {
  let failures = 2
  const { pool, calls, released } = falsePool({ auto: () => (failures-- > 0 ? coded('0A000') : undefined) })
  const attempts = openAttempts(pool)
  expect(await outcomes([attempts.record(judged(1, 'a')), attempts.record(judged(1, 'b'))])).toEqual(['a', 'b'])
  expect(calls.map(({ answers }) => answers)).toEqual(Array(3).fill(['a', 'b']))
  expect(released).toEqual([true, true, false])
})

test.each(['40P01', '40001', '55P03', '23503'])(
  'a rolled-back batch (%s) is sent again unchanged, three times at most',
  async (code) => {
    let failures = 3
    const { pool, calls, released } = falsePool({ auto: () => (failures-- > 0 ? coded(code) : undefined) })
    const attempts = openAttempts(pool)
    expect(await outcomes([attempts.record(judged(1, 'a'))])).toEqual(['a'])
    expect(calls).toHaveLength(4)
    expect(released).toEqual([false, false, false, false])
    failures = 4
    expect(await outcomes([attempts.record(judged(1, 'b'))])).toEqual(['SubmitBusy'])
    expect(calls).toHaveLength(8)
  },
)

test('a statement that times out is not retried at once, and its connection is kept', async () => {
  const { pool, calls, released } = falsePool({ auto: () => coded('57014') })
  const attempts = openAttempts(pool)
  expect(await outcomes([attempts.record(judged(1, 'a')), attempts.record(judged(1, 'b'))])).toEqual(['SubmitBusy', 'SubmitBusy'])
  expect(calls).toHaveLength(1)
  expect(released).toEqual([false])
})

test.each(['22021', '23514'])(
  'in a batch with invalid data (%s) only the invalid row fails, with the database error',
  async (code) => {
    const { pool, calls } = falsePool({ auto: ({ answers }) => (answers.includes('bad') ? coded(code) : undefined) })
    const attempts = openAttempts(pool)
    const recording = ['a', 'bad', 'c'].map((answer) => attempts.record(judged(1, answer)))
    expect(await outcomes(recording)).toEqual(['a', 'Error', 'c'])
    await expect(recording[1]).rejects.toMatchObject({ code })
    expect(calls.map(({ answers }) => answers.join(' '))).toEqual(['a bad c', 'a', 'bad', 'c'])
  },
)

test.each([
  ['ECONNRESET', coded('ECONNRESET')],
  ['EPIPE', coded('EPIPE')],
  ['57P01', coded('57P01')],
  ['57P03', coded('57P03')],
  ['terminated', new Error('Connection terminated unexpectedly')],
])(
  'when the connection is lost (%s) nothing is sent again: the call is busy, and the connection is closed',
  async (_name, error) => {
    const { pool, calls, released } = falsePool({ auto: () => error })
    const attempts = openAttempts(pool)
    const recording = [attempts.record(judged(1, 'a')), attempts.record(judged(1, 'b'))]
    expect(await outcomes(recording)).toEqual(['RequestLost', 'RequestLost'])
    expect(await recording[0]?.catch((caught: RequestLost) => caught.cause)).toBe(error)
    expect(calls).toHaveLength(1)
    expect(released).toEqual([true])
  },
)

test('an error of the statement itself is returned unchanged, and its connection is closed', async () => {
  const fault = coded('42883')
  const { pool, released } = falsePool({ auto: () => fault })
  await expect(openAttempts(pool).record(judged(1, 'a'))).rejects.toBe(fault)
  expect(released).toEqual([true])
})

test('after one failed connection with five games in flight, every answer settles and close returns', async () => {
  const { pool, calls, state } = falsePool()
  const attempts = openAttempts(pool)
  state.refuse = 1
  const games = [1, 2, 3, 4, 5].map((game) => attempts.record(judged(game, `g${game}`)))
  const settled = outcomes(games)
  await vi.waitFor(() => {
    for (const call of calls) call.answer()
    expect(calls).toHaveLength(4)
  }, 5000)
  expect((await settled).sort()).toEqual(['RequestLost', 'g2', 'g3', 'g4', 'g5'])
  await attempts.close()
  expect(state).toEqual({ refuse: 0, open: 0, ended: true })
})

test('close waits for running work and accepts no more', async () => {
  const { pool, calls, state } = falsePool()
  const attempts = openAttempts(pool)
  const under = [attempts.record(judged(1, 'a'))]
  await turn()
  under.push(attempts.record(judged(1, 'b')))
  const closing = attempts.close()
  expect(await outcomes([attempts.record(judged(1, 'late')), attempts.record(judged(2, 'late'))])).toEqual([
    'SubmitBusy',
    'SubmitBusy',
  ])
  expect(state.ended).toBe(false)
  calls[0]?.answer()
  await turn()
  calls[1]?.answer()
  await closing
  expect(await outcomes(under)).toEqual(['a', 'b'])
  expect(state.ended).toBe(true)
})

test('a batch is one function call in the database, with a column for each part of an answer', async () => {
  const statements: { name: string; text: string; values: unknown[] }[] = []
  const pool: AttemptsPool = {
    connect: async () => ({
      query: async (statement) => {
        statements.push(statement)
        return { rows: [stored('a'), stored('b')] }
      },
      release: () => undefined,
    }),
    end: async () => undefined,
  }
  const attempts = openAttempts(pool)
  const one: Judged = {
    gameId: 7,
    participationId: 11,
    challengeId: 21,
    accountId: 'anna',
    session: 'ab12',
    answer: 'a',
    verdict: 'Accepted',
    epoch: 31,
    // From the clock of another process: the waiting time of an answer is never negative.
    arrived: performance.now() + 5000,
  }
  const other = {
    ...one,
    participationId: 12,
    challengeId: 22,
    accountId: 'bert',
    answer: 'b',
    verdict: 'WrongAnswer',
    epoch: 32,
  } as const
  await Promise.all([attempts.record(one), attempts.record(other)])
  expect(statements).toHaveLength(1)
  const [statement] = statements as [(typeof statements)[0]]
  expect(statement.name).toBe('record_attempts')
  expect(statement.text).toContain('from record_attempts(')
  expect(statement.values).toEqual([
    7,
    '{31,32}',
    '{11,12}',
    '{21,22}',
    '{anna,bert}',
    ['a', 'b'],
    '{Accepted,WrongAnswer}',
    '{0,0}',
    '{ab12,ab12}',
  ])
  await attempts.close()
})

test('answers are stored on separate connections that wait for the disk', () => {
  expect(attemptsPool).toEqual({
    size: 4,
    name: 'vexil answers',
    first: 'set synchronous_commit = on; set plan_cache_mode = force_generic_plan',
  })
})

test('a game whose queue is empty accepts answers again, and a busy error permits a retry after a second', async () => {
  const { pool, calls } = falsePool({ auto: ({ answers }) => (answers[0] === 'slow' ? coded('57014') : null) })
  const attempts = openAttempts(pool)
  for (const answer of ['a', 'b']) {
    expect(await outcomes([attempts.record(judged(1, answer))])).toEqual([answer])
    await turn()
  }
  expect(calls.map(({ answers }) => answers)).toEqual([['a'], ['b']])
  await expect(attempts.record(judged(1, 'slow'))).rejects.toMatchObject({ code: 'submission.busy', data: { retryAfter: 1 } })
  await attempts.close()
})

/** Interruptions of the single connection. Fake connections break on demand. */
import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { type Notifier, openPostgresBus } from './postgres.ts'

class FalseNotifier extends EventEmitter implements Notifier {
  readonly asked: string[] = []
  readonly sent: unknown[] = []
  ended = false
  listens: 'well' | 'breaks' | 'refused' | 'hangs' = 'well'
  async query(text: string, values?: unknown[]) {
    if (this.ended) throw new Error('ended')
    this.asked.push(text)
    if (values) this.sent.push(values)
    if (this.listens === 'breaks') {
      this.emit('error', new Error('ECONNRESET'))
      this.emit('end')
    }
    if (this.listens === 'hangs') await new Promise(() => undefined)
    if (this.listens !== 'well') throw new Error('not now')
  }
  async end() {
    if (!this.ended) queueMicrotask(() => this.emit('end'))
    this.ended = true
  }
  hear(payload: string) {
    this.emit('notification', { channel: 'vexil', payload })
  }
}

async function scene(plan: ('well' | 'breaks' | 'refused' | 'hangs' | 'unreachable' | 'late')[] = []) {
  const connected = Promise.withResolvers<void>()
  const made: FalseNotifier[] = []
  const faults: unknown[] = []
  let missed = 0
  const opening = openPostgresBus({
    async connect() {
      const next = plan.shift() ?? 'well'
      if (next === 'unreachable') throw new Error('unreachable')
      if (next === 'late') await connected.promise
      const notifier = new FalseNotifier()
      notifier.listens = next === 'late' ? 'well' : next
      made.push(notifier)
      return notifier
    },
    onError: (error) => faults.push(error),
    pauseMs: 5,
  })
  void opening.then((bus) => bus.onLoss(() => missed++)).catch(() => undefined)
  return { opening, made, faults, missed: () => missed, plan, connectLate: connected.resolve }
}
const listening = (made: FalseNotifier[]) => made.filter((one) => !one.ended && one.listens === 'well')
const message = (gameId: number) => `["another",[["game.changed",{"gameId":${gameId}}]]]`
const pause = () => new Promise((later) => setTimeout(later, 40))

test('a bus that cannot listen at first fails to open, and leaves no connection behind', async () => {
  for (const first of ['breaks', 'refused', 'unreachable'] as const) {
    const { opening, made } = await scene([first])
    await expect(opening).rejects.toThrow()
    await pause()
    expect(made.every(({ ended }) => ended)).toBe(true)
    expect(made.length).toBeLessThanOrEqual(1)
  }
})

test('after failures during listening and its start there is one listener again, and events arrive once', async () => {
  const { opening, made, missed, faults } = await scene(['well', 'breaks', 'unreachable', 'refused', 'well'])
  const bus = await opening
  const received: number[] = []
  bus.subscribe('game.changed', ({ gameId }) => received.push(gameId))
  made[0]?.emit('error', new Error('57P01'))
  made[0]?.emit('end')
  await vi.waitFor(() => expect(missed()).toBe(1), 5000)
  await pause()
  expect(made).toHaveLength(4)
  expect(listening(made)).toHaveLength(1)
  for (const one of made) if (!one.ended) one.hear(message(9))
  await vi.waitFor(() => expect(received).toEqual([9]), 5000)
  // One report for the whole outage.
  expect(faults).toHaveLength(1)
  await bus.close()
  expect(made.every(({ ended }) => ended)).toBe(true)
})

test('closing during a reconnect does not wait and leaves nothing behind', async () => {
  const { opening, made } = await scene(['well', 'unreachable', 'unreachable'])
  const bus = await opening
  made[0]?.emit('end')
  await new Promise((later) => setTimeout(later, 7))
  await bus.close()
  await pause()
  expect(made.filter(({ ended }) => !ended)).toEqual([])
})

test.each(['late', 'hangs'] as const)('closing while a new connection is %s waits for its end', async (next) => {
  const { opening, made, plan, faults, missed, connectLate } = await scene(['well', next])
  const bus = await opening
  made[0]?.emit('end')
  await vi.waitFor(() => expect(plan).toEqual([]), 5000)
  const closed = bus.close().then(() => made.map(({ ended }) => ended))
  await pause()
  connectLate()
  expect(await closed).toEqual([true, true])
  expect([faults, missed()]).toEqual([[], 0])
})

/** The games of the messages that were sent. */
const gamesSent = ({ sent }: FalseNotifier): number[] =>
  (sent as string[][]).flatMap(([, text]) =>
    JSON.parse(text as string)[1].map(([, event]: [string, { gameId: number }]) => event.gameId),
  )

test('an event that cannot be sent is sent before the next one', async () => {
  const { opening, made, faults } = await scene()
  const bus = await opening
  const [line] = made as [FalseNotifier]
  line.listens = 'refused'
  bus.publish('game.changed', { gameId: 1 })
  await vi.waitFor(() => expect(line.asked).toHaveLength(2), 5000)
  line.listens = 'well'
  line.sent.length = 0
  bus.publish('game.changed', { gameId: 2 })
  await vi.waitFor(() => expect(gamesSent(line)).toEqual([1, 2]), 5000)
  expect(faults).toEqual([])
  await bus.close()
})

test('events of an interruption are sent when the bus listens again, the last thousand messages of them', async () => {
  const { opening, made, missed, connectLate } = await scene(['well', 'late'])
  const bus = await opening
  made[0]?.emit('end')
  await pause()
  const count = 300_000
  for (let gameId = 1; gameId <= count; gameId++) bus.publish('game.changed', { gameId })
  await pause()
  expect([made.length, missed()]).toEqual([1, 0])
  connectLate()
  await vi.waitFor(() => expect([missed(), made[1]?.sent.length]).toEqual([1, 1000]), 5000)
  const games = gamesSent(made[1] as FalseNotifier)
  expect(games).toEqual(Array.from({ length: games.length }, (_, i) => count - games.length + 1 + i))
  await bus.close()
})

test('events within a moment are sent together on the channel, and are delivered locally at once and once', async () => {
  const { opening, made } = await scene()
  const bus = await opening
  const [line] = made as [FalseNotifier]
  expect(line.asked).toEqual(['listen vexil'])
  const received: number[] = []
  bus.subscribe('game.changed', ({ gameId }) => received.push(gameId))
  for (const gameId of [1, 2]) bus.publish('game.changed', { gameId })
  await vi.waitFor(() => expect(line.sent).toHaveLength(1), 5000)
  const [channel, payload] = line.sent[0] as [string, string]
  expect([line.asked[1], channel, JSON.parse(payload)[1]]).toEqual([
    'select pg_notify($1, $2)',
    'vexil',
    [
      ['game.changed', { gameId: 1 }],
      ['game.changed', { gameId: 2 }],
    ],
  ])
  line.hear(payload)
  await pause()
  expect(received).toEqual([1, 2])
  bus.publish('game.changed', { gameId: 3 })
  await bus.close()
  // Pending messages are sent before the end, and nothing afterwards.
  expect((line.sent as string[][]).map(([, text]) => JSON.parse(text as string)[1].length)).toEqual([2, 1])
  bus.publish('game.changed', { gameId: 4 })
  line.hear(message(5))
  await pause()
  expect([line.sent.length, line.ended, received.includes(5)]).toEqual([2, true, false])
})

test.each(['error', 'end'])('a connection without a response is abandoned at its %s', async (event) => {
  const { opening, made } = await scene(['hangs'])
  await vi.waitFor(() => expect(made[0]?.asked).toHaveLength(1), 5000)
  made[0]?.emit(event, new Error('57P01'))
  await expect(opening).rejects.toThrow('ended while it began to listen')
  expect(made[0]?.ended).toBe(true)
})

test.each(['error', 'end'])('a failure reported only as %s is detected', async (event) => {
  const { opening, made, missed, faults } = await scene(['well', 'unreachable', 'well'])
  const bus = await opening
  expect(missed()).toBe(0)
  made[0]?.emit(event, new Error('57P01'))
  await vi.waitFor(() => expect(missed()).toBe(1), 5000)
  expect([made.length, faults.length]).toEqual([2, 1])
  await bus.close()
  expect(missed()).toBe(1)
})

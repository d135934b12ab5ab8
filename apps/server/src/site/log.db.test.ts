import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import { openLog } from './log.ts'
import { listLogsOf } from './logs.queries.ts'

const database = await freshDatabase()
const { db, pool } = database
afterAll(() => database.drop())

const faults: unknown[] = []
const bus = openInProcessBus((error) => faults.push(error))
const aLog = () => openLog(db, bus, { onError: (error) => faults.push(error) })
const say = (log: ReturnType<typeof aLog>, message: string) => log.write({ status: '', name: 'System', message })
const stored = async () =>
  (await sql<{ message: string }>`select message from logs order by id`.execute(db)).rows.map(({ message }) => message)

test('entries being written are neither lost nor duplicated when the queue overflows', async () => {
  const written: number[] = []
  onTestFinished(bus.subscribe('log.written', ({ from, to }) => void written.push(to - from + 1)))
  const log = aLog()
  const holder = await pool.connect()
  await holder.query('begin; lock table logs in access exclusive mode')
  for (const message of ['a', 'b', 'c']) say(log, message)
  const writing = log.flush()
  await new Promise((later) => setTimeout(later, 50))
  // A flush without further entries waits for those that are being written.
  let isOver = false
  const again = log.flush().then(() => {
    isOver = true
  })
  await new Promise((later) => setImmediate(later))
  expect(isOver).toBe(false)
  for (let i = 0; i < 10_002; i++) say(log, `later ${i}`)
  await holder.query('commit')
  holder.release()
  await Promise.all([writing, again])
  await log.close()
  const all = await stored()
  expect(all.slice(0, 5)).toEqual(['a', 'b', 'c', 'later 2', 'later 3'])
  expect(all).toHaveLength(3 + 10_000)
  expect(all.at(-1)).toBe('later 10001')
  // A statement writes 500 at most.
  await expect.poll(() => written).toEqual([3, ...Array(20).fill(500)])
})

test('entries that failed are written later, in order, and only the oldest are dropped when the queue is full', async () => {
  await sql`truncate logs`.execute(db)
  // The test alone writes the queue.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const log = aLog()
  await sql`alter table logs rename to logs_away`.execute(db)
  for (const message of ['a', 'b']) say(log, message)
  const writtenAt = Date.now()
  await log.flush()
  expect(faults).toHaveLength(1)
  say(log, 'c')
  await sql`alter table logs_away rename to logs`.execute(db)
  await log.flush()
  expect(await stored()).toEqual(['a', 'b', 'c'])
  // Their time is that at which they were given to the log.
  const { rows } = await sql<{ time: Date }>`select time from logs order by id limit 2`.execute(db)
  for (const { time } of rows) expect(time.getTime()).toBeLessThanOrEqual(writtenAt)
  // A batch that fails while the queue is full.
  await sql`truncate logs`.execute(db)
  await sql`alter table logs rename to logs_away`.execute(db)
  for (const message of ['a', 'b']) say(log, message)
  const failing = log.flush()
  await Promise.resolve()
  for (let i = 0; i < 9_999; i++) say(log, `later ${i}`)
  await failing
  await sql`alter table logs_away rename to logs`.execute(db)
  await log.flush()
  const kept = await stored()
  expect([kept.length, ...kept.slice(0, 2), kept.at(-1)]).toEqual([10_000, 'b', 'later 0', 'later 9998'])
  // Without a flush they are written once a second.
  say(log, 'd')
  vi.advanceTimersByTime(1000)
  vi.useRealTimers()
  await expect.poll(async () => (await stored()).at(-1)).toBe('d')
  await log.close()
})

test('each entry is announced once, also when two processes draw ids alternately', async () => {
  await sql`truncate logs`.execute(db)
  const ranges: { from: number; to: number }[] = []
  const stop = bus.subscribe('log.written', (range) => void ranges.push(range))
  for (const [first, messages] of [
    [1, ['a', 'c', 'e']],
    [2, ['b', 'd']],
  ] as const) {
    await sql`alter table logs alter column id set increment by 2 restart with ${sql.lit(first)}`.execute(db)
    const log = aLog()
    for (const message of messages) say(log, message)
    await log.close()
  }
  await sql`alter table logs alter column id set increment by 1 restart with 6`.execute(db)
  const log = aLog()
  for (const message of ['f', 'g']) say(log, message)
  await log.close()
  // Ids without gaps are one range.
  await expect.poll(() => ranges).toHaveLength(6)
  stop()
  const announced = await Promise.all(ranges.map((range) => listLogsOf(db, [range])))
  expect(announced.flat().map(({ message }) => message)).toEqual(['a', 'c', 'e', 'b', 'd', 'f', 'g'])
})

test('an entry is printed at once; a long name, address or message is truncated in the list, and a given level is kept', async () => {
  await sql`truncate logs`.execute(db)
  const printed: string[] = []
  const print = ({ message }: { message: string }) => void printed.push(message)
  const log = openLog(db, bus, { onError: (error) => faults.push(error), print })
  log.write({ level: 'Error', status: 'Failed', name: 'n'.repeat(16), ip: '1'.repeat(41), message: 'm'.repeat(4001) })
  log.write({ status: 'Success', name: 'System', message: 'short' })
  expect(printed).toEqual(['m'.repeat(4001), 'short'])
  await log.close()
  const { rows } = await sql<object>`select level, status, name, ip, message from logs order by id`.execute(db)
  expect(rows).toEqual([
    { level: 'Error', status: 'Failed', name: 'n'.repeat(15), ip: '1'.repeat(40), message: 'm'.repeat(4000) },
    { level: 'Information', status: 'Success', name: 'System', ip: '', message: 'short' },
  ])
})

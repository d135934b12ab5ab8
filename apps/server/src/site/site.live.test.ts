/** Messages about the log to administrators, and about the settings to every open page. The database and the hub are fakes. */

import { settingsRepeatAfter } from '@vexil/core/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Live } from '../http/live.ts'
import { openInProcessBus } from '../ports/bus/in-process.ts'
import { siteLive } from './site.live.ts'

const calls = vi.hoisted(() => [] as number[][])
vi.mock('./logs.queries.ts', () => ({
  listLogsOf: async (_db: unknown, ranges: readonly { from: number; to: number }[]) => {
    calls.push(ranges.map(({ from }) => from))
    await new Promise((later) => setTimeout(later, 20 - (ranges[0]?.from ?? 0)))
    if (ranges[0]?.from === 13) throw new Error('the database is unreachable')
    return ranges
      .flatMap(({ from, to }) => [from, to])
      .map((id) => ({
        id,
        time: new Date(0),
        level: 'Information',
        status: 'Success',
        name: 'Root',
        ip: null,
        message: `entry ${id}`,
      }))
  },
}))

const toAdmins = { hub: '/hub/admin' }
let sent: [unknown, string, { msg?: string }][]
let reported: unknown[]
let listeners: number
let settingsChanged: () => void
let bus: ReturnType<typeof openInProcessBus>
let site: ReturnType<typeof siteLive>
let now = 1234.6
beforeEach(() => {
  ;[sent, reported, listeners] = [[], [], 1]
  calls.length = 0
  const live = {
    send: (...message: [unknown, string, object]) => void sent.push(message),
    count: ({ hub }: { hub: string }) => (hub === '/hub/admin' ? listeners : 0),
    gamesOf: (hub: string) => (hub === '/hub/user' ? [7, 8] : []),
  } as unknown as Live
  bus = openInProcessBus(() => undefined)
  const settings = {
    onChange: (listener: () => void) => {
      settingsChanged = listener
    },
  }
  const deps = { db: {}, bus, settings, versions: { now: () => now }, onError: (error: unknown) => void reported.push(error) }
  site = siteLive(deps as never, live)
})
afterEach(() => {
  site.close()
  vi.useRealTimers()
})

test('log entries are sent to administrators in order; those of one turn share a query, and a failure does not stop the next', async () => {
  const write = (from: number) => bus.publish('log.written', { from, to: from + 1 })
  write(1)
  await expect.poll(() => calls).toEqual([[1]])
  write(13)
  await expect.poll(() => calls).toEqual([[1], [13]])
  for (const from of [3, 5]) write(from)
  await expect.poll(() => sent).toHaveLength(6)
  expect(sent.map(([to, target, { msg }]) => [to, target, msg])).toEqual(
    [1, 2, 3, 4, 5, 6].map((id) => [toAdmins, 'ReceivedLog', `entry ${id}`]),
  )
  expect(calls).toEqual([[1], [13], [3, 5]])
  expect(reported).toEqual([new Error('the database is unreachable')])
})

test('without a listening administrator the log is not read', async () => {
  listeners = 0
  bus.publish('log.written', { from: 13, to: 14 })
  await new Promise((later) => setTimeout(later, 50))
  expect([sent, reported]).toEqual([[], []])
})

test('changed settings are sent to pages outside and inside of games with the time of the database, and once again', () => {
  vi.useFakeTimers()
  const message = [
    [{ hub: '/hub/site' }, 'VexilSettings', { at: 1235 }],
    [{ hub: '/hub/user', game: 7 }, 'VexilSettings', { at: 1235 }],
    [{ hub: '/hub/user', game: 8 }, 'VexilSettings', { at: 1235 }],
  ]
  settingsChanged()
  expect(sent).toEqual(message)
  now = 1234.7
  vi.advanceTimersByTime(15_000)
  settingsChanged()
  vi.advanceTimersByTime(settingsRepeatAfter - 1)
  expect(sent).toEqual([...message, ...message])
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([...message, ...message, ...message])
  settingsChanged()
  site.close()
  vi.advanceTimersByTime(60_000)
  expect(sent).toHaveLength(12)
})

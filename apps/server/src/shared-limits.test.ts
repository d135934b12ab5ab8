/** Limits of several processes: the first process counts for all of them. */
import { hubLimits, rateLimits, uploadLimits } from '@vexil/core/limits'
import { expect, test, vi } from 'vitest'
import type { ConnectionSlot } from './http/connection-slots.ts'
import { type ChannelRequest, openRequestClient, openRequestServer, type RequestClient } from './process-channel.ts'
import { type CountedLimits, countLimits, type Limits, limitHandlers, remoteLimits } from './shared-limits.ts'

/** A worker process as the first process sees it; messages are JSON. */
function further(first: CountedLimits, off = false): { limits: Limits; end(): void; requested(): number } {
  const { answers, lost } = limitHandlers(first)
  const passed = <T>(message: T): T => JSON.parse(JSON.stringify(message)) as T
  let requested = 0
  const client: RequestClient = openRequestClient((requests) => {
    requested += requests.length
    answer(passed(requests))
  })
  const answer = openRequestServer(answers, (answered) => client.receive(passed(answered)))
  return { limits: remoteLimits(client, off), end: lost, requested: () => requested }
}

const codeOf = (error: { code: string; data: { retryAfter: number } }) => `${error.code} ${error.data.retryAfter}`
const outcome = (work: () => unknown) => new Promise((done) => done(work())).then(() => 'passed', codeOf)
const guess = { account: 'ann', network: '10.0.0.1', device: null }
const anna = { actor: { id: 'anna', userName: 'anna', role: 'User' as const }, key: 'anna' }

test('calls of one account are counted together in all processes; those of another account are not', async () => {
  const first = countLimits(false)
  const [second, third] = [further(first).limits, further(first).limits]
  const { size } = rateLimits.submit
  const all = [first, second, third]
  const outcomes = await Promise.all(
    Array.from({ length: size + 6 }, (_, i) => outcome(() => all[i % 3]?.limiter.take('submit', 'anna'))),
  )
  expect(outcomes.filter((one) => one === 'passed')).toHaveLength(size)
  expect(outcomes.filter((one) => one === 'request.too_many 5')).toHaveLength(6)
  expect(await outcome(() => third.limiter.take('submit', 'bert'))).toBe('passed')
})

test('the global limit has one queue for all, and a request returned in one process admits one that waits in another', async () => {
  const first = countLimits(false)
  const [second, third] = [further(first).limits, further(first).limits]
  for (let i = 0; i < rateLimits.global.permits; i++) await (i % 2 ? second : third).limiter.pass('global', 'anna')
  const waiting = outcome(() => second.limiter.pass('global', 'anna'))
  expect(await Promise.race([waiting, outcome(() => third.limiter.pass('global', 'bert'))])).toBe('passed')
  third.limiter.refund('global', 'anna')
  expect(await waiting).toBe('passed')
})

test('wrong passwords are counted together, and a right one returns its guess', async () => {
  const first = countLimits(false)
  const [second, third] = [further(first).limits, further(first).limits]
  for (let i = 0; i < rateLimits.login.size; i++) await (i % 2 ? second : third).signIns.reserve(guess)
  for (const { signIns } of [first, second, third]) {
    expect(await outcome(() => signIns.reserve(guess))).toBe('request.too_many 6')
    expect(await outcome(() => signIns.mustHaveRoom(guess))).toBe('request.too_many 6')
  }
  second.signIns.refund(guess)
  expect(await outcome(() => third.signIns.mustHaveRoom(guess))).toBe('passed')
  for (let i = 0; i < rateLimits.loginTo.size; i++) await second.signIns.reserve({ ...guess, network: `10.1.0.${i}` })
  expect([await third.signIns.isUnderAttack('ann'), await third.signIns.isUnderAttack('ben')]).toEqual([true, false])
})

test('hub slots are counted together, and those of an ended process are free', async () => {
  const first = countLimits(false)
  const [second, third] = [further(first), further(first)]
  const takeAll = async (limits: Limits) => {
    const taken: ConnectionSlot[] = []
    for (let slot = await limits.slots.take(anna); slot; slot = await limits.slots.take(anna)) taken.push(slot)
    return taken
  }
  const [one] = await takeAll(second.limits)
  expect(await takeAll(third.limits)).toEqual([])
  // A completed handshake frees a place among the pending ones, and a connection that ends releases its slot once.
  one?.handshakeDone()
  expect(await takeAll(third.limits)).toHaveLength(1)
  one?.leave()
  one?.leave()
  expect(await takeAll(third.limits)).toEqual([])
  second.end()
  expect(await takeAll(third.limits)).toHaveLength(hubLimits.pendingHandshakesPerAccount - 1)
})

test('a hub slot and an upload slot granted too late, when the caller no longer waits, are free again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const first = countLimits(false)
    const { answers } = limitHandlers(first)
    const late: (readonly ChannelRequest[])[] = []
    const limits = remoteLimits(
      openRequestClient((requests) => void late.push(requests)),
      false,
    )
    const most = uploadLimits.perAccount
    const slots = Array.from({ length: hubLimits.pendingHandshakesPerAccount }, () => outcome(() => limits.slots.take(anna)))
    const places = Array.from({ length: most }, () => outcome(() => limits.uploads('anna', most)))
    await new Promise((done) => setImmediate(done))
    vi.advanceTimersByTime(2000)
    expect(new Set(await Promise.all([...slots, ...places]))).toEqual(new Set(['server.unavailable 1']))
    await new Promise((done) => setImmediate(done))
    // The first process was suspended, and now reads all messages that were sent in the meantime.
    openRequestServer(answers, () => undefined)(late.flat())
    expect(first.slots.take(anna)).not.toBeNull()
    expect(await outcome(() => first.uploads('anna', 1))).toBe('passed')
  } finally {
    vi.useRealTimers()
  }
})

test('uploads of one account are counted together, and those of an ended process are removed', async () => {
  const first = countLimits(false)
  const [second, third] = [further(first), further(first)]
  const most = uploadLimits.perAccount
  const begin = ({ limits }: Pick<typeof second, 'limits'>) => outcome(() => limits.uploads('anna', most))
  const leave = await second.limits.uploads('anna', most)
  for (let i = 1; i < most; i++) expect(await begin(second)).toBe('passed')
  expect(await begin(third)).toBe('request.too_many 5')
  leave()
  expect([await begin(third), await begin(third)]).toEqual(['passed', 'request.too_many 5'])
  second.end()
  expect(await begin(third)).toBe(most > 1 ? 'passed' : 'request.too_many 5')
})

test('without rate limits the first process is only requested for guesses, slots and uploads', async () => {
  const { limits, requested } = further(countLimits(true), true)
  expect(limits.limiter.take('submit', 'anna')).toBeUndefined()
  await limits.limiter.pass('global', 'anna')
  expect(requested()).toBe(0)
  for (let i = 0; i < 50; i++) await limits.signIns.reserve(guess)
  expect(await limits.signIns.isUnderAttack('ann')).toBe(false)
})

import { RuleError } from '@vexil/core/rules'
import { afterEach, expect, test, vi } from 'vitest'
import { RequestError } from './http/request-errors.ts'
import {
  type ChannelAnswers,
  type ChannelRequest,
  openRequestClient,
  openRequestServer,
  type RequestHandlers,
} from './process-channel.ts'

const turn = () => new Promise((done) => setImmediate(done))
/** Copies a message like the channel between processes. */
const passed = <T>(message: T): T => JSON.parse(JSON.stringify(message)) as T

/** An asking and an answering process; messages arrive asynchronously. */
function aChannel(answers: RequestHandlers) {
  const [sent, answered]: [(readonly ChannelRequest[])[], ChannelAnswers[]] = [[], []]
  const answer = openRequestServer(answers, (message) => {
    answered.push(message)
    setImmediate(() => client.receive(passed(message)))
  })
  const client = openRequestClient((message) => {
    sent.push(message)
    setImmediate(() => answer(passed(message)))
  })
  return { client, sent, answered }
}

test('the requests of one turn are one message in order, and the responses of one turn are one too', async () => {
  const received: unknown[] = []
  const { client, sent, answered } = aChannel({ double: (n: number) => 2 * n, note: (text: string) => void received.push(text) })
  client.notify('note', 'first')
  const sums = [1, 2, 3].map((n) => client.request<number>('double', n))
  client.notify('note', 'last')
  expect(await Promise.all(sums)).toEqual([2, 4, 6])
  expect(received).toEqual(['first', 'last'])
  expect(sent.map((requests) => requests.map(([, name, args]) => [name, ...args]))).toEqual([
    [
      ['note', 'first'],
      ['double', 1],
      ['double', 2],
      ['double', 3],
      ['note', 'last'],
    ],
  ])
  // Notifications have no answer.
  expect(answered.map(({ answers }) => answers.map(([, value]) => value))).toEqual([[2, 4, 6]])
  expect(await client.request('double', 4)).toBe(8)
  expect([sent.length, answered.length]).toEqual([2, 2])
})

test('requests are handled in order, and each caller gets its own response, at any time', async () => {
  const looked: string[] = []
  const doors = new Map<string, (value: string) => void>()
  const { client } = aChannel({
    wait(name: string) {
      looked.push(name)
      return new Promise((open) => void doors.set(name, open))
    },
    now(name: string) {
      looked.push(name)
      return `now ${name}`
    },
  })
  const [a, b, c] = [client.request('wait', 'a'), client.request('now', 'b'), client.request('wait', 'c')]
  expect(await b).toBe('now b')
  expect(looked).toEqual(['a', 'b', 'c'])
  doors.get('c')?.('later c')
  expect(await c).toBe('later c')
  doors.get('a')?.('last a')
  expect(await a).toBe('last a')
})

test('a refusal arrives with the same rule and data, whether thrown or rejected; the next request is answered', async () => {
  const { client } = aChannel({
    thrown: () => {
      throw new RequestError('request.too_many', { retryAfter: 7 })
    },
    rejected: async () => {
      throw new RuleError('request.too_many', { retryAfter: 9 })
    },
    fault: () => {
      throw new TypeError('planted')
    },
    nothing: () => undefined,
  })
  const refused = await client.request('thrown').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(RequestError)
  expect(refused).toMatchObject({ code: 'request.too_many', data: { retryAfter: 7 } })
  await expect(client.request('rejected')).rejects.toMatchObject({ code: 'request.too_many', data: { retryAfter: 9 } })
  // An unexpected fault is not a rule, and its message is passed on.
  const fault = await client.request('fault').catch((error: unknown) => error)
  expect([fault instanceof RuleError, String(fault)]).toEqual([false, 'Error: TypeError: planted'])
  expect(await client.request('nothing')).toBeNull()
})

test('when the channel is closed waiting and new requests are refused temporarily, nothing is sent, and no timer is left', async () => {
  fakeTime()
  const { client, sent } = aChannel({ wait: () => new Promise(() => undefined) })
  const waiting = client.request('wait')
  await turn()
  expect(sent).toHaveLength(1)
  client.notify('wait')
  expect(vi.getTimerCount()).toBe(1)
  client.close()
  expect(vi.getTimerCount()).toBe(0)
  for (const answer of [waiting, client.request('wait')])
    await expect(answer).rejects.toMatchObject({ code: 'server.unavailable', data: { retryAfter: 1 } })
  client.notify('wait')
  await turn()
  expect(sent).toHaveLength(1)
})

afterEach(() => {
  vi.useRealTimers()
})
const fakeTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
const state = (answer: Promise<unknown>) => {
  const found = { is: 'waiting' as unknown }
  answer.then(
    (value) => Object.assign(found, { is: value }),
    ({ code }: RuleError) => Object.assign(found, { is: code }),
  )
  return found
}
const semaphore = async () => {
  for (let i = 0; i < 10; i++) await turn()
}

test('a received request can wait for its response without limit; its receipt is one message', async () => {
  fakeTime()
  const open = Promise.withResolvers<string>()
  const { client, answered } = aChannel({ wait: () => open.promise })
  const pending = state(client.request('wait'))
  await semaphore()
  expect(answered).toEqual([{ answers: [], acknowledged: 1 }])
  client.notify('wait')
  vi.advanceTimersByTime(60_000)
  await semaphore()
  expect([pending.is, answered.length]).toEqual(['waiting', 1])
  open.resolve('at last')
  await semaphore()
  expect(pending.is).toBe('at last')
})

test('a request without a receipt is refused after two seconds, each on its own; a late response is ignored', async () => {
  fakeTime()
  const client = openRequestClient(() => undefined)
  const first = state(client.request('pass'))
  vi.advanceTimersByTime(1000)
  const second = state(client.request('pass'))
  vi.advanceTimersByTime(999)
  await semaphore()
  expect([first.is, second.is]).toEqual(['waiting', 'waiting'])
  vi.advanceTimersByTime(1)
  await semaphore()
  expect([first.is, second.is]).toEqual(['server.unavailable', 'waiting'])
  vi.advanceTimersByTime(1000)
  await semaphore()
  expect(second.is).toBe('server.unavailable')
  client.receive({ answers: [[1, 'late']], acknowledged: 2 })
  // The other process works again.
  const third = state(client.request('pass'))
  client.receive({ answers: [[3, 'in time']], acknowledged: 3 })
  await semaphore()
  expect(third.is).toBe('in time')
})

test('a receipt that arrives exactly after the two seconds counts, and a suspended process refuses nothing in that round', async () => {
  fakeTime()
  const client = openRequestClient(() => undefined)
  const pending = state(client.request('pass'))
  vi.advanceTimersByTime(2000)
  client.receive({ answers: [], acknowledged: 1 })
  await semaphore()
  expect(pending.is).toBe('waiting')
  const suspended = state(client.request('pass'))
  // The timer has expired, but the process checks it three seconds later.
  vi.advanceTimersByTime(2000)
  vi.setSystemTime(Date.now() + 3000)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3000)
  await semaphore()
  expect(suspended.is).toBe('waiting')
  vi.restoreAllMocks()
})

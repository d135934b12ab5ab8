import { RuleError } from '@vexil/core/rules'
import { expect, test } from 'vitest'
import { RequestFault } from './http/faults.ts'
import { type Answer, type Answers, openAnswerer, openAsker, type Question } from './process-channel.ts'

const turn = () => new Promise((done) => setImmediate(done))
/** As the channel between processes passes a message on. */
const passed = <T>(message: T): T => JSON.parse(JSON.stringify(message)) as T

/** One process that asks and one that answers; messages cross in their own time. */
function aChannel(answers: Answers) {
  const [asked, answered]: [(readonly Question[])[], (readonly Answer[])[]] = [[], []]
  const answer = openAnswerer(answers, (message) => {
    answered.push(message)
    setImmediate(() => asker.hear(passed(message)))
  })
  const asker = openAsker((message) => {
    asked.push(message)
    setImmediate(() => answer(passed(message)))
  })
  return { asker, asked, answered }
}

test('what is asked in one turn is one message in the order of asking, and what is answered in one turn is one too', async () => {
  const heard: unknown[] = []
  const { asker, asked, answered } = aChannel({ double: (n: number) => 2 * n, note: (text: string) => void heard.push(text) })
  asker.tell('note', 'first')
  const sums = [1, 2, 3].map((n) => asker.ask<number>('double', n))
  asker.tell('note', 'last')
  expect(await Promise.all(sums)).toEqual([2, 4, 6])
  expect(heard).toEqual(['first', 'last'])
  expect(asked.map((questions) => questions.map(([, name, args]) => [name, ...args]))).toEqual([
    [
      ['note', 'first'],
      ['double', 1],
      ['double', 2],
      ['double', 3],
      ['note', 'last'],
    ],
  ])
  // Nobody waits for an answer to what was only told.
  expect(answered.map((message) => message.map(([, value]) => value))).toEqual([[2, 4, 6]])
  expect(await asker.ask('double', 4)).toBe(8)
  expect([asked.length, answered.length]).toEqual([2, 2])
})

test('questions are looked at in the order in which they were asked, and each asker gets its own answer, whenever that comes', async () => {
  const looked: string[] = []
  const doors = new Map<string, (value: string) => void>()
  const { asker } = aChannel({
    wait(name: string) {
      looked.push(name)
      return new Promise((open) => void doors.set(name, open))
    },
    now(name: string) {
      looked.push(name)
      return `now ${name}`
    },
  })
  const [a, b, c] = [asker.ask('wait', 'a'), asker.ask('now', 'b'), asker.ask('wait', 'c')]
  expect(await b).toBe('now b')
  expect(looked).toEqual(['a', 'b', 'c'])
  doors.get('c')?.('later c')
  expect(await c).toBe('later c')
  doors.get('a')?.('last a')
  expect(await a).toBe('last a')
})

test('a refusal arrives as the same rule with its data, whether thrown or rejected; the next question is answered', async () => {
  const { asker } = aChannel({
    thrown: () => {
      throw new RequestFault('request.too_many', { retryAfter: 7 })
    },
    rejected: async () => {
      throw new RuleError('request.too_many', { retryAfter: 9 })
    },
    fault: () => {
      throw new TypeError('planted')
    },
    nothing: () => undefined,
  })
  const refused = await asker.ask('thrown').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(RequestFault)
  expect(refused).toMatchObject({ code: 'request.too_many', data: { retryAfter: 7 } })
  await expect(asker.ask('rejected')).rejects.toMatchObject({ code: 'request.too_many', data: { retryAfter: 9 } })
  // What nobody expected is no rule, and says what it was.
  const fault = await asker.ask('fault').catch((error: unknown) => error)
  expect([fault instanceof RuleError, String(fault)]).toEqual([false, 'Error: TypeError: planted'])
  expect(await asker.ask('nothing')).toBeNull()
})

test('when the channel is closed everybody who waits and everybody who comes is refused for a moment, and nothing is sent', async () => {
  const { asker, asked } = aChannel({ wait: () => new Promise(() => undefined) })
  const waiting = asker.ask('wait')
  await turn()
  expect(asked).toHaveLength(1)
  asker.tell('wait')
  asker.close()
  for (const answer of [waiting, asker.ask('wait')])
    await expect(answer).rejects.toMatchObject({ code: 'server.unavailable', data: { retryAfter: 1 } })
  asker.tell('wait')
  await turn()
  expect(asked).toHaveLength(1)
})

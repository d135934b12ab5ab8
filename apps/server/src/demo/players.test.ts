import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { demoTeams } from './cast.ts'
import { liveAnswers, startPlayers } from './players.ts'
import { allDemoChallenges } from './text-challenges.ts'

/** The demo is that many times as fast. */
const speed = 1000
const { teams, spare } = demoTeams(1)
const login = { name: teams[0]!.members[0]!, password: 'x' }
const seeded = { gameId: 1, teams, challengeIds: allDemoChallenges.map((_, at) => at), closed: 3, solved: new Set<string>() }

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serveWith(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function play(address: string, pace = speed) {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const solved = new Set<string>()
  const start = { address, seeded: { ...seeded, solved }, logins: { administrator: login, player: login }, seed: 1 }
  return { errors, stop: startPlayers({ ...start, speed: pace, onError }) }
}

test('players who are refused do not stop the others, and wait when a rate limit is reached', async () => {
  interface Sent {
    readonly cookie: string | undefined
    readonly path: string
    readonly flag: string
    readonly from: string
    /** Milliseconds of the demo after its start. */
    readonly at: number
  }
  const answers: Sent[] = []
  const signedIn: string[] = []
  /** The calls of the team that joins late and of the organiser, with the minutes of the demo after its start. */
  const others: { readonly from: string; readonly call: unknown; readonly minutes: number }[] = []
  /** Statuses of the first two attempts of the first answer: rate limit reached, then platform busy. */
  const refusals = [429, 503]
  const limited: Sent[] = []
  let begunAt = 0
  const address = await serveWith(async (request, response) => {
    const at = (performance.now() - begunAt) * speed
    let body = ''
    for await (const chunk of request) body += chunk
    const { url = '', method, headers } = request
    const from = String(headers['x-forwarded-for'])
    if (method !== 'POST' || !/\/challenges\/\d+$/.test(url)) {
      const sent = body === '' ? null : JSON.parse(body)
      if (sent?.userName) response.setHeader('set-cookie', `session=${encodeURIComponent(sent.userName)}; Path=/`)
      if (/^198\.51\.100\.2[02]0$/.test(from)) others.push({ from, call: [method, url, sent], minutes: at / 60_000 })
      else if (url === '/api/account/login') signedIn.push(sent.userName)
      return void response.end('{"context":{"url":null},"hints":["first"],"id":7}')
    }
    const sent = { cookie: headers.cookie, path: url, flag: JSON.parse(body).flag, from, at }
    const refusal = refusals.shift()
    if (refusal !== undefined) {
      limited.push(sent)
      return void response.writeHead(refusal, { 'retry-after': '0.05' }).end()
    }
    answers.push(sent)
    response.writeHead(answers.length % 2 ? 404 : 200).end()
  })
  begunAt = performance.now()
  const { errors, stop } = play(address)
  let count = Number.NaN
  try {
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThan(8)
    await expect.poll(() => others.length, { timeout: 30_000 }).toBe(8)
  } finally {
    count = answers.length
    await stop()
  }
  // One may have been on its way.
  expect([errors, answers.length - count <= 1]).toEqual([[], true])
  const { at: firstAt, ...first } = answers[0]!
  expect(limited).toEqual([1, 2].map(() => ({ ...first, at: expect.any(Number) })))
  /** Timers may be this early, in milliseconds. */
  const early = 5
  expect(firstAt - limited[0]!.at).toBeGreaterThan((2 * 50 - early) * speed)

  const planned = liveAnswers({ seeded: { ...seeded, solved: new Set() }, seed: 1, visitor: login.name, from: 0 })
  for (const [number, { at, cookie, from, path, flag }] of answers.entries()) {
    const plan = planned.next().value!
    expect(at).toBeGreaterThan(plan.at - early * (number + 1) * speed)
    expect([cookie, from, path, flag]).toEqual([
      `session=${encodeURIComponent(teams[plan.team]!.members[plan.member]!)}`,
      `198.51.100.${plan.team + 1}`,
      `/api/game/1/challenges/${plan.challenge}`,
      plan.wrong ?? allDemoChallenges[plan.challenge]!.flags[0],
    ])
  }
  // Each player signs in once.
  expect(new Set(signedIn).size).toBe(signedIn.length)
  expect(answers.length).toBeGreaterThan(signedIn.length)

  const late = spare[0]
  const callsOf: Record<string, readonly (readonly [earliest: number, method: string, path: string, body: unknown])[]> = {
    '198.51.100.200': [
      [2, 'POST', '/api/account/register', { userName: late, password: 'x', email: `${late}@example.org` }],
      [2 + 1 / 3, 'POST', '/api/team', { name: 'Last Ferry', bio: expect.any(String) }],
      [2 + 7 / 12, 'POST', '/api/game/1', { teamId: 7, organization: 'Open' }],
    ],
    '198.51.100.220': [
      [3, 'POST', '/api/account/login', { userName: login.name, password: 'x' }],
      [3, 'POST', '/api/edit/games/1/notices', { content: expect.any(String) }],
      [4.5, 'PUT', '/api/edit/games/1/challenges/3', { isEnabled: true }],
      [13.5, 'GET', '/api/edit/games/1/challenges/3', null],
      [13.5, 'PUT', '/api/edit/games/1/challenges/3', { hints: ['first', expect.any(String)] }],
    ],
  }
  for (const [address, expected] of Object.entries(callsOf)) {
    const sent = others.filter(({ from }) => from === address)
    expect(sent.map(({ call }) => call)).toEqual(expected.map(([, ...call]) => call))
    for (const [at, { minutes }] of sent.entries())
      expect(minutes).toBeGreaterThan(expected[at]![0] - (3 * early * speed) / 60_000)
  }
})

test('a stop ends pauses, calls without an answer and waits for a rate limit', async () => {
  let open = 0
  const address = await serveWith((request, response) => {
    open++
    // The organiser must wait an hour; the others get no answer.
    if (request.headers['x-forwarded-for'] === '198.51.100.220') response.writeHead(429, { 'retry-after': '3600' }).end()
  })
  const waiting = play(address)
  const pausing = play(address, 0.001)
  await expect.poll(() => open, { timeout: 30_000 }).toBe(3)
  await Promise.all([waiting.stop(), pausing.stop()])
  expect([...waiting.errors, ...pausing.errors]).toEqual([])
})

test('an error other than a refusal is reported, once for each of the simulated parties', async () => {
  const address = await serveWith((request) => request.socket.destroy())
  const { errors, stop } = play(address)
  await expect.poll(() => errors.length, { timeout: 30_000 }).toBe(3)
  await stop()
  expect(errors).toEqual(Array(3).fill(expect.any(TypeError)))
})

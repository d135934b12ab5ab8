import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { demoTeams } from './cast.ts'
import { startPlayers } from './players.ts'
import { allDemoChallenges } from './text-challenges.ts'

/** The demo is that many times as fast. */
const speed = 1000

test('players who are refused do not stop the others, and wait when a rate limit is reached', async () => {
  const { teams } = demoTeams(1)
  interface Sent {
    readonly cookie: string | undefined
    readonly path: string
    readonly flag: string
    readonly from: string
  }
  const answers: Sent[] = []
  /** The calls of the team that joins late and of the organiser. */
  const others: unknown[] = []
  /** Statuses of the first two attempts of the first answer: rate limit reached, then platform busy. */
  const refusals = [429, 503]
  const limited: Sent[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { url = '', method, headers } = request
    if (method !== 'POST' || !/\/challenges\/\d+$/.test(url)) {
      const { userName } = body === '' ? {} : JSON.parse(body)
      if (userName) response.setHeader('set-cookie', `session=${encodeURIComponent(userName)}; Path=/`)
      if (/^198\.51\.100\.2[02]0$/.test(String(headers['x-forwarded-for'])))
        others.push([method, url, body === '' ? null : JSON.parse(body)])
      return void response.end('{"context":{"url":null},"hints":["first"],"id":7}')
    }
    const sent = { cookie: headers.cookie, path: url, flag: JSON.parse(body).flag, from: String(headers['x-forwarded-for']) }
    const refusal = refusals.shift()
    if (refusal !== undefined) {
      limited.push(sent)
      return void response.writeHead(refusal, { 'retry-after': '0' }).end()
    }
    answers.push(sent)
    response.writeHead(answers.length % 2 ? 404 : 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const login = { name: teams[0]!.members[0]!, password: 'x' }
  const errors: unknown[] = []
  const stop = startPlayers({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seeded: { gameId: 1, teams, challengeIds: allDemoChallenges.map((_, at) => at), closed: 3, solved: new Set() },
    logins: { administrator: login, player: login },
    seed: 1,
    speed,
    onError: (error) => errors.push(error),
  })
  let count = Number.NaN
  try {
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThan(4)
    await expect.poll(() => others.length, { timeout: 30_000 }).toBe(8)
  } finally {
    count = answers.length
    await stop()
    server.closeAllConnections()
    server.close()
  }
  // One may have been on its way.
  expect([errors, answers.length - count <= 1]).toEqual([[], true])
  expect(limited).toEqual([answers[0], answers[0]])
  const players = new Set(teams.flatMap(({ members }) => members).map((name) => `session=${encodeURIComponent(name)}`))
  for (const { cookie, from } of answers)
    expect([players.has(cookie ?? ''), from]).toEqual([true, expect.stringMatching(/^198\.51\.100\./)])
  const late = demoTeams(1).spare[0]
  for (const call of [
    ['POST', '/api/account/register', { userName: late, password: 'x', email: `${late}@example.org` }],
    ['POST', '/api/team', expect.objectContaining({ name: 'Last Ferry' })],
    ['POST', '/api/game/1', { teamId: 7, organization: 'Open' }],
    ['POST', '/api/account/login', { userName: login.name, password: 'x' }],
    ['POST', '/api/edit/games/1/notices', { content: expect.any(String) }],
    ['PUT', '/api/edit/games/1/challenges/3', { isEnabled: true }],
    ['GET', '/api/edit/games/1/challenges/3', null],
    ['PUT', '/api/edit/games/1/challenges/3', { hints: ['first', expect.any(String)] }],
  ])
    expect(others).toContainEqual(call)
})

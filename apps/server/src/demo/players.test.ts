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
  let limited: Sent | null = null
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { url = '', method, headers } = request
    if (method !== 'POST' || !/\/challenges\/\d+$/.test(url)) {
      const { userName } = body === '' ? {} : JSON.parse(body)
      if (userName) response.setHeader('set-cookie', `session=${encodeURIComponent(userName)}; Path=/`)
      return void response.end('{"context":{"url":null},"hints":[]}')
    }
    const sent = { cookie: headers.cookie, path: url, flag: JSON.parse(body).flag, from: String(headers['x-forwarded-for']) }
    if (!limited) {
      limited = sent
      return void response.writeHead(429, { 'retry-after': '0' }).end()
    }
    answers.push(sent)
    response.writeHead(answers.length % 2 ? 404 : 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const login = { name: teams[0]!.members[0]!, password: 'x' }
  const errors: unknown[] = []
  const stop = startPlayers({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seeded: { gameId: 1, teams, challengeIds: allDemoChallenges.map((_, at) => at), closed: null, solved: new Set() },
    logins: { administrator: login, player: login },
    seed: 1,
    speed,
    onError: (error) => errors.push(error),
  })
  let count = Number.NaN
  try {
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThan(4)
  } finally {
    count = answers.length
    await stop()
    server.closeAllConnections()
    server.close()
  }
  // One may have been on its way.
  expect([errors, answers.length - count <= 1]).toEqual([[], true])
  expect(answers[0]).toEqual(limited)
  const players = new Set(teams.flatMap(({ members }) => members).map((name) => `session=${encodeURIComponent(name)}`))
  for (const { cookie, from } of answers)
    expect([players.has(cookie ?? ''), from]).toEqual([true, expect.stringMatching(/^198\.51\.100\./)])
})

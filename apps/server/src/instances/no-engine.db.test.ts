import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { challengeTypes, hasContainer } from '@vexil/core/vocabulary'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())

const guid = '00000000-0000-7000-8000-000000000000'

/** Error codes of create, extend and destroy. */
async function codesOf(call: Caller, game: number, challenge: number) {
  const path = `/api/game/${game}/container/${challenge}`
  return [
    (await call.post(path)).error.code,
    (await call.post(`${path}/extend`)).error.code,
    (await call.delete(path)).error.code,
  ]
}

test('without an engine a container challenge reports that containers are unavailable; other types have no container', async () => {
  const game = await aGame(platform.db)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const call = await platform.as(team.captain)
  for (const type of challengeTypes) {
    const challenge = await aChallenge(platform.db, game, { type, containerImage: 'image' })
    expect(await codesOf(call, game, challenge)).toEqual(
      hasContainer(type)
        ? ['container.unavailable', 'container.none', 'container.none']
        : ['challenge.no_container', 'challenge.no_container', 'challenge.no_container'],
    )
  }
})

test('access is checked before every container call', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer' })
  const off = await aChallenge(platform.db, game, { type: 'StaticContainer', enabled: false })
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, game, team, { status: 'Pending' })
  const call = await platform.as(team.captain)
  const all = (code: string) => [code, code, code]
  expect(await codesOf(platform.anyone, game, challenge)).toEqual(all('auth.required'))
  expect(await codesOf(call, 999_999, challenge)).toEqual(all('game.not_found'))
  expect(await codesOf(admin, game, challenge)).toEqual(all('participation.none'))
  expect(await codesOf(call, game, challenge)).toEqual(all('participation.not_accepted'))
  await admin.put(`/api/admin/participation/${participation}/Accepted`)
  for (const id of [off, 0, 999_999]) expect(await codesOf(call, game, id)).toEqual(all('challenge.not_found'))
  await platform.db
    .updateTable('games')
    .set({ endsAt: new Date(Date.now() - 1000), practiceMode: false })
    .where('id', '=', game)
    .execute()
  expect(await codesOf(call, game, challenge)).toEqual(all('game.ended'))
})

test('P7.56 P3.23 a test container requires a container type and an image, then an engine', async () => {
  const game = await aGame(platform.db)
  const make = (options: Parameters<typeof aChallenge>[2]) => aChallenge(platform.db, game, options)
  const path = (challenge: number, of = game) => `/api/edit/games/${of}/challenges/${challenge}/container`
  const code = async (url: string) => (await admin.post(url)).error.code
  const whole = await make({ type: 'StaticContainer', containerImage: 'image' })
  expect(await code(path(whole, 999_999))).toBe('game.not_found')
  expect(await code(path(999_999))).toBe('challenge.not_found')
  expect(await code(path(await make({})))).toBe('challenge.no_container')
  expect(await code(path(await make({ type: 'DynamicContainer' })))).toBe('challenge.image_missing')
  expect(await code(path(whole))).toBe('container.unavailable')
  expect(await admin.delete(path(whole))).toMatchObject({ status: 200, body: '' })
  expect((await admin.delete(path(999_999))).status).toBe(404)
})

test('P6.9 without an engine administrators see no instances, and a destruction returns 404', async () => {
  expect((await admin.get('/api/admin/engine')).body).toMatchObject({ kind: 'None', state: 'none', version: null })
  expect(await admin.get('/api/admin/instances')).toMatchObject({ status: 200, body: { data: [], length: 0, total: 0 } })
  expect(await admin.delete(`/api/admin/instances/${guid}`)).toMatchObject({
    status: 404,
    error: { status: 404, code: 'instance.not_found' },
  })
  expect((await admin.delete('/api/admin/instances/7')).status).toBe(404)
})

test('the team’s instances: an unknown game, no participation, then a list', async () => {
  const game = await aGame(platform.db)
  const team = await aTeam(platform.db)
  const call = await platform.as(team.captain)
  expect(await call.get('/api/game/999999/instances')).toMatchObject({ status: 404, error: { code: 'game.not_found' } })
  expect(await call.get(`/api/game/${game}/instances`)).toMatchObject({ status: 400, error: { code: 'participation.none' } })
  await aParticipation(platform.db, game, team)
  expect(await call.get(`/api/game/${game}/instances`)).toMatchObject({ status: 200, body: [] })
})

test('P7.100 P7.101 the platform proxy is off, with and without an upgrade to a WebSocket', async () => {
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = platform.app.server.address() as AddressInfo
  for (const path of [`/api/proxy/${guid}`, `/api/proxy/noinst/${guid}`]) {
    expect(await platform.anyone.get(path)).toMatchObject({ status: 400, error: { status: 400, code: 'proxy.off' } })
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    socket.on('error', () => {})
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    expect([answer.statusCode, ((await json(answer)) as { code: string }).code]).toEqual([400, 'proxy.off'])
    socket.terminate()
  }
  expect((await platform.anyone.get('/api/proxy/7')).status).toBe(404)
})

test('P7.88 P7.89 P7.93 captures list the challenges with capture enabled; no traffic exists', async () => {
  const game = await aGame(platform.db)
  const on = await aChallenge(platform.db, game, {
    type: 'DynamicContainer',
    captureTraffic: true,
    title: 'On',
    category: 'Pwn',
    enabled: false,
  })
  await aChallenge(platform.db, game, { type: 'StaticContainer' })
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  expect(await monitor.get(`/api/game/games/${game}/captures`)).toMatchObject({
    status: 200,
    body: [{ id: on, title: 'On', category: 'Pwn', type: 'DynamicContainer', isEnabled: false, count: 0 }],
  })
  expect((await monitor.get('/api/game/games/999999/captures')).body).toEqual([])
  const none = { status: 404, error: { status: 404, code: 'capture.not_found' } }
  const noFile = { status: 404, error: { status: 400, code: 'capture.file_not_found' } }
  const path = `/api/game/captures/${on}`
  expect(await monitor.get(path)).toMatchObject(none)
  expect(await monitor.get(`${path}/1`)).toMatchObject(none)
  expect(await monitor.get(`${path}/1/all`)).toMatchObject(none)
  expect(await monitor.delete(`${path}/1/all`)).toMatchObject(none)
  for (const file of ['a.pcap', 'a.txt', '..%2F..%2Fsecret-key', '%2e%2e%2fa.pcap']) {
    expect(await monitor.get(`${path}/1/${file}`)).toMatchObject(noFile)
    expect(await monitor.delete(`${path}/1/${file}`)).toMatchObject(noFile)
  }
  const player = await platform.as(await anAccount(platform.db))
  expect((await player.get(`/api/game/games/${game}/captures`)).status).toBe(403)
})

test('P7.89 the captured traffic of a challenge is listed by team, in order, with the number of files', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', captureTraffic: true })
  const teams = await Promise.all(['Red', 'Blue', 'Green'].map((name) => aTeam(platform.db, { name })))
  const avatarHash = await aFile(platform.db)
  await platform.db.updateTable('teams').set({ avatarHash }).where('id', '=', teams[0]!.id).execute()
  const participations: number[] = []
  for (const team of teams) participations.push(await aParticipation(platform.db, game, team, { division: `D${team.id}` }))
  for (const at of [1, 0]) {
    const folder = join(platform.dataDir, 'capture', String(challenge), String(participations[at]))
    mkdirSync(folder, { recursive: true })
    for (let i = 0; i <= at; i++) writeFileSync(join(folder, `${i}.pcap`), 'x')
  }
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
  const listed = (at: number, name: string, avatar: string | null, count: number) => {
    const { id: teamId } = teams[at]!
    return { id: participations[at], teamId, name, organization: `D${teamId}`, avatar, count }
  }
  expect((await monitor.get(`/api/game/captures/${challenge}`)).body).toEqual([
    listed(0, 'Red', `/assets/${avatarHash}/avatar`, 1),
    listed(1, 'Blue', null, 2),
  ])
  const [{ count }] = (await monitor.get(`/api/game/games/${game}/captures`)).body
  expect(count).toBe(2)
})

test('an engine that is known to be unreachable is not asked again for each start, and the start is refused immediately', async () => {
  const calls: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      calls.push(bytes.toString().split(' ')[1] ?? '')
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const away = await startTestPlatform({ VEXIL_CONTAINER_PROVIDER: 'Docker', VEXIL_DOCKER_HOST: `tcp://127.0.0.1:${port}` })
  try {
    await anAccount(away.db, { role: 'Admin' })
    const game = await aGame(away.db)
    const challenge = await aChallenge(away.db, game, { type: 'StaticContainer', containerImage: 'echo' })
    const start = async () => {
      const team = await aTeam(away.db)
      await aParticipation(away.db, game, team)
      return (await (await away.as(team.captain)).post(`/api/game/${game}/container/${challenge}`)).error.code
    }
    expect(await start()).toBe('container.engine_unreachable')
    await expect.poll(() => calls).toContain('/_ping')
    calls.length = 0
    expect([await start(), await start()]).toEqual(['container.engine_unreachable', 'container.engine_unreachable'])
    expect(calls.filter((path) => path !== '/_ping')).toEqual([])
  } finally {
    await away.stop()
    server.close()
  }
})

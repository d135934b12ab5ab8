/** The demo as an operator starts it, and its two challenges with containers, on a real Docker engine: they start, and each can be solved. */
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { dockerApi, dockerHost, dockerOptions } from '../../test/docker.ts'
import { startsIn } from '../../test/launch.ts'
import { startTestPlatform } from '../../test/platform.ts'
import { openDocker } from '../ports/engine/docker/docker.ts'
import { containerProblem, makeDemoImages, offerContainers } from './demo-containers.ts'
import { withDemoFiles } from './game.ts'

const hour = 3_600_000
const { folder, launch } = startsIn()
const main = join(import.meta.dirname, 'main.ts')
/** Names of the images of the demo on the engine. */
const imagesLeft = async () =>
  (await dockerApi().call<{ RepoTags: string[] | null }[]>('GET', '/images/json'))
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((name) => name.startsWith('vexil-demo/'))

test('a bad option of the demo is reported', async () => {
  const problemOf = async (...options: string[]) => {
    const { code, err } = await (await launch({}, [], undefined, [main, ...options])).ended
    return [code, err]
  }
  expect(await Promise.all([problemOf('--speed', '0'), problemOf('--seed', '1.5')])).toEqual([
    [2, '--speed is a number above 0, such as 5.\n'],
    [2, '--seed is a whole number.\n'],
  ])
})

test('the demo starts beside another program on its port, its accounts sign in, its players play, and it leaves nothing', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as AddressInfo
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const env = {
    ...{
      HOST: '127.0.0.1',
      PORT: String(port),
      TMPDIR: temporary,
      VEXIL_DOCKER_HOST: dockerHost ?? 'unix:///nowhere/docker.sock',
    },
    VEXIL_DOCKER_SUBNETS: dockerOptions().subnets,
  }
  const { child, output, ended } = await launch(env, [], undefined, [main, '--speed', '1000'])
  interface Start {
    readonly address: string
    readonly gameId: number
    readonly containers: boolean
    readonly logins: Record<string, { readonly name: string; readonly password: string }>
  }
  const started = new Promise<Start>((resolve) => {
    child.on('message', (message: object) => 'address' in message && resolve(message as Start))
  })
  const demo = await Promise.race([started, ended.then(({ err }) => Promise.reject(new Error(err)))])
  try {
    const { address, gameId, containers, logins } = demo
    expect(containers).toBe(dockerHost !== null)
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(address).not.toContain(`:${port}`)
    expect(output.out).toContain(`Address         ${address}`)
    expect(output.out).toMatch(
      dockerHost ? /Containers {6}Bilge Pump and Harbour Log/ : /Containers {6}none, since no Docker engine/,
    )
    const post = (path: string, body: unknown) =>
      fetch(address + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    expect(Object.keys(logins)).toEqual(['administrator', 'monitor', 'player'])
    for (const [role, { name, password }] of Object.entries(logins)) {
      expect(output.out.toLowerCase()).toMatch(new RegExp(`${role} +${name.toLowerCase()} {2}${password}`))
      expect((await post('/api/account/login', { userName: name, password })).status).toBe(200)
    }
    for (const role of ['player', 'organiser', 'monitor']) expect((await post('/api/demo/session', { role })).status).toBe(200)
    const read = async (path: string) => (await fetch(address + path)).json()
    expect(await read('/api/config')).toMatchObject({ title: 'Harbour', isDemo: true })
    const notices = async () => (await read(`/api/game/${gameId}/notices`)) as { type: string; values: string[] }[]
    const blood = { type: 'FirstBlood', values: [expect.any(String), 'Winding Stairs'] }
    await expect.poll(notices, { timeout: 60_000 }).toContainEqual(expect.objectContaining(blood))
  } finally {
    child.kill('SIGTERM')
    blocker.close()
  }
  expect(await ended).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(temporary)).toEqual([])
  if (dockerHost) expect(await imagesLeft()).toEqual([])
}, 120_000)

test('without an engine the demo reports what to install', async () => {
  expect(await containerProblem('unix:///nowhere/docker.sock')).toMatch(/no Docker engine answers at unix:.*install docker.io/)
})

test.skipIf(dockerHost === null)('without a static busybox it reports that', async () => {
  expect(await containerProblem(dockerHost!, '/bin/sh')).toContain('busybox-static')
  expect(await containerProblem(dockerHost!)).toBeNull()
})

/** The answer of a port to these bytes. */
const answerOf = (port: number, bytes: Buffer) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let output = ''
    socket.on('data', (part) => {
      if (output === '') socket.write(bytes)
      output += part
    })
    socket.on('end', () => resolve(output)).on('error', reject)
  })

test.skipIf(dockerHost === null)(
  'with one, both container challenges are solvable, and the images are removed with the demo',
  async () => {
    const remove = await makeDemoImages(dockerHost!)
    const options = dockerOptions({ published: true })
    const engine = await openDocker(options)
    const platform = await startTestPlatform(
      { VEXIL_CONTAINER_ENTRY: '127.0.0.1', VEXIL_DOCKER_SUBNETS: options.subnets },
      engine,
    )
    try {
      const now = Date.now()
      const times = { startsAt: new Date(now - hour), endsAt: new Date(now + hour) }
      await anAccount(platform.db, { role: 'Admin' })
      const game = await withDemoFiles(platform.deps, (_tx, makeGame) => makeGame(times))
      await aChallenge(platform.db, await aGame(platform.db), { title: 'Bilge Pump', type: 'DynamicContainer' })
      const changed: number[] = []
      platform.deps.bus.subscribe('game.changed', ({ gameId }) => void changed.push(gameId))
      await offerContainers(platform.deps, game)
      await expect.poll(() => changed).toEqual([game])
      const offered = platform.db.selectFrom('challenges').select(['title', 'gameId', 'captureTraffic'])
      expect(await offered.where('containerImage', 'like', 'vexil-demo/%').orderBy('id').execute()).toEqual([
        { title: 'Bilge Pump', gameId: game, captureTraffic: true },
        { title: 'Harbour Log', gameId: game, captureTraffic: false },
      ])
      const player = await anAccount(platform.db)
      const team = await aTeam(platform.db, { members: [player] })
      await aParticipation(platform.db, game, team)
      const call = await platform.as(player)
      const numberOf = async (title: string) =>
        (
          await platform.db
            .selectFrom('challenges')
            .select('id')
            .where('title', '=', title)
            .where('gameId', '=', game)
            .executeTakeFirstOrThrow()
        ).id
      const solve = async (title: string, flagOf: (port: number) => Promise<string>) => {
        const id = await numberOf(title)
        const { status, body } = await call.post(`/api/game/${game}/container/${id}`)
        expect([status, body.title]).toEqual([200, undefined])
        const [flag] = /tide\{\w+\}/.exec(await flagOf(Number(String(body.entry).split(':')[1]))) ?? ['none']
        const submission = (await call.post(`/api/game/${game}/challenges/${id}`, { flag })).body
        expect((await call.get(`/api/game/${game}/challenges/${id}/status/${submission}`)).body).toBe('Accepted')
      }
      await solve('Bilge Pump', async (port) => {
        expect(await answerOf(port, Buffer.from('hello\n'))).toContain('stays shut')
        return answerOf(port, Buffer.from([...Buffer.alloc(32, 'A'), 0xea, 0x05, 0x0a]))
      })
      await solve('Harbour Log', async (port) => {
        const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
        expect(await read('/')).toContain('Harbour log')
        expect(await read('/cgi-bin/day?monday')).toContain('Fog')
        return read('/cgi-bin/day?../../safe')
      })
    } finally {
      await Promise.all((await engine.list()).map(({ id }) => engine.destroy(id)))
      await platform.stop()
      await remove()
    }
    expect(await imagesLeft()).toEqual([])
  },
  120_000,
)

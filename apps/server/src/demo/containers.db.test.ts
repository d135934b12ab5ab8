/** The two challenges of the demo with containers, on a real Docker engine: they start, and each can be solved. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { dockerApi, dockerHost, dockerOptions } from '../../test/docker.ts'
import { startTestPlatform } from '../../test/platform.ts'
import { openDocker } from '../ports/engine/docker/docker.ts'
import { containerProblem, makeDemoImages, offerContainers } from './demo-containers.ts'
import { withDemoFiles } from './game.ts'

const hour = 3_600_000

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
      await offerContainers(platform.deps, game)
      const player = await anAccount(platform.db)
      const team = await aTeam(platform.db, { members: [player] })
      await aParticipation(platform.db, game, team)
      const call = await platform.as(player)
      const numberOf = async (title: string) =>
        (await platform.db.selectFrom('challenges').select('id').where('title', '=', title).executeTakeFirstOrThrow()).id
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
    const left = await dockerApi().call<{ RepoTags: string[] | null }[]>('GET', '/images/json')
    expect(left.flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.startsWith('vexil-demo/'))).toEqual([])
  },
)

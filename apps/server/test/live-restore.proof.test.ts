/** A restart of the Docker engine of the tests, with and without `"live-restore": true`. Only one that scripts/docker-engine.mjs started is restarted. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { clear, dockerApi, dockerHost, dockerOptions, images, makeImages } from './docker.ts'
import { talkTo } from './engine.suite.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

const folder = dirname((dockerHost ?? '').replace('unix://', ''))
const file = (name: string) => join(folder, name)
const isOurs = existsSync(file('daemon.json')) && existsSync(file('pid'))
const instances = 3

const enginePid = () => Number(readFileSync(file('pid'), 'utf8'))
const isThere = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

/** Changes the setting as an operator does, then restarts the engine with the same arguments. */
async function restart(liveRestore: boolean): Promise<void> {
  const pid = enginePid()
  const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  writeFileSync(file('daemon.json'), JSON.stringify({ 'live-restore': liveRestore }))
  process.kill(pid, 'SIGHUP')
  const api = dockerApi()
  const setting = async () => (await api.call<{ LiveRestoreEnabled: boolean }>('GET', '/info')).LiveRestoreEnabled
  await expect.poll(setting, { timeout: 20_000 }).toBe(liveRestore)
  process.kill(pid, 'SIGTERM')
  await expect.poll(() => isThere(pid), { timeout: 60_000 }).toBe(false)
  spawn(program, args, {
    cwd: '/',
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` },
  }).unref()
  await expect.poll(() => api.ping().then(() => 'answers', String), { timeout: 60_000, interval: 200 }).toBe('answers')
}

describe.skipIf(!isOurs)('a restart of the Docker engine', () => {
  let platform: TestPlatform
  beforeAll(async () => {
    await makeImages(dockerApi())
    platform = await startTestPlatform({
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_DOCKER_HOST: dockerHost ?? '',
      VEXIL_DOCKER_SUBNETS: dockerOptions().subnets,
      VEXIL_CONTAINER_PORTS: 'PlatformProxy',
    })
    await anAccount(platform.db, { role: 'Admin' })
  }, 60_000)
  afterAll(async () => {
    await clear(platform.deps.engine)
    await platform.stop()
  })

  const rows = () =>
    platform.db.selectFrom('containers').select(['id', 'state', 'endedBy', 'engineId', 'host', 'port']).orderBy('id').execute()
  const logged = async () => {
    await platform.deps.log.flush()
    const found = await platform.db.selectFrom('logs').select('message').where('message', 'like', '%restarted%').execute()
    return found.map(({ message }) => message)
  }
  /** For some seconds the platform assumes that the engine is unreachable. */
  const sweep = () =>
    expect
      .poll(() => platform.deps.engine.list().then(() => 'listed', String), { timeout: 30_000 })
      .toBe('listed')
      .then(() => platform.instances.sweep())

  test('with live-restore the instances run on at their addresses; without it all end, with one line in the log', async () => {
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game, {
      type: 'DynamicContainer',
      containerImage: images.echo,
      exposePort: 7000,
      flagTemplate: 'flag{[GUID]}',
    })
    for (let i = 0; i < instances; i++) {
      const team = await aTeam(platform.db)
      await aParticipation(platform.db, game, team)
      expect((await (await platform.as(team.captain)).post(`/api/game/${game}/container/${challenge}`)).status).toBe(200)
    }
    const before = await rows()
    const say = () => Promise.all(before.map(({ host, port }) => talkTo({ host: host!, port: port! })))
    const flags = await say()
    expect([before.length, new Set(flags).size]).toEqual([instances, instances])

    await restart(true)
    await sweep()
    expect([await rows(), await say(), await logged()]).toEqual([before, flags, []])

    await restart(false)
    await sweep()
    expect((await rows()).map(({ state, endedBy }) => `${state} ${endedBy}`)).toEqual(Array(instances).fill('Ended engine'))
    expect(await platform.deps.engine.list()).toEqual([])
    await platform.instances.sweep()
    expect(await logged()).toEqual([`The container engine was restarted: ${instances} instances ended`])
  }, 300_000)
})

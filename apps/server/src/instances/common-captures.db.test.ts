/** Captured traffic of two nodes with one database, and one folder or bucket. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type BucketServer, bucketSettings, startBucket } from '../../test/bucket-server.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { readPcap, tcpFlags } from '../../test/pcap.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { listZip } from '../../test/zip.ts'
import { startSession } from '../accounts/sessions.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { cookieName } from '../http/session-cookie.ts'
import { openCapture } from './capture.ts'
import { captureFolder } from './captures.ts'

const root = mkdtempSync(join(tmpdir(), 'vexil-common-captures-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe.each(['folder', 'bucket'] as const)('captures of two nodes that share a %s', (kind) => {
  const shared = join(root, kind)
  const dataOfSecond = join(root, `second of ${kind}`)
  let server: BucketServer | undefined
  let settings: Record<string, string>
  let first: TestPlatform
  let second: App
  let cookie: string
  async function openSecond(): Promise<App> {
    const config = readConfig({
      DATA_DIR: dataOfSecond,
      DISABLE_RATE_LIMIT: 'true',
      LOG_LEVEL: 'error',
      SECRET_KEY: 'test secret key of 32 characters',
      ...settings,
    })
    const app = await buildApp({ config, database: first.database, printLine: () => {} })
    await app.app.ready()
    return app
  }
  beforeAll(async () => {
    mkdirSync(shared)
    mkdirSync(dataOfSecond)
    if (kind === 'bucket') server = await startBucket(shared)
    settings = server ? bucketSettings(server.port) : { VEXIL_FILES_DIR: shared }
    first = await startTestPlatform(settings)
    second = await openSecond()
    cookie = `${cookieName}=${await startSession(first.db, await anAccount(first.db, { role: 'Admin' }))}`
  })
  afterAll(async () => {
    await second.close()
    await first.stop()
    await server?.close()
  })

  const ask = async (node: App, url: string, method: 'GET' | 'DELETE' = 'GET') => {
    const { statusCode: status, rawPayload: bytes, headers } = await node.app.inject({ method, url, headers: { cookie } })
    return { status, bytes, type: headers['content-type'], json: () => JSON.parse(bytes.toString()) }
  }

  async function aScene() {
    const game = await aGame(first.db)
    const challenge = await aChallenge(first.db, game, { type: 'StaticContainer', captureTraffic: true })
    const participation = await aParticipation(first.db, game, await aTeam(first.db))
    return { game, challenge, participation, path: `/api/game/captures/${challenge}/${participation}` }
  }
  type Scene = Awaited<ReturnType<typeof aScene>>

  /** A capture that this node writes; `end` completes it and waits until it has moved. */
  async function aCapture(node: App, { challenge, participation }: Scene, text = 'hello') {
    const folder = captureFolder(node.deps.config.dataDir, challenge, participation)
    const capture = openCapture({
      folder,
      containerId: '0a1b2c3d-0000-0000-0000-000000000000',
      facts: { Challenge: 'Task', ChallengeId: challenge, Team: 'Red', TeamId: 1, ContainerId: 'x', Flag: 'flag{x}' },
      client: { address: '192.0.2.1', port: 4000 },
      container: { address: '192.0.2.2', port: 80 },
      hasRoom: async () => true,
      failed: (error) => expect(error).toBeNull(),
    })
    capture.write('in', Buffer.from(text))
    await expect.poll(() => existsSync(folder)).toBe(true)
    const end = async () => {
      await capture.close()
      await node.captureMoves.run()
      expect(existsSync(folder)).toBe(false)
    }
    return { end }
  }
  const namesOn = async (node: App, { path }: Scene) =>
    ((await ask(node, path)).json() as { fileName: string }[]).map(({ fileName }) => fileName)

  test('each lists, serves and deletes what the other took; a running one is listed by its own node', async () => {
    const [scene, other] = [await aScene(), await aScene()]
    const running = await aCapture(first, scene, 'from the first')
    await expect.poll(async () => (await ask(first, scene.path)).status).toBe(200)
    expect((await ask(second, scene.path)).status).toBe(404)
    await running.end()
    for (const one of [scene, other]) await (await aCapture(second, one, 'from the second')).end()
    for (const node of [first, second]) {
      const names = await namesOn(node, scene)
      expect(names.length).toBe(2)
      const texts = []
      for (const name of names) {
        const { bytes, type } = await ask(node, `${scene.path}/${name}`)
        expect(type).toBe('application/octet-stream')
        const packets = readPcap(bytes)
        texts.push(packets[1]?.payload.toString())
        const tcp = await ask(node, `${scene.path}/${name}?format=tcp`)
        expect(tcpFlags(tcp.bytes).slice(0, 3)).toEqual(['SYN', 'SYN ACK', 'ACK'])
      }
      expect(texts.sort()).toEqual(['from the first', 'from the second'])
      const zip = listZip((await ask(node, `${scene.path}/all`)).bytes)
      expect(zip.map(({ name, bytes }) => [name.split('/')[1], readPcap(bytes).length])).toEqual(names.map((name) => [name, 2]))
      const [ofGame] = (await ask(node, `/api/game/games/${scene.game}/captures`)).json()
      expect(ofGame).toMatchObject({ id: scene.challenge, count: 1 })
      const teams = (await ask(node, `/api/game/captures/${scene.challenge}`)).json()
      expect(teams).toMatchObject([{ id: scene.participation, count: 2 }])
    }
    const [name, left] = await namesOn(first, scene)
    expect((await ask(second, `${scene.path}/${name}`, 'DELETE')).status).toBe(200)
    expect((await ask(first, `${scene.path}/${name}`)).status).toBe(404)
    expect(await namesOn(first, scene)).toEqual([left])
    expect((await ask(first, `${scene.path}/all`, 'DELETE')).status).toBe(200)
    expect((await ask(second, scene.path)).status).toBe(404)
    expect((await namesOn(first, other)).length).toBe(1)
  })

  test('captures that cannot be deleted return 400, and the error is reported', async () => {
    const scene = await aScene()
    await (await aCapture(first, scene)).end()
    const fault = new Error('read-only')
    const deletions = first.deps.captures.flatMap((place) =>
      (['delete', 'deleteFolder'] as const).map((method) => vi.spyOn(place!, method).mockRejectedValue(fault)),
    )
    const [name] = await namesOn(first, scene)
    const reported = vi.spyOn(first.app.log, 'error').mockReturnValue()
    try {
      for (const path of [`${scene.path}/all`, `${scene.path}/${name}`]) {
        const refused = await ask(first, path, 'DELETE')
        expect([refused.status, refused.json()]).toEqual([
          400,
          expect.objectContaining({ status: 400, code: 'file.not_deleted' }),
        ])
        expect(reported).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ err: fault }), 'fault')
        reported.mockClear()
      }
    } finally {
      for (const mock of [...deletions, reported]) mock.mockRestore()
    }
    expect((await ask(first, `${scene.path}/all`, 'DELETE')).status).toBe(200)
  })

  test('a name cannot leave its folder', async () => {
    const [scene, neighbour] = [await aScene(), await aScene()]
    for (const one of [scene, neighbour]) await (await aCapture(first, one)).end()
    const [name] = await namesOn(second, neighbour)
    const { challenge, participation } = neighbour
    for (const file of [`../../${challenge}/${participation}/${name}`, `../${participation}/${name}`, '../../x.pcap'])
      for (const method of ['GET', 'DELETE'] as const)
        expect((await ask(second, `${scene.path}/${encodeURIComponent(file)}`, method)).status).toBe(404)
    expect(await namesOn(first, neighbour)).toEqual([name])
  })

  test('they are deleted with their challenge and their game, and no others', async () => {
    const [scene, other, neighbour] = [await aScene(), await aScene(), await aScene()]
    for (const one of [scene, other, neighbour]) await (await aCapture(second, one)).end()
    expect((await ask(first, `/api/edit/games/${scene.game}/challenges/${scene.challenge}`, 'DELETE')).status).toBe(200)
    expect((await ask(first, `/api/edit/games/${other.game}`, 'DELETE')).status).toBe(200)
    for (const { path } of [scene, other]) await expect.poll(async () => (await ask(second, path)).status).toBe(404)
    expect((await namesOn(second, neighbour)).length).toBe(1)
  })

  test('what was left in the data folder of a node, which may have been killed, moves after its next start', async () => {
    const scene = await aScene()
    await second.close()
    const folder = captureFolder(dataOfSecond, scene.challenge, scene.participation)
    mkdirSync(folder, { recursive: true })
    for (const name of ['a.pcap', 'b.pcap']) writeFileSync(join(folder, name), name, { mode: 0o600 })
    second = await openSecond()
    expect(await namesOn(second, scene)).toEqual(['a.pcap', 'b.pcap'])
    expect((await ask(first, scene.path)).status).toBe(404)
    await second.captureMoves.run()
    expect([existsSync(folder), await namesOn(first, scene)]).toEqual([false, ['a.pcap', 'b.pcap']])
    expect((await ask(first, `${scene.path}/b.pcap`)).bytes.toString()).toBe('b.pcap')
  })

  test('a clean-up by one of them keeps the newest of all, and removes what has no challenge', async () => {
    const [scene, other] = [await aScene(), await aScene()]
    const missing = { ...scene, challenge: 999_999 }
    await (await aCapture(second, missing, 'x')).end()
    await (await aCapture(first, scene, 'x'.repeat(400))).end()
    await new Promise((later) => setTimeout(later, 20))
    await (await aCapture(second, other, 'x'.repeat(400))).end()
    await first.db.deleteFrom('sweeps').where('name', '=', 'captures').execute()
    for (const { deps } of [first, second]) Object.assign(deps.config, { captureGb: 1e-6 })
    const ran = await Promise.all([first.sweeps.run(), second.sweeps.run()])
    expect(ran.flat().filter((name) => name === 'captures')).toEqual(['captures'])
    for (const node of [first, second]) {
      expect((await ask(node, scene.path)).status).toBe(404)
      expect((await namesOn(node, other)).length).toBe(1)
      expect(await node.deps.captures[1]?.folders('capture/')).not.toContain('999999')
    }
  })

  if (kind === 'folder')
    test('folders and files are private, and old ones are deleted', async () => {
      const [scene, other] = [await aScene(), await aScene()]
      for (const one of [scene, other]) await (await aCapture(first, one)).end()
      const folder = captureFolder(shared, scene.challenge, scene.participation)
      const [name] = await namesOn(second, scene)
      const file = join(folder, name as string)
      expect([folder, join(folder, '..'), join(shared, 'capture')].map((path) => statSync(path).mode & 0o777)).toEqual([
        0o700, 0o700, 0o700,
      ])
      expect(statSync(file).mode & 0o777).toBe(0o600)
      for (const { deps } of [first, second]) Object.assign(deps.config, { captureGb: 10 })
      const old = Date.now() / 1000 - 31 * 86_400
      utimesSync(file, old, old)
      await first.db.deleteFrom('sweeps').where('name', '=', 'captures').execute()
      await second.sweeps.run()
      expect([(await ask(first, scene.path)).status, (await namesOn(first, other)).length]).toEqual([404, 1])
    })
})

test('a shared folder that is the data folder itself moves nothing', async () => {
  const dataDir = join(root, 'both')
  mkdirSync(dataDir)
  const platform = await startTestPlatform({ DATA_DIR: dataDir, VEXIL_FILES_DIR: dataDir })
  expect(platform.deps.captures.length).toBe(1)
  await platform.stop()
})

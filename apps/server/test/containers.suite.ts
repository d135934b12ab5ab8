/** The lifecycle of an instance on a real engine, in both port modes: click, engine, entry, solve, end. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import type { ContainerInstance } from '@vexil/contract/instances'
import { sql, type Updateable } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { DB } from '../src/db/schema.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam, at } from './builders/game.ts'
import { images } from './container-images.ts'
import { clear } from './docker.ts'
import { talkTo } from './engine.suite.ts'
import { readPcap } from './pcap.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

/** A real engine, and how to inspect it directly. */
export interface RealEngine {
  readonly name: string
  /** Settings with which the platform finds it. */
  readonly env: Readonly<Record<string, string>>
  /** Where ports are published. */
  readonly entry: string
  /** The name of a container in its own tools. */
  readonly engineId: RegExp
  makeImages(): Promise<void>
  /** Ends a container without the platform. */
  kill(engineId: string): Promise<void>
  /** The cause that the row then has. */
  readonly killedAs: 'exit' | 'removed'
  limitsOf(engineId: string): Promise<{ cpu: number; memory: number; challenge: string | undefined }>
}

export function containersSuite(real: RealEngine): void {
  describe.each(['Default', 'PlatformProxy'] as const)(`on ${real.name} with %s`, (mode) => playOn(real, mode))
}

function playOn(real: RealEngine, mode: 'Default' | 'PlatformProxy'): void {
  let platform: TestPlatform
  let admin: Caller
  let base: string
  let tlsPort = 0
  const folder = mkdtempSync(join(tmpdir(), 'vexil-containers-'))

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    tlsPort = (server.address() as AddressInfo).port
    server.close()
    return tlsPort
  }
  beforeAll(async () => {
    await real.makeImages()
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', '-x509', ...kind, '-subj', '/CN=*.tcp.example.net'], { stdio: 'ignore' })
    platform = await startTestPlatform({
      ...real.env,
      ...(mode === 'PlatformProxy' && {
        VEXIL_CONTAINER_TLS: '*.tcp.example.net:8443',
        VEXIL_CONTAINER_TLS_LISTEN: `127.0.0.1:${await freePort()}`,
        VEXIL_CONTAINER_TLS_CERT: cert,
        VEXIL_CONTAINER_TLS_KEY: key,
      }),
      VEXIL_CONTAINER_PORTS: mode,
      VEXIL_CONTAINER_ENTRY: real.entry,
      VEXIL_CONTAINER_CAPTURE: String(mode === 'PlatformProxy'),
    })
    admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
    await platform.tlsEntry?.listen({ reusePort: false })
    await platform.app.listen({ port: 0, host: '127.0.0.1' })
    const address = platform.app.server.address()
    base = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }, 60_000)
  afterAll(async () => {
    await clear(platform.deps.engine)
    await platform.stop()
    rmSync(folder, { recursive: true })
  })

  /** The greeting of an entry, and what it echoes. */
  async function talk(entry: string, test = false): Promise<string> {
    if (entry.includes(':')) {
      const [host = '', port] = entry.split(':')
      // A port of a cluster reaches its pod only a moment later.
      return vi.waitFor(() => talkTo({ host, port: Number(port) }, 'and back', 1_000), { timeout: 15_000, interval: 200 })
    }
    const socket = new WebSocket(`ws://${base}/api/proxy/${test ? 'noinst/' : ''}${entry}`)
    let got = ''
    socket.on('message', (data) => {
      got += data
    })
    await once(socket, 'open')
    socket.send('and back')
    await expect.poll(() => got).toContain('and back')
    socket.close()
    await once(socket, 'close')
    return got
  }
  const pause = (participation: number) =>
    sql`update containers set acted_at = acted_at - interval '10 seconds' where participation_id = ${participation}`.execute(
      platform.db,
    )

  async function aPlayer(game: number, name: string) {
    const team = await aTeam(platform.db, { name })
    const participation = await aParticipation(platform.db, game, team)
    return { call: await platform.as(team.captain), participation }
  }

  test('P1.6 P3.38 two teams get two flags; each is right for its own team and detected for the other', async () => {
    const game = await aGame(platform.db, { practiceMode: true })
    const challenge = await aChallenge(platform.db, game, {
      type: 'DynamicContainer',
      title: 'Task',
      containerImage: images.echo,
      exposePort: 7000,
      flagTemplate: 'flag{[GUID]}',
      captureTraffic: true,
    })
    const [red, blue] = [await aPlayer(game, 'Red'), await aPlayer(game, 'Blue')]
    const path = `/api/game/${game}/container/${challenge}`
    const [one, two] = await Promise.all([red.call.post(path), blue.call.post(path)])
    expect([one.status, two.status]).toEqual([200, 200])
    const answers = [await talk(one.body.entry), await talk(two.body.entry)]
    const flags = answers.map((text) => text.split('\n')[0] as string)
    expect(new Set(flags).size).toBe(2)
    for (const flag of flags) expect(flag).toMatch(/^flag\{[0-9a-f-]{36}\}$/)
    const submit = async (caller: Caller, flag: string) => {
      const { body } = await caller.post(`/api/game/${game}/challenges/${challenge}`, { flag })
      return (await caller.get(`/api/game/${game}/challenges/${challenge}/status/${body}`)).body
    }
    expect(await submit(blue.call, flags[0]!)).toBe('WrongAnswer')
    expect((await admin.get(`/api/game/${game}/cheatinfo`)).body).toMatchObject([
      { ownedTeam: { team: { name: 'Red' } }, submitTeam: { team: { name: 'Blue' } } },
    ])
    for (const [i, { call }] of [red, blue].entries()) expect(await submit(call, flags[i]!)).toBe('Accepted')

    const listed = (await admin.get('/api/admin/instances')).body.data as ContainerInstance[]
    expect(listed).toHaveLength(2)
    const ofRed = listed.find(({ team }) => team?.name === 'Red')!.containerId
    expect(ofRed).toMatch(real.engineId)
    if (mode === 'PlatformProxy') {
      const list = (await admin.get(`/api/game/captures/${challenge}/${red.participation}`)).body as { fileName: string }[]
      const { rawPayload } = await platform.app.inject({
        method: 'GET',
        url: `/api/game/captures/${challenge}/${red.participation}/${list[0]!.fileName}`,
        headers: { cookie: await adminCookie() },
      })
      const [facts, ...passed] = readPcap(rawPayload)
      expect(JSON.parse(facts!.payload.toString())).toMatchObject({
        Team: 'Red',
        Flag: flags[0],
        ContainerId: ofRed,
      })
      expect(Buffer.concat(passed.map(({ payload }) => payload)).toString()).toContain(flags[0])
    }

    // Killed from outside: the row is closed, the neighbour keeps running, and a new one has the same flag.
    await real.kill(ofRed)
    await platform.instances.sweep()
    expect((await red.call.get(`/api/game/${game}/instances`)).body).toEqual([])
    expect(await talk(two.body.entry)).toContain(flags[1])
    await pause(red.participation)
    const again = await red.call.post(path)
    expect((await talk(again.body.entry)).split('\n')[0]).toBe(flags[0])
    for (const { call, participation } of [red, blue]) {
      await pause(participation)
      expect((await call.delete(path)).status).toBe(200)
    }
    expect(await platform.deps.engine.list()).toEqual([])
  }, 60_000)
  let cookie: string | null = null
  async function adminCookie() {
    const { startSession } = await import('../src/accounts/sessions.ts')
    cookie ??= `vexil_session=${await startSession(platform.db, await anAccount(platform.db, { role: 'Admin' }))}`
    return cookie
  }

  test('the program of a solver check reaches the instance beside it, and both are gone when it has printed the flag', async () => {
    const { db, deps } = platform
    const game = await aGame(db)
    const challenge = await aChallenge(db, game, {
      type: 'DynamicContainer',
      containerImage: images.echo,
      exposePort: 7000,
      flagTemplate: 'flag{[GUID]}',
      network: 'Isolated',
      checkImage: images.solver,
    })
    const path = `/api/edit/games/${game}/challenges/${challenge}/checks`
    const { id } = (await admin.post(path)).body
    await expect
      .poll(async () => (await admin.get(`${path}/${id}`)).body, { timeout: 60_000, interval: 500 })
      .toMatchObject({ state: 'Passed', output: expect.stringContaining('***') })
    expect((await admin.get(`${path}/${id}`)).body.output).toContain('asking 127.0.0.1:7000, FLAG=[]\n')
    const row = await db.selectFrom('containers').select(['id', 'state']).where('challengeId', '=', challenge).execute()
    expect(row).toEqual([{ id: expect.any(String), state: 'Ended' }])
    expect((await deps.engine.list()).filter((one) => one.id === row[0]!.id)).toEqual([])
  })

  test('P3.24 P9.8 P9.9 the limits of the challenge apply to the container', async () => {
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game, {
      type: 'StaticContainer',
      containerImage: images.echo,
      exposePort: 7000,
      cpuCount: 5,
      memoryLimit: 64,
      network: 'Isolated',
    })
    const { call } = await aPlayer(game, 'Red')
    const { body } = await call.post(`/api/game/${game}/container/${challenge}`)
    expect(await talk(body.entry)).toContain('no flag')
    const [{ containerId }] = (await admin.get('/api/admin/instances')).body.data.slice(-1)
    expect(await real.limitsOf(containerId)).toEqual({ cpu: 0.5, memory: 67_108_864, challenge: String(challenge) })
  }, 60_000)

  test('P4.16 the sweep ends expired, disabled, killed and orphaned instances, removes containers without a row, and keeps the others', async () => {
    const { db, deps, instances } = platform
    const game = await aGame(db, { practiceMode: true })
    const image = { type: 'StaticContainer', containerImage: images.echo, exposePort: 7000 } as const
    const start = async (name: string) => {
      const challenge = await aChallenge(db, game, image)
      const { call, participation } = await aPlayer(game, name)
      expect((await call.post(`/api/game/${game}/container/${challenge}`)).status).toBe(200)
      const of = db.selectFrom('containers').selectAll().where('participationId', '=', participation)
      return { challenge, ...(await of.executeTakeFirstOrThrow()) }
    }
    const names = ['over', 'disabled', 'killed', 'dead node', 'without a row', 'neighbour']
    const started = await Promise.all(names.map(start))
    const [over, disabled, killed, dead, stranger] = started
    const set = (id: string, values: Updateable<DB['containers']>) =>
      db.updateTable('containers').set(values).where('id', '=', id).execute()
    await set(over!.id, { stopsAt: at('-1s') })
    await set(dead!.id, { state: 'Pending', startedAt: null, stopsAt: null, leaseUntil: at('-1s') })
    await db.updateTable('challenges').set({ enabled: false }).where('id', '=', disabled!.challenge).execute()
    await db.deleteFrom('containers').where('id', '=', stranger!.id).execute()
    await real.kill(killed!.engineId!)
    await instances.sweep()
    const running = new Set((await deps.engine.list()).map(({ id }) => id))
    const fates = started.map(async ({ id }) => {
      const row = await db.selectFrom('containers').select(['state', 'endedBy']).where('id', '=', id).executeTakeFirst()
      return [row?.state, row?.endedBy, running.has(id)]
    })
    expect(Object.fromEntries((await Promise.all(fates)).map((fate, i) => [names[i], fate]))).toEqual({
      over: ['Ended', 'expiry', false],
      disabled: ['Ended', 'challenge', false],
      killed: ['Ended', real.killedAs, false],
      'dead node': ['Ended', 'failure', false],
      'without a row': [undefined, undefined, false],
      neighbour: ['Running', null, true],
    })
  }, 60_000)

  test('P8.21 an image that crashes at its start leaves nothing behind, and the editor sees the reason', async () => {
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game, {
      type: 'StaticContainer',
      containerImage: images.crash,
      exposePort: 7000,
    })
    const path = `/api/edit/games/${game}/challenges/${challenge}/container`
    const { status, error } = await admin.post(path)
    expect([status, error.code]).toEqual([400, 'container.test_failed'])
    expect(error.title).toContain('cannot start')
    const { call } = await aPlayer(game, 'Red')
    const before = (await platform.deps.engine.list()).length
    expect((await call.post(`/api/game/${game}/container/${challenge}`)).error.code).toBe('container.not_created')
    await sleep(100)
    expect((await platform.deps.engine.list()).length).toBe(before)
  }, 60_000)

  test('a challenge with two containers is played at each of its entries, and ends as one', async () => {
    const game = await aGame(platform.db, { practiceMode: true })
    const database = {
      ...{ name: 'db', image: images.second, cpuCount: 5, memoryLimit: 64, storageLimit: 256, getsFlag: false },
      environment: [{ name: 'FLAG', value: 'of the second' }],
    }
    const challenge = await aChallenge(platform.db, game, {
      ...{
        type: 'DynamicContainer',
        containerImage: images.echo,
        exposePort: 7000,
        flagTemplate: 'flag{[GUID]}',
        readyTimeout: 60,
      },
      additionalContainers: JSON.stringify([database]),
      namedPorts: JSON.stringify([{ name: 'sql', port: 7001 }]),
    })
    const { call, participation } = await aPlayer(game, 'Red')
    const { status, body } = await call.post(`/api/game/${game}/container/${challenge}`)
    expect([status, body.readiness]).toEqual([200, 'ready'])
    const [first, sql] = body.entries
    expect([first.name, sql.name, first.entry]).toEqual([null, 'sql', body.entry])
    expect(await talk(first.entry)).toMatch(/^flag\{.+\}\nand back$/)
    expect(await talk(sql.entry)).toBe('of the second\nand back')
    if (mode === 'PlatformProxy') {
      const socket = connect({
        host: '127.0.0.1',
        port: tlsPort,
        servername: sql.tlsEntry.split(':')[0],
        rejectUnauthorized: false,
      })
      const [bytes] = await once(socket, 'data')
      expect(String(bytes)).toBe('of the second\n')
      socket.destroy()
    } else expect(sql.tlsEntry).toBeNull()
    await pause(participation)
    expect((await call.delete(`/api/game/${game}/container/${challenge}`)).status).toBe(200)
    const { id } = await platform.db
      .selectFrom('containers')
      .select('id')
      .where('challengeId', '=', challenge)
      .executeTakeFirstOrThrow()
    expect([await platform.deps.engine.inspect(id), await platform.deps.engine.logs(id, 5, 'db')]).toEqual([null, ''])
  }, 60_000)

  test('P7.56 a test container is reachable at its entry', async () => {
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game, {
      type: 'DynamicContainer',
      containerImage: images.echo,
      exposePort: 7000,
      flagTemplate: null,
    })
    const { body } = await admin.post(`/api/edit/games/${game}/challenges/${challenge}/container`)
    expect(await talk(body.entry, true)).toMatch(/^\S+\nand back$/)
  }, 60_000)
}

/** Challenges with several containers and ports: what is stored, started, reached and ended. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../../../../e2e/platform.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

const engine = openMemoryEngine({ published: false })
const folder = mkdtempSync(join(tmpdir(), 'vexil-several-'))
let platform: TestPlatform
let admin: Caller
let base: string
let tlsPort: number

beforeAll(async () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...kind, '-subj', '/CN=*.tcp.example.net'], { stdio: 'ignore' })
  tlsPort = await freePort()
  platform = await startTestPlatform(
    {
      VEXIL_CONTAINER_PORTS: 'PlatformProxy',
      VEXIL_CONTAINER_WEB: '*.web.example.net',
      VEXIL_CONTAINER_TLS: '*.tcp.example.net:8443',
      VEXIL_CONTAINER_TLS_LISTEN: `127.0.0.1:${tlsPort}`,
      VEXIL_CONTAINER_TLS_CERT: cert,
      VEXIL_CONTAINER_TLS_KEY: key,
    },
    engine,
  )
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  await platform.tlsEntry!.listen({ reusePort: false })
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  base = `127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await platform.stop()
  rmSync(folder, { recursive: true })
})

const database = {
  name: 'db',
  image: 'database:1',
  cpuCount: 3,
  memoryLimit: 128,
  storageLimit: 300,
  environment: [
    { name: 'MODE', value: 'quiet' },
    { name: 'FLAG', value: 'not the flag' },
  ],
  getsFlag: false,
}
const sql = { name: 'sql', port: 5432 }

async function aScene(more: Parameters<typeof aChallenge>[2] = {}) {
  const game = await aGame(platform.db, { practiceMode: true })
  const options = { title: 'Task', flagTemplate: 'flag{[GUID]}', containerImage: 'web:1', flags: [] }
  const challenge = await aChallenge(platform.db, game, { type: 'DynamicContainer', ...options, ...more })
  const edit = `/api/edit/games/${game}/challenges/${challenge}`
  const path = `/api/game/${game}/container/${challenge}`
  return {
    ...{ game, challenge, edit },
    set: (body: object) => admin.put(edit, body),
    stored: async () => (await admin.get(edit)).body,
    async team() {
      const team = await aTeam(platform.db)
      const participation = await aParticipation(platform.db, game, team)
      const call = await platform.as(team.captain)
      return {
        participation,
        start: () => call.post(path),
        context: async () => (await call.get(`/api/game/${game}/challenges/${challenge}`)).body.context,
        listed: async () => (await call.get(`/api/game/${game}/instances`)).body,
      }
    },
  }
}
const both = { additionalContainers: [database], namedPorts: [sql] }

/** The first message of a tunnel, or the status of its refusal. */
async function tunnel(place: string): Promise<string | number | undefined> {
  const socket = new WebSocket(`ws://${base}/api/proxy/${place}`)
  const message = once(socket, 'message').then(([data]) => String(data))
  message.catch(() => undefined)
  const refused = once(socket, 'unexpected-response').then(([, answer]) => answer.statusCode as number)
  socket.on('error', () => undefined)
  const firstMessage = await Promise.race([message, refused])
  socket.close()
  return firstMessage
}

test('an edit without the fields, or with null, leaves them; others are stored as sent and read back', async () => {
  const { set, stored } = await aScene()
  expect(await stored()).toMatchObject({ additionalContainers: [], namedPorts: [] })
  expect((await set(both)).body).toMatchObject(both)
  for (const body of [{ title: 'New' }, { additionalContainers: null, namedPorts: null }]) await set(body)
  expect(await stored()).toMatchObject({ title: 'New', ...both })
  await set({ namedPorts: [] })
  expect(await stored()).toMatchObject({ additionalContainers: [database], namedPorts: [] })
  await set({ additionalContainers: [] })
  expect(await stored()).toMatchObject({ additionalContainers: [], namedPorts: [] })
})

test('a refused edit stores nothing: names and ports are checked together with the stored ones', async () => {
  const { set, stored } = await aScene({ exposePort: 80 })
  await set(both)
  const refused = async (body: object) => {
    const { status, error } = await set({ title: 'New', ...body })
    return [status, error.code, error.title]
  }
  expect(await refused({ containerExposePort: 5432 })).toEqual([
    400,
    'challenge.port_repeated',
    'Port 5432 is used more than once',
  ])
  const twice = [
    { name: 'a', port: 1 },
    { name: 'a', port: 2 },
  ]
  expect(await refused({ namedPorts: twice })).toEqual([400, 'challenge.name_repeated', 'The name a is used more than once'])
  const many = Array.from({ length: 33 }, (_, at) => ({ name: `V${at}`, value: '' }))
  for (const wrong of [
    ...['', 'A', '-a', 'a-', 'a.b', 'a'.repeat(21)].map((name) => ({ namedPorts: [{ name, port: 1 }] })),
    ...[0, 65_536, 1.5].map((port) => ({ namedPorts: [{ name: 'a', port }] })),
    { namedPorts: Array.from({ length: 5 }, (_, at) => ({ name: `a${at}`, port: at + 1 })) },
    ...[{ image: '' }, { memoryLimit: 31 }, { cpuCount: 0 }, { storageLimit: 127 }, { environment: many }].map((more) => ({
      additionalContainers: [{ ...database, ...more }],
    })),
    ...['1A', 'A B', 'A=', ''].map((name) => ({ additionalContainers: [{ ...database, environment: [{ name, value: '' }] }] })),
    { additionalContainers: [{ ...database, environment: [{ name: 'A', value: 'a\0b' }] }] },
  ])
    expect([wrong, (await refused(wrong)).slice(0, 2)]).toEqual([wrong, [400, 'request.invalid']])
  expect(await stored()).toMatchObject({ title: 'Task', containerExposePort: 80, ...both })
})

test('the engine gets the containers and ports; flag and team only where the container gets them', async () => {
  const { set, team } = await aScene()
  const helper = { ...database, name: 'helper', image: ' helper:2 ', getsFlag: true }
  await set({ additionalContainers: [database, helper], namedPorts: [sql] })
  const { body } = await (await team()).start()
  const spec = engine.running.get(body.entry)!
  const { FLAG, VEXIL_TEAM_ID } = spec.environment
  expect(FLAG).toMatch(/^flag\{/)
  const limits = { cpuCount: 3, memoryLimit: 128, storageLimit: 300, runsOnce: false }
  expect(spec).toMatchObject({ image: 'web:1', namedPorts: [sql] })
  expect(spec.additional).toEqual([
    { name: 'db', image: 'database:1', environment: { MODE: 'quiet', FLAG: 'not the flag' }, ...limits },
    {
      name: 'helper',
      image: 'helper:2',
      environment: expect.objectContaining({ MODE: 'quiet', FLAG, VEXIL_TEAM_ID }),
      ...limits,
    },
  ])
})

test('every entry is listed and reached through the proxy, by its TLS name and as a page; of a neighbour, or an unknown name, none', async () => {
  const { set, team } = await aScene()
  await set(both)
  const neighbour = await aScene()
  const [red, blue] = [await team(), await neighbour.team()]
  const { body } = await red.start()
  const id = body.entry as string
  const other = (await blue.start()).body.entry as string
  const tlsEntry = expect.stringMatching(/^[0-9a-f]{32}\.tcp\.example\.net:8443$/)
  expect(body.entries).toEqual([
    { name: null, entry: id, tlsEntry: body.tlsEntry },
    { name: 'sql', entry: `${id}/sql`, tlsEntry },
  ])
  const [first, second] = body.entries
  expect(first.tlsEntry).not.toBe(second.tlsEntry)
  expect((await red.context()).entries).toEqual(body.entries)
  expect(await red.listed()).toMatchObject([{ entry: id, entries: body.entries }])
  expect((await blue.context()).entries).toEqual([{ name: null, entry: other, tlsEntry: expect.any(String) }])

  expect(await tunnel(first.entry)).toMatch(/^flag\{/)
  expect(await tunnel(second.entry)).toBe('not the flag\n')
  expect(await tunnel(`${id}/nothing`)).toBe(404)
  expect(await tunnel(`${other}/sql`)).toBe(404)
  expect(await tunnel(`noinst/${id}/sql`)).toBe(404)
  const say = async (entry: string) => {
    const socket = connect({ host: '127.0.0.1', port: tlsPort, servername: entry.split(':')[0]!, rejectUnauthorized: false })
    const [bytes] = await once(socket, 'data')
    socket.destroy()
    return String(bytes)
  }
  expect(await say(first.tlsEntry)).toMatch(/^flag\{/)
  expect(await say(second.tlsEntry)).toBe('not the flag\n')
  // Neither is a web server, so the visitor gets an error of the proxy; an unknown name is not found.
  const visit = async (host: string) => {
    const [response] = await once(request(`http://${base}/`, { headers: { host }, agent: false }).end(), 'response')
    await text(response)
    return response.statusCode
  }
  const hosts = [`${id}-sql`, `${id}-nothing`, `${other}-sql`].map((label) => visit(`${label}.web.example.net`))
  expect(await Promise.all(hosts)).toEqual([502, 404, 404])
})

test('the limit of connections is of the instance, over all its ports', async () => {
  const { set, team } = await aScene()
  await set(both)
  const { body } = await (await team()).start()
  const open = (port: string) => Array.from({ length: 40 }, () => new WebSocket(`ws://${base}/api/proxy/${body.entry}${port}`))
  const sockets = [...open(''), ...open('/sql')]
  const outcomes = await Promise.all(
    sockets.map((socket) => {
      socket.on('error', () => undefined)
      return Promise.race([once(socket, 'open').then(() => 'open'), once(socket, 'unexpected-response').then(() => 'refused')])
    }),
  )
  expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(64)
  for (const socket of sockets) socket.terminate()
})

test('a test container has the entries too, and is asked on each port; what each container prints is shown', async () => {
  const { edit, set } = await aScene()
  await set(both)
  const { body } = await admin.post(`${edit}/container`)
  expect(body.entries.map(({ entry }: { entry: string }) => entry)).toEqual([body.entry, `${body.entry}/sql`])
  expect((await admin.get(edit)).body.testContainer.entries).toEqual(body.entries)
  expect(await tunnel(`noinst/${body.entry}/sql`)).toBe('not the flag\n')
  engine.print(`${body.entry} db`, 'ready for connections')
  expect((await admin.get(`${edit}/container`)).body).toEqual({
    answer: 'text',
    firstLine: expect.stringMatching(/^flag|^\S/),
    printed: 'starting\nready',
    ports: [{ name: 'sql', answer: 'text', firstLine: 'not the flag' }],
    containers: [{ name: 'db', printed: 'ready for connections' }],
  })
})

test('an additional container that ends takes the instance with it; log and row name it, with its last lines', async () => {
  const { challenge, set, team } = await aScene()
  await set(both)
  const [red, blue] = [await team(), await team()]
  const { body } = await red.start()
  const other = (await blue.start()).body.entry
  engine.print(`${body.entry} db`, 'out of disk')
  engine.crash(body.entry, { container: 'db', exitCode: 4 })
  await platform.instances.sweep()
  expect((await red.context()).lastEnd).toEqual({ cause: 'exit', exitCode: 4 })
  expect((await red.context()).entries).toEqual([])
  const row = await platform.db
    .selectFrom('containers')
    .select(['state', 'problem'])
    .where('id', '=', body.entry)
    .executeTakeFirst()
  expect(row).toEqual({ state: 'Ended', problem: 'Additional container db. Exit code 4: out of disk' })
  const logged = platform.db.selectFrom('logs').select('message').where('message', 'like', `Container of Task (#${challenge})%`)
  const line = expect.stringMatching(/ ended \(exit\): Additional container db\. Exit code 4: out of disk$/)
  await expect.poll(() => logged.execute()).toEqual([{ message: line }])
  expect([engine.running.has(body.entry), engine.running.has(other)]).toEqual([false, true])
  expect(await tunnel(`${body.entry}/sql`)).toBe(404)
})

test('a start whose additional image is missing, or ends at once, leaves nothing', async () => {
  const { challenge, set, team } = await aScene()
  for (const image of ['missing:1', 'crash:1']) {
    await set({ additionalContainers: [{ ...database, image }], namedPorts: [sql] })
    const red = await team()
    expect((await red.start()).error.code).toBe('container.not_created')
    expect(await red.listed()).toEqual([])
    const running = [...engine.running.values()].filter(({ labels }) => labels['ctf.challenge'] === String(challenge))
    const ports = await platform.db
      .selectFrom('containerPorts as n')
      .innerJoin('containers as k', 'k.id', 'n.containerId')
      .where('k.challengeId', '=', challenge)
      .selectAll('n')
      .execute()
    expect([running, ports]).toEqual([[], []])
  }
})

test('all images of an enabled challenge are pulled, each once, and a failure names the challenge', async () => {
  // Pulls of earlier tests may follow.
  const images = ['missing:own', 'own-db:1', 'own-web:1']
  const { challenge, set } = await aScene({ containerImage: 'own-web:1' })
  const pulled = () => engine.asked.filter(({ act, id }) => act === 'pull' && images.includes(id)).map(({ id }) => id)
  const [db, missing] = ['own-db:1', 'missing:own'].map((image) => ({ ...database, image }))
  await set({ additionalContainers: [db, { ...db, name: 'twin' }, { ...missing, name: 'gone' }] })
  await expect.poll(() => pulled().sort()).toEqual(images)
  const failures = platform.db.selectFrom('logs').select('message').where('message', 'like', `Could not pull%(#${challenge})%`)
  await expect
    .poll(() => failures.execute())
    .toEqual([{ message: `Could not pull the image of Task (#${challenge}): No such image` }])
})

test('a change of containers or ports checks again whether the service answers, and a change to the same values does not', async () => {
  const { challenge, set, stored } = await aScene({ readyTimeout: 5 })
  const isMarked = async () =>
    (await platform.db.selectFrom('challenges').select('silentSince').where('id', '=', challenge).executeTakeFirst())!
      .silentSince !== null
  const mark = () => platform.db.updateTable('challenges').set({ silentSince: new Date() }).where('id', '=', challenge).execute()
  await set(both)
  await mark()
  const { additionalContainers, namedPorts } = await stored()
  await set({ additionalContainers, namedPorts })
  expect(await isMarked()).toBe(true)
  await set({ namedPorts: [{ ...sql, port: 5433 }] })
  expect(await isMarked()).toBe(false)
  await mark()
  await set({ additionalContainers: [{ ...database, image: 'database:2' }] })
  expect(await isMarked()).toBe(false)
})

/** The platform as a pod of the cluster, made by the manifests of `deploy/kubernetes`: it signs in with the account of its pod. */
import { once } from 'node:events'
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { askApi } from '../../../tools/cluster/api.ts'
import { applyManifests, type Manifest, readManifests, removeManifests } from '../../../tools/cluster/manifests.ts'
import { addresses, folder } from '../../../tools/cluster/place.ts'
import { platformImage } from '../../../tools/cluster/platform-image.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { openAccess } from '../src/ports/engine/kubernetes/kubernetes-access.ts'
import { openKubernetesApi } from '../src/ports/engine/kubernetes/kubernetes-api.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { images } from './container-images.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { adminApi, denied, kubeconfig, namespace } from './kubernetes.ts'

const vexil = adminApi('vexil')
/** The test cluster has no name server. */
const hostAliases = [{ ip: addresses.services.replace('0/24', '1'), hostnames: ['kubernetes.default.svc'] }]
const data = join(folder, 'volume')
const volume: Manifest = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'vexil' },
  ...{ spec: { capacity: { storage: '20Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: data } } },
}
let database: TestDatabase
let relay: Server
let manifests: Manifest[] = []
/** Of the service. */
let url = ''

beforeAll(async () => {
  database = await freshDatabase()
  relay = relayTo(database.url)
  await once(relay.listen(0, addresses.machine), 'listening')
  mkdirSync(data)
  chownSync(data, 10_001, 10_001)
  manifests = [volume, ...readManifests('platform.yaml').map(fit)]
  await applyManifests(manifests)
  await vi.waitUntil(isReady, { timeout: 120_000, interval: 500 }).catch(async () => {
    throw new Error(`The platform did not become ready:\n${await logsOf('app.kubernetes.io/name=vexil')}`)
  })
  const service = (await vexil.find('services', 'vexil')) as { spec: { clusterIP?: string } } | null
  url = `http://${service?.spec.clusterIP}`
}, 300_000)
afterAll(async () => {
  // Its sweep would run beside that of other tests.
  await removeManifests(manifests.toReversed())
  rmSync(data, { recursive: true })
  relay.close()
  await database.drop()
})

/** The database listens on a socket of this machine alone. */
function relayTo(database: string): Server {
  const { hostname, port, searchParams } = new URL(database)
  const path = searchParams.get('host')
  return createServer((socket) => {
    const inner = path ? connect(join(path, '.s.PGSQL.5432')) : connect(Number(port || 5432), hostname)
    socket.pipe(inner).pipe(socket)
    for (const [one, other] of [[socket, inner] as const, [inner, socket] as const])
      one.on('error', () => undefined).on('close', () => other.destroy())
  })
}

interface Deployment extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        hostAliases?: object
        readonly containers: { image: string; readonly env: { readonly name: string; value: string }[] }[]
      }
    }
  }
}

/** Fills in what the manifests leave to the operator. */
function fit(manifest: Manifest): Manifest {
  const { port } = relay.address() as AddressInfo
  const { username, pathname } = new URL(database.url)
  if (manifest.kind === 'Secret') {
    const stringData = {
      DATABASE_URL: `postgres://${username}@${addresses.machine}:${port}${pathname}`,
      SECRET_KEY: 'test secret key of 32 characters',
    }
    return { ...manifest, ...{ stringData } }
  }
  if (manifest.kind !== 'Deployment') return manifest
  const deployment = structuredClone(manifest) as Deployment
  const { spec } = deployment.spec.template
  spec.hostAliases = hostAliases
  const [container] = spec.containers
  container!.image = platformImage
  const ranges = { VEXIL_KUBERNETES_DENY: denied.join(','), VEXIL_KUBERNETES_PODS: addresses.pods }
  for (const [variable, value] of Object.entries(ranges)) container!.env.find(({ name }) => name === variable)!.value = value
  return deployment
}

async function isReady(): Promise<boolean> {
  const path = '/apis/apps/v1/namespaces/vexil/deployments/vexil'
  return (await askApi<{ status: { readyReplicas?: number } }>('GET', path)).status.readyReplicas === 1
}

async function logsOf(labelSelector: string, container = 'vexil'): Promise<string> {
  const pods = await vexil.list('pods', { labelSelector })
  const logs = pods.map(({ metadata, status }) =>
    vexil.logs(metadata.name, container, 40, 10_000).then(String, () => JSON.stringify(status, null, 2)),
  )
  return (await Promise.all(logs)).join('\n')
}

async function as(account: string) {
  const headers = { cookie: `${cookieName}=${await startSession(database.db, account)}`, 'content-type': 'application/json' }
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : null }
  }
}

async function aPlayer() {
  const { db } = database
  const [game, team] = [await aGame(db), await aTeam(db)]
  const options = { containerImage: images.echo, exposePort: 7000, flagTemplate: 'flag{[GUID]}' }
  const challenge = await aChallenge(db, game, { type: 'DynamicContainer', ...options })
  await aParticipation(db, game, team)
  const path = `/api/game/${game}/container/${challenge}`
  return { call: await as(team.captain), path, challenge: `/api/game/${game}/challenges/${challenge}` }
}

const podsOf = async () => (await adminApi().listNames('pods', 'ctf.container')).length

/** What an instance says first, and whether it says back what it hears. */
async function talk(entry: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/proxy/${entry}`)
  let said = ''
  socket.on('message', (data) => {
    said += data
  })
  await once(socket, 'open')
  socket.send('and back')
  await expect.poll(() => said, { timeout: 10_000 }).toContain('and back')
  socket.close()
  return said
}

test('the manifests start a platform that serves pages and calls, and reaches the cluster with the account of its pod', async () => {
  const page = await fetch(url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  expect((await fetch(`${url}/healthz/ready`)).status).toBe(200)
  const admin = await as(await anAccount(database.db, { role: 'Admin' }))
  const { body } = await admin('GET', '/api/admin/engine')
  expect(body).toMatchObject({ kind: 'Kubernetes', state: 'reachable', isolation: 'in place', limitsStorage: true })
  expect(body.version).toMatch(/^v1\.34\./)
})

test('a player starts an instance, reaches it through the platform, solves it and destroys it', async () => {
  const { call, path, challenge } = await aPlayer()
  const started = await call('POST', path)
  expect([started.status, started.body]).toEqual([
    200,
    expect.objectContaining({ entry: expect.stringMatching(/^[0-9a-f-]{36}$/) }),
  ])
  expect(await podsOf()).toBe(1)
  const [flag] = (await talk(started.body.entry)).split('\n')
  expect(flag).toMatch(/^flag\{[0-9a-f-]{36}\}$/)
  const sent = await call('POST', challenge, { flag })
  expect((await call('GET', `${challenge}/status/${sent.body}`)).body).toBe('Accepted')
  // Two operations need ten seconds between them.
  await database.db
    .updateTable('containers')
    .set({ actedAt: new Date(Date.now() - 11_000) })
    .execute()
  expect((await call('DELETE', path)).status).toBe(200)
  for (const kind of ['pods', 'secrets', 'services'] as const)
    expect(await adminApi().listNames(kind, 'ctf.container')).toEqual([])
})

test('the account of the pod has exactly the rights of the Role', async () => {
  const at = '/app/apps/server/src/ports/engine'
  const script = `
    const { openAccess } = await import('${at}/kubernetes/kubernetes-access.ts')
    const { openKubernetesApi } = await import('${at}/kubernetes/kubernetes-api.ts')
    const within = (namespace) => openKubernetesApi(openAccess(null), namespace)
    const inside = within('${namespace}')
    const acts = {
      pods: () => inside.list('pods', {}),
      events: () => inside.list('events', {}),
      policies: () => inside.list('networkpolicies', {}),
      'a secret': () => inside.find('secrets', 'any'),
      'its own secrets': () => within('vexil').list('secrets', {}),
      'pods of the system': () => within('kube-system').list('pods', {}),
      'a pod elsewhere': () => within('default').create('pods', {}),
      'no policy': () => inside.remove('networkpolicies', 'vexil-policy'),
      'another image': () => inside.replace('pods', 'any', {}),
    }
    for (const [name, act] of Object.entries(acts))
      console.log(name + ': ' + (await act().then(() => 'yes', ({ status, message }) => status ?? message)))
  `
  const metadata = { name: 'acts', labels: { app: 'acts' } }
  const container = { name: 'acts', image: platformImage, command: ['node', '--input-type=module', '-e', script] }
  await vexil.create('pods', {
    metadata,
    spec: { serviceAccountName: 'vexil', restartPolicy: 'Never', hostAliases, containers: [container] },
  })
  try {
    const ended = async () => (await vexil.find('pods', 'acts'))?.status.phase === 'Succeeded'
    await vi.waitUntil(ended, { timeout: 60_000, interval: 250 }).catch(() => undefined)
    expect((await logsOf('app=acts', 'acts')).trim().split('\n')).toEqual([
      ...['pods', 'events', 'policies'].map((name) => `${name}: yes`),
      ...['a secret', 'its own secrets', 'pods of the system', 'a pod elsewhere', 'no policy', 'another image'].map(
        (name) => `${name}: 403`,
      ),
    ])
  } finally {
    await vexil.remove('pods', 'acts')
  }
})

test('without the right to create pods a start is refused and logged with the reason; with the right it starts', async () => {
  const [role] = readManifests('challenges.yaml').filter(({ kind }) => kind === 'Role') as (Manifest & {
    rules: { resources: string[]; verbs: string[] }[]
  })[]
  const rules = role!.rules.map((rule) =>
    rule.resources.includes('pods') ? { ...rule, verbs: ['get', 'list', 'delete'] } : rule,
  )
  const account = openKubernetesApi(openAccess(kubeconfig), namespace)
  const mayCreate = () =>
    account.create('pods', {}).then(
      () => true,
      ({ status }) => status !== 403,
    )
  const { call, path } = await aPlayer()
  await applyManifests([{ ...role!, ...{ rules } }])
  try {
    await vi.waitUntil(async () => !(await mayCreate()), { timeout: 10_000, interval: 100 })
    expect(await call('POST', path)).toMatchObject({ status: 400, body: { code: 'container.not_created' } })
  } finally {
    await applyManifests([role!])
  }
  expect(await adminApi().listNames('secrets', 'ctf.container')).toEqual([])
  const reasons = async () => (await database.db.selectFrom('logs').select('message').execute()).map(({ message }) => message)
  await expect.poll(reasons, { timeout: 5_000 }).toContainEqual(expect.stringMatching(/pods is forbidden/))
  await vi.waitUntil(mayCreate, { timeout: 10_000, interval: 100 })
  await database.db
    .updateTable('containers')
    .set({ actedAt: new Date(Date.now() - 11_000) })
    .execute()
  expect((await call('POST', path)).status).toBe(200)
  await database.db
    .updateTable('containers')
    .set({ actedAt: new Date(Date.now() - 11_000) })
    .execute()
  expect((await call('DELETE', path)).status).toBe(200)
})

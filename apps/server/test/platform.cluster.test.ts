/** The platform as pods of the cluster, made by the manifests of `deploy/kubernetes`: it signs in with the account of its pod. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { applyManifests, type Manifest, readManifests } from '../../../tools/cluster/manifests.ts'
import { platformImage } from '../../../tools/cluster/platform-image.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { openAccess } from '../src/ports/engine/kubernetes/kubernetes-access.ts'
import { openKubernetesApi } from '../src/ports/engine/kubernetes/kubernetes-api.ts'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { images } from './container-images.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { adminApi, kubeconfig, namespace } from './kubernetes.ts'
import { hostAliases, logsOf, type Pods, preparePods, serviceUrl, vexil } from './platform-pods.ts'

let database: TestDatabase
let pods: Pods
let url = ''

beforeAll(async () => {
  database = await freshDatabase()
  pods = await preparePods(database.url)
  await pods.apply(pods.manifests)
  await pods.untilReady()
  url = await serviceUrl()
}, 300_000)
afterAll(async () => {
  await pods.close()
  await database.drop()
}, 300_000)

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

/** The greeting of an instance, and whether it echoes its input. */
async function talk(entry: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/proxy/${entry}`)
  let output = ''
  socket.on('message', (data) => {
    output += data
  })
  await once(socket, 'open')
  socket.send('and back')
  await expect.poll(() => output).toContain('and back')
  socket.close()
  return output
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
  await expect.poll(reasons).toContainEqual(expect.stringMatching(/pods is forbidden/))
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

/** Two replicas on the cluster, as the manifests of `deploy/kubernetes` make them: the Job of the schema, a rolling update during a game, evictions, network. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { askApi } from '../../../tools/cluster/api.ts'
import { program } from '../../../tools/cluster/build.ts'
import { applyManifests, buildManifests, exampleSite, type Manifest, removeManifests } from '../../../tools/cluster/manifests.ts'
import { addresses, folder, kubeconfig } from '../../../tools/cluster/place.ts'
import { platformImage } from '../../../tools/cluster/platform-image.ts'
import { emptyDatabase } from './database.ts'
import { adminApi } from './kubernetes.ts'
import { isReady, logsOf, type Pods, preparePods, readDeployment, serviceUrl, vexil } from './platform-pods.ts'
import { raiseStorm, type Storm } from './storm.ts'

const root = join(import.meta.dirname, '../../..')
/** The password of the example site. */
const adminPassword = 'put-a-long-password-here'
const labelSelector = 'app.kubernetes.io/name=vexil'

let database: Awaited<ReturnType<typeof emptyDatabase>>
let pods: Pods
let storm: Storm
let url = ''

beforeAll(async () => {
  database = await emptyDatabase()
  pods = await preparePods(database.url)
})
afterAll(async () => {
  await pods.close()
  await database.drop()
}, 300_000)

const podNames = async () => (await vexil.list('pods', { labelSelector })).map(({ metadata }) => metadata.name).sort()

async function readStatus(address: string): Promise<number> {
  const answer = await fetch(address)
  await answer.arrayBuffer()
  return answer.status
}

/** Sends requests until the returned function is called, which returns the number of answers, and those other than 200. */
function askAgainAndAgain(path: string) {
  const failed: string[] = []
  let [count, over] = [0, false]
  const asking = (async () => {
    for (; !over; count++, await sleep(20)) {
      const outcome = await readStatus(url + path).catch((error: Error) => `${error.message}: ${error.cause}`)
      if (outcome !== 200) failed.push(`${new Date().toISOString()} ${path} ${outcome}`)
    }
  })()
  return async () => {
    over = true
    await asking
    return { count, failed }
  }
}

interface Sent {
  readonly answer: string
  readonly team: string
}

/** A listener that works like the page of the monitor: when its connection is closed, it connects again and reads the list. */
function listen() {
  const received = new Set<string>()
  const closes: unknown[] = []
  let [count, over] = [0, false]
  let socket: WebSocket
  const note = ({ answer, team }: Sent) => received.add(`${answer} ${team}`)
  const readList = async () =>
    (await storm.ask('GET', `/api/game/${storm.game}/submissions?count=0`, undefined, storm.admin)).body.forEach(note)
  function connect() {
    socket = new WebSocket(`${url.replace('http', 'ws')}/hub/monitor?game=${storm.game}`, { headers: { cookie: storm.admin } })
    socket.on('open', () => socket.send('{"protocol":"json","version":1}\x1e'))
    socket.on('error', (error) => closes.push(error.message))
    socket.on('close', () => void (over || connect()))
    socket.on('message', (data) => {
      for (const frame of String(data).split('\x1e').filter(Boolean)) {
        const { type, target, arguments: values, allowReconnect } = JSON.parse(frame)
        // The answer to the handshake.
        if (type === undefined) void readList()
        if (type === 7) closes.push({ allowReconnect })
        if (target !== 'ReceivedSubmissions') continue
        count++
        note(values[0])
      }
    })
  }
  connect()
  return {
    received,
    closes,
    /** Messages that came over the connection. */
    count: () => count,
    stop() {
      over = true
      socket.close()
    },
  }
}

const read = (file: string) => readFileSync(join(root, 'docs', file), 'utf8')
/** These commands replace all replicas. */
const ofRunBook = /^```sh cluster\n(.+?)^```/ms.exec(read('runbook.md'))![1]!.trim().split('\n')
/** The commands of an update; `site` is the folder of the site. */
const ofUpdate = /^\*\*Update\.\*\*.+?\n((?: {4}[^\n]+\n)+)/ms.exec(read('operations.md'))![1]!.trim().split(/\n +/)

/** Executes commands one after the other. Returns those that failed, with what they printed. */
async function follow(commands: readonly string[], cwd = root): Promise<string[]> {
  const bin = mkdtempSync(join(folder, 'bin-'))
  symlinkSync(program('kubectl'), join(bin, 'kubectl'))
  const env = { PATH: `${bin}:${process.env.PATH}`, KUBECONFIG: kubeconfig('admin'), KUBECACHEDIR: join(bin, 'cache') }
  const failed: string[] = []
  for (const command of commands)
    await promisify(execFile)('sh', ['-c', command], { env, cwd }).catch(({ stdout, stderr }) =>
      failed.push(`${command}: ${stdout}${stderr}`),
    )
  rmSync(bin, { recursive: true })
  return failed
}

test('replicas are not ready until the Job has upgraded the schema', async () => {
  await pods.apply(pods.manifests.filter(({ kind }) => kind !== 'Job'))
  const waits = async () => (await logsOf(labelSelector)).match(/Waiting for "vexil migrate"/g)?.length
  await expect.poll(waits, { timeout: 120_000, interval: 500 }).toBe(2)
  expect((await readDeployment()).status).toMatchObject({ replicas: 2 })
  expect((await readDeployment()).status.availableReplicas).toBeUndefined()
  url = await serviceUrl()
  await expect(fetch(url)).rejects.toThrow()
  await pods.apply(pods.manifests.filter(({ kind }) => kind === 'Job'))
  await pods.untilReady()
  expect(await logsOf('app.kubernetes.io/name=vexil-migrate', 'migrate')).toContain('applied: 0001')
  expect((await fetch(url)).status).toBe(200)
}, 300_000)

test('when the commands of the run book replace all replicas, no request fails, no answer is lost, and a listener receives every solve', async () => {
  storm = await raiseStorm(() => ({ url, adminPassword }), 3)
  const before = await podNames()
  const listener = listen()
  onTestFinished(listener.stop)
  const asking = ['/', '/api/config', `/api/game/${storm.game}/scoreboard`].map(askAgainAndAgain)
  const available: number[] = []
  const since = Date.now()
  let rolled = false
  const following = follow(ofRunBook).finally(() => {
    rolled = true
  })
  for (let round = 0; round < 4 || !rolled || (await podNames()).length > 2; round++) {
    const { stop } = await storm.blow(round)
    await sleep(1_500)
    await stop()
    available.push((await readDeployment()).status.availableReplicas ?? 0)
  }
  expect(await following).toEqual([])
  const seconds = Math.round((Date.now() - since) / 1000)
  const after = await podNames()
  expect(after.filter((name) => before.includes(name))).toEqual([])
  expect(Math.min(...available)).toBe(2)
  const totals = await Promise.all(asking.map((stop) => stop()))
  expect(totals.flatMap(({ failed }) => failed)).toEqual([])
  expect([...storm.statuses.keys()]).toEqual([200])
  const { stored } = await storm.mustHoldAll()
  const solves = [...storm.acknowledged.keys()].filter((key) => key.startsWith('flag{'))
  expect(solves.length).toBeGreaterThanOrEqual(12)
  await expect.poll(() => solves.filter((solve) => !listener.received.has(solve))).toEqual([])
  // Its replica was replaced, and it receives solves over its new connection.
  expect(listener.closes.length).toBeGreaterThan(0)
  expect(listener.closes.filter((close) => JSON.stringify(close) !== '{"allowReconnect":true}')).toEqual([])
  const received = listener.count()
  await (await storm.blow(1_000)).stop()
  await expect.poll(listener.count).toBeGreaterThan(received)
  const requests = totals.reduce((sum, { count }) => sum + count, 0)
  process.stdout.write(
    `rolled in ${seconds} s: ${requests} requests and ${stored} answers, 0 failed; ${solves.length} solves heard; connected again: ${listener.closes.length}\n`,
  )
}, 600_000)

test('the health page lists both replicas with their addresses, at which their boards are equal', async () => {
  const { body } = await storm.ask('GET', '/api/admin/health', undefined, storm.admin)
  const nodes = (await vexil.list('pods', { labelSelector })).map(({ status }) => `http://${status.podIP}:8080`)
  for (const node of nodes) expect(JSON.stringify(body)).toContain(node)
  const boards = nodes.map(async (node) => (await fetch(`${node}/api/game/${storm.game}/scoreboard`)).text())
  const [one, other] = await Promise.all(boards)
  expect(one).toContain('crew 0')
  expect(other).toBe(one)
})

test('one replica may be evicted, the second not until another is ready, and the Service answers all the time', async () => {
  const [one, other] = (await podNames()) as [string, string]
  const evict = (name: string) =>
    askApi('POST', `/api/v1/namespaces/vexil/pods/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'vexil' },
    }).then(
      () => 201,
      ({ status }) => status,
    )
  const allowed = async () =>
    (
      await askApi<{ status: { disruptionsAllowed: number } }>(
        'GET',
        '/apis/policy/v1/namespaces/vexil/poddisruptionbudgets/vexil',
      )
    ).status.disruptionsAllowed
  await expect.poll(allowed, { timeout: 30_000 }).toBe(1)
  const asking = askAgainAndAgain('/api/config')
  expect([await evict(one), await evict(other)]).toEqual([201, 429])
  await vi.waitUntil(async () => (await isReady()) && !(await podNames()).includes(one), { timeout: 120_000, interval: 500 })
  const { count, failed } = await asking()
  expect(failed).toEqual([])
  expect(count).toBeGreaterThan(10)
  expect(await podNames()).toContain(other)
}, 200_000)

test('the commands of an update run the Job again and replace the pods when a setting changed, and no request fails', async () => {
  const readJob = () =>
    askApi<{ metadata: { uid: string }; status: { succeeded?: number } }>(
      'GET',
      '/apis/batch/v1/namespaces/vexil/jobs/vexil-migrate',
    )
  const [before, job] = [await podNames(), await readJob()]
  expect(ofUpdate).toHaveLength(3)
  const file = join(pods.site, 'kustomization.yaml')
  const kustomization = JSON.parse(readFileSync(file, 'utf8'))
  kustomization.configMapGenerator[0].literals.push('LOG_LEVEL=info')
  writeFileSync(file, JSON.stringify(kustomization))
  const asking = askAgainAndAgain('/api/config')
  expect(await follow(ofUpdate.map((command) => command.replace('-k site', `-k ${pods.site}`)))).toEqual([])
  await vi.waitUntil(async () => (await podNames()).length === 2, { timeout: 120_000, interval: 500 })
  expect((await asking()).failed).toEqual([])
  expect((await podNames()).filter((name) => before.includes(name))).toEqual([])
  const again = await readJob()
  expect([again.metadata.uid === job.metadata.uid, again.status.succeeded]).toEqual([false, 1])
}, 300_000)

test('with a bucket no volume is claimed, and the cluster accepts the manifests', async () => {
  const site = mkdtempSync(join(folder, 'bucket-'))
  onTestFinished(() => rmSync(site, { recursive: true }))
  const resources = [relative(site, exampleSite)]
  const components = [relative(site, join(exampleSite, '../kubernetes/bucket'))]
  writeFileSync(join(site, 'kustomization.yaml'), JSON.stringify({ resources, components }))
  const manifests = buildManifests(site)
  expect(manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([])
  const { spec } = manifests.find(({ kind }) => kind === 'Deployment') as Manifest & { spec: { template: { spec: object } } }
  expect(spec.template.spec).toMatchObject({
    containers: [
      { volumeMounts: [{ name: 'data' }], env: expect.not.arrayContaining([{ name: 'VEXIL_FILES_DIR', value: '/files/vexil' }]) },
    ],
    volumes: [{ name: 'data' }],
  })
  // The existing Job cannot be changed.
  await applyManifests(
    manifests.filter(({ kind }) => kind !== 'Job'),
    { dryRun: true },
  )
})

const namespaceOf = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** Dials `targets` (name → host:port) from a pod. Returns those that it reaches. */
async function reachedFrom(namespace: string, targets: Readonly<Record<string, string>>, labels = {}): Promise<string[]> {
  const api = adminApi(namespace)
  // The rules of a new pod need a moment.
  const script = `
    const { connect } = require('node:net')
    const dial = (target) => new Promise((resolve) => {
      const [host, port] = target.split(':')
      const socket = connect({ host, port, timeout: 1000 }, () => resolve(true))
      for (const event of ['error', 'timeout']) socket.on(event, () => resolve(false))
    })
    setTimeout(async () => {
      const targets = ${JSON.stringify(targets)}
      const reached = await Promise.all(Object.values(targets).map(async (target) => await dial(target) || dial(target)))
      console.log(JSON.stringify(Object.keys(targets).filter((_, i) => reached[i])))
      process.exit()
    }, 2000)
  `
  const never = { exec: { command: ['false'] } }
  const container = { name: 'dials', image: platformImage, command: ['node', '-e', script], readinessProbe: never }
  await api.create('pods', {
    metadata: { name: 'dials', labels },
    spec: { restartPolicy: 'Never', automountServiceAccountToken: false, containers: [container] },
  })
  try {
    const ended = async () => (await api.find('pods', 'dials'))?.status.phase === 'Succeeded'
    await vi.waitUntil(ended, { timeout: 60_000, interval: 250 })
    return JSON.parse(String(await api.logs('dials', 'dials', 5, 10_000)))
  } finally {
    await api.remove('pods', 'dials')
  }
}

test('the NetworkPolicy lets the ingress controller, Prometheus and the platform reach what they use, and nothing else', async () => {
  const neighbours = ['ingress-nginx', 'monitoring', 'elsewhere'].map(namespaceOf)
  const outside: Server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => outside.listen(0, addresses.machine, resolve))
  const { port } = outside.address() as { port: number }
  await applyManifests(neighbours)
  const account = '/api/v1/namespaces/NAME/serviceaccounts/default'
  for (const { metadata } of neighbours)
    await vi.waitUntil(() =>
      askApi('GET', account.replace('NAME', metadata.name)).then(
        () => true,
        () => false,
      ),
    )
  try {
    const [pod] = await vexil.list('pods', { labelSelector })
    const ip = pod!.status.podIP
    const targets = {
      calls: `${ip}:8080`,
      metrics: `${ip}:9464`,
      database: `${addresses.machine}:5432`,
      cluster: `${addresses.node}:6443`,
      outside: `${addresses.machine}:${port}`,
    }
    const reached = {
      'ingress-nginx': await reachedFrom('ingress-nginx', targets),
      monitoring: await reachedFrom('monitoring', targets),
      elsewhere: await reachedFrom('elsewhere', targets),
      'the platform': await reachedFrom('vexil', targets, { 'app.kubernetes.io/name': 'vexil' }),
      'the Job': await reachedFrom('vexil', targets, { 'app.kubernetes.io/name': 'vexil-migrate' }),
    }
    const open = ['database', 'cluster', 'outside']
    expect(reached).toEqual({
      'ingress-nginx': ['calls', ...open],
      monitoring: ['metrics', ...open],
      elsewhere: open,
      'the platform': ['calls', 'database', 'cluster'],
      'the Job': ['database'],
    })
  } finally {
    outside.close()
    await removeManifests(neighbours)
  }
}, 300_000)

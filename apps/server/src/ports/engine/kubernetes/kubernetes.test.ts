/** The driver on a fake API; `npm run tool -- cluster-test` runs the same suite on a real cluster. */
// Alone: it counts the timers of its process.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { aContainer, anAdditional, engineSuite, talkTo } from '../../../../test/engine.suite.ts'
import { type FakeCluster, openFakeCluster } from '../../../../test/kubernetes-api.ts'
import type { Engine } from '../engine.ts'
import { type KubernetesOptions, openKubernetes } from './kubernetes.ts'

/** The namespace of the platform's pod. */
const place = vi.hoisted((): { ownNamespace: string | null } => ({ ownNamespace: null }))
vi.mock('./kubernetes-access.ts', async (original) => {
  const { openAccess } = await original<typeof import('./kubernetes-access.ts')>()
  return { openAccess: (config: string | null) => ({ ...openAccess(config), ...place }) }
})

const open: (FakeCluster | Engine)[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function aCluster(): Promise<FakeCluster> {
  const cluster = await openFakeCluster()
  open.push(cluster)
  return cluster
}

async function anEngine({ config }: FakeCluster, more: Partial<KubernetesOptions> = {}): Promise<Engine> {
  const engine = await openKubernetes({
    config,
    namespace: 'vexil-challenges',
    installation: randomUUID(),
    published: false,
    deny: ['10.0.0.0/8', '127.77.0.0/16'],
    pods: [],
    dns: [],
    requests: 0.1,
    registry: null,
    onError: () => undefined,
    pullPatience: 800,
    settle: 20,
    ...more,
  })
  open.push(engine)
  return engine
}

const images = { echo: 'test/echo:1', second: 'test/second:1', crash: 'test/crash:1', missing: '127.0.0.1:9/missing:1' }
/** Names of the objects of a pull. */
const pullName = expect.stringMatching(/^pull-[0-9a-f]{20}$/)
const podsOf = ({ things }: FakeCluster) => [...things.pods!.values()]

describe.each([false, true])('an engine on Kubernetes, published: %s', (published) => {
  engineSuite(async () => {
    const cluster = await aCluster()
    return { engine: await anEngine(cluster, { published }), neighbour: await anEngine(cluster, { published }), images }
  })
})

describe('requests to the cluster', () => {
  test('requests are a share of the limits, and never less than an idle instance needs', async () => {
    const cluster = await aCluster()
    const of = async (requests: number) => {
      const engine = await anEngine(cluster, { requests })
      await engine.create(aContainer({ image: images.echo, cpuCount: 5, memoryLimit: 96, storageLimit: 200 }))
      const [container] = podsOf(cluster).at(-1)!.spec.containers as unknown as [
        { resources: { requests: unknown; limits: unknown } },
      ]
      expect(container.resources.limits).toEqual({ cpu: '500m', memory: '96Mi', 'ephemeral-storage': '200Mi' })
      return container.resources.requests
    }
    expect(await of(0)).toEqual({ cpu: '10m', memory: '32Mi', 'ephemeral-storage': '16Mi' })
    expect(await of(0.5)).toEqual({ cpu: '250m', memory: '48Mi', 'ephemeral-storage': '100Mi' })
    expect(await of(1)).toEqual({ cpu: '500m', memory: '96Mi', 'ephemeral-storage': '200Mi' })
  })

  test('the profile strict takes all rights from the container, and a runtime class is named where the challenge has one', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    await engine.create(aContainer({ image: images.echo, strict: true, runtime: 'gvisor' }))
    await engine.create(aContainer({ image: images.echo }))
    const [strict, usual] = podsOf(cluster).map(({ spec }) => spec)
    expect(strict).toMatchObject({
      runtimeClassName: 'gvisor',
      volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } }],
    })
    expect(strict!.containers![0]).toMatchObject({
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      securityContext: {
        privileged: false,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: 65_534,
        runAsGroup: 65_534,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    })
    expect(JSON.stringify(strict)).not.toContain('"add"')
    for (const part of ['runtimeClassName', 'volumes']) expect(usual).not.toHaveProperty(part)
  })

  test('limits, rights and labels of a pod; the flag is only in its secret', async () => {
    const cluster = await aCluster()
    const installation = randomUUID()
    const engine = await anEngine(cluster, { installation })
    const spec = aContainer({ image: images.echo, cpuCount: 5, memoryLimit: 96, storageLimit: 200, port: 7001 })
    const { engineId, published } = await engine.create(spec)
    const [pod] = podsOf(cluster)
    expect(pod!.metadata).toMatchObject({
      name: engineId,
      labels: {
        'vexil.team': '12',
        'vexil.installation': installation,
        'vexil.container': spec.id,
        'vexil.storage': '200',
        'vexil.network': 'Open',
      },
    })
    expect(engineId).toMatch(/^chal-7-[a-z0-9]{12}$/)
    expect(pod!.spec).toEqual({
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      dnsPolicy: 'Default',
      containers: [
        {
          name: 'challenge',
          image: images.echo,
          imagePullPolicy: 'IfNotPresent',
          envFrom: [{ secretRef: { name: engineId } }],
          ports: [{ name: 'challenge', containerPort: 7001, protocol: 'TCP' }],
          resources: {
            limits: { cpu: '500m', memory: '96Mi', 'ephemeral-storage': '200Mi' },
            requests: { cpu: '50m', memory: '32Mi', 'ephemeral-storage': '20Mi' },
          },
          securityContext: {
            privileged: false,
            allowPrivilegeEscalation: true,
            capabilities: {
              drop: ['ALL'],
              add: [
                ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP'],
                ...['NET_BIND_SERVICE', 'SYS_CHROOT'],
              ],
            },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
    })
    expect(JSON.stringify([...podsOf(cluster), ...cluster.things.services!.values()])).not.toContain(spec.environment.FLAG)
    expect(cluster.things.secrets!.get(engineId)).toMatchObject({ stringData: spec.environment, immutable: true })
    expect([published, cluster.things.services!.size]).toEqual([null, 0])
  })

  test('additional containers share the pod, its profile and its ports; each has a secret and limits', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { published: true, requests: 0.5 })
    const one = anAdditional({
      ...{ name: 'db', image: 'test/db', environment: { PASSWORD: 'the database’s' } },
      ...{ cpuCount: 3, memoryLimit: 80, storageLimit: 128 },
    })
    const named = [
      { name: 'sql', port: 5432 },
      { name: 'admin', port: 8080 },
    ]
    const additional = [one, anAdditional({ name: 'check', image: images.echo, runsOnce: true })]
    const spec = aContainer({ image: images.echo, strict: true, hasReadyCheck: true, namedPorts: named, additional })
    const { engineId, published, namedPorts } = await engine.create(spec)
    const { containers, volumes } = podsOf(cluster)[0]!.spec as unknown as { containers: object[]; volumes: object[] }
    expect(containers).toEqual([
      expect.objectContaining({
        name: 'challenge',
        ports: [
          { name: 'challenge', containerPort: 7000, protocol: 'TCP' },
          { name: 'challenge-1', containerPort: 5432, protocol: 'TCP' },
          { name: 'challenge-2', containerPort: 8080, protocol: 'TCP' },
        ],
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      }),
      {
        name: 'additional-db',
        image: 'test/db',
        imagePullPolicy: 'Always',
        envFrom: [{ secretRef: { name: `${engineId}-additional-db` } }],
        resources: {
          limits: { cpu: '300m', memory: '80Mi', 'ephemeral-storage': '128Mi' },
          requests: { cpu: '150m', memory: '40Mi', 'ephemeral-storage': '64Mi' },
        },
        securityContext: expect.objectContaining({ runAsNonRoot: true, readOnlyRootFilesystem: true }),
        volumeMounts: [{ name: 'tmp-additional-db', mountPath: '/tmp' }],
      },
      expect.objectContaining({ name: 'once-check' }),
    ])
    expect(volumes.map((volume) => (volume as { name: string }).name)).toEqual(['tmp', 'tmp-additional-db', 'tmp-once-check'])
    const { secrets, services } = cluster.things
    expect(secrets!.get(`${engineId}-additional-db`)?.stringData).toEqual({ PASSWORD: 'the database’s' })
    expect([...services!.values()][0]!.spec.ports).toEqual([
      { name: 'challenge', port: 7000, targetPort: 7000, protocol: 'TCP', nodePort: published!.port },
      { name: 'challenge-1', port: 5432, targetPort: 5432, protocol: 'TCP', nodePort: namedPorts[0]!.publishedPort },
      { name: 'challenge-2', port: 8080, targetPort: 8080, protocol: 'TCP', nodePort: namedPorts[1]!.publishedPort },
    ])
    expect(new Set([published!.port, ...namedPorts.map(({ publishedPort }) => publishedPort)]).size).toBe(3)
    const { ingress } = cluster.things.networkpolicies!.get('vexil-ingress')!.spec as { ingress: { ports: object[] }[] }
    const allowed = ['challenge', 'challenge-1', 'challenge-2', 'challenge-3', 'challenge-4']
    expect(ingress[0]!.ports).toEqual(allowed.map((port) => ({ protocol: 'TCP', port })))
    await engine.destroyOne(spec.id, engineId)
    expect([secrets!.size, services!.size, podsOf(cluster).length]).toEqual([0, 0, 0])
  })

  test('with published ports a service leads to this pod only, and is removed with it', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { published: true })
    const spec = aContainer({ image: images.echo })
    const { published } = await engine.create(spec)
    const [service] = [...cluster.things.services!.values()]
    expect(service!.spec).toEqual({
      type: 'NodePort',
      selector: { 'vexil.installation': expect.any(String), 'vexil.container': spec.id },
      ports: [{ name: 'challenge', port: 7000, targetPort: 7000, protocol: 'TCP', nodePort: published!.port }],
    })
    await engine.destroy(spec.id)
    expect([cluster.things.services!.size, cluster.things.secrets!.size, cluster.things.pods!.size]).toEqual([0, 0, 0])
  })

  test('a mutable image is pulled each time; name servers and credentials are passed on', async () => {
    const cluster = await aCluster()
    const registry = { name: 'registry.example.org:5000/team', user: 'me', password: 'secret' }
    const engine = await anEngine(cluster, { dns: ['9.9.9.9'], registry })
    await engine.create(aContainer({ image: 'test/echo', isolated: true }))
    const [pod] = podsOf(cluster)
    expect(pod!.metadata.labels!['vexil.network']).toBe('Isolated')
    const [secret] = [...cluster.things.secrets!.values()].filter(({ type }) => type?.includes('docker'))
    expect(pod!.spec).toMatchObject({
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['9.9.9.9'] },
      imagePullSecrets: [{ name: secret!.metadata.name }],
      containers: [{ imagePullPolicy: 'Always' }],
    })
    expect(JSON.parse(secret!.stringData!['.dockerconfigjson']!)).toEqual({
      auths: { 'registry.example.org:5000': { username: 'me', password: 'secret' } },
    })
    // The cluster refuses credentials now, and accepts them later.
    cluster.refuse('POST /api/v1/namespaces/vexil-challenges/secrets', 503)
    const late = await anEngine(cluster, { registry })
    await expect(late.pull('test/echo:3')).rejects.toThrow()
    cluster.refuse('POST /api/v1/namespaces/vexil-challenges/secrets', null)
    await late.pull('test/echo:3')
    // Another start, with a new password and Docker Hub, which kubelets know by another name.
    const installation = secret!.metadata.labels!['vexil.installation']!
    const other = await anEngine(cluster, { installation, registry: { name: 'docker.io', user: 'me', password: 'new' } })
    await other.pull('test/echo:2')
    const again = cluster.things.secrets!.get(secret!.metadata.name)
    expect(JSON.parse(again!.stringData!['.dockerconfigjson']!)).toEqual({
      auths: { 'https://index.docker.io/v1/': { username: 'me', password: 'new' } },
    })
  })
})

test('a pod is asked for its port only where the challenge wants it, by a probe that never ends it', async () => {
  const cluster = await aCluster()
  const engine = await anEngine(cluster)
  await engine.create(aContainer({ image: images.echo, port: 7000, hasReadyCheck: true }))
  const probe = { tcpSocket: { port: 7000 }, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 10_000_000 }
  expect(podsOf(cluster)[0]!.spec).toMatchObject({ containers: [{ startupProbe: probe }] })
})

test.each([
  ['test/echo:1', '', true],
  ['test/echo:1', 'flag{', true],
  ['test/echo:1', 'something else', false],
  ['test/deaf:1', '', false],
  ['test/deaf:1', 'flag{', false],
])('the service of %s that must send "%s" is ready: %s', async (image, text, ready) => {
  const engine = await anEngine(await aCluster())
  const started = await engine.create(aContainer({ image, hasReadyCheck: true }))
  expect(await engine.listens({ ...started, published: null }, text)).toBe(ready)
})

test('a service with named ports is ready when each of them accepts a connection, at its published port where there is one', async () => {
  const engine = await anEngine(await aCluster())
  const ready = async (image: string, isPublished = false) => {
    const additional = [anAdditional({ name: 'db', image })]
    const spec = aContainer({ image: images.echo, hasReadyCheck: true, namedPorts: [{ name: 'sql', port: 5432 }], additional })
    const started = await engine.create(spec)
    const published = isPublished ? { host: started.host, port: started.port } : null
    // Nothing listens at port 9.
    const namedPorts = isPublished ? [{ port: 5432, publishedPort: 9 }] : started.namedPorts
    return engine.listens({ ...started, published, namedPorts }, '')
  }
  expect([await ready('test/db:1'), await ready('test/deaf:1'), await ready('test/db:1', true)]).toEqual([true, false, false])
})

test('a platform in the cluster asks the pod itself for its text and its named ports', async () => {
  place.ownNamespace = 'vexil'
  const engine = await anEngine(await aCluster())
  place.ownNamespace = null
  const additional = [anAdditional({ name: 'db', image: 'test/db:1' })]
  const spec = aContainer({ image: images.echo, namedPorts: [{ name: 'sql', port: 5432 }], additional })
  const started = await engine.create(spec)
  // Nothing listens at port 9.
  const published = { host: started.host, port: 9 }
  const namedPorts = [{ port: 5432, publishedPort: 9 }]
  expect(await engine.listens({ ...started, published, namedPorts }, 'flag{')).toBe(true)
})

test('the text of a service is read from its published port, and a pod that is gone does not listen', async () => {
  const engine = await anEngine(await aCluster())
  const spec = aContainer({ image: images.echo })
  const started = await engine.create(spec)
  const elsewhere = { ...started, host: '127.77.255.254', published: { host: started.host, port: started.port } }
  expect(await engine.listens(elsewhere, 'flag{')).toBe(true)
  expect(await engine.listens({ ...elsewhere, published: null }, 'flag{')).toBe(false)
  await engine.destroy(spec.id)
  expect(await engine.listens(elsewhere, '')).toBe(false)
})

describe('failures', () => {
  test.each(['secrets', 'services'] as const)('%s without a pod are found and removed', async (kind) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { published: true })
    const spec = aContainer({ image: images.echo })
    await engine.create(spec)
    for (const other of ['pods', 'secrets', 'services']) if (other !== kind) cluster.things[other]!.clear()
    expect(await engine.list()).toEqual([{ id: spec.id, engineId: null, state: 'remains', overStorage: false }])
    await engine.destroy(spec.id)
    expect([await engine.list(), cluster.things[kind]!.size]).toEqual([[], 0])
  })

  const terminated = (more: object) => ({
    containerStatuses: [{ name: 'challenge', state: { terminated: { exitCode: 137, ...more } } }],
  })
  test.each([
    [{ reason: 'Evicted', message: 'Usage exceeds the total limit of containers 128Mi.' }, 'storage', null],
    [{ reason: 'Evicted', message: 'Container challenge exceeded its local ephemeral storage limit "128Mi".' }, 'storage', null],
    [{ reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' }, 'evicted', null],
    [{ reason: 'Evicted', message: 'The node was low on resource: memory. Usage exceeds the request.' }, 'evicted', null],
    [{ reason: 'NodeShutdown', ...terminated({ reason: 'Error' }) }, 'evicted', 137],
    [terminated({ reason: 'OOMKilled' }), 'memory', 137],
    [terminated({ reason: 'Error' }), 'exit', 137],
    [terminated({ reason: 'Completed', exitCode: 0 }), 'exit', 0],
    [terminated({ reason: 'Unknown', exitCode: 255 }), 'engine', null],
    [terminated({ reason: 'ContainerStatusUnknown' }), 'engine', null],
    [{ reason: 'Evicted', ...terminated({ reason: 'ContainerStatusUnknown' }) }, 'evicted', 137],
    [{}, 'exit', null],
  ])('an ended pod is listed as ended with the cluster’s reason: %j', async (status, reason, exitCode) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const spec = aContainer({ image: images.echo })
    await engine.create(spec)
    const [pod] = podsOf(cluster)
    pod!.status = { phase: 'Failed', ...status }
    const { reason: word, message: text } = status as { reason?: string; message?: string }
    const end = { reason, container: null, exitCode, message: [word, text].filter(Boolean).join(': ') }
    const engineId = pod!.metadata.name
    expect(await engine.inspect(spec.id)).toEqual({ id: spec.id, engineId, state: 'ended', overStorage: false, end })
    expect(await engine.logs(spec.id, 5)).toBe('starting\nready')
  })

  const disrupted = {
    type: 'DisruptionTarget',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute',
  }
  test.each([
    [{}, '', null],
    [{ conditions: [{ ...disrupted, status: 'False' }] }, '', null],
    [{ conditions: [{ ...disrupted, status: 'True' }] }, `${disrupted.reason}: ${disrupted.message}`, null],
    [{ phase: 'Failed', ...terminated({ reason: 'Error' }) }, '', 137],
  ])('a pod that the cluster deletes is evicted, although it is listed as running: %j', async (status, message, exitCode) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const spec = aContainer({ image: images.echo })
    const { engineId } = await engine.create(spec)
    const [pod] = podsOf(cluster)
    Object.assign(pod!.status!, status)
    expect((await engine.inspect(spec.id, engineId))?.end?.reason).toBe(exitCode === null ? undefined : 'exit')
    pod!.metadata.deletionTimestamp = new Date().toISOString()
    const found = { id: spec.id, engineId, state: 'ended', overStorage: false }
    const end = { reason: 'evicted', container: null, exitCode, message }
    expect([await engine.list(), await engine.inspect(spec.id, engineId)]).toEqual([[found], { ...found, end }])
    await engine.destroy(spec.id)
    expect(await engine.list()).toEqual([])
  })

  test('a pod that the cluster deletes while it starts is refused and removed', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const create = engine.create(aContainer({ image: 'test/slow:1' }))
    await vi.waitFor(() => expect(podsOf(cluster)).toHaveLength(1))
    podsOf(cluster)[0]!.metadata.deletionTimestamp = new Date().toISOString()
    await expect(create).rejects.toMatchObject({ problem: 'busy', message: 'The pod was removed while it started' })
    expect(await engine.list()).toEqual([])
  })

  test.each([
    [
      { reason: 'OutOfpods', message: 'Pod was rejected' },
      'busy',
      'The cluster ended the container while it started: OutOfpods: Pod was rejected',
    ],
    [
      { reason: 'Evicted', message: 'The node was low on resource: memory.' },
      'busy',
      'Evicted: The node was low on resource: memory.',
    ],
    [
      { reason: 'Evicted', message: 'Pod ephemeral local storage usage exceeds the total limit of containers 128Mi.' },
      'failed',
      'exited immediately (it exceeded its storage limit)',
    ],
    [terminated({ reason: 'Unknown', message: 'no task' }), 'busy', 'The cluster ended the container while it started: no task'],
  ])('a pod that ends while it starts, without an exit of its program: %j', async (status, problem, message) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { pullPatience: 60_000 })
    const create = engine.create(aContainer({ image: 'test/silent:1' }))
    await vi.waitFor(() => expect(podsOf(cluster)).toHaveLength(1))
    podsOf(cluster)[0]!.status = { phase: 'Failed', ...status }
    await expect(create).rejects.toMatchObject({ problem, message: expect.stringContaining(message) })
    expect(await engine.list()).toEqual([])
  })

  test('an additional container that ended ends the instance although its pod runs; one that runs once does not', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const additional = ['db', 'check'].map((name) => anAdditional({ name, image: images.echo, runsOnce: name === 'check' }))
    const spec = aContainer({ image: images.echo, additional })
    const { engineId } = await engine.create(spec)
    const [pod] = podsOf(cluster)
    const ended = (name: string) => {
      const statuses = pod!.status!.containerStatuses as { name: string }[]
      const terminated = { reason: 'OOMKilled', exitCode: 137, message: 'too much' }
      pod!.status!.containerStatuses = statuses.map((one) => (one.name === name ? { name, state: { terminated } } : one))
    }
    ended('once-check')
    expect(await engine.inspect(spec.id)).toMatchObject({ state: 'running', end: null })
    ended('additional-db')
    expect(await engine.list()).toEqual([{ id: spec.id, engineId, state: 'ended', overStorage: false }])
    const end = { reason: 'memory', container: 'db', exitCode: 137, message: 'too much' }
    expect((await engine.inspect(spec.id))?.end).toEqual(end)
  })

  test('with a slow image the pod is removed, the pull continues, and the next one starts', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const spec = aContainer({ image: 'test/slow:1' })
    await expect(engine.create(spec)).rejects.toMatchObject({ problem: 'pulling' })
    expect(await engine.list()).toEqual([])
    await vi.waitFor(() => expect(podsOf(cluster).map(({ metadata }) => metadata.labels!['vexil.pull'])).toEqual([pullName]))
    const one = engine.pull('test/slow:1')
    const two = engine.pull('test/slow:1')
    expect(await engine.findImage('test/slow:1')).toBe('registry')
    cluster.arrive()
    await Promise.all([one, two])
    const sets = cluster.calls.filter((call) => call.startsWith('POST') && call.endsWith('/daemonsets'))
    expect([sets.length, cluster.things.daemonsets!.size, cluster.things.pods!.size]).toEqual([1, 0, 0])
    await engine.create(spec)
  })

  test('a start that waits for the image of an additional container, after that of the first, waits for a pull', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { pullPatience: 100 })
    const spec = aContainer({ image: images.echo, additional: [anAdditional({ name: 'db', image: 'test/slow:1' })] })
    const refusal = { problem: 'pulling', message: 'The image test/slow:1 is being pulled' }
    await expect(engine.create(spec)).rejects.toMatchObject(refusal)
    // Those of all its containers.
    await vi.waitFor(() => expect(cluster.calls.filter((call) => /^POST .+\/daemonsets$/.test(call))).toHaveLength(2))
    const pulled = engine.pull('test/slow:1')
    cluster.arrive()
    await pulled
    await engine.create(spec)
  })

  test('a patient start reports the pull and waits for it; one that is stopped meanwhile leaves no pod, and its neighbour continues', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { pullPatience: 100 })
    const seen: unknown[] = []
    const stopping = new AbortController()
    const watch = { waitsForImages: true, seen: (...one: unknown[]) => void seen.push(one) }
    const [spec, other] = [aContainer({ image: 'test/slow:1' }), aContainer({ image: 'test/slow:1', subnetIndex: 1 })]
    const started = engine.create(spec, { ...watch, signal: new AbortController().signal })
    const stopped = engine.create(other, { ...watch, seen: () => undefined, signal: stopping.signal })
    await vi.waitFor(() => expect(seen).toEqual([['creating', null], ...seen.slice(1).map(() => ['pulling', null])]))
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1))
    stopping.abort(new Error('enough'))
    await expect(stopped).rejects.toThrow('enough')
    expect((await engine.list()).map(({ id }) => id)).toEqual([spec.id])
    cluster.arrive()
    expect((await started).host).toMatch(/^127\./)
    expect(cluster.things.daemonsets!.size).toBe(0)
  })

  test.each([
    [[], 'busy', 'The cluster is busy'],
    // It waited for room at first, and a container beside it does not listen yet.
    [['FailedScheduling', 'Unhealthy'], 'busy', 'The cluster is busy'],
    [['FailedMount'], 'busy', 'The container does not start: because of FailedMount'],
    [['FailedCreatePodSandBox', 'Unhealthy'], 'failed', 'The container does not start: because of FailedCreatePodSandBox'],
  ])('a pod with the warnings %j that no node begins to start: %s; nothing is pulled', async (warnings, problem, message) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { pullPatience: 100 })
    cluster.door.meet('first look', 'held', (call) => {
      if (/^GET .*\/pods\//.test(call))
        for (const reason of warnings.splice(0)) cluster.tell(podsOf(cluster)[0]!, 'Warning', reason, `because of ${reason}`)
      return false
    })
    const create = engine.create(aContainer({ image: 'test/silent:1' }))
    await expect(create).rejects.toMatchObject({ problem, message: expect.stringContaining(message) })
    expect([await engine.list(), cluster.things.pods!.size]).toEqual([[], 0])
  })

  test('the pods of a pull run nothing of the image and have no rights; those of a killed platform are removed', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { registry: { name: 'registry.example.org', user: 'me', password: 'secret' } })
    const neighbour = await anEngine(cluster)
    for (const one of [engine, neighbour]) void one.pull('test/slow:1').catch(() => undefined)
    await vi.waitFor(() => expect(podsOf(cluster)).toHaveLength(2))
    expect(podsOf(cluster).find(({ spec }) => spec.imagePullSecrets)).toMatchObject({
      metadata: { labels: { 'vexil.network': 'Isolated' } },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        imagePullSecrets: [{ name: expect.stringContaining('vexil-registry-') }],
        containers: [
          {
            command: ['/vexil/only-fetches-the-image'],
            resources: { limits: { cpu: '100m', memory: '32Mi' }, requests: { cpu: '1m', memory: '4Mi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
              readOnlyRootFilesystem: true,
              runAsUser: 65_534,
              seccompProfile: { type: 'RuntimeDefault' },
            },
          },
        ],
      },
    })
    expect(await engine.list()).toEqual([])
    const age = (minutes: number) => {
      for (const { metadata } of cluster.things.daemonsets!.values())
        metadata.creationTimestamp = new Date(Date.now() - minutes * 60_000).toISOString()
    }
    age(10.5)
    await engine.list()
    expect(podsOf(cluster)).toHaveLength(2)
    age(11.5)
    await engine.list()
    // A pull that still runs creates its DaemonSet again; the one of the other installation is not changed.
    await vi.waitFor(() => expect(cluster.calls.filter((call) => call.startsWith('DELETE')).length).toBe(1))
    cluster.arrive()
    await vi.waitFor(() => expect([podsOf(cluster), cluster.things.daemonsets!.size]).toEqual([[], 0]))
  })

  test('an image is pulled to every node; which node lacks it, and why, is reported while the others have it', async () => {
    const cluster = await aCluster()
    cluster.nodes = ['node-1', 'lacking', 'node-2', 'refused']
    const engine = await anEngine(cluster)
    const seen: unknown[] = []
    const pulled = engine.pull('test/slow:1', (nodes) => seen.push(nodes))
    const lacking = {
      node: 'lacking',
      state: 'failed',
      problem: 'The image test/slow:1 cannot be pulled: test/slow:1: not found',
    }
    const refused = { node: '', state: 'failed', problem: 'The cluster refuses the pod: exceeded quota: vexil' }
    const of = (state: string) => ['node-1', 'node-2'].map((node) => ({ node, state, problem: null }))
    const all = (state: string) => [of(state)[0], lacking, of(state)[1], refused]
    await vi.waitFor(() => expect(seen.at(-1)).toEqual(all('pulling')))
    const before = seen.length
    await vi.waitFor(() =>
      expect(cluster.calls.filter((call) => call.includes('GET') && call.includes('/daemonsets/')).length).toBeGreaterThan(3),
    )
    expect(seen).toHaveLength(before)
    cluster.arrive()
    await expect(pulled).rejects.toMatchObject({ problem: 'image', message: `lacking: ${lacking.problem}; ${refused.problem}` })
    expect(seen.at(-1)).toEqual(all('here'))
    expect([podsOf(cluster), cluster.things.daemonsets!.size]).toEqual([[], 0])
    // All nodes have the image now, so the pull succeeds.
    cluster.nodes = ['node-1', 'node-2']
    await engine.pull('test/slow:1')
    expect(await engine.findImage('test/echo:1')).toBe('here')
    const other = await aCluster()
    const found = (await anEngine(other, { pullPatience: 60_000 })).findImage('test/slow:1')
    await vi.waitFor(() => expect(podsOf(other)).toHaveLength(1))
    other.arrive()
    expect(await found).toBe('registry')
    cluster.nodes = []
    await expect(engine.pull('test/echo:1')).rejects.toMatchObject({
      problem: 'image',
      message: 'No node of the cluster takes pods',
    })
  })

  test('a pull for two callers is one pull, and both receive which nodes have the image', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const [first, second] = [[] as unknown[], [] as unknown[]]
    const pulls = [engine.pull('test/slow:1', (nodes) => first.push(nodes))]
    await vi.waitFor(() => expect(first.at(-1)).toMatchObject([{ state: 'pulling' }]))
    pulls.push(engine.pull('test/slow:1', (nodes) => second.push(nodes)))
    cluster.arrive()
    await Promise.all(pulls)
    const here = [{ node: 'node-1', state: 'here', problem: null }]
    expect([first.at(-1), second.at(-1)]).toEqual([here, here])
    expect(cluster.calls.filter((call) => /^POST .+\/daemonsets$/.test(call))).toHaveLength(1)
  })

  test('at most three images are pulled at a time, and a process continues with the set of another', async () => {
    const cluster = await aCluster()
    const installation = randomUUID()
    const engine = await anEngine(cluster, { installation })
    const images = ['a', 'b', 'c', 'd'].map((name) => `${name}/slow:1`)
    const pulls = images.map((image) => engine.pull(image))
    await vi.waitFor(() => expect(cluster.things.daemonsets!.size).toBe(3))
    const other = await anEngine(cluster, { installation })
    const again = other.pull(images[0]!)
    const made = () => cluster.calls.filter((call) => call.startsWith('POST') && call.endsWith('/daemonsets')).length
    await vi.waitFor(() =>
      expect(cluster.calls.filter((call) => call.startsWith('GET') && call.includes('/daemonsets/')).length).toBeGreaterThan(9),
    )
    expect([made(), cluster.things.daemonsets!.size]).toEqual([3, 3])
    cluster.arrive()
    await Promise.all([...pulls, again])
    expect([podsOf(cluster), cluster.things.daemonsets!.size]).toEqual([[], 0])
  })

  test('a pod that waits for its node names it, and a set with pods of an earlier one with its name is not judged by those', async () => {
    const cluster = await aCluster()
    cluster.nodes = ['full']
    const engine = await anEngine(cluster)
    const seen: unknown[] = []
    void engine.pull('test/echo:1', (nodes) => seen.push(...nodes)).catch(() => undefined)
    await vi.waitFor(() =>
      expect(seen.at(-1)).toEqual({ node: 'full', state: 'pulling', problem: 'The node has no room: 0/1 nodes are available' }),
    )
    const [pod] = podsOf(cluster)
    cluster.things.pods!.set('earlier', {
      ...pod!,
      metadata: { ...pod!.metadata, name: 'earlier', ownerReferences: [{ uid: 'earlier' }] },
      spec: { nodeName: 'node-9' },
    })
    seen.length = 0
    pod!.spec.nodeName = 'full'
    pod!.status = {
      phase: 'Pending',
      containerStatuses: [{ name: 'image', state: { waiting: { reason: 'CreateContainerConfigError', message: 'no' } } }],
    }
    await vi.waitFor(() => expect(seen).toEqual([{ node: 'full', state: 'pulling', problem: 'no' }]))
    pod!.status = {
      phase: 'Pending',
      containerStatuses: [{ name: 'image', state: { waiting: { reason: 'RunContainerError' } } }],
    }
    await vi.waitFor(() => expect(seen.at(-1)).toEqual({ node: 'full', state: 'here', problem: null }))
  })

  test('a node that has not begun after two minutes lacks the image, and one that still pulls it after ten', async () => {
    const cluster = await aCluster()
    cluster.nodes = ['full', 'node-1']
    const engine = await anEngine(cluster)
    let time = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time)
    const looks = () => cluster.calls.filter((call) => call.startsWith('GET') && call.includes('/daemonsets/')).length
    const lookedAt = async (ms: number) => {
      time = ms
      const before = looks()
      await vi.waitFor(() => expect(looks()).toBeGreaterThan(before + 1))
    }
    const full = { node: 'full', state: 'pulling', problem: 'The node has no room: 0/1 nodes are available' }
    const slow = { node: 'node-1', state: 'pulling', problem: null }
    try {
      const seen: unknown[] = []
      const pulled = engine.pull('test/slow:1', (nodes) => seen.push(nodes))
      pulled.catch(() => undefined)
      await vi.waitFor(() => expect(seen.at(-1)).toEqual([full, slow]))
      await lookedAt(120_000)
      expect(seen.at(-1)).toEqual([full, slow])
      time = 120_001
      const lacking = { ...full, state: 'failed' }
      await vi.waitFor(() => expect(seen.at(-1)).toEqual([lacking, slow]))
      await lookedAt(600_000)
      expect(seen.at(-1)).toEqual([lacking, slow])
      time = 600_001
      await expect(pulled).rejects.toMatchObject({
        problem: 'image',
        message: `full: ${full.problem}; node-1: Not pulled (after 10 minutes)`,
      })
    } finally {
      clock.mockRestore()
    }
  })

  test('a cluster without capacity reports it', async () => {
    const engine = await anEngine(await aCluster())
    const create = engine.create(aContainer({ image: 'test/full:1' }))
    await expect(create).rejects.toMatchObject({ problem: 'busy', message: expect.stringContaining('0/1 nodes are available') })
  })

  test.each([
    ['pods "chal-7" is forbidden: exceeded quota: vexil, requested: pods=1, used: pods=9, limited: pods=9', 'busy'],
    ['pods "chal-7" is forbidden: violates PodSecurity "restricted:latest"', 'failed'],
  ])('a cluster that answers %s: %s, and nothing is left', async (message, problem) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    cluster.refuse('POST /api/v1/namespaces/vexil-challenges/pods', 403, message)
    await expect(engine.create(aContainer({ image: images.echo }))).rejects.toMatchObject({ problem, message })
    expect(cluster.things.secrets!.size).toBe(0)
  })

  test('a pod at an address reachable from other pods is refused, and nothing is left', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const create = engine.create(aContainer({ image: 'test/stray:1' }))
    await expect(create).rejects.toMatchObject({ problem: 'failed', message: expect.stringContaining('VEXIL_KUBERNETES_DENY') })
    expect(cluster.things.pods!.size + cluster.things.secrets!.size).toBe(0)
  })

  test('a pod that ends a moment after its start has not started', async () => {
    const engine = await anEngine(await aCluster(), { settle: 100 })
    const create = engine.create(aContainer({ image: 'test/brief:1' }))
    await expect(create).rejects.toMatchObject({ problem: 'failed', message: expect.stringContaining('exit code 7') })
  })

  test('a transient error of the node is awaited, a permanent one is reported', async () => {
    const engine = await anEngine(await aCluster())
    expect(await talkTo(await engine.create(aContainer({ image: 'test/late:1' })))).toMatch(/^flag/)
    const create = engine.create(aContainer({ image: 'test/broken:1' }))
    await expect(create).rejects.toMatchObject({ problem: 'failed', message: expect.stringContaining('failed to sync secret') })
  })

  test('a pull that the node tried without the credentials is awaited, one that is refused with them is reported', async () => {
    const cluster = await aCluster()
    const registry = { name: 'registry.example.org', user: 'me', password: 'secret' }
    const engine = await anEngine(cluster, { registry })
    expect(await talkTo(await engine.create(aContainer({ image: 'test/keyless:1' })))).toMatch(/^flag/)
    await engine.pull('test/keyless:1')
    const refusal = { problem: 'image', message: expect.stringContaining('401 Unauthorized') }
    for (const refused of [() => engine.create(aContainer({ image: 'test/denied:1' })), () => engine.pull('test/denied:1')]) {
      cluster.things.events!.clear()
      await expect(refused()).rejects.toMatchObject(refusal)
      expect([...cluster.things.events!.values()].map((event) => (event as unknown as { reason: string }).reason)).toEqual([
        'FailedToRetrieveImagePullSecret',
        'Failed',
        'Failed',
      ])
    }
    // Without credentials there is nothing to wait for.
    const anonymous = await anEngine(cluster)
    for (const refused of [
      () => anonymous.create(aContainer({ image: 'test/keyless:1' })),
      () => anonymous.pull('test/keyless:1'),
    ])
      await expect(refused()).rejects.toMatchObject(refusal)
  })

  test('a removal that is refused removes what it can, and reports the first refusal', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { published: true })
    const spec = aContainer({ image: images.echo })
    await engine.create(spec)
    for (const kind of ['secrets', 'services'])
      cluster.refuse(`DELETE /api/v1/namespaces/vexil-challenges/${kind}`, 403, `${kind} may not be deleted`)
    await expect(engine.destroy(spec.id)).rejects.toMatchObject({
      problem: 'failed',
      message: expect.stringContaining('secrets may not be deleted'),
    })
    expect([cluster.things.pods!.size, cluster.things.services!.size]).toEqual([0, 1])
  })

  test('a start that waits for the secret of the registry can be stopped, and creates nothing', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { registry: { name: 'registry.example.org', user: 'me', password: 'secret' } })
    cluster.door.meet('POST /api/v1/namespaces/vexil-challenges/secrets', 'held')
    const stopping = new AbortController()
    const watch = { waitsForImages: false, seen: () => undefined, signal: stopping.signal }
    const started = engine.create(aContainer({ image: images.echo }), watch)
    await cluster.door.untilHeld()
    stopping.abort(new Error('enough'))
    const outcome = Promise.race([started, new Promise((later) => setTimeout(later, 2_000, 'still waiting'))])
    await expect(outcome).rejects.toThrow('enough')
    cluster.door.release()
    expect(podsOf(cluster)).toEqual([])
  })

  test('the state of the engine counts containers that run', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    await engine.create(aContainer({ image: images.echo }))
    await engine.create(aContainer({ image: images.echo, subnetIndex: 1 }))
    podsOf(cluster)[0]!.status = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }
    expect([(await engine.list()).length, (await engine.probe()).running]).toEqual([2, 1])
  })

  test('a failed service removes its pod', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster, { published: true })
    cluster.refuse('POST /api/v1/namespaces/vexil-challenges/services', 422, 'provided port is already allocated')
    await expect(engine.create(aContainer({ image: images.echo }))).rejects.toMatchObject({ problem: 'failed' })
    expect(cluster.things.pods!.size + cluster.things.secrets!.size).toBe(0)
  })

  test.each([
    [401, 'unreachable'],
    [429, 'unreachable'],
    [503, 'unreachable'],
    [403, 'failed'],
  ])('status %i of the API counts as %s', async (status, problem) => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    await engine.list()
    cluster.refuse('GET /api/v1/namespaces/vexil-challenges/pods', status, 'it says why')
    await expect(engine.inspect(randomUUID())).rejects.toMatchObject({ problem, message: expect.stringContaining('it says why') })
  })

  test('a call that the cluster throttles is repeated when it says so, unless that is too late', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const throttled: string[] = []
    const throttle = (after: string) =>
      cluster.door.meet('throttle', { status: 429, text: 'too many', headers: { 'retry-after': after } }, (call) => {
        const isFirst = !throttled.includes(call)
        throttled.push(call)
        return isFirst
      })
    throttle('0')
    const spec = aContainer({ image: images.echo })
    expect(await talkTo(await engine.create(spec))).toMatch(/^flag/)
    expect(throttled).toContain('POST /api/v1/namespaces/vexil-challenges/pods')
    expect(podsOf(cluster)).toHaveLength(1)
    throttled.length = 0
    throttle('30')
    await expect(engine.inspect(spec.id)).rejects.toMatchObject({ problem: 'unreachable' })
    expect(throttled).toHaveLength(1)
  })

  test('of the output, the last 16 kB are returned, whatever the cluster sends', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    const spec = aContainer({ image: images.echo })
    await engine.create(spec)
    cluster.prints = () => `${'x'.repeat(30_000)}end`
    const printed = await engine.logs(spec.id, 5)
    expect([printed.length, printed.endsWith('xend')]).toEqual([16_384, true])
    // The limit of the cluster would keep the first bytes.
    expect(cluster.door.asked.at(-1)).toMatch(/tailLines=5&limitBytes=81920$/)
    cluster.prints = () => 'a\0b \n\n'
    expect(await engine.logs(spec.id, 5)).toBe('ab')
  })

  test('an unavailable cluster does not prevent the start, and is reported as such', async () => {
    const cluster = await openFakeCluster()
    const engine = await anEngine(cluster)
    await cluster.close()
    for (const act of ['list', 'probe'] as const) await expect(engine[act]()).rejects.toMatchObject({ problem: 'unreachable' })
    await expect(engine.create(aContainer({ image: images.echo }))).rejects.toMatchObject({ problem: 'unreachable' })
  })

  test('the platform only dials pods', async () => {
    const engine = await anEngine(await aCluster())
    expect(
      ['127.77.0.9', '10.1.2.3', '127.0.0.1', '192.0.2.1', '169.254.169.254', '100.100.100.200', ''].map((host) =>
        engine.reaches(host),
      ),
    ).toEqual([true, true, false, false, false, false, false])
  })

  test('it reads only the names of secrets', async () => {
    const cluster = await aCluster()
    const engine = await anEngine(cluster)
    await engine.create(aContainer({ image: images.echo }))
    await engine.list()
    const reads = cluster.calls.filter((call) => call.startsWith('GET') && call.includes('/secrets'))
    expect(new Set(reads)).toEqual(new Set(['GET /api/v1/namespaces/vexil-challenges/secrets']))
  })
})

test('an image is looked up with the credentials of the registry, and a result in time leaves no timer', async () => {
  const cluster = await aCluster()
  const registry = { name: 'registry.example.org', user: 'somebody', password: 'secret' }
  const engine = await anEngine(cluster, { registry, pullPatience: 3_600_000 })
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  await engine.findImage(images.echo)
  expect(cluster.things.secrets!.size).toBe(1)
  // Timers of other tests in this process may end in the meantime; those of an hour do not.
  await vi.waitFor(() => expect(timers()).toBeLessThanOrEqual(before))
})

test('policies that could not be read are read again by the next call', async () => {
  const cluster = await aCluster()
  const engine = await anEngine(cluster)
  const looks = 'GET /apis/networking.k8s.io/v1/namespaces/vexil-challenges/networkpolicies'
  cluster.refuse(looks, 500)
  await expect(engine.probe()).rejects.toMatchObject({ problem: 'unreachable' })
  cluster.refuse(looks, null)
  expect((await engine.probe()).isolation).toBe('in place')
})

test('policies are created once, and missing rights for them are reported', async () => {
  const cluster = await aCluster()
  const reported: Error[] = []
  const engine = await anEngine(cluster, { onError: (error) => reported.push(error as Error) })
  expect((await engine.probe()).isolation).toBe('in place')
  expect([...cluster.things.networkpolicies!.keys()]).toEqual(['vexil-policy', 'vexil-isolated', 'vexil-ingress'])
  cluster.refuse('GET /apis/networking.k8s.io', 403, 'networkpolicies is forbidden')
  const other = await anEngine(cluster, { onError: (error) => reported.push(error as Error) })
  expect((await other.probe()).isolation).toContain('networkpolicies is forbidden')
  expect(reported).toHaveLength(1)
})

test('policies are checked again after five seconds, and each deterioration is reported once', async () => {
  const cluster = await aCluster()
  const reported: Error[] = []
  const engine = await anEngine(cluster, { onError: (error) => reported.push(error as Error) })
  let time = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time)
  const stateAt = async (ms: number) => {
    time = ms
    return (await engine.probe()).isolation
  }
  const forbid = (status: number | null) => cluster.refuse('GET /apis/networking.k8s.io', status, 'it is forbidden')
  try {
    expect(await stateAt(0)).toBe('in place')
    forbid(403)
    expect(await stateAt(5_000)).toBe('in place')
    for (const ms of [5_001, 5_002, 11_000]) expect(await stateAt(ms)).toContain('it is forbidden')
    expect(reported).toHaveLength(1)
    forbid(null)
    expect(await stateAt(20_000)).toBe('in place')
    forbid(403)
    expect(await stateAt(30_000)).toContain('it is forbidden')
    expect(reported).toHaveLength(2)
  } finally {
    clock.mockRestore()
  }
})

test('a pull that fails after its start or its look-up has ended is reported', async () => {
  const cluster = await aCluster()
  const reported: unknown[] = []
  const engine = await anEngine(cluster, { pullPatience: 100, onError: (error) => reported.push(error) })
  expect(await engine.findImage('test/slow:1')).toBe('registry')
  cluster.refuse('GET /apis/apps/v1', 403, 'no longer allowed')
  const failure = expect.objectContaining({ problem: 'image', message: 'no longer allowed' })
  await vi.waitFor(() => expect(reported).toEqual([failure]))
  await expect(engine.create(aContainer({ image: 'test/slow:1' }))).rejects.toMatchObject({ problem: 'pulling' })
  await vi.waitFor(() => expect(reported).toEqual([failure, failure]))
})

test('a pod that starts while the list is read is listed as running', async () => {
  const cluster = await aCluster()
  const engine = await anEngine(cluster)
  const { engineId } = await engine.create(aContainer({ image: images.echo }))
  const { pods } = cluster.things
  const [pod] = podsOf(cluster)
  pods!.clear()
  cluster.door.meet('starts', 'held', (call) => {
    if (/^GET .*\/secrets\?/.test(call)) pods!.set(engineId, pod!)
    return false
  })
  expect(await engine.list()).toMatchObject([{ engineId, state: 'running' }])
})

test('a call that waits ends when the engine is closed', async () => {
  const cluster = await aCluster()
  const engine = await anEngine(cluster)
  cluster.door.meet('GET /api/v1/namespaces/vexil-challenges/secrets', 'held')
  const answer = engine.inspect(randomUUID()).catch((error: Error) => error.message)
  await cluster.door.untilHeld()
  await engine.close()
  expect(await answer).not.toContain('no answer within')
})

test('an administrator’s own policy is kept and checked; ours follow the settings', async () => {
  const cluster = await aCluster()
  const own = {
    metadata: { name: 'vexil-policy' },
    spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] },
  }
  cluster.things.networkpolicies!.set('vexil-policy', structuredClone(own))
  expect((await (await anEngine(cluster)).probe()).isolation).toContain('vexil-policy lets pods reach')
  expect(cluster.things.networkpolicies!.get('vexil-policy')).toEqual(own)
  expect(JSON.stringify(cluster.things.networkpolicies!.get('vexil-ingress'))).not.toContain('127.77')
  await (await anEngine(cluster, { pods: ['127.77.0.0/16'] })).probe()
  expect(JSON.stringify(cluster.things.networkpolicies!.get('vexil-ingress'))).toContain('127.77')
})

test('the Role of the manifests has exactly the used rights', async () => {
  const cluster = await aCluster()
  const registry = { name: 'registry.example.org', user: 'me', password: 'secret' }
  const installation = randomUUID()
  // The second one has other policies, and credentials that replace those of the first.
  for (const deny of [
    ['10.0.0.0/8', '127.77.0.0/16'],
    ['10.0.0.0/9', '127.77.0.0/16'],
  ]) {
    const engine = await anEngine(cluster, { installation, published: true, registry, deny })
    const spec = aContainer({ image: images.echo })
    await engine.create(spec)
    await engine.pull(images.echo)
    await engine.list()
    await engine.logs(spec.id, 5)
    await engine.probe()
    await engine.destroy(spec.id)
  }
  const used = cluster.calls.flatMap((call) => {
    const [, method = '', kind = '', name, log] =
      /^(\w+) .*\/namespaces\/[^/]+\/(\w+)(\/[^/ ]+)?(\/log)?(?: in full)?$/.exec(call) ?? []
    const verb = { GET: name ? 'get' : 'list', POST: 'create', PUT: 'update', DELETE: 'delete' }[method]
    return verb ? [`${kind}${log ?? ''} ${verb}`] : []
  })
  const manifests = loadAll(
    readFileSync(join(import.meta.dirname, '../../../../../../deploy/kubernetes/challenges.yaml'), 'utf8'),
  )
  const role = manifests.find((one) => (one as { kind: string }).kind === 'Role') as { rules: Rule[] }
  const granted = role.rules.flatMap(({ resources, verbs }) => resources.flatMap((one) => verbs.map((verb) => `${one} ${verb}`)))
  expect(granted.sort()).toEqual([...new Set(used)].sort())
})

interface Rule {
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

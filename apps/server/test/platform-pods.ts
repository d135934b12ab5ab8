/** The platform as pods of the test cluster: what kustomize builds from `deploy/kubernetes-example` with the image, database and addresses of the tests. */
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { askApi } from '../../../tools/cluster/api.ts'
import {
  applyManifests,
  buildManifests,
  exampleSite,
  type Manifest,
  pathOf,
  readManifests,
  removeManifests,
} from '../../../tools/cluster/manifests.ts'
import { addresses, folder } from '../../../tools/cluster/place.ts'
import { platformImage } from '../../../tools/cluster/platform-image.ts'
import { adminApi, denied } from './kubernetes.ts'

export const vexil = adminApi('vexil')
/** The test cluster has no name server. */
export const hostAliases = [{ ip: addresses.services.replace('0/24', '1'), hostnames: ['kubernetes.default.svc'] }]
const deploymentPath = '/apis/apps/v1/namespaces/vexil/deployments/vexil'
/** The port in the network policies. */
const databasePort = 5432

export interface Pods {
  /** The folder that kustomize reads. */
  readonly site: string
  /** Everything but `challenges.yaml`, in the order of kustomize; not applied. */
  readonly manifests: readonly Manifest[]
  apply(manifests: readonly Manifest[]): Promise<void>
  /** Waits until all replicas are ready. */
  untilReady(): Promise<void>
  /** Removes everything. */
  close(): Promise<void>
}

/** `database`: its address on this machine. */
export async function preparePods(database: string): Promise<Pods> {
  const relay = relayTo(database)
  await once(relay.listen(databasePort, addresses.machine), 'listening')
  const files = join(folder, 'volume')
  mkdirSync(files)
  // As `fsGroup` sets it if the driver of a volume supports that.
  chownSync(files, 0, 10_001)
  chmodSync(files, 0o770)
  const site = mkdtempSync(join(folder, 'site-'))
  writeSite(site, { database, files })
  const shared = new Set(readManifests('challenges.yaml').map(pathOf))
  const isOwn = (manifest: Manifest) => !shared.has(pathOf(manifest))
  const manifests = buildManifests(site).filter(isOwn)
  return {
    site,
    manifests,
    apply: (chosen) => applyManifests(chosen),
    untilReady: () =>
      vi.waitUntil(isReady, { timeout: 120_000, interval: 250 }).then(
        () => undefined,
        async () => {
          throw new Error(`The platform did not become ready:\n${await logsOf('app.kubernetes.io/name=vexil')}`)
        },
      ),
    // Its sweep would run at the same time as that of other tests.
    async close() {
      await removeManifests([...manifests, ...buildManifests(site).filter(isOwn)].toReversed())
      while ((await vexil.list('pods', {})).length > 0) await sleep(250)
      for (const path of [files, site]) rmSync(path, { recursive: true })
      relay.close()
    },
  }
}

/** The database listens only on a local socket. */
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

/** A folder of a site. JSON is YAML too. */
function writeSite(site: string, { database, files }: { database: string; files: string }): void {
  const { username, pathname } = new URL(database)
  const [newName, newTag] = platformImage.split(/:(?=[^:]+$)/)
  const spec = {
    capacity: { storage: '20Gi' },
    accessModes: ['ReadWriteMany'],
    hostPath: { path: files },
    claimRef: { namespace: 'vexil', name: 'vexil-files' },
  }
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'vexil-files' }, spec }
  writeFileSync(join(site, 'volume.json'), JSON.stringify(volume))
  const common = { name: 'vexil', namespace: 'vexil', behavior: 'merge' }
  const patch = (kind: string, name: string, ...operations: readonly object[]) => ({
    target: { kind, name },
    patch: JSON.stringify(operations),
  })
  const add = (path: string, value: unknown) => ({ op: 'add', path, value })
  const block = (cidr: string) => ({ ipBlock: { cidr } })
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(site, exampleSite), 'volume.json'],
    images: [{ name: 'registry.example.org/vexil', newName, newTag }],
    configMapGenerator: [
      {
        ...common,
        literals: [
          `VEXIL_KUBERNETES_DENY=${denied.join(',')}`,
          `VEXIL_KUBERNETES_PODS=${addresses.pods}`,
          'DISABLE_RATE_LIMIT=true',
        ],
      },
    ],
    secretGenerator: [
      { ...common, literals: [`DATABASE_URL=postgres://${username}@${addresses.machine}:${databasePort}${pathname}`] },
    ],
    patches: [
      patch('Deployment', 'vexil', add('/spec/template/spec/hostAliases', hostAliases)),
      patch('PersistentVolumeClaim', 'vexil-files', add('/spec/storageClassName', '')),
      // Requests of the tests come from outside of the cluster.
      patch('NetworkPolicy', 'vexil', add('/spec/ingress/0/from/-', block(addresses.nodes))),
      patch(
        'NetworkPolicy',
        'vexil.*',
        add('/spec/egress/-', { to: [block(`${addresses.machine}/32`)], ports: [{ port: databasePort }] }),
      ),
    ],
  }
  writeFileSync(join(site, 'kustomization.yaml'), JSON.stringify(kustomization))
}

interface DeploymentStatus {
  readonly metadata: { readonly generation: number }
  readonly status: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
  }
}
export const readDeployment = () => askApi<DeploymentStatus>('GET', deploymentPath)

/** The same condition as in `kubectl rollout status`. */
export async function isReady(): Promise<boolean> {
  const { metadata, status } = await readDeployment()
  const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status
  return (
    observedGeneration === metadata.generation && [replicas, updatedReplicas, availableReplicas].every((count) => count === 2)
  )
}

/** The URL of the Service, as this machine reaches it. */
export async function serviceUrl(): Promise<string> {
  const service = (await vexil.find('services', 'vexil')) as { spec: { clusterIP?: string } } | null
  return `http://${service?.spec.clusterIP}`
}

/** The last lines of each pod. */
export async function logsOf(labelSelector: string, container = 'vexil'): Promise<string> {
  const pods = await vexil.list('pods', { labelSelector })
  const logs = pods.map(({ metadata, status }) =>
    vexil.logs(metadata.name, container, 40, 10_000).then(String, () => JSON.stringify(status, null, 2)),
  )
  return (await Promise.all(logs)).join('\n')
}
